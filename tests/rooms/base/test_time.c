/* SPDX-License-Identifier: Apache-2.0 */
/* Instants and durations (docs/rules/kubernetes-values.md#times, #durations). */
#include <string.h>

#include <joulie/error.h>

#include "base/time.h"
#include "support/test.h"

static int64_t ms_of(const char *text)
{
    int64_t ms = -1;
    if (jl_parse_time(text, strlen(text), &ms) != 0)
        fail_msg("%s is refused", text);
    return ms;
}

static void assert_time(const char *text, const char *expected)
{
    char out[JL_TIME_TEXT];
    assert_int_equal(jl_format_time(ms_of(text), out), strlen(expected));
    assert_string_equal(out, expected);
}

static void a_time_is_read_and_printed_in_utc_without_fraction(void **state)
{
    (void)state;
    assert_int_equal(ms_of("1970-01-01T00:00:00Z"), 0);
    assert_int_equal(ms_of("2026-03-13T12:00:00Z"), INT64_C(1773403200000));
    assert_int_equal(ms_of("2026-03-13T12:00:00.5Z") - ms_of("2026-03-13T12:00:00Z"), 500);
    assert_int_equal(ms_of("1969-12-31T23:59:59.9999Z"), -1);
    assert_time("2026-03-13T12:00:00.123456789Z", "2026-03-13T12:00:00Z");
    assert_time("2026-03-13T12:00:00+01:00", "2026-03-13T11:00:00Z");
    assert_time("2026-01-01T00:30:00-05:30", "2026-01-01T06:00:00Z");
    assert_time("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z");
    assert_time("1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59Z");
    assert_time("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z");
    assert_time("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z");
    assert_time("2000-02-29T12:34:56Z", "2000-02-29T12:34:56Z");
}

static void every_day_of_eight_centuries_comes_back(void **state)
{
    char previous[JL_TIME_TEXT] = "";
    (void)state;
    for (int64_t day = -146097; day < 146097; day++) {
        char text[JL_TIME_TEXT];
        const size_t len = jl_format_time(day * 86400000, text);
        int64_t ms = 0;
        assert_int_equal(jl_parse_time(text, len, &ms), 0);
        assert_int_equal(ms, day * 86400000);
        assert_true(strcmp(previous, text) < 0);
        memcpy(previous, text, len + 1);
    }
}

static void texts_that_are_no_time_are_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        "2026-03-13",
        "2026-03-13t12:00:00z",
        "2026-03-13 12:00:00Z",
        "2026-03-13T12:00:00",
        "2026-03-13T24:00:00Z",
        "2026-03-13T12:60:00Z",
        "2026-03-13T12:00:60Z",
        "2026-02-29T12:00:00Z",
        "1900-02-29T12:00:00Z",
        "2026-04-31T12:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-3-13T12:00:00Z",
        "2026-03-13T12:00:00.Z",
        "2026-03-13T12:00:00,5Z",
        "2026-03-13T12:00:00+0100",
        "2026-03-13T12:00:00+24:00",
        "2026-03-13T12:00:00+01:60",
        "2026-03-13T12:00:00Z ",
        "12026-03-13T12:00:00Z",
        "-026-03-13T12:00:00Z",
        "9999-12-31T23:59:59-01:00",
        "0000-01-01T00:00:00+01:00",
    };
    int64_t ms = 7;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (jl_parse_time(wrong[i], strlen(wrong[i]), &ms) != JOULIE_E_PARSE)
            fail_msg("%s is accepted", wrong[i]);
    }
    assert_int_equal(ms, 7);
}

static void a_micro_time_has_exactly_six_fraction_digits(void **state)
{
    static const char text[] = "2026-03-13T13:00:00.000012+01:00";
    char out[JL_TIME_TEXT];
    int64_t us = 0;
    (void)state;
    assert_int_equal(jl_parse_micro_time(text, sizeof text - 1, &us), 0);
    assert_int_equal(us, INT64_C(1773403200000012));
    jl_format_time_us(us, out);
    assert_string_equal(out, "2026-03-13T12:00:00.000012Z");
    jl_format_time_us(-1, out);
    assert_string_equal(out, "1969-12-31T23:59:59.999999Z");
    assert_int_equal(jl_parse_micro_time("2026-03-13T12:00:00Z", 20, &us), JOULIE_E_PARSE);
    assert_int_equal(jl_parse_micro_time("2026-03-13T12:00:00.123456789Z", 30, &us),
                     JOULIE_E_PARSE);
}

struct example {
    const char *text;
    int64_t ns;
    const char *canonical;
};

static void durations_follow_go(void **state)
{
    static const struct example examples[] = {
        { "90s", 90000000000, "1m30s" },
        { "1.5h", 5400000000000, "1h30m0s" },
        { ".5s", 500000000, "500ms" },
        { "1s1s", 2000000000, "2s" },
        { "-1m", -60000000000, "-1m0s" },
        { "1.s", 1000000000, "1s" },
        { "1m1h", 3660000000000, "1h1m0s" },
        { "0.1ns", 0, "0s" },
        { "0.5ns1.5ns", 1, "1ns" },
        { "0", 0, "0s" },
        { "-0", 0, "0s" },
        { "1ms500us", 1500000, "1.5ms" },
        { "1500ns", 1500, "1.5\xC2\xB5s" },
        { "1\xC2\xB5s", 1000, "1\xC2\xB5s" },
        { "1\xCE\xBCs", 1000, "1\xC2\xB5s" },
        { "1h0m0.5s", 3600500000000, "1h0m0.5s" },
        { "2562047h47m16.854775807s", INT64_MAX, "2562047h47m16.854775807s" },
        { "-2562047h47m16.854775807s", -INT64_MAX, "-2562047h47m16.854775807s" },
        { "0.11111111111111111111111111111112h", 400000000000, "6m40s" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        char text[JL_TIME_TEXT];
        int64_t ns = -1;
        assert_int_equal(jl_parse_duration(examples[i].text, strlen(examples[i].text), &ns), 0);
        assert_int_equal(ns, examples[i].ns);
        assert_int_equal(jl_format_duration(ns, text), strlen(examples[i].canonical));
        assert_string_equal(text, examples[i].canonical);
    }
    char text[JL_TIME_TEXT];
    jl_format_duration(INT64_MIN, text);
    assert_string_equal(text, "-2562047h47m16.854775808s");
}

static void texts_that_are_no_duration_are_refused(void **state)
{
    static const char *const wrong[] = {
        "",   "5",    "s", ".s", "1d", "1h 30m", "1e3s",
        "1S", "1h30", "-", "+",  ".",  "--1s",   "9999999999999999999h1x"
    };
    int64_t ns = 7;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(jl_parse_duration(wrong[i], strlen(wrong[i]), &ns), JOULIE_E_PARSE);
    assert_int_equal(jl_parse_duration("2562048h", 8, &ns), JOULIE_E_RANGE);
    assert_int_equal(jl_parse_duration("2562047h47m16.854775808s", 24, &ns), JOULIE_E_RANGE);
    assert_int_equal(jl_parse_duration("99999999999999999999h", 21, &ns), JOULIE_E_RANGE);
    assert_int_equal(ns, 7);
}

static void durations_of_profiles_know_days_weeks_and_years(void **state)
{
    static const struct example examples[] = {
        { "7d", 604800000000000, NULL },
        { "4w", 2419200000000000, NULL },
        { "1y", 31536000000000000, NULL },
        { "1d12h", 129600000000000, NULL },
        { "+5s", 5000000000, NULL },
        { "0.1ns", 0, NULL },
        { "292y", 9208512000000000000, NULL },
        { "0.5ns1.5ns", 2, NULL },
        { "0", 0, NULL },
    };
    static const char *const wrong[] = { "", "90", "-5m", "1M", "1 h", "1h-5m", "+", "-0" };
    int64_t ns = -1;
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        assert_int_equal(jl_parse_profile_duration(examples[i].text, strlen(examples[i].text), &ns),
                         0);
        assert_int_equal(ns, examples[i].ns);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(jl_parse_profile_duration(wrong[i], strlen(wrong[i]), &ns),
                         JOULIE_E_PARSE);
    assert_int_equal(jl_parse_profile_duration("293y", 4, &ns), JOULIE_E_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_is_read_and_printed_in_utc_without_fraction),
        cmocka_unit_test(every_day_of_eight_centuries_comes_back),
        cmocka_unit_test(texts_that_are_no_time_are_refused),
        cmocka_unit_test(a_micro_time_has_exactly_six_fraction_digits),
        cmocka_unit_test(durations_follow_go),
        cmocka_unit_test(texts_that_are_no_duration_are_refused),
        cmocka_unit_test(durations_of_profiles_know_days_weeks_and_years),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
