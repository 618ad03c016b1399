/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Days of the Gregorian calendar. Day 0 is 1970-01-01, a Thursday. */

#include <stdint.h>

#define JL_S_PER_DAY INT64_C(86400)
#define JL_S_PER_HOUR 3600
#define JL_S_PER_MIN 60
#define JL_MIN_PER_DAY 1440

struct jl_date {
    int64_t year;
    int month; /* 1 to 12 */
    int day;   /* 1 to 31 */
};

int64_t jl_days_of(struct jl_date date); /* |year| <= 10^9 */
struct jl_date jl_date_of(int64_t days);
int jl_weekday_of(int64_t days); /* 0 = Sunday to 6 */
int jl_month_days(int64_t year, int month);

/* Rounds towards minus infinity; by > 0. */
int64_t jl_floor_div(int64_t value, int64_t by);
