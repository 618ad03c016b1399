/* SPDX-License-Identifier: Apache-2.0 */

/* Trend of node power (docs/rules/twin.md#trend). */

#include <float.h>
#include <math.h>

#include "support/test.h"
#include "twin/twin.h"

#define TOLERANCE 1e-6
#define FAILED (-1.0) /* a read that gave nothing */

struct point {
    int64_t s;
    double w;
};

#define MAX_POINTS 8

static bool trend_of(const struct point *points, size_t count, const int64_t *end_s,
                     enum joulie_twin_rules rules, double *out)
{
    struct jl_power_sample samples[MAX_POINTS] = { 0 };
    for (size_t i = 0; i < count; i++) {
        JL_SET(&samples[i], t_ms, points[i].s * 1000);
        if (points[i].w != FAILED)
            JL_SET(&samples[i], w, points[i].w);
    }
    const int64_t end_ms = end_s != NULL ? *end_s * 1000 : 0;
    return jl_power_trend(samples, count, end_s != NULL ? &end_ms : NULL, rules, out);
}

#define TREND(points, rules, out) trend_of(points, JL_COUNT(points), NULL, rules, out)

static const struct point rising[] = { { 0, 1000 }, { 60, 1100 }, { 120, 1300 } };
static const struct point late_step[] = { { 0, 1000 }, { 60, 1000 }, { 120, 1000 }, { 180, 1300 } };

static void the_source_takes_the_difference_of_the_ends(void **state)
{
    (void)state;
    double trend = 0;
    assert_true(TREND(rising, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_near(trend, 150, TOLERANCE);
    assert_true(TREND(late_step, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_near(trend, 100, TOLERANCE);
}

static void current_fits_a_line(void **state)
{
    (void)state;
    double trend = 0;
    assert_true(TREND(rising, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 150, TOLERANCE);
    assert_true(TREND(late_step, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 90, TOLERANCE);
}

static void a_failed_read_is_a_fall_to_zero_in_the_source_only(void **state)
{
    (void)state;
    static const struct point failed_last[] = { { 0, 1500 }, { 60, FAILED } };
    static const struct point failed_between[] = { { 0, 1000 }, { 60, FAILED }, { 120, 1200 } };
    double trend = 0;
    assert_true(TREND(failed_last, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_near(trend, -1500, TOLERANCE);
    assert_false(TREND(failed_last, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_true(TREND(failed_between, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 100, TOLERANCE);
}

static void too_few_or_too_close_samples_give_nothing(void **state)
{
    (void)state;
    static const struct point one[] = { { 0, 1000 } };
    static const struct point close[] = { { 0, 1000 }, { 5, 2000 } };
    static const struct point enough[] = { { 0, 1000 }, { 6, 2000 } };
    double trend = 7;
    assert_true(TREND(one, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_near(trend, 0, 0);
    assert_true(TREND(close, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_near(trend, 0, 0);
    assert_false(TREND(one, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_false(TREND(close, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_true(TREND(enough, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 10000, TOLERANCE);
    assert_false(trend_of(NULL, 0, NULL, JOULIE_TWIN_RULES_CURRENT, &trend));
}

static void the_window_is_five_minutes_without_its_start(void **state)
{
    (void)state;
    static const struct point points[] = { { 0, 1000 }, { 60, 1100 }, { 300, 1300 } };
    int64_t end_s = 300;
    double trend = 0;
    assert_true(trend_of(points, 3, &end_s, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 50, TOLERANCE);
    assert_true(trend_of(points, 3, NULL, JOULIE_TWIN_RULES_CURRENT,
                         &trend)); /* ends at the newest sample */
    assert_near(trend, 50, TOLERANCE);
    end_s = 360; /* the second is out of it now as well */
    assert_false(trend_of(points, 3, &end_s, JOULIE_TWIN_RULES_CURRENT, &trend));
    end_s = INT64_MAX / 1000;
    assert_false(trend_of(points, 3, &end_s, JOULIE_TWIN_RULES_CURRENT, &trend));
}

/* In the source, of samples of one time, the first is the first and the last is the last. */
static void the_first_and_the_last_sample_count(void **state)
{
    static const struct point twice[] = { { 0, 1000 }, { 0, 1200 }, { 60, 1300 }, { 60, 1500 } };
    double trend = 0;
    (void)state;
    assert_true(TREND(twice, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_near(trend, 500, TOLERANCE);
}

/* Watts that differ by a few of 1e15 still do; equal ones have a slope of exactly 0. */
static void a_large_power_has_an_exact_slope(void **state)
{
    static const struct point same[] = { { 0, 0.1 }, { 7, 0.1 }, { 14, 0.1 } };
    static const struct point large[] = { { 0, 1e15 }, { 7, 1e15 + 7 }, { 14, 1e15 + 14 } };
    static const struct point most[] = { { 0, DBL_MAX }, { 60, DBL_MAX } };
    double trend = 7;
    (void)state;
    assert_true(TREND(same, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 0, 0);
    assert_true(TREND(large, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 60, 1e-3);
    trend = 7;
    assert_true(TREND(most, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 0, 0);
}

static void the_largest_trend_is_one(void **state)
{
    static const struct point up[] = { { 0, 0 }, { 60, DBL_MAX } };
    static const struct point down[] = { { 0, DBL_MAX }, { 60, 0 } };
    double trend = 0;
    (void)state;
    assert_true(TREND(up, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_true(trend == DBL_MAX);
    assert_true(TREND(down, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_true(trend == -DBL_MAX);
}

static void the_order_of_the_samples_does_not_matter(void **state)
{
    (void)state;
    static const struct point shuffled[] = {
        { 180, 1300 }, { 0, 1000 }, { 120, 1000 }, { 60, 1000 }
    };
    double trend = 0;
    assert_true(TREND(shuffled, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 90, TOLERANCE);
    assert_true(TREND(shuffled, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_near(trend, 100, TOLERANCE);
}

/* No number that is not finite leaves the library. */
static void a_trend_beyond_all_watts_is_unknown(void **state)
{
    (void)state;
    static const struct point absurd[] = { { 0, 0 }, { 6, 1.7e308 }, { 12, 0 }, { 18, 1.7e308 } };
    double trend = 7;
    assert_false(TREND(absurd, JOULIE_TWIN_RULES_CURRENT, &trend));
    assert_near(trend, 0, 0);
    assert_true(trend_of(absurd, 2, NULL, JOULIE_TWIN_RULES_V0_1_1, &trend));
    assert_near(trend, 0, 0);
}

/* ---- the public call ---- */

struct reading {
    int64_t t_ms;
    double w;
    uint64_t known;
};

static struct joulie_twin_trend_input samples_of(const struct reading *readings)
{
    struct joulie_twin_trend_input in = JOULIE_INIT(struct joulie_twin_trend_input);
    in.at_ms = (struct joulie_column_ms){ &readings->t_ms, sizeof *readings };
    in.power_w = (struct joulie_column){ &readings->w, sizeof *readings };
    in.known = (struct joulie_column_bits){ &readings->known, sizeof *readings };
    return in;
}

static void columns_of_samples_give_the_same_trend(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        { 0, 1000, 1 },      { 60000, 1000, 1 },         { 90000, 5, 0 },   { 120000, 1000, 1 },
        { 180000, 1300, 1 }, { 150000, (double)NAN, 1 }, { 170000, -1, 1 },
    };
    struct joulie_twin_trend_input in = samples_of(readings);
    struct joulie_twin_trend_output out = JOULIE_INIT(struct joulie_twin_trend_output);
    assert_int_equal(joulie_twin_trend(&in, JL_COUNT(readings), &out, NULL), JOULIE_OK);
    assert_int_equal(out.has, JOULIE_TWIN_TREND_OUT_TREND);
    assert_near(out.trend_w_per_min, 90, TOLERANCE);
    assert_int_equal(out.sample_count, 4);

    in.has = JOULIE_TWIN_TREND_HAS_END;
    in.end_ms = 420000; /* the last two of them are in the five minutes before */
    assert_int_equal(joulie_twin_trend(&in, JL_COUNT(readings), &out, NULL), JOULIE_OK);
    assert_int_equal(out.sample_count, 1);
    assert_int_equal(out.has, 0);
    assert_near(out.trend_w_per_min, 0, 0);

    in = samples_of(readings);
    in.rules = JOULIE_TWIN_RULES_V0_1_1;
    assert_int_equal(joulie_twin_trend(&in, 5, &out, NULL), JOULIE_OK);
    assert_near(out.trend_w_per_min, 100, TOLERANCE);
    assert_int_equal(out.sample_count, 5);
    assert_int_equal(joulie_twin_trend(&in, JL_COUNT(readings), &out, NULL), JOULIE_E_RANGE);
}

static void unknown_samples_give_no_trend(void **state)
{
    (void)state;
    static const struct reading readings[] = { { 0, 1, 1 }, { 60000, 2, 1 } };
    struct joulie_twin_trend_input in = JOULIE_INIT(struct joulie_twin_trend_input);
    struct joulie_twin_trend_output out = JOULIE_INIT(struct joulie_twin_trend_output);
    assert_int_equal(joulie_twin_trend(&in, 0, &out, NULL), JOULIE_OK);
    assert_int_equal(out.has, 0);
    in = samples_of(readings);
    in.power_w = (struct joulie_column){ 0 };
    assert_int_equal(joulie_twin_trend(&in, 2, &out, NULL), JOULIE_OK);
    assert_int_equal(out.has, 0);
    assert_int_equal(out.sample_count, 0);
}

static void misuse_of_the_trend_is_refused(void **state)
{
    (void)state;
    static const struct reading readings[] = { { 0, 1, 1 }, { 60000, 2, 1 } };
    struct joulie_twin_trend_input in = samples_of(readings);
    struct joulie_twin_trend_output out = JOULIE_INIT(struct joulie_twin_trend_output);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    in.at_ms.at = NULL;
    assert_int_equal(joulie_twin_trend(&in, 2, &out, NULL), JOULIE_E_REQUIRED);
    in = samples_of(readings);
    in.power_w.stride = 12;
    assert_int_equal(joulie_twin_trend(&in, 2, &out, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "power_w");
    in = samples_of(readings);
    in.known.at = (const uint64_t *)(const void *)((const char *)in.known.at + 4);
    assert_int_equal(joulie_twin_trend(&in, 2, &out, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "known");
    in = samples_of(readings);
    in.rules = (enum joulie_twin_rules)7;
    assert_int_equal(joulie_twin_trend(&in, 2, &out, NULL), JOULIE_E_ENUM);
    in.rules = JOULIE_TWIN_RULES_V0_1_0 + 1;
    assert_int_equal(joulie_twin_trend(&in, 2, &out, NULL), JOULIE_E_ENUM);
    in.rules = JOULIE_TWIN_RULES_V0_1_0;
    assert_int_equal(joulie_twin_trend(&in, 2, &out, NULL), JOULIE_OK);
    in = samples_of(readings);
    in.reserved = 1;
    assert_int_equal(joulie_twin_trend(&in, 2, &out, NULL), JOULIE_E_ABI);
    in = samples_of(readings);
    in.has = UINT64_C(1) << 9;
    assert_int_equal(joulie_twin_trend(&in, 2, &out, NULL), JOULIE_E_ABI);
    in = samples_of(readings);
    in.struct_size = 0;
    assert_int_equal(joulie_twin_trend(&in, 2, &out, NULL), JOULIE_E_ABI);
    assert_int_equal(joulie_twin_trend(NULL, 2, &out, NULL), JOULIE_E_ABI);
    in = samples_of(readings);
    assert_int_equal(joulie_twin_trend(&in, 2, NULL, NULL), JOULIE_E_ABI);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_source_takes_the_difference_of_the_ends),
        cmocka_unit_test(current_fits_a_line),
        cmocka_unit_test(a_failed_read_is_a_fall_to_zero_in_the_source_only),
        cmocka_unit_test(too_few_or_too_close_samples_give_nothing),
        cmocka_unit_test(the_window_is_five_minutes_without_its_start),
        cmocka_unit_test(the_first_and_the_last_sample_count),
        cmocka_unit_test(a_large_power_has_an_exact_slope),
        cmocka_unit_test(the_largest_trend_is_one),
        cmocka_unit_test(the_order_of_the_samples_does_not_matter),
        cmocka_unit_test(a_trend_beyond_all_watts_is_unknown),
        cmocka_unit_test(columns_of_samples_give_the_same_trend),
        cmocka_unit_test(unknown_samples_give_no_trend),
        cmocka_unit_test(misuse_of_the_trend_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
