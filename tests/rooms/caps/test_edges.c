/* SPDX-License-Identifier: Apache-2.0 */

/* Thresholds of caps from both sides: effect of a cap (docs/rules/enforcement.md#states), and the
 * controllers by frequency (docs/rules/frequencies.md). */

#include <math.h>

#include "caps/caps.h"
#include "caps/dvfs.h"
#include "caps/resolve.h"
#include "caps/state.h"
#include "support/test.h"

static double above(double value)
{
    return nextafter(value, INFINITY);
}

static double below(double value)
{
    return nextafter(value, -INFINITY);
}

/* ---- effect ---- */

static bool is_ineffective(double measured_w, double load_pct, double since_write_s)
{
    const struct jl_effect effect = { 200, measured_w, load_pct, since_write_s };
    return jl_cap_is_ineffective(&effect);
}

/* 30 s after the write, above half of the load, above the margin. */
static void a_cap_is_judged_after_30_seconds_and_above_half_load(void **state)
{
    (void)state;
    assert_true(is_ineffective(300, 80, 30));
    assert_false(is_ineffective(300, 80, below(30)));
    assert_true(is_ineffective(300, above(50), 30));
    assert_false(is_ineffective(300, 50, 30));
    assert_true(is_ineffective(above(210), 80, 30));
    assert_false(is_ineffective(210, 80, 30));
}

/* ---- proportional ---- */

static double s_after(double s, double power_w, double cap_w)
{
    struct jl_dvfs loop;
    jl_dvfs_init(&loop, s);
    jl_dvfs_step(&loop, true, power_w, cap_w);
    return loop.s;
}

/* A step changes the share by sqrt(cap / power), at least to a half and at most by a twentieth. */
static void a_step_is_bounded_by_a_half_and_a_twentieth(void **state)
{
    (void)state;
    assert_near(s_after(0.8, 399, 100), 0.8 * sqrt(100.0 / 399), 1e-12);
    assert_near(s_after(0.8, 401, 100), 0.4, 1e-12);
    assert_near(s_after(0.8, 91, 100), 0.8 * sqrt(100.0 / 91), 1e-12); /* 1.0483 */
    assert_near(s_after(0.8, 90, 100), 0.84, 1e-12);                   /* instead of 1.0541 */
    assert_near(s_after(0.8, 0, 100), 0.84, 1e-12);
}

static void between_98_percent_of_the_cap_and_the_cap_nothing_moves(void **state)
{
    (void)state;
    assert_true(s_after(0.8, 97.99, 100) > 0.8);
    assert_near(s_after(0.8, 98, 100), 0.8, 0);
    assert_near(s_after(0.8, 100, 100), 0.8, 0);
    assert_true(s_after(0.8, 100.01, 100) < 0.8);
}

static void no_share_is_below_a_hundredth(void **state)
{
    struct jl_dvfs loop;
    (void)state;
    jl_dvfs_init(&loop, 0.001);
    assert_near(loop.s, 0.01, 0);
    assert_near(s_after(0.015, 1000, 100), 0.01, 0);
    assert_near(s_after(0.03, 1000, 100), 0.015, 1e-12);
}

/* ---- of the source ---- */

static void the_source_controller_has_the_defaults_of_the_page(void **state)
{
    struct jl_dvfs_params params;
    (void)state;
    jl_dvfs_params_default(&params);
    assert_near(params.alpha, 0.3, 0);
    assert_near(params.high_margin_w, 10, 0);
    assert_near(params.low_margin_w, 15, 0);
    assert_near(params.step_pct, 10, 0);
    assert_int_equal(params.cooldown_ms, 20000);
    assert_int_equal(params.trip_count, 2);
    assert_int_equal(params.floor_khz, 1500000);
}

static enum jl_dvfs_action second_action(double power_w, int64_t at_ms)
{
    struct jl_dvfs_params params;
    struct jl_dvfs_legacy loop = { .throttle_pct = 50 };
    jl_dvfs_params_default(&params);
    params.trip_count = 1;
    (void)jl_dvfs_legacy_step(&params, &loop, true, power_w, 120, 0);
    return jl_dvfs_legacy_step(&params, &loop, true, power_w, 120, at_ms);
}

/* It acts at 0 s, rests for 20 s, and does nothing from 105 to 130 W. */
static void the_source_controller_rests_20_seconds_and_has_a_band(void **state)
{
    (void)state;
    assert_int_equal(second_action(200, 19999), JL_DVFS_COOLDOWN);
    assert_int_equal(second_action(200, 20000), JL_DVFS_DOWN);
    assert_int_equal(second_action(130, 20000), JL_DVFS_HOLD);
    assert_int_equal(second_action(130.001, 20000), JL_DVFS_DOWN);
    assert_int_equal(second_action(105, 20000), JL_DVFS_HOLD);
    assert_int_equal(second_action(104.999, 20000), JL_DVFS_UP);
}

static void a_parameter_may_be_its_bound(void **state)
{
    struct jl_dvfs_params params;
    (void)state;
    jl_dvfs_params_default(&params);
    params.alpha = 1;
    params.high_margin_w = params.low_margin_w = 0;
    params.step_pct = 100;
    params.cooldown_ms = 0;
    params.trip_count = 1;
    params.floor_khz = 0;
    assert_null(jl_dvfs_params_fault(&params));
    params.step_pct = above(100);
    assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_STEP_PCT");
    params.alpha = above(1);
    assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_EMA_ALPHA");
    params.alpha = above(0);
    assert_string_equal(jl_dvfs_params_fault(&params), "DVFS_STEP_PCT");
}

static void an_open_throttle_is_the_rest_of_100_percent(void **state)
{
    static const double rows[][2] = { { 1, 99 },    { 60, 40 },  { 60.5, 40 },
                                      { 60.6, 39 }, { 99.4, 1 }, { 100, 0 },
                                      { 101, 0 },   { 0, 100 },  { -5, 100 } };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_near(jl_dvfs_open_throttle_pct(rows[i][0]), rows[i][1], 0);
    assert_near(jl_dvfs_open_target_w(60, 200), 120, 1e-12);
    assert_near(jl_dvfs_open_target_w(101, 200), 200, 1e-12);
}

/* ---- request ---- */

static int floor_code(double floor_pct)
{
    struct joulie_caps_intent intent = JOULIE_INIT(struct joulie_caps_intent);
    const struct joulie_caps_limits limits = JOULIE_INIT(struct joulie_caps_limits);
    const struct joulie_caps_out out = JOULIE_INIT(struct joulie_caps_out);
    intent.device = JOULIE_CAP_DEVICE_PACKAGE;
    intent.has = JOULIE_CAPS_HAS_FLOOR;
    intent.floor_pct = floor_pct;
    return joulie_caps_resolve(&intent, &limits, 0, &out, NULL, NULL);
}

static void a_floor_is_a_percentage(void **state)
{
    (void)state;
    assert_int_equal(floor_code(0), 0);
    assert_int_equal(floor_code(100), 0);
    assert_int_equal(floor_code(below(0)), JOULIE_E_RANGE);
    assert_int_equal(floor_code(above(100)), JOULIE_E_RANGE);
}

/* A value of a whole number of microwatts is written as it is; beyond 2^53 there are none. */
static void microwatts_end_where_a_double_has_no_units(void **state)
{
    (void)state;
    assert_true(jl_cap_whole_uw(9e9) == 9000000000000000);
    assert_true(jl_cap_whole_uw(9.1e9) == UINT64_C(9007199254740992));
    assert_true(jl_cap_power_limit_mw(9e12) == 9000000000000000);
    assert_true(jl_cap_power_limit_mw(9.1e12) == UINT64_C(9007199254740992));
    assert_true(jl_cap_whole_uw(-1) == 0);
}

/* What was raised to a bound is not also lowered to it. */
static void a_cap_of_a_device_with_one_limit_has_the_bound_it_met(void **state)
{
    const struct joulie_caps_intent below_it = { .has = JOULIE_CAPS_HAS_CAP_W, .cap_w = 100 };
    const struct joulie_caps_intent above_it = { .has = JOULIE_CAPS_HAS_CAP_W, .cap_w = 300 };
    const struct jl_cap_limits limits = { .min_w = 200, .max_w = 200 };
    (void)state;
    assert_int_equal(jl_cap_resolve(&below_it, &limits, 0).clamp, JOULIE_CAP_CLAMP_MIN);
    assert_int_equal(jl_cap_resolve(&above_it, &limits, 0).clamp, JOULIE_CAP_CLAMP_MAX);
    const struct jl_cap_limits free = { .max_w = 200 };
    assert_int_equal(jl_cap_resolve(&below_it, &free, 100).clamp, JOULIE_CAP_CLAMP_FLOOR);
}

/* Watts have a decimal in a message; from 1e15, where a double has hardly one, as many digits as it
 * takes. */
static void a_message_has_watts_of_any_size(void **state)
{
    static const struct {
        double cap_w;
        const char *text;
    } rows[] = {
        { 12.25, "requested cap 12.2W below min 1000000000000000000W on gpu 0" },
        { 999999999999999,
          "requested cap 999999999999999.0W below min 1000000000000000000W on gpu 0" },
        { 1e15, "requested cap 1000000000000000W below min 1000000000000000000W on gpu 0" },
    };
    struct jl_arena arena = { 0 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_caps_intent intent = { .device = JOULIE_CAP_DEVICE_GPU,
                                                   .rules = JOULIE_CAPS_RULES_V0_1_1,
                                                   .has = JOULIE_CAPS_HAS_CAP_W,
                                                   .cap_w = rows[i].cap_w };
        const struct jl_cap_limits limits = { .min_w = 1e18, .max_w = 1e18 };
        struct jl_cap cap;
        jl_caps_resolve(&intent, &limits, 1, &cap);
        assert_string_equal(jl_cap_message(&cap, &arena), rows[i].text);
    }
    jl_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cap_is_judged_after_30_seconds_and_above_half_load),
        cmocka_unit_test(a_step_is_bounded_by_a_half_and_a_twentieth),
        cmocka_unit_test(between_98_percent_of_the_cap_and_the_cap_nothing_moves),
        cmocka_unit_test(no_share_is_below_a_hundredth),
        cmocka_unit_test(the_source_controller_has_the_defaults_of_the_page),
        cmocka_unit_test(the_source_controller_rests_20_seconds_and_has_a_band),
        cmocka_unit_test(a_parameter_may_be_its_bound),
        cmocka_unit_test(an_open_throttle_is_the_rest_of_100_percent),
        cmocka_unit_test(a_floor_is_a_percentage),
        cmocka_unit_test(microwatts_end_where_a_double_has_no_units),
        cmocka_unit_test(a_cap_of_a_device_with_one_limit_has_the_bound_it_met),
        cmocka_unit_test(a_message_has_watts_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
