/* SPDX-License-Identifier: Apache-2.0 */

/* Cron schedules: what is one, and that the walk by days finds what a walk by minutes finds. */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "base/text.h"
#include "cron/cron.h"
#include "cron/zones.h"

static int parse(const char *text, bool is_source)
{
    struct jl_cron cron;
    return is_source ? jl_cron_parse_v2_17_1(text, strlen(text), &cron, NULL)
                     : jl_cron_parse(text, strlen(text), &cron, NULL);
}

static void both_grammars_are_kept_apart(void **state)
{
    static const struct {
        const char *text;
        bool is_ours;
        bool is_source;
    } rows[] = {
        { "* * * * *", true, true },
        { "? ? ? ? ?", true, true },
        { "0-59/15 0,12 1-31 JAN-dec Mon,fri", true, true },
        { "5/10 * * * *", true, true },
        { "00 007 01 1 0", true, true },
        { "\t0 9 *\n* *  ", true, true },
        { "0 0 * * 7", true, false },
        { "0 0 * * 5-7", true, false },
        { "0 0 * * 7/2", true, false },
        { "@hourly", true, false },
        { "TZ=Asia/Tokyo @daily", true, false },
        { " TZ=Asia/Tokyo 0 0 * * *", true, false },
        { "TZ=UTC\t0 0 * * *", true, false },
        { ",1 * * * *", false, true },
        { "1, * * * *", false, true },
        { ", * * * *", false, true },
        { "+1 * * * *", false, true },
        { "*-5 * * * *", false, true },
        { "TZ= 0 0 * * *", false, true },
        { "TZ=Local 0 0 * * *", true, true }, /* ours: not in the database, at the edge */
        { "", false, false },
        { "   ", false, false },
        { "* * * *", false, false },
        { "* * * * * *", false, false },
        { "60 * * * *", false, false },
        { "* 24 * * *", false, false },
        { "* * 0 * *", false, false },
        { "* * 32 * *", false, false },
        { "* * * 0 *", false, false },
        { "* * * 13 *", false, false },
        { "* * * * 8", false, false },
        { "9-5 * * * *", false, false },
        { "1-2-3 * * * *", false, false },
        { "1- * * * *", false, false },
        { "-1 * * * *", false, false },
        { "*/0 * * * *", false, false },
        { "*/ * * * *", false, false },
        { "1/2/3 * * * *", false, false },
        { "99999999999999999999 * * * *", false, false },
        { "*/-1 * * * *", false, false },
        { "jan * * * *", false, false },
        { "* * * janu *", false, false },
        { "* * * xxn *", false, false },
        { "* * * xan *", false, false },
        { "* * * jax *", false, false },
        { "0x1 * * * *", false, false },
        { "@every 1h", false, false },
        { "@daily @daily", false, false },
        { "@DAILY", false, false },
        { "TZ=0", false, false },
        { "TZ=UTC", false, false },
        { "TZ=UTC ", false, false },
        { "TZ=../../etc/passwd 0 0 * * *", false, false },
        { "TZ=/etc/localtime 0 0 * * *", false, false },
        { "TZ=Europe//Berlin 0 0 * * *", false, false },
        { "TZ=Europe/ 0 0 * * *", false, false },
        { "tz=UTC 0 0 * * *", false, false },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        if ((parse(rows[i].text, false) == 0) != rows[i].is_ours)
            fail_msg("ours: \"%s\"", rows[i].text);
        if ((parse(rows[i].text, true) == 0) != rows[i].is_source)
            fail_msg("the source: \"%s\"", rows[i].text);
    }
}

static void a_message_names_the_field(void **state)
{
    struct joulie_error err = { .struct_size = sizeof err };
    struct jl_cron cron = { .minutes = 7 };
    (void)state;
    assert_int_equal(jl_cron_parse("* 24 * * *", 10, &cron, &err), JOULIE_E_PARSE);
    assert_string_equal(err.message, "hour: outside of 0 to 23");
    assert_string_equal(err.where, "");
    assert_int_equal(cron.minutes, 7);
    assert_int_equal(jl_cron_parse("TZ=UTC", 6, &cron, &err), JOULIE_E_PARSE);
    assert_string_equal(err.message, "nothing stands behind the time zone");
}

static void sunday_has_two_numbers(void **state)
{
    struct jl_cron cron;
    (void)state;
    assert_int_equal(jl_cron_parse("0 0 * * 5-7", 11, &cron, NULL), 0);
    assert_int_equal(cron.weekdays, 1u << 5 | 1u << 6 | 1u);
    assert_int_equal(jl_cron_parse("0 0 * * 1/2", 11, &cron, NULL), 0);
    assert_int_equal(cron.weekdays, 1u << 1 | 1u << 3 | 1u << 5);
}

static void a_step_of_one_is_no_step(void **state)
{
    struct jl_cron cron;
    (void)state;
    assert_int_equal(jl_cron_parse("0 0 */1 * 5", 11, &cron, NULL), 0);
    assert_true(cron.is_any_day);
    assert_int_equal(jl_cron_parse("0 0 */2 * 5", 11, &cron, NULL), 0);
    assert_false(cron.is_any_day);
}

static void texts_are_the_same_but_for_blanks(void **state)
{
    (void)state;
    assert_true(jl_cron_is_same_text("0  9 * * *", 10, " 0 9 * * * ", 11));
    assert_false(jl_cron_is_same_text("0 9 * * *", 9, "09 * * *", 8));
    assert_false(jl_cron_is_same_text("0 9 * * *", 9, "0 9 * * * *", 11));
}

static void five_years_are_enough_for_a_leap_day(void **state)
{
    struct jl_cron leap;
    struct jl_cron never;
    struct jl_cron_window window;
    const int64_t now_s = 1835308799; /* 2028-02-27T23:59:59Z */
    (void)state;
    assert_int_equal(jl_cron_parse("0 0 29 2 *", 10, &leap, NULL), 0);
    assert_int_equal(jl_cron_parse("0 0 30 2 *", 10, &never, NULL), 0);
    assert_int_equal(jl_cron_window(&leap, NULL, &never, NULL, now_s, &window), 0);
    assert_true(window.is_active && !window.never_starts && window.never_ends);
    assert_int_equal(window.last_start_s, 1709164800); /* 2024-02-29 */
    /* 9999-12-31T23:59:59Z is the last second, 0000-01-01T00:00:00Z the first */
    const int64_t last_s = INT64_C(253402300799);
    const int64_t first_s = -INT64_C(62167219200);
    assert_int_equal(jl_cron_window(&leap, NULL, &never, NULL, last_s, &window), 0);
    assert_int_equal(window.last_start_s, INT64_C(253281168000)); /* 9996-02-29 */
    assert_int_equal(jl_cron_window(&leap, NULL, &never, NULL, first_s, &window), 0);
    assert_int_equal(jl_cron_window(&leap, NULL, &never, NULL, last_s + 1, &window),
                     JOULIE_E_RANGE);
    assert_int_equal(jl_cron_window(&leap, NULL, &never, NULL, first_s - 1, &window),
                     JOULIE_E_RANGE);
    assert_int_equal(jl_cron_window(&leap, NULL, &never, NULL, INT64_MAX, &window), JOULIE_E_RANGE);
    assert_int_equal(jl_cron_window(&leap, NULL, &never, NULL, INT64_MIN, &window), JOULIE_E_RANGE);
}

/* 2100 is no leap year: the leap day before 2104 is that of 2096. */
static void a_leap_day_is_forgotten_after_five_years_to_the_minute(void **state)
{
    struct jl_cron leap;
    struct jl_cron_window window;
    (void)state;
    assert_int_equal(jl_cron_parse("0 0 29 2 *", 10, &leap, NULL), 0);
    /* 2101-02-15T12:00:00Z */
    assert_int_equal(jl_cron_window(&leap, NULL, &leap, NULL, 4137912000, &window), 0);
    assert_int_equal(window.last_start_s, 3981312000); /* 2096-02-29 */
    assert_false(window.never_starts);
    /* 2101-03-01T00:00:00Z */
    assert_int_equal(jl_cron_window(&leap, NULL, &leap, NULL, 4139078400, &window), 0);
    assert_true(window.never_starts);
}

static void the_last_minute_before_a_change_fires(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_cron cron;
    int64_t last_s = 0;
    const struct jl_time_zone *zone = zone_of("America/New_York", &arena);
    const int64_t change_s = 1772953200; /* 2026-03-08T07:00:00Z, 2:00 becomes 3:00 */
    (void)state;
    assert_int_equal(jl_cron_parse("59 1 8 3 *", 10, &cron, NULL), 0);
    assert_true(jl_cron_last(&cron, zone, change_s + 60, change_s - 86400, &last_s));
    assert_int_equal(last_s, change_s - 60);
    assert_false(jl_cron_last(&cron, zone, change_s - 61, change_s - 86400, &last_s));
    jl_arena_clear(&arena);
}

/* The look back takes both its ends in, the look ahead begins behind the present minute. */
static void the_ends_of_a_look_count(void **state)
{
    struct jl_cron cron;
    int64_t found_s = -1;
    (void)state;
    assert_int_equal(jl_cron_parse("0 0 * * *", 9, &cron, NULL), 0);
    assert_true(jl_cron_last(&cron, NULL, 86400, 86400, &found_s));
    assert_int_equal(found_s, 86400);
    assert_false(jl_cron_last(&cron, NULL, 86400 + 60, 86400 + 60, &found_s));
    assert_false(jl_cron_last(&cron, NULL, 86400 + 3600, 86400 + 1, &found_s));
    assert_true(jl_cron_next(&cron, NULL, 86400 - 1, 86400, &found_s));
    assert_int_equal(found_s, 86400);
    assert_true(jl_cron_next(&cron, NULL, 86400, 2 * 86400, &found_s));
    assert_int_equal(found_s, 2 * 86400);
    assert_false(jl_cron_next(&cron, NULL, 86400, 2 * 86400 - 1, &found_s));
    assert_false(jl_cron_next(&cron, NULL, 86400, 86400, &found_s));
}

/* 2:00 becomes 3:00: 1:59 fires, what is skipped waits for the next day. */
static void a_skipped_time_does_not_fire(void **state)
{
    static const struct {
        const char *text;
        int64_t next_s; /* from midnight of 8 March on */
    } rows[] = {
        { "59 1 * * *", 1772953200 - 60 },
        { "0 2 * * *", 1772953200 + 23 * 3600 },
        { "1 2 * * *", 1772953200 + 23 * 3600 + 60 },
        { "0 3 * * *", 1772953200 },
    };

    struct jl_arena arena = { 0 };
    const struct jl_time_zone *zone = zone_of("America/New_York", &arena);
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_cron cron;
        int64_t next_s = 0;
        assert_int_equal(jl_cron_parse(rows[i].text, strlen(rows[i].text), &cron, NULL), 0);
        assert_true(jl_cron_next(&cron, zone, 1772953200 - 7200, 1772953200 + 172800, &next_s));
        assert_int_equal(next_s, rows[i].next_s);
    }
    jl_arena_clear(&arena);
}

/* A zone that has nothing but the rule of its footer. */
static const struct jl_time_zone *zone_with_rule(const char *rule, struct jl_arena *arena)
{
    static const unsigned char header[54] = { 'T', 'Z', 'i', 'f', '2', [39] = 1, [43] = 4 };
    char bytes[200];
    struct jl_time_zone *zone = NULL;
    memcpy(bytes, header, sizeof header);
    memcpy(bytes + sizeof header, header, sizeof header);
    const int len =
        snprintf(bytes + 2 * sizeof header, sizeof bytes - 2 * sizeof header, "\n%s\n", rule);
    assert_int_equal(jl_zone_parse(bytes, 2 * sizeof header + (size_t)len, arena, &zone, NULL), 0);
    return zone;
}

/* v2.17.1 looks ahead to the end of the fifth year behind that of the next second, on the local
 * clock. From 2099 on that is 2104, which has a leap day; from 2098 on there is none. A start that
 * never comes and an end that never comes make a window that is open, a start to come does not. */
static void the_source_gives_up_after_the_fifth_year(void **state)
{
    static const struct {
        const char *rule; /* NULL = UTC */
        int before_s;     /* 2099-01-01 */
        bool is_active;
    } rows[] = {
        { NULL, 2, true },
        { NULL, 1, false },
        { NULL, -1, false },
        { "AAA0BBB,J1/0,J100", 2, true }, /* the clock goes on by an hour at the new year */
        { "AAA0BBB,J1/0,J100", 1, false },
        { "AAA1BBB0,J100,J1/0", 2, true }, /* it goes back by an hour */
        { "AAA1BBB0,J100,J1/0", 1, true },
        { "AAA1BBB0,J100,J1/0", 0, true },
    };

    struct jl_arena arena = { 0 };
    struct jl_cron leap;
    struct jl_cron never;
    (void)state;
    assert_int_equal(jl_cron_parse("0 0 29 2 *", 10, &leap, NULL), 0);
    assert_int_equal(jl_cron_parse("0 0 30 2 *", 10, &never, NULL), 0);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_time_zone *zone =
            rows[i].rule ? zone_with_rule(rows[i].rule, &arena) : NULL;
        const int64_t now_s = INT64_C(4070908800) - rows[i].before_s;
        if (jl_cron_is_active_v2_17_1(&leap, zone, &never, NULL, now_s) != rows[i].is_active)
            fail_msg("row %zu", i);
    }
    jl_arena_clear(&arena);
}

/* ---- against a walk by minutes ---- */

/* A schedule as the test knows it, and its text. */
struct sets {
    bool minute[60], hour[24], day[32], month[13], weekday[7];
    bool is_any_day, is_any_weekday;
    char text[256];
};

/* One random field: a star, a step, a range or some values. Says whether it is a star. */
static bool add_field(struct jl_random *random, int least, int most, bool *set, char *text,
                      size_t room)
{
    const size_t used = strlen(text);
    const int low = (int)jl_random_int(random, least, most);
    const int high = (int)jl_random_int(random, low, most);
    const int step = (int)jl_random_int(random, 2, 9);
    int length = 0;
    switch (jl_random_int(random, 0, 4)) {
    case 0:
    case 1:
        for (int i = least; i <= most; i++)
            set[i] = true;
        snprintf(text + used, room - used, "* ");
        return true;
    case 2:
        for (int i = low; i <= most; i += step)
            set[i] = true;
        snprintf(text + used, room - used, "%d/%d ", low, step);
        return false;
    case 3:
        for (int i = low; i <= high; i++)
            set[i] = true;
        snprintf(text + used, room - used, "%d-%d ", low, high);
        return false;
    default:
        set[low] = set[high] = true;
        length = snprintf(text + used, room - used, "%d,%d ", high, low);
        assert_true(length > 0);
        return false;
    }
}

static void make_schedule(struct jl_random *random, struct sets *out)
{
    *out = (struct sets){ 0 };
    add_field(random, 0, 59, out->minute, out->text, sizeof out->text);
    add_field(random, 0, 23, out->hour, out->text, sizeof out->text);
    out->is_any_day = add_field(random, 1, 31, out->day, out->text, sizeof out->text);
    add_field(random, 1, 12, out->month, out->text, sizeof out->text);
    out->is_any_weekday = add_field(random, 0, 6, out->weekday, out->text, sizeof out->text);
}

static bool is_match(const struct sets *sets, const struct tm *day, int64_t minute)
{
    const bool is_day = sets->day[day->tm_mday];
    const bool is_weekday = sets->weekday[day->tm_wday];
    const bool is_date =
        sets->is_any_day || sets->is_any_weekday ? is_day && is_weekday : is_day || is_weekday;
    return is_date && sets->month[day->tm_mon + 1] && sets->hour[minute / 60] &&
           sets->minute[minute % 60];
}

#define FIRST_S INT64_C(1704067200) /* 2024-01-01 */
#define LAST_S INT64_C(1861919999)  /* 2028-12-31T23:59:59Z */
#define OFFSET_MIN 10               /* no zone here changes at another minute */
#define EVERY_MIN 1009              /* instants that are asked for */

static void compare(const struct sets *sets, const struct jl_time_zone *zone)
{
    struct jl_cron cron;
    int64_t last_s = INT64_MIN;
    int64_t next_s = INT64_MIN; /* what was answered and has not come yet */
    int64_t offset_s = 0;
    int64_t known_day = INT64_MIN;
    struct tm day = { 0 };
    assert_int_equal(jl_cron_parse(sets->text, strlen(sets->text), &cron, NULL), 0);
    for (int64_t at_s = FIRST_S; at_s <= LAST_S; at_s += 60) {
        if (at_s / 60 % OFFSET_MIN == 0)
            offset_s = jl_zone_offset_s(zone, at_s);
        const int64_t local_s = at_s + offset_s;
        if (local_s / 86400 != known_day) {
            const time_t local = (time_t)local_s;
            known_day = local_s / 86400;
            gmtime_r(&local, &day);
        }
        if (is_match(sets, &day, local_s / 60 % 1440)) {
            if (next_s != INT64_MIN && next_s != at_s)
                fail_msg("%s: next is %lld, not %lld", sets->text, (long long)at_s,
                         (long long)next_s);
            next_s = INT64_MIN;
            last_s = at_s;
        }
        if (at_s / 60 % EVERY_MIN != 0)
            continue;
        int64_t found_s = INT64_MIN;
        (void)jl_cron_last(&cron, zone, at_s + 59, FIRST_S, &found_s);
        if (found_s != last_s)
            fail_msg("%s: last before %lld is %lld, not %lld", sets->text, (long long)at_s,
                     (long long)last_s, (long long)found_s);
        if (!jl_cron_next(&cron, zone, at_s, LAST_S, &next_s))
            next_s = INT64_MIN;
    }
    assert_true(next_s == INT64_MIN);
}

static void days_and_minutes_give_the_same(void **state)
{
    static const char *const names[] = { "America/New_York", "Europe/Berlin", "Australia/Lord_Howe",
                                         "Asia/Kathmandu",   "Pacific/Apia",  "America/Sao_Paulo" };
    struct jl_random random = { 20260313 };
    struct jl_arena arena = { 0 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        const struct jl_time_zone *zone = zone_of(names[i], &arena);
        for (int k = 0; k < 6; k++) {
            struct sets sets;
            make_schedule(&random, &sets);
            compare(&sets, zone);
        }
    }
    jl_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_grammars_are_kept_apart),
        cmocka_unit_test(a_message_names_the_field),
        cmocka_unit_test(sunday_has_two_numbers),
        cmocka_unit_test(a_step_of_one_is_no_step),
        cmocka_unit_test(texts_are_the_same_but_for_blanks),
        cmocka_unit_test(five_years_are_enough_for_a_leap_day),
        cmocka_unit_test(a_leap_day_is_forgotten_after_five_years_to_the_minute),
        cmocka_unit_test(the_last_minute_before_a_change_fires),
        cmocka_unit_test(the_ends_of_a_look_count),
        cmocka_unit_test(a_skipped_time_does_not_fire),
        cmocka_unit_test(the_source_gives_up_after_the_fifth_year),
        cmocka_unit_test(days_and_minutes_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
