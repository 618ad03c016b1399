/* SPDX-License-Identifier: Apache-2.0 */

/* Caps by frequency (docs/rules/frequencies.md#proportional). */

#include <float.h>
#include <math.h>

#include "base/random.h"
#include "base/text.h"
#include "caps/dvfs.h"
#include "support/test.h"

#define CAP_W 120

/* ---- proportional ---- */

static void the_proportional_loop_follows_the_table(void **state)
{
    static const struct {
        double power_w;
        double s;
        enum jl_dvfs_action action;
    } rows[] = {
        { 200, 0.774597, JL_DVFS_DOWN },   { 150, 0.692820, JL_DVFS_DOWN },
        { 118.5, 0.692820, JL_DVFS_HOLD }, { 100, 0.727461, JL_DVFS_UP },
        { 125, 0.712764, JL_DVFS_DOWN },   { 100, 0.712764, JL_DVFS_HOLD },
        { 119, 0.712764, JL_DVFS_HOLD },
    };
    struct jl_dvfs loop;
    (void)state;
    jl_dvfs_init(&loop, 1);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_int_equal(jl_dvfs_step(&loop, true, rows[i].power_w, CAP_W), rows[i].action);
        assert_near(loop.s, rows[i].s, 5e-7);
    }
}

static void without_a_sample_or_a_cap_it_holds(void **state)
{
    static const double unknown[] = { (double)NAN, (double)INFINITY, -(double)INFINITY, -1 };
    struct jl_dvfs loop;
    (void)state;
    jl_dvfs_init(&loop, 0.5);
    assert_int_equal(jl_dvfs_step(&loop, false, 500, CAP_W), JL_DVFS_HOLD);
    assert_int_equal(jl_dvfs_step(&loop, true, 500, 0), JL_DVFS_HOLD);
    for (size_t i = 0; i < JL_COUNT(unknown); i++) {
        assert_int_equal(jl_dvfs_step(&loop, true, unknown[i], CAP_W), JL_DVFS_HOLD);
        assert_int_equal(jl_dvfs_step(&loop, true, 500, unknown[i]), JL_DVFS_HOLD);
    }
    assert_near(loop.s, 0.5, 0);
}

/* Coarse frequency steps must not make a limit cycle. */
static void an_up_step_that_was_too_much_is_not_tried_again_for_16_intervals(void **state)
{
    struct jl_dvfs loop;
    (void)state;
    jl_dvfs_init(&loop, 0.5);
    assert_int_equal(jl_dvfs_step(&loop, true, 100, CAP_W), JL_DVFS_UP);
    assert_int_equal(jl_dvfs_step(&loop, true, 119, CAP_W), JL_DVFS_HOLD);
    assert_int_equal(jl_dvfs_step(&loop, true, 130, CAP_W), JL_DVFS_DOWN); /* 2 intervals later */
    for (int i = 0; i < 16; i++)
        assert_int_equal(jl_dvfs_step(&loop, true, 100, CAP_W), JL_DVFS_HOLD);
    assert_int_equal(jl_dvfs_step(&loop, true, 100, CAP_W), JL_DVFS_UP);
}

static void a_down_step_long_after_an_up_step_holds_nothing_off(void **state)
{
    struct jl_dvfs loop;
    (void)state;
    jl_dvfs_init(&loop, 0.5);
    assert_int_equal(jl_dvfs_step(&loop, true, 100, CAP_W), JL_DVFS_UP);
    assert_int_equal(jl_dvfs_step(&loop, true, 119, CAP_W), JL_DVFS_HOLD);
    assert_int_equal(jl_dvfs_step(&loop, true, 119, CAP_W), JL_DVFS_HOLD);
    assert_int_equal(jl_dvfs_step(&loop, true, 130, CAP_W), JL_DVFS_DOWN); /* 3 later */
    assert_int_equal(jl_dvfs_step(&loop, true, 100, CAP_W), JL_DVFS_UP);
}

static void it_starts_where_the_machine_is(void **state)
{
    struct jl_dvfs loop;
    (void)state;
    jl_dvfs_init(&loop, 0.6);
    assert_near(loop.s, 0.6, 0);
    jl_dvfs_init(&loop, 3);
    assert_near(loop.s, 1, 0);
    jl_dvfs_init(&loop, 0);
    assert_near(loop.s, 1, 0);
    jl_dvfs_init(&loop, (double)NAN);
    assert_near(loop.s, 1, 0);
}

static void the_share_never_leaves_its_range(void **state)
{
    static const double watts[] = { 0,       1e-300, DBL_MIN, 1,           119.9,           120,
                                    120.001, 1e300,  DBL_MAX, (double)NAN, (double)INFINITY };
    struct jl_random random = { 77 };
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct jl_dvfs loop;
        jl_dvfs_init(&loop, jl_random_unit(&random));
        for (int i = 0; i < 3000; i++) {
            const double before = loop.s;
            const bool is_wild = jl_random_int(&random, 0, 1) == 1;
            const double power_w =
                is_wild ? watts[jl_random_int(&random, 0, 10)] : jl_random_range(&random, 0, 500);
            const double cap_w =
                is_wild ? watts[jl_random_int(&random, 0, 10)] : jl_random_range(&random, 1, 400);
            const enum jl_dvfs_action action =
                jl_dvfs_step(&loop, jl_random_int(&random, 0, 9) > 0, power_w, cap_w);
            assert_true(loop.s > 0 && loop.s <= 1);
            assert_true(loop.s >= before * 0.5 && loop.s <= before * 1.05);
            assert_true(action == JL_DVFS_UP     ? loop.s > before
                        : action == JL_DVFS_DOWN ? loop.s <= before
                                                 : loop.s == before);
        }
    }
}

/* A processor whose power grows with the square of the share: within 2 % below the cap, for good.
 */
static void it_settles_at_the_cap(void **state)
{
    struct jl_random random = { 78 };
    (void)state;
    for (int round = 0; round < 200; round++) {
        const double full_w = jl_random_range(&random, 130, 600);
        struct jl_dvfs loop;
        jl_dvfs_init(&loop, jl_random_range(&random, 0.2, 1));
        double power_w = 0;
        for (int i = 0; i < 120; i++) {
            power_w = full_w * loop.s * loop.s;
            jl_dvfs_step(&loop, true, power_w, CAP_W);
        }
        assert_true(power_w <= CAP_W * (1 + 1e-9) && power_w >= CAP_W * 0.98 * (1 - 1e-9));
    }
}

/* A cap below what the slowest clock draws must not be a debt when the load goes. */
static void a_cap_out_of_reach_is_forgotten_soon(void **state)
{
    struct jl_dvfs loop;
    int intervals = 0;
    (void)state;
    jl_dvfs_init(&loop, 1);
    for (int i = 0; i < 86400; i++)
        jl_dvfs_step(&loop, true, 500, CAP_W);
    while (loop.s < 0.2) { /* 700 of 3500 MHz */
        jl_dvfs_step(&loop, true, 50, CAP_W);
        intervals++;
    }
    assert_in_range(intervals, 1, 90);
}

static void power_of_a_node_is_compared_with_the_caps_of_its_packages(void **state)
{
    struct jl_dvfs_params params;
    (void)state;
    jl_dvfs_params_default(&params);
    const double cap_w = jl_dvfs_node_cap_w(120, 2);
    const struct jl_dvfs_band band = jl_dvfs_band(&params, cap_w);
    assert_near(cap_w, 240, 0);
    assert_near(band.upper_w, 250, 0);
    assert_near(band.lower_w, 225, 0);
}

/* ---- legacy ---- */

struct sample {
    int64_t at_s;
    double power_w;
    double ema_w;
    uint32_t above;
    uint32_t below;
    double throttle_pct;
    enum jl_dvfs_action action;
};

static void assert_trace(const struct sample *samples, size_t count)
{
    struct jl_dvfs_params params;
    struct jl_dvfs_legacy loop = { 0 };
    jl_dvfs_params_default(&params);
    for (size_t i = 0; i < count; i++) {
        const struct sample *sample = &samples[i];
        assert_int_equal(
            jl_dvfs_legacy_step(&params, &loop, true, sample->power_w, CAP_W, sample->at_s * 1000),
            sample->action);
        assert_near(loop.ema_w, sample->ema_w, 5e-5);
        assert_int_equal(loop.above, sample->above);
        assert_int_equal(loop.below, sample->below);
        assert_near(loop.throttle_pct, sample->throttle_pct, 0);
    }
}

/* What the source calls throttle-up is a step down in frequency. */
static void the_source_controller_follows_its_trace_at_20_s(void **state)
{
    static const struct sample trace[] = {
        { 0, 200, 200, 1, 0, 0, JL_DVFS_HOLD },
        { 20, 200, 200, 0, 0, 10, JL_DVFS_DOWN },
        { 40, 180, 194, 1, 0, 10, JL_DVFS_HOLD },
        { 60, 160, 183.8, 0, 0, 20, JL_DVFS_DOWN },
        { 80, 150, 173.66, 1, 0, 20, JL_DVFS_HOLD },
        { 100, 120, 157.562, 0, 0, 30, JL_DVFS_DOWN },
        { 120, 100, 140.2934, 1, 0, 30, JL_DVFS_HOLD },
        { 140, 90, 125.2054, 0, 0, 30, JL_DVFS_HOLD },
        { 160, 90, 114.6438, 0, 0, 30, JL_DVFS_HOLD },
        { 180, 90, 107.2506, 0, 0, 30, JL_DVFS_HOLD },
        { 200, 90, 102.0754, 0, 1, 30, JL_DVFS_HOLD },
        { 220, 90, 98.4528, 0, 0, 20, JL_DVFS_UP },
    };
    (void)state;
    assert_trace(trace, JL_COUNT(trace));
}

static void the_source_controller_rests_after_an_action(void **state)
{
    static const struct sample trace[] = {
        { 0, 200, 200, 1, 0, 0, JL_DVFS_HOLD },       { 10, 200, 200, 0, 0, 10, JL_DVFS_DOWN },
        { 20, 200, 200, 0, 0, 10, JL_DVFS_COOLDOWN }, /* counters stay */
        { 30, 200, 200, 1, 0, 10, JL_DVFS_HOLD },     { 40, 200, 200, 0, 0, 20, JL_DVFS_DOWN },
        { 50, 200, 200, 0, 0, 20, JL_DVFS_COOLDOWN }, { 60, 200, 200, 1, 0, 20, JL_DVFS_HOLD },
    };
    (void)state;
    assert_trace(trace, JL_COUNT(trace));
}

static void the_source_controller_needs_400_s_to_full_throttle(void **state)
{
    struct jl_dvfs_params params;
    struct jl_dvfs_legacy loop = { 0 };
    int64_t full_s = -1;
    (void)state;
    jl_dvfs_params_default(&params);
    for (int64_t t = 0; t <= 460; t += 20) {
        jl_dvfs_legacy_step(&params, &loop, true, 500, CAP_W, t * 1000);
        if (full_s < 0 && loop.throttle_pct >= 100)
            full_s = t;
    }
    assert_int_equal(full_s, 380); /* the 20th sample; the first came at 0 */
    assert_near(loop.throttle_pct, 100, 0);
}

static void the_edges_of_the_band_are_inside(void **state)
{
    static const struct sample trace[] = {
        { 0, 130, 130, 0, 0, 0, JL_DVFS_HOLD },
        { 20, 130, 130, 0, 0, 0, JL_DVFS_HOLD },
    };
    (void)state;
    assert_trace(trace, JL_COUNT(trace));
}

static void without_a_sample_the_source_controller_keeps_everything(void **state)
{
    struct jl_dvfs_params params;
    struct jl_dvfs_legacy loop = { .throttle_pct = 30, .above = 1 };
    (void)state;
    jl_dvfs_params_default(&params);
    assert_int_equal(jl_dvfs_legacy_step(&params, &loop, false, 500, CAP_W, 0), JL_DVFS_HOLD);
    assert_int_equal(jl_dvfs_legacy_step(&params, &loop, true, 500, 0, 0), JL_DVFS_HOLD);
    assert_int_equal(jl_dvfs_legacy_step(&params, &loop, true, (double)NAN, CAP_W, 0),
                     JL_DVFS_HOLD);
    assert_int_equal(jl_dvfs_legacy_step(&params, &loop, true, 500, (double)NAN, 0), JL_DVFS_HOLD);
    assert_false(loop.has_ema);
    assert_int_equal(loop.above, 1);
    assert_near(loop.throttle_pct, 30, 0);
}

static void a_clock_that_jumps_breaks_nothing(void **state)
{
    struct jl_dvfs_params params;
    struct jl_dvfs_legacy loop = { 0 };
    (void)state;
    jl_dvfs_params_default(&params);
    params.trip_count = 1;
    assert_int_equal(jl_dvfs_legacy_step(&params, &loop, true, 500, CAP_W, INT64_MAX),
                     JL_DVFS_DOWN);
    assert_int_equal(jl_dvfs_legacy_step(&params, &loop, true, 500, CAP_W, INT64_MIN),
                     JL_DVFS_COOLDOWN);
    loop.last_action_ms = INT64_MIN;
    assert_int_equal(jl_dvfs_legacy_step(&params, &loop, true, 500, CAP_W, INT64_MAX),
                     JL_DVFS_DOWN);
}

static void a_parameter_out_of_range_is_named(void **state)
{
    struct jl_dvfs_params good;
    struct jl_dvfs_params params;
    (void)state;
    jl_dvfs_params_default(&good);
    assert_null(jl_dvfs_params_fault(&good));

    static const double bad_alphas[] = { -0.1, 0, 1.1, (double)NAN };
    for (size_t i = 0; i < JL_COUNT(bad_alphas); i++) {
        params = good;
        params.alpha = bad_alphas[i];
        assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_EMA_ALPHA");
    }
    params = good;
    params.high_margin_w = -1;
    assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_HIGH_MARGIN_W");
    params = good;
    params.low_margin_w = (double)INFINITY;
    assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_LOW_MARGIN_W");
    static const double bad_steps[] = { -10, 0, 101, (double)NAN };
    for (size_t i = 0; i < JL_COUNT(bad_steps); i++) {
        params = good;
        params.step_pct = bad_steps[i];
        assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_STEP_PCT");
    }
    params = good;
    params.cooldown_ms = -1;
    assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_COOLDOWN");
    params = good;
    params.trip_count = 0;
    assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_TRIP_COUNT");
    params = good;
    params.floor_khz = UINT64_C(2147483648);
    assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_MIN_FREQ_KHZ");
    params = good;
    params.alpha = 1;
    params.step_pct = 100;
    params.high_margin_w = params.low_margin_w = 0;
    params.cooldown_ms = 0;
    params.floor_khz = 0;
    assert_null(jl_dvfs_params_fault(&params));
}

static void throttle_stays_between_0_and_100(void **state)
{
    struct jl_random random = { 73 };
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct jl_dvfs_params params;
        struct jl_dvfs_legacy loop = { 0 };
        int64_t now_ms = 0;
        jl_dvfs_params_default(&params);
        params.alpha = jl_random_unit(&random);
        params.step_pct = jl_random_range(&random, 1, 100);
        params.trip_count = (uint32_t)jl_random_int(&random, 1, 3);
        for (int i = 0; i < 500; i++) {
            now_ms += jl_random_int(&random, 0, 30000);
            jl_dvfs_legacy_step(&params, &loop, jl_random_int(&random, 0, 5) > 0,
                                jl_random_range(&random, -10, 500),
                                jl_random_range(&random, -10, 300), now_ms);
            assert_true(loop.throttle_pct >= 0 && loop.throttle_pct <= 100);
            assert_true(loop.above < params.trip_count && loop.below < params.trip_count);
        }
    }
}

static void a_percentage_without_a_maximum_is_an_open_throttle(void **state)
{
    (void)state;
    assert_near(jl_dvfs_open_throttle_pct(100), 0, 0);
    assert_near(jl_dvfs_open_throttle_pct(60), 40, 0);
    assert_near(jl_dvfs_open_throttle_pct(62.5), 38, 0); /* 37.5 rounds up */
    assert_near(jl_dvfs_open_throttle_pct(150), 0, 0);
    assert_near(jl_dvfs_open_target_w(100, 250), 250, 1e-9);
    assert_near(jl_dvfs_open_target_w(60, 250), 150, 1e-9);
    assert_near(jl_dvfs_open_target_w(150, 200), 200, 1e-9);
    assert_null(jl_dvfs_open_blocked(0.1));
    assert_string_equal(jl_dvfs_open_blocked(0), "cpu cap pct must be > 0");
    assert_string_equal(jl_dvfs_open_blocked((double)NAN), "cpu cap pct must be > 0");
    assert_near(jl_dvfs_open_throttle_pct((double)NAN), 100, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_proportional_loop_follows_the_table),
        cmocka_unit_test(without_a_sample_or_a_cap_it_holds),
        cmocka_unit_test(an_up_step_that_was_too_much_is_not_tried_again_for_16_intervals),
        cmocka_unit_test(a_down_step_long_after_an_up_step_holds_nothing_off),
        cmocka_unit_test(it_starts_where_the_machine_is),
        cmocka_unit_test(the_share_never_leaves_its_range),
        cmocka_unit_test(it_settles_at_the_cap),
        cmocka_unit_test(a_cap_out_of_reach_is_forgotten_soon),
        cmocka_unit_test(power_of_a_node_is_compared_with_the_caps_of_its_packages),
        cmocka_unit_test(the_source_controller_follows_its_trace_at_20_s),
        cmocka_unit_test(the_source_controller_rests_after_an_action),
        cmocka_unit_test(the_source_controller_needs_400_s_to_full_throttle),
        cmocka_unit_test(the_edges_of_the_band_are_inside),
        cmocka_unit_test(without_a_sample_the_source_controller_keeps_everything),
        cmocka_unit_test(a_clock_that_jumps_breaks_nothing),
        cmocka_unit_test(a_parameter_out_of_range_is_named),
        cmocka_unit_test(throttle_stays_between_0_and_100),
        cmocka_unit_test(a_percentage_without_a_maximum_is_an_open_throttle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
