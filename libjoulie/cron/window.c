/* SPDX-License-Identifier: Apache-2.0 */

/*
 * When schedules fired, and whether a rule is active
 * (docs/rules/autoscaling-triggers.md#cron-rules). Time goes by spans of one offset from UTC,
 * inside of them by local days; instants are counted in minutes since the Unix epoch.
 */

#include "base/civil.h"
#include "cron/cron.h"

#define WINDOW_YEARS 5                      /* the source looks as far ahead */
#define LEAST_NOW_S (-INT64_C(62167219200)) /* 0000-01-01T00:00:00Z */
#define MOST_NOW_S INT64_C(253402300799)    /* 9999-12-31T23:59:59Z */

static bool has_bit(uint64_t bits, int64_t bit)
{
    return (bits >> bit & 1) != 0;
}

static int64_t ceil_minute(int64_t s)
{
    return -jl_floor_div(-s, JL_S_PER_MIN);
}

static bool is_day(const struct jl_cron *cron, const struct jl_date *date, int64_t day)
{
    const bool is_day = has_bit(cron->days, date->day);
    const bool is_weekday = has_bit(cron->weekdays, jl_weekday_of(day));
    if (cron->is_any_day || cron->is_any_weekday)
        return is_day && is_weekday;
    return is_day || is_weekday;
}

/* ---- backwards ---- */

/* The last minute of a day that is <= most; -1 = none. */
static int last_minute(const struct jl_cron *cron, int most)
{
    for (int hour = most / 60; hour >= 0; hour--) {
        const int last = hour == most / 60 ? most % 60 : 59;
        const uint64_t minutes = cron->minutes & (~UINT64_C(0) >> (63 - last));
        if (has_bit(cron->hours, hour) && minutes != 0)
            return hour * 60 + 63 - __builtin_clzll(minutes);
    }
    return -1;
}

/* The last local minute in [least, most]. */
static bool last_local(const struct jl_cron *cron, int64_t least, int64_t most, int64_t *out)
{
    const int64_t first_day = jl_floor_div(least, JL_MIN_PER_DAY);
    const int64_t last_day = jl_floor_div(most, JL_MIN_PER_DAY);
    for (int64_t day = last_day; day >= first_day; day--) {
        const struct jl_date date = jl_date_of(day);
        if (!has_bit(cron->months, date.month)) {
            day -= date.day - 1;
            continue;
        }
        if (!is_day(cron, &date, day))
            continue;
        const int64_t left = most - day * JL_MIN_PER_DAY;
        const int minute =
            last_minute(cron, left < JL_MIN_PER_DAY ? (int)left : JL_MIN_PER_DAY - 1);
        if (minute < 0)
            continue;
        *out = day * JL_MIN_PER_DAY + minute;
        return *out >= least;
    }
    return false;
}

bool jl_cron_last(const struct jl_cron *cron, const struct jl_time_zone *zone, int64_t now_s,
                  int64_t least_s, int64_t *out_s)
{
    const int64_t least = ceil_minute(least_s);
    int64_t most = jl_floor_div(now_s, JL_S_PER_MIN);
    while (most >= least) {
        const struct jl_zone_span span = jl_zone_span(zone, most * JL_S_PER_MIN);
        const int64_t shift = jl_floor_div(span.offset_s, JL_S_PER_MIN);
        const int64_t from = span.from_s > least_s ? ceil_minute(span.from_s) : least;
        int64_t local = 0;
        if (last_local(cron, from + shift, most + shift, &local)) {
            *out_s = (local - shift) * JL_S_PER_MIN;
            return true;
        }
        most = from - 1;
    }
    return false;
}

/* ---- forwards ---- */

/* The first minute of a day that is >= least; -1 = none. */
static int first_minute(const struct jl_cron *cron, int least)
{
    for (int hour = least / 60; hour < 24; hour++) {
        const int first = hour == least / 60 ? least % 60 : 0;
        const uint64_t minutes = cron->minutes & (~UINT64_C(0) << first);
        if (has_bit(cron->hours, hour) && minutes != 0)
            return hour * 60 + __builtin_ctzll(minutes);
    }
    return -1;
}

/* The first local minute in [least, most]. */
static bool first_local(const struct jl_cron *cron, int64_t least, int64_t most, int64_t *out)
{
    const int64_t first_day = jl_floor_div(least, JL_MIN_PER_DAY);
    const int64_t last_day = jl_floor_div(most, JL_MIN_PER_DAY);
    for (int64_t day = first_day; day <= last_day; day++) {
        const struct jl_date date = jl_date_of(day);
        if (!has_bit(cron->months, date.month)) {
            day += jl_month_days(date.year, date.month) - date.day;
            continue;
        }
        if (!is_day(cron, &date, day))
            continue;
        const int64_t gone = least - day * JL_MIN_PER_DAY;
        const int minute = first_minute(cron, gone > 0 ? (int)gone : 0);
        if (minute < 0)
            continue;
        *out = day * JL_MIN_PER_DAY + minute;
        return *out <= most;
    }
    return false;
}

bool jl_cron_next(const struct jl_cron *cron, const struct jl_time_zone *zone, int64_t now_s,
                  int64_t most_s, int64_t *out_s)
{
    const int64_t most = jl_floor_div(most_s, JL_S_PER_MIN);
    int64_t least = jl_floor_div(now_s, JL_S_PER_MIN) + 1;
    while (least <= most) {
        const struct jl_zone_span span = jl_zone_span(zone, least * JL_S_PER_MIN);
        const int64_t shift = jl_floor_div(span.offset_s, JL_S_PER_MIN);
        const int64_t until = span.until_s <= most_s ? ceil_minute(span.until_s) : most + 1;
        int64_t local = 0;
        if (first_local(cron, least + shift, until - 1 + shift, &local)) {
            *out_s = (local - shift) * JL_S_PER_MIN;
            return true;
        }
        least = until;
    }
    return false;
}

/* ---- windows ---- */

/* The same day and time five years before. */
static int64_t window_start_s(int64_t now_s)
{
    const int64_t day = jl_floor_div(now_s, JL_S_PER_DAY);
    struct jl_date date = jl_date_of(day);
    date.year -= WINDOW_YEARS;
    const int days = jl_month_days(date.year, date.month);
    date.day = date.day < days ? date.day : days;
    const int64_t start_s = now_s + (jl_days_of(date) - day) * JL_S_PER_DAY;
    return start_s > LEAST_NOW_S ? start_s : LEAST_NOW_S;
}

int jl_cron_window(const struct jl_cron *start, const struct jl_time_zone *start_zone,
                   const struct jl_cron *end, const struct jl_time_zone *end_zone, int64_t now_s,
                   struct jl_cron_window *out)
{
    if (now_s < LEAST_NOW_S || now_s > MOST_NOW_S)
        return JOULIE_E_RANGE;
    const int64_t least_s = window_start_s(now_s);
    struct jl_cron_window window = { 0 };
    window.has_start = jl_cron_last(start, start_zone, now_s, least_s, &window.last_start_s);
    window.has_end = jl_cron_last(end, end_zone, now_s, least_s, &window.last_end_s);
    window.never_starts = !window.has_start;
    window.never_ends = !window.has_end;
    window.is_active =
        window.has_start && (!window.has_end || window.last_start_s > window.last_end_s);
    *out = window;
    return 0;
}

/* The source gives up after the fifth year to come, and then has the zero time: before everything.
 */
static int64_t next_v2_17_1(const struct jl_cron *cron, const struct jl_time_zone *zone,
                            int64_t now_s)
{
    int64_t next_s = INT64_MIN;
    const int64_t local_s = now_s + 1 + jl_zone_offset_s(zone, now_s + 1);
    const int64_t year = jl_date_of(jl_floor_div(local_s, JL_S_PER_DAY)).year + WINDOW_YEARS + 1;
    const int64_t end_s = jl_days_of((struct jl_date){ year, 1, 1 }) * JL_S_PER_DAY;
    (void)jl_cron_next(cron, zone, now_s, end_s - 1 - jl_zone_offset_s(zone, end_s), &next_s);
    return next_s;
}

bool jl_cron_is_active_v2_17_1(const struct jl_cron *start, const struct jl_time_zone *start_zone,
                               const struct jl_cron *end, const struct jl_time_zone *end_zone,
                               int64_t now_s)
{
    const int64_t start_s = next_v2_17_1(start, start_zone, now_s);
    const int64_t end_s = next_v2_17_1(end, end_zone, now_s);
    if (start_s < end_s)
        return start_s < now_s && now_s < end_s;
    return now_s > start_s || now_s < end_s;
}
