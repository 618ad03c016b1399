/* SPDX-License-Identifier: Apache-2.0 */

/* 24-hour peaks (docs/rules/autoscaling-statistics.md#peaks-of-vram) and how long samples count. */

#include <string.h>

#include "autoscale/histogram.h"
#include "base/random.h"
#include "base/text.h"
#include "support/test.h"

#define S_NS INT64_C(1000000000)
#define MINUTE_NS (60 * S_NS)
#define HOUR_NS (60 * MINUTE_NS)
#define NOW_NS INT64_C(1773403200000000000) /* 2026-03-13T12:00:00Z */

static struct jl_histogram vram(void)
{
    struct jl_histogram histogram;
    jl_histogram_init(&histogram, JL_USAGE_VRAM, HOUR_NS);
    return histogram;
}

static void a_day_counts_once_with_its_highest_value(void **state)
{
    (void)state;
    struct jl_random random = { 1 };
    for (int round = 0; round < 50; round++) {
        struct jl_histogram histogram = vram();
        struct jl_histogram expected = vram();
        struct jl_peak peak = { 0 };
        double highest = 0;
        for (int i = 0; i < 200; i++) {
            const double bytes = jl_random_range(&random, 1e8, 8e10);
            highest = bytes > highest ? bytes : highest;
            jl_peak_add(&histogram, &peak, bytes, NOW_NS + i * MINUTE_NS, JL_PEAKS_CURRENT);
        }
        jl_histogram_add(&expected, highest, 1, NOW_NS + JL_PEAK_WINDOW_NS);
        assert_true(peak.value == highest && peak.end_ns == NOW_NS + JL_PEAK_WINDOW_NS);
        assert_memory_equal(histogram.weights, expected.weights, sizeof expected.weights);
        assert_true(histogram.total == expected.total);
    }
}

static void a_window_ends_before_its_end_time(void **state)
{
    (void)state;
    struct jl_histogram histogram = vram();
    struct jl_peak peak = { 0 };
    jl_peak_add(&histogram, &peak, 2e9, NOW_NS, JL_PEAKS_CURRENT);
    jl_peak_add(&histogram, &peak, 1e9, NOW_NS + JL_PEAK_WINDOW_NS - 1, JL_PEAKS_CURRENT);
    assert_true(peak.value == 2e9);
    jl_peak_add(&histogram, &peak, 1e9, NOW_NS + JL_PEAK_WINDOW_NS, JL_PEAKS_CURRENT);
    assert_true(peak.value == 1e9 && peak.end_ns == NOW_NS + 2 * JL_PEAK_WINDOW_NS);
    jl_peak_add(&histogram, &peak, 3e9, NOW_NS + 5 * JL_PEAK_WINDOW_NS + 7, JL_PEAKS_CURRENT);
    assert_true(peak.value == 3e9 && peak.end_ns == NOW_NS + 6 * JL_PEAK_WINDOW_NS);
}

static void the_source_adds_at_one_time_and_subtracts_at_another(void **state)
{
    (void)state;
    struct jl_histogram histogram = vram();
    struct jl_peak peak = { 0 };
    jl_peak_add(&histogram, &peak, 1e9, 0, JL_PEAKS_V2_17_1);
    assert_true(histogram.total == 1);
    jl_peak_add(&histogram, &peak, 2e9, HOUR_NS, JL_PEAKS_V2_17_1);
    assert_true(histogram.total == 2); /* 1 - 2^24 is clamped to 0, then 2^1 comes */
}

static void any_time_and_amount_is_survived(void **state)
{
    (void)state;
    static const int64_t times[] = { INT64_MIN, -1, 0, INT64_MAX - 1, INT64_MAX };
    const double amounts[] = { 0, 1e9, -1, 1e308 };
    struct jl_histogram histogram = vram();
    struct jl_peak peak = { 0 };
    for (size_t i = 0; i < JL_COUNT(times) * JL_COUNT(amounts); i++)
        jl_peak_add(&histogram, &peak, amounts[i % JL_COUNT(amounts)], times[i / JL_COUNT(amounts)],
                    JL_PEAKS_CURRENT);
    assert_int_equal(peak.end_ns, INT64_MAX);
}

/* ---- confidence ---- */

static void a_sample_covers_the_time_since_the_one_before(void **state)
{
    (void)state;
    assert_near(jl_sample_minutes(30 * S_NS), 0.5, 1e-15);
    assert_near(jl_sample_minutes(10 * S_NS) * 6, jl_sample_minutes(60 * S_NS), 1e-15);
    assert_near(jl_sample_minutes(0), 1.0 / 60, 1e-15);
    assert_near(jl_sample_minutes(-5), 1.0 / 60, 1e-15);
    assert_near(jl_sample_minutes(HOUR_NS), 5, 1e-15);
    assert_near(jl_sample_minutes(INT64_MAX), 5, 1e-15);
}

static void confidence_is_the_smaller_of_span_and_coverage(void **state)
{
    (void)state;
    struct jl_confidence confidence = { 0 };
    assert_true(jl_confidence_days(&confidence) == 0);
    jl_confidence_add(&confidence, 5, NOW_NS);
    assert_true(jl_confidence_days(&confidence) == 0);
    jl_confidence_add(&confidence, 1435, NOW_NS + 12 * HOUR_NS);
    assert_near(jl_confidence_days(&confidence), 0.5, 1e-15); /* 24 h covered within 12 h */
    jl_confidence_add(&confidence, 0, NOW_NS - 60 * HOUR_NS);
    assert_near(jl_confidence_days(&confidence), 1, 1e-15); /* three days, one covered */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_day_counts_once_with_its_highest_value),
        cmocka_unit_test(a_window_ends_before_its_end_time),
        cmocka_unit_test(the_source_adds_at_one_time_and_subtracts_at_another),
        cmocka_unit_test(any_time_and_amount_is_survived),
        cmocka_unit_test(a_sample_covers_the_time_since_the_one_before),
        cmocka_unit_test(confidence_is_the_smaller_of_span_and_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
