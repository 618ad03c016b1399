/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Days since 1970 and dates of the Gregorian calendar, in both directions. Called by time.c and by
 * the cron windows of autoscale/.
 */

#include "base/civil.h"

#include <stdbool.h>

#define DAYS_PER_ERA 146097     /* 400 years */
#define EPOCH_SHIFT_DAYS 719468 /* from 0000-03-01 to 1970-01-01 */
#define EPOCH_WEEKDAY 4         /* 1970-01-01 was a Thursday */

int64_t jl_floor_div(int64_t value, int64_t by)
{
    return value / by - (value % by < 0);
}

/* Years begin in March here, so that a leap day ends its year. */
int64_t jl_days_of(struct jl_date date)
{
    const int64_t year = date.month <= 2 ? date.year - 1 : date.year;
    const int64_t era = jl_floor_div(year, 400);
    const int64_t year_of_era = year - era * 400;
    const int64_t month = (date.month + 9) % 12;
    const int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
    const int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - EPOCH_SHIFT_DAYS;
}

struct jl_date jl_date_of(int64_t days)
{
    const int64_t shifted = days + EPOCH_SHIFT_DAYS;
    const int64_t era = jl_floor_div(shifted, DAYS_PER_ERA);
    const int64_t day_of_era = shifted - era * DAYS_PER_ERA;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / (DAYS_PER_ERA - 1)) /
        365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month = (5 * day_of_year + 2) / 153;
    struct jl_date date = { .year = era * 400 + year_of_era };
    date.day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
    date.month = (int)(month < 10 ? month + 3 : month - 9);
    date.year += date.month <= 2;
    return date;
}

int jl_weekday_of(int64_t days)
{
    const int64_t shifted = days + EPOCH_WEEKDAY;
    return (int)(shifted - jl_floor_div(shifted, 7) * 7);
}

int jl_month_days(int64_t year, int month)
{
    static const int month_days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && is_leap ? 29 : month_days[month - 1];
}
