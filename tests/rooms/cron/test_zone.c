/* SPDX-License-Identifier: Apache-2.0 */

/* Time zones: offsets at known instants, the rules of footers, and files that are damaged. */

#include <string.h>

#include "base/civil.h"
#include "cron/zone.h"
#include "cron/zone_rule.h"
#include "cron/zones.h"

#define HOUR 3600

static int set_up(void **state)
{
    static struct jl_arena arena;
    *state = &arena;
    return 0;
}

static int tear_down(void **state)
{
    jl_arena_clear(*state);
    return 0;
}

static int64_t utc(int64_t year, int month, int day, int hour)
{
    return jl_days_of((struct jl_date){ year, month, day }) * JL_S_PER_DAY + hour * HOUR;
}

static void days_and_dates_are_the_same(void **state)
{
    (void)state;
    assert_int_equal(jl_days_of((struct jl_date){ 1970, 1, 1 }), 0);
    assert_int_equal(jl_days_of((struct jl_date){ 2000, 3, 1 }), 11017);
    assert_int_equal(jl_weekday_of(0), 4);
    assert_int_equal(jl_weekday_of(-5), 6);
    assert_int_equal(jl_month_days(2100, 2), 28);
    assert_int_equal(jl_month_days(2000, 2), 29);
    for (int64_t day = -800000; day < 800000; day += 37) {
        const struct jl_date date = jl_date_of(day);
        assert_int_equal(jl_days_of(date), day);
        assert_true(date.day >= 1 && date.day <= jl_month_days(date.year, date.month));
    }
}

static void offsets_are_those_of_the_zone(void **state)
{
    static const struct {
        const char *zone;
        int64_t year;
        int month;
        int32_t offset_s;
    } rows[] = {
        { "America/New_York", 2026, 1, -5 * HOUR },
        { "America/New_York", 2026, 7, -4 * HOUR },
        { "America/New_York", 2199, 7, -4 * HOUR }, /* from the rule of the footer */
        { "Europe/Berlin", 2026, 7, 2 * HOUR },
        { "Europe/Berlin", 1945, 7, 3 * HOUR },
        { "Australia/Lord_Howe", 2026, 1, 11 * HOUR },
        { "Australia/Lord_Howe", 2026, 7, 10 * HOUR + HOUR / 2 }, /* half an hour less */
        { "Asia/Kathmandu", 2026, 7, 5 * HOUR + 45 * 60 },
        { "Pacific/Apia", 2011, 7, -11 * HOUR },
        { "Pacific/Apia", 2026, 7, 13 * HOUR }, /* it went over the date line */
        { "America/Sao_Paulo", 2019, 1, -2 * HOUR },
        { "America/Sao_Paulo", 2026, 1, -3 * HOUR },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_time_zone *zone = zone_of(rows[i].zone, *state);
        assert_int_equal(jl_zone_offset_s(zone, utc(rows[i].year, rows[i].month, 15, 0)),
                         rows[i].offset_s);
    }
}

static void a_change_is_at_its_second(void **state)
{
    const struct jl_time_zone *zone = zone_of("America/New_York", *state);
    const int64_t spring = utc(2026, 3, 8, 7); /* 2:00 EST */
    const int64_t later = utc(2066, 3, 14, 7); /* the same by the footer */
    assert_int_equal(jl_zone_offset_s(zone, spring - 1), -5 * HOUR);
    assert_int_equal(jl_zone_offset_s(zone, spring), -4 * HOUR);
    assert_int_equal(jl_zone_offset_s(zone, later - 1), -5 * HOUR);
    assert_int_equal(jl_zone_offset_s(zone, later), -4 * HOUR);
    const struct jl_zone_span span = jl_zone_span(zone, later);
    assert_int_equal(span.from_s, later);
    assert_int_equal(span.until_s, utc(2066, 11, 7, 6));
}

static void spans_agree_with_offsets(void **state)
{
    static const char *const names[] = { "America/New_York", "Europe/Berlin", "Australia/Lord_Howe",
                                         "Asia/Kathmandu",   "Pacific/Apia",  "America/Sao_Paulo" };
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        const struct jl_time_zone *zone = zone_of(names[i], *state);
        int64_t at = utc(1850, 1, 1, 0);
        while (at < utc(2150, 1, 1, 0)) {
            const struct jl_zone_span span = jl_zone_span(zone, at);
            assert_true(span.from_s <= at && span.until_s > at);
            assert_int_equal(jl_zone_offset_s(zone, span.until_s - 1), span.offset_s);
            at = span.until_s;
        }
    }
}

static void no_zone_is_utc(void **state)
{
    (void)state;
    assert_int_equal(jl_zone_offset_s(NULL, 0), 0);
    assert_true(jl_zone_span(NULL, 5).until_s == INT64_MAX);
}

/* ---- rules ---- */

static struct jl_zone_rule rule_of(const char *text)
{
    struct jl_zone_rule rule;
    const char *why = "";
    if (jl_zone_rule_parse(jl_text(text), &rule, &why) != 0)
        fail_msg("%s: %s", text, why);
    return rule;
}

static void every_form_of_a_rule_is_read(void **state)
{
    static const struct {
        const char *rule;
        int64_t year;
        int month, day, hour; /* UTC */
        int32_t offset_s;
    } rows[] = {
        { "UTC0", 2026, 1, 1, 0, 0 },
        { "<+0545>-5:45", 2026, 1, 1, 0, 5 * HOUR + 45 * 60 },
        { "<-03>3", 2026, 1, 1, 0, -3 * HOUR },
        { "EST5EDT,M3.2.0,M11.1.0", 2026, 3, 8, 6, -5 * HOUR },
        { "EST5EDT,M3.2.0,M11.1.0", 2026, 3, 8, 7, -4 * HOUR },
        { "IST-1GMT0,M10.5.0,M3.5.0/1", 2026, 1, 1, 0, 0 }, /* winter is the saving time */
        { "IST-1GMT0,M10.5.0,M3.5.0/1", 2026, 7, 1, 0, HOUR },
        { "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026, 3, 29, 0, -2 * HOUR },
        { "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026, 3, 29, 1, -1 * HOUR },
        { "XXX3EDT4,0/0,J365/23", 2026, 1, 1, 3, -4 * HOUR },
        { "EST5EDT,0/0,J365/25", 2026, 1, 1, 5, -4 * HOUR }, /* saving time all the year */
        { "EST5EDT,0/0,J365/25", 2025, 12, 31, 23, -4 * HOUR },
        { "AAA0BBB,J60,J61", 2024, 3, 1, 3, HOUR }, /* day 60 is 1 March in a leap year too */
        { "AAA0BBB,J60,J61", 2024, 2, 29, 3, 0 },
        { "AAA0BBB,59,60", 2024, 2, 29, 3, HOUR }, /* the 60th day */
        { "AAA0BBB,59,60", 2025, 3, 1, 3, HOUR },
        { "AAA0BBB,59,60", 2024, 2, 28, 3, 0 },
        { "AAA0BBB,59,60", 2024, 3, 1, 3, 0 },
        { "AAA0BBB,M1.5.3,M6.1.0", 2024, 1, 30, 3, 0 }, /* the fifth Wednesday, the 31st */
        { "AAA0BBB,M1.5.3,M6.1.0", 2024, 1, 31, 3, HOUR },
        { "AAA0BBB,M10.5.0,M12.1.0", 2026, 10, 24, 3, 0 }, /* there are four Sundays only */
        { "AAA0BBB,M10.5.0,M12.1.0", 2026, 10, 25, 3, HOUR },
        { "AAA0BBB,M9.1.6,M12.5.6", 2026, 9, 5, 3, HOUR }, /* Saturdays; December is a month */
        { "AAA0BBB,M9.1.6,M12.5.6", 2026, 12, 26, 2, 0 },
        { "<X+1>-0:59:59", 2026, 1, 1, 0, 59 * 60 + 59 },
        { "AAA0BBB,M1.1.1/167,M2.1.1/-167", 2024, 1, 8, 0, HOUR }, /* Sunday the 7th, 23:00 */
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_zone_rule rule = rule_of(rows[i].rule);
        const int64_t at = utc(rows[i].year, rows[i].month, rows[i].day, rows[i].hour);
        const struct jl_zone_span span = jl_zone_rule_span(&rule, at);
        if (span.offset_s != rows[i].offset_s)
            fail_msg("%s, row %zu: %d", rows[i].rule, i, (int)span.offset_s);
    }
}

/* A time of day may lie a week away from its day, so a change may be one of the year before last,
 * or of the year after next. */
static void a_change_may_lie_in_another_year(void **state)
{
    const struct jl_zone_rule late = rule_of("AAA0BBB,J365/167,J364/167"); /* 6 and 5 January */
    const struct jl_zone_rule early = rule_of("AAA0BBB,J1/-167,J2/-167");  /* 25 and 26 December */
    (void)state;
    struct jl_zone_span span = jl_zone_rule_span(&late, utc(2026, 1, 1, 0));
    assert_int_equal(span.offset_s, HOUR);
    assert_int_equal(span.from_s, utc(2025, 1, 6, 23));
    assert_int_equal(span.until_s, utc(2026, 1, 5, 22));
    span = jl_zone_rule_span(&early, utc(2026, 12, 31, 0));
    assert_int_equal(span.offset_s, 0);
    assert_int_equal(span.from_s, utc(2026, 12, 26, 0));
    assert_int_equal(span.until_s, utc(2027, 12, 25, 1));
}

static void bad_rules_are_refused(void **state)
{
    static const char *const rules[] = {
        "",
        "E5",
        "EST",
        "EST25",
        "EST5EDT",
        "EST5EDT,",
        "EST5EDT,M3.2.0",
        "EST5EDT,M3.2.0,",
        "EST5EDT,M13.2.0,M11.1.0",
        "EST5EDT,M3.6.0,M11.1.0",
        "EST5EDT,M3.0.0,M11.1.0",
        "EST5EDT,M3.2.7,M11.1.0",
        "EST5EDT,M0.2.0,M11.1.0",
        "EST5EDT,M3.2.0/1:00:60,M11.1.0",
        "EST5EDT,M3.2,M11.1.0",
        "EST5EDT,M3,M11.1.0",
        "EST5EDT,M3.2.0,M11.1",
        "EST5EDT,J0,J366",
        "EST5EDT,J0,J365",
        "EST5EDT,J1,J366",
        "EST5EDT,0,366",
        "EST5EDT,M3.2.0/168,M11.1.0",
        "EST5EDT,M3.2.0/1:60,M11.1.0",
        "EST5EDT,M3.2.0,M11.1.0 ",
        "<+1>5",
        "<+03-3",
        "EST5:",
        "EST-",
        "EST0005",
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rules); i++) {
        struct jl_zone_rule rule;
        const char *why = "";
        if (jl_zone_rule_parse(jl_text(rules[i]), &rule, &why) != JOULIE_E_PARSE || why[0] == '\0')
            fail_msg("\"%s\" is accepted", rules[i]);
    }
}

/* POSIX: n counts from 0 with 29 February, Jn from 1 without it. */
static void a_rule_may_change_on_the_first_day_of_the_year(void **state)
{
    static const char *const rules[] = { "EST5EDT,0/0,200/0", "EST5EDT,J1/0,J201/0" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rules); i++) {
        struct jl_zone_rule rule;
        const char *why = NULL;
        assert_int_equal(jl_zone_rule_parse(jl_text(rules[i]), &rule, &why), 0);
        /* 2023-01-01 00:00 of standard time, in which saving begins */
        const int64_t start_s = INT64_C(1672531200) + 5 * HOUR;
        assert_int_equal(jl_zone_rule_span(&rule, start_s - 1).offset_s, -5 * HOUR);
        assert_int_equal(jl_zone_rule_span(&rule, start_s).offset_s, -4 * HOUR);
    }
}

static void a_rule_says_what_it_lacks(void **state)
{
    static const struct {
        const char *rule, *word;
    } rows[] = {
        { "E5", "no standard time" },
        { "EST5E", "a bad name of the saving time" },
        { "EST5EDT", "does not say when the time changes" },
        { "EST5EDT,M3.2.0", "does not say when the time changes" },
        { "EST5EDT4", "does not say when the time changes" },
        { "EST5EDT25,M3.2.0,M11.1.0", "a bad offset of the saving time" },
        { "EST5EDT,M3.2.0,M11.1.0,", "more behind" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_zone_rule rule;
        const char *why = "";
        assert_int_equal(jl_zone_rule_parse(jl_text(rows[i].rule), &rule, &why), JOULIE_E_PARSE);
        if (!strstr(why, rows[i].word))
            fail_msg("%s: %s", rows[i].rule, why);
    }
}

/* 2^50 s to either side: a rule is followed that far, and a span never ends before it begins. */
static void a_rule_holds_for_35_million_years(void **state)
{
    const struct jl_zone_rule rule = rule_of("AAA0BBB,0/0,J365/25"); /* saving time for ever */
    const int64_t end_s = INT64_C(1) << 50;
    (void)state;
    struct jl_zone_span span = jl_zone_rule_span(&rule, end_s - 1);
    assert_int_equal(span.offset_s, HOUR);
    assert_int_equal(span.until_s, end_s);
    span = jl_zone_rule_span(&rule, end_s);
    assert_int_equal(span.offset_s, 0);
    assert_true(span.from_s == end_s && span.until_s == INT64_MAX);
    span = jl_zone_rule_span(&rule, -end_s);
    assert_int_equal(span.offset_s, HOUR);
    assert_int_equal(span.from_s, -end_s);
    span = jl_zone_rule_span(&rule, -end_s - 1);
    assert_int_equal(span.offset_s, 0);
    assert_true(span.from_s == INT64_MIN && span.until_s == -end_s);
}

static void the_end_of_time_is_no_trouble(void **state)
{
    const struct jl_time_zone *zone = zone_of("America/New_York", *state);
    assert_int_equal(jl_zone_offset_s(zone, INT64_MAX), -5 * HOUR);
    assert_int_equal(jl_zone_offset_s(zone, INT64_MIN), -17762); /* local mean time */
}

/* ---- damaged files ---- */

/* Where the second header stands. */
static size_t version2_at(const struct zone_file *file)
{
    const unsigned char *b = file->bytes;
    const size_t times = b[34] * 256u + b[35];
    const size_t types = b[39];
    return 44 + times * 5 + types * 6 + b[43] + b[31] + b[23];
}

static int parse(const struct zone_file *file, struct jl_arena *arena, struct joulie_error *err)
{
    struct jl_time_zone *zone = NULL;
    *err = (struct joulie_error){ .struct_size = sizeof *err };
    const int rc = jl_zone_parse(file->bytes, file->len, arena, &zone, err);
    assert_true((rc == 0) == (zone != NULL));
    assert_true(rc == 0 || err->message[0] != '\0');
    return rc;
}

static void a_file_that_was_cut_is_refused(void **state)
{
    struct zone_file file;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    zone_file_read("Pacific/Apia", &file);
    const size_t whole = file.len;
    for (size_t len = 0; len < whole; len++) {
        file.len = len;
        assert_int_equal(parse(&file, *state, &err), JOULIE_E_PARSE);
        jl_arena_reset(*state);
    }
}

static void a_damaged_byte_does_no_harm(void **state)
{
    struct zone_file file;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    zone_file_read("Pacific/Apia", &file);
    for (size_t i = 0; i < file.len; i++) {
        static const unsigned char masks[] = { 0x01, 0x80, 0xFF };
        for (size_t k = 0; k < sizeof masks; k++) {
            struct jl_time_zone *zone = NULL;
            file.bytes[i] ^= masks[k];
            if (jl_zone_parse(file.bytes, file.len, *state, &zone, &err) == 0) {
                const int32_t offset_s = jl_zone_offset_s(zone, utc(2026, 7, 1, 0));
                assert_true(offset_s >= JL_ZONE_LEAST_OFFSET_S);
                assert_true(offset_s <= JL_ZONE_MOST_OFFSET_S);
            }
            file.bytes[i] ^= masks[k];
            jl_arena_reset(*state);
        }
    }
}

static void each_damage_has_its_reason(void **state)
{
    static const struct {
        size_t at; /* in the second header and its block */
        unsigned char byte;
        int code;
        const char *word; /* of the message */
    } rows[] = {
        { 0, 'X', JOULIE_E_PARSE, "no TZif" },
        { 4, '9', JOULIE_E_UNSUPPORTED, "version" },
        { 4, '1', JOULIE_E_PARSE, "version" },
        { 31, 1, JOULIE_E_UNSUPPORTED, "leap seconds" }, /* of the right/ tree */
        { 32, 0xFF, JOULIE_E_PARSE, "shorter" },
        { 39, 0, JOULIE_E_PARSE, "counts" },
        { 43, 0, JOULIE_E_PARSE, "counts" },
        { 44, 0x7F, JOULIE_E_PARSE, "order" }, /* the first transition, behind the second */
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct zone_file file;
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        zone_file_read("Asia/Kathmandu", &file);
        file.bytes[version2_at(&file) + rows[i].at] = rows[i].byte;
        if (parse(&file, *state, &err) != rows[i].code || !strstr(err.message, rows[i].word))
            fail_msg("row %zu: %s", i, err.message);
    }
}

static void the_newest_version_is_4(void **state)
{
    for (unsigned char version = '4'; version <= '5'; version++) {
        struct zone_file file;
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        zone_file_read("Asia/Kathmandu", &file);
        file.bytes[version2_at(&file) + 4] = version;
        file.bytes[4] = version;
        assert_int_equal(parse(&file, *state, &err),
                         version == '4' ? JOULIE_OK : JOULIE_E_UNSUPPORTED);
    }
}

static void a_version_1_file_has_no_footer(void **state)
{
    /* one type, no transition: +01:00 for ever, with 32-bit times only */
    struct zone_file file = { .len = 44 + 6 + 4 };
    struct jl_time_zone *zone = NULL;
    memcpy(file.bytes, "TZif", 4);
    file.bytes[39] = 1;
    file.bytes[43] = 4;
    memcpy(file.bytes + 44, "\x00\x00\x0E\x10\x00\x00", 6);
    memcpy(file.bytes + 50, "CET", 4);
    assert_int_equal(jl_zone_parse(file.bytes, file.len, *state, &zone, NULL), 0);
    assert_int_equal(jl_zone_offset_s(zone, utc(2026, 7, 1, 0)), HOUR);
}

/* RFC 9636, section 3.2: an offset is above -25 and below 26 hours, a kind is saving time or not,
 * and its name begins within the names. */
static void a_kind_of_local_time_has_bounds(void **state)
{
    static const struct {
        int32_t offset_s;
        unsigned char is_saving, name_at;
        const char *word; /* of the message; NULL = it is good */
    } rows[] = {
        { 0, 0, 0, NULL },
        { -89999, 0, 0, NULL },
        { -90000, 0, 0, "more than a day" },
        { 93599, 0, 0, NULL },
        { 93600, 0, 0, "more than" },
        { 0, 1, 0, NULL },
        { 0, 2, 0, "damaged" },
        { 0, 0, 3, NULL },
        { 0, 0, 4, "damaged" },
        { 0, 0, 255, "damaged" },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct zone_file file = { .len = 44 + 6 + 4 };
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        memcpy(file.bytes, "TZif", 4);
        file.bytes[39] = 1;
        file.bytes[43] = 4;
        for (int k = 0; k < 4; k++)
            file.bytes[44 + k] = (unsigned char)((uint32_t)rows[i].offset_s >> (24 - 8 * k));
        file.bytes[48] = rows[i].is_saving;
        file.bytes[49] = rows[i].name_at;
        memcpy(file.bytes + 50, "CET", 4);
        const int rc = parse(&file, *state, &err);
        if ((rc == 0) != (rows[i].word == NULL) || (rc < 0 && !strstr(err.message, rows[i].word)))
            fail_msg("row %zu: %s", i, err.message);
    }
}

/* A header of 44 bytes is one, with nothing behind it. */
static void a_header_is_44_bytes(void **state)
{
    struct zone_file file = { .len = 44 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    memcpy(file.bytes, "TZif", 4);
    file.bytes[39] = 1;
    file.bytes[43] = 4;
    assert_int_equal(parse(&file, *state, &err), JOULIE_E_PARSE);
    assert_non_null(strstr(err.message, "shorter"));
    file.len = 43;
    assert_int_equal(parse(&file, *state, &err), JOULIE_E_PARSE);
    assert_non_null(strstr(err.message, "no TZif"));
    memcpy(file.bytes, "TZix", 4);
    file.len = 54;
    assert_int_equal(parse(&file, *state, &err), JOULIE_E_PARSE);
    assert_non_null(strstr(err.message, "no TZif"));
}

/* What holds after the last transition of a file without a rule holds for ever. */
static void after_the_last_transition_nothing_changes(void **state)
{
    struct zone_file file = { .len = 44 + 4 + 1 + 6 + 4 };
    struct jl_time_zone *zone = NULL;
    memcpy(file.bytes, "TZif", 4);
    file.bytes[35] = 1; /* transitions: at 1970 */
    file.bytes[39] = 1;
    file.bytes[43] = 4;
    file.bytes[51] = 0x0E; /* 3600 s */
    file.bytes[52] = 0x10;
    memcpy(file.bytes + 55, "CET", 4);
    assert_int_equal(jl_zone_parse(file.bytes, file.len, *state, &zone, NULL), 0);
    const struct jl_zone_span after = jl_zone_span(zone, 0);
    const struct jl_zone_span before = jl_zone_span(zone, -1);
    assert_true(after.from_s == 0 && after.until_s == INT64_MAX);
    assert_true(before.from_s == INT64_MIN && before.until_s == 0);
    assert_int_equal(after.offset_s, HOUR);
}

/* A transition names its kind in one byte: RFC 9636, section 3.2. */
static void a_zone_may_have_256_kinds_of_local_time(void **state)
{
    /* version 1: one transition, at 1970, to the last kind; kind i is i minutes east */
    struct zone_file file = { .len = 44 + 4 + 1 + 256 * 6 + 4 };
    struct jl_time_zone *zone = NULL;
    memcpy(file.bytes, "TZif", 4);
    file.bytes[35] = 1; /* transitions */
    file.bytes[38] = 1; /* 256 types */
    file.bytes[43] = 4; /* bytes of names */
    file.bytes[48] = 255;
    for (unsigned i = 0; i < 256; i++) {
        file.bytes[49 + 6 * i + 2] = (unsigned char)(i * 60 >> 8);
        file.bytes[49 + 6 * i + 3] = (unsigned char)(i * 60);
    }
    memcpy(file.bytes + 49 + 256 * 6, "LMT", 4);
    assert_int_equal(jl_zone_parse(file.bytes, file.len, *state, &zone, NULL), 0);
    assert_int_equal(jl_zone_offset_s(zone, -1), 0);
    assert_int_equal(jl_zone_offset_s(zone, 0), 255 * 60);
    /* one more, which no transition could name; the file is long enough for it */
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    file.bytes[39] = 1;
    file.len += 6;
    assert_int_equal(jl_zone_parse(file.bytes, file.len, *state, &zone, &err), JOULIE_E_PARSE);
    assert_non_null(strstr(err.message, "counts"));
}

/* Kinds may say whether they are standard time and whether they are UTC: a byte each at the end,
 * for all of them or for none (RFC 9636, section 3.2). */
static void marks_of_the_kinds_are_part_of_the_file(void **state)
{
    static const struct {
        unsigned char utc, standard; /* marks that the header counts */
        size_t bytes;                /* that there are */
        const char *word;            /* of the message; NULL = it is good */
    } rows[] = {
        { 0, 0, 0, NULL },      { 0, 1, 1, NULL },      { 1, 0, 1, NULL },
        { 1, 1, 2, NULL },      { 0, 1, 0, "shorter" }, { 1, 0, 0, "shorter" },
        { 1, 1, 1, "shorter" }, { 0, 2, 2, "counts" },  { 2, 0, 2, "counts" },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct zone_file file = { .len = 44 + 6 + 4 + rows[i].bytes };
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        memcpy(file.bytes, "TZif", 4);
        file.bytes[23] = rows[i].utc;
        file.bytes[27] = rows[i].standard;
        file.bytes[39] = 1;
        file.bytes[43] = 4;
        memcpy(file.bytes + 50, "CET", 4);
        const int rc = parse(&file, *state, &err);
        if ((rc == 0) != (rows[i].word == NULL) || (rc < 0 && !strstr(err.message, rows[i].word)))
            fail_msg("row %zu: %s", i, err.message);
    }
}

/* The empty abbreviation: RFC 9636 asks for one byte of names at least. */
static void a_zone_may_have_no_abbreviation(void **state)
{
    struct zone_file file = { .len = 44 + 6 + 1 };
    struct jl_time_zone *zone = NULL;
    memcpy(file.bytes, "TZif", 4);
    file.bytes[39] = 1;
    file.bytes[43] = 1;
    file.bytes[47] = 60;
    assert_int_equal(jl_zone_parse(file.bytes, file.len, *state, &zone, NULL), 0);
    assert_int_equal(jl_zone_offset_s(zone, 0), 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_and_dates_are_the_same),
        cmocka_unit_test(offsets_are_those_of_the_zone),
        cmocka_unit_test(a_change_is_at_its_second),
        cmocka_unit_test(spans_agree_with_offsets),
        cmocka_unit_test(no_zone_is_utc),
        cmocka_unit_test(every_form_of_a_rule_is_read),
        cmocka_unit_test(a_change_may_lie_in_another_year),
        cmocka_unit_test(bad_rules_are_refused),
        cmocka_unit_test(a_rule_may_change_on_the_first_day_of_the_year),
        cmocka_unit_test(a_rule_says_what_it_lacks),
        cmocka_unit_test(a_rule_holds_for_35_million_years),
        cmocka_unit_test(the_end_of_time_is_no_trouble),
        cmocka_unit_test(a_file_that_was_cut_is_refused),
        cmocka_unit_test(a_damaged_byte_does_no_harm),
        cmocka_unit_test(each_damage_has_its_reason),
        cmocka_unit_test(the_newest_version_is_4),
        cmocka_unit_test(a_version_1_file_has_no_footer),
        cmocka_unit_test(a_kind_of_local_time_has_bounds),
        cmocka_unit_test(a_header_is_44_bytes),
        cmocka_unit_test(after_the_last_transition_nothing_changes),
        cmocka_unit_test(a_zone_may_have_256_kinds_of_local_time),
        cmocka_unit_test(marks_of_the_kinds_are_part_of_the_file),
        cmocka_unit_test(a_zone_may_have_no_abbreviation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
