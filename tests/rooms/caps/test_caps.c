/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/random.h"
#include "caps/caps.h"
#include "support/test.h"

/* Limits of packages and GPUs (docs/rules/caps.md#resolution). */

static struct joulie_caps_intent percent(double pct)
{
    return (struct joulie_caps_intent){ .has = JOULIE_CAPS_HAS_CAP_PCT, .cap_pct = pct };
}

static struct joulie_caps_intent watts(double w)
{
    return (struct joulie_caps_intent){ .has = JOULIE_CAPS_HAS_CAP_W, .cap_w = w };
}

static struct jl_cap resolve(struct joulie_caps_intent intent, double min_w, double max_w)
{
    const struct jl_cap_limits limits = { .min_w = min_w, .max_w = max_w };
    return jl_cap_resolve(&intent, &limits, JL_CAP_FLOOR_PCT);
}

static void resolve_all(struct joulie_caps_intent intent, enum joulie_cap_device device,
                        enum joulie_caps_rules rules, const struct jl_cap_limits *limits,
                        size_t count, struct jl_cap *caps)
{
    intent.device = device;
    intent.rules = rules;
    jl_caps_resolve(&intent, limits, count, caps);
}

/* In the source the smallest maximum of all zones went to every package. */
static void a_percent_is_taken_of_each_packages_own_maximum(void **state)
{
    (void)state;
    const struct joulie_caps_intent intent = percent(60);
    const struct jl_cap_limits limits[] = { { .max_w = 270 }, { .max_w = 225 } };
    struct jl_cap caps[2];
    resolve_all(intent, JOULIE_CAP_DEVICE_PACKAGE, JOULIE_CAPS_RULES_CURRENT, limits, 2, caps);
    assert_near(caps[0].cap_w, 162, 1e-9);
    assert_near(caps[1].cap_w, 135, 1e-9);
    resolve_all(intent, JOULIE_CAP_DEVICE_PACKAGE, JOULIE_CAPS_RULES_V0_1_1, limits, 2, caps);
    assert_near(caps[0].cap_w, 135, 1e-9);
    assert_near(caps[1].cap_w, 135, 1e-9);
}

/* The watt value means one package. */
static void watts_are_per_package(void **state)
{
    (void)state;
    const struct joulie_caps_intent intent = watts(120);
    const struct jl_cap_limits limits[] = { { .max_w = 270 }, { .max_w = 270 } };
    struct jl_cap caps[2];
    resolve_all(intent, JOULIE_CAP_DEVICE_PACKAGE, JOULIE_CAPS_RULES_CURRENT, limits, 2, caps);
    assert_near(caps[0].cap_w + caps[1].cap_w, 240, 0);
}

static void a_floor_keeps_a_package_usable(void **state)
{
    (void)state;
    const struct jl_cap cap = resolve(percent(1), 0, 270);
    assert_near(cap.requested_w, 2.7, 1e-9);
    assert_near(cap.cap_w, 81, 1e-9);
    assert_int_equal(cap.clamp, JOULIE_CAP_CLAMP_FLOOR);
}

static void the_bound_that_counts_is_named(void **state)
{
    (void)state;
    assert_int_equal(resolve(percent(20), 100, 270).clamp, JOULIE_CAP_CLAMP_MIN);
    assert_int_equal(resolve(percent(10), 81, 270).clamp, JOULIE_CAP_CLAMP_MIN); /* equal bounds */
    assert_int_equal(resolve(watts(400), 0, 270).clamp, JOULIE_CAP_CLAMP_MAX);
    assert_int_equal(resolve(watts(270), 0, 270).clamp, JOULIE_CAP_CLAMP_NONE);
    assert_int_equal(resolve(watts(80), 100, 80).clamp,
                     JOULIE_CAP_CLAMP_NONE); /* impossible limits, unchanged */
    assert_near(resolve(watts(20), 100, 80).cap_w, 80, 0);
    assert_int_equal(resolve(watts(20), 100, 80).clamp, JOULIE_CAP_CLAMP_MAX);
}

static void without_a_maximum_watts_pass_and_a_percent_is_blocked(void **state)
{
    (void)state;
    assert_near(resolve(watts(64.1), 0, 0).cap_w, 64.1, 0);
    assert_near(resolve(watts(20), 50, 0).cap_w, 50, 0);
    assert_int_equal(resolve(percent(60), 50, 0).block, JOULIE_CAP_BLOCK_NO_MAX);
    assert_false(resolve(percent(60), 50, 0).has_requested);
    const struct jl_cap_limits unknown = { .min_w = 50 };
    struct jl_cap cap;
    resolve_all(percent(60), JOULIE_CAP_DEVICE_PACKAGE, JOULIE_CAPS_RULES_V0_1_1, &unknown, 1,
                &cap);
    assert_int_equal(cap.block, JOULIE_CAP_BLOCK_RANGE_UNAVAILABLE);
}

static void watts_win_over_percent_unless_they_are_not_positive(void **state)
{
    (void)state;
    struct joulie_caps_intent both = watts(120);
    both.has |= JOULIE_CAPS_HAS_CAP_PCT;
    both.cap_pct = 90;
    assert_near(resolve(both, 0, 270).cap_w, 120, 0);
    both.cap_w = 0;
    assert_near(resolve(both, 0, 270).cap_w, 243, 1e-9);
    assert_int_equal(resolve(watts(-5), 0, 270).block, JOULIE_CAP_BLOCK_NO_INTENT);
    assert_int_equal(resolve((struct joulie_caps_intent){ 0 }, 0, 270).block,
                     JOULIE_CAP_BLOCK_NO_INTENT);
}

/* Percent is of (0,100]; an object from elsewhere may hold others. */
static void a_percent_that_is_not_positive_asks_for_nothing(void **state)
{
    (void)state;
    assert_int_equal(resolve(percent(0), 0, 270).block, JOULIE_CAP_BLOCK_NO_INTENT);
    assert_int_equal(resolve(percent(-3), 100, 270).block, JOULIE_CAP_BLOCK_NO_INTENT);
}

static void microwatts_are_rounded_and_then_cut_to_the_unit(void **state)
{
    (void)state;
    assert_int_equal(jl_cap_power_limit_uw(64.1, 0), 64100000);
    assert_int_equal(jl_cap_power_limit_uw(64.1, 0.125), 64000000);
    assert_int_equal(jl_cap_power_limit_uw(1.001, 0), 1001000);
    assert_int_equal(jl_cap_power_limit_uw(216, 0.125), 216000000);
    assert_int_equal(jl_cap_power_limit_uw(1e300, 0.125), UINT64_C(1) << 53);
    for (int hundredths = 1; hundredths < 60000; hundredths++)
        assert_int_equal(jl_cap_power_limit_uw(hundredths / 100.0, 0), hundredths * INT64_C(10000));
}

static void milliwatts_are_rounded(void **state)
{
    (void)state;
    assert_int_equal(jl_cap_power_limit_mw(213.5), 213500);
    assert_int_equal(jl_cap_power_limit_mw(0.6 * 350), 210000);
}

static void the_source_truncates_microwatts(void **state)
{
    (void)state;
    const struct jl_cap_limits limits = { .max_w = 270 };
    const struct joulie_caps_intent intent = watts(64.1);
    struct jl_cap cap;
    resolve_all(intent, JOULIE_CAP_DEVICE_PACKAGE, JOULIE_CAPS_RULES_V0_1_1, &limits, 1, &cap);
    assert_int_equal(cap.power_limit_uw, 64099999);
}

static void each_gpu_gets_its_own_cap(void **state)
{
    (void)state;
    const struct jl_cap_limits limits[] = { { .min_w = 200, .max_w = 350 },
                                            { .min_w = 350, .max_w = 700 },
                                            { .min_w = 150 } };
    const struct joulie_caps_intent intent = percent(60);
    struct jl_cap caps[3];
    resolve_all(intent, JOULIE_CAP_DEVICE_GPU, JOULIE_CAPS_RULES_CURRENT, limits, 3, caps);
    assert_near(caps[0].cap_w, 210, 1e-9);
    assert_near(caps[1].cap_w, 420, 1e-9);
    assert_int_equal(caps[2].block, JOULIE_CAP_BLOCK_NO_MAX); /* and only that one */
    assert_int_equal(caps[0].block, JOULIE_CAP_BLOCK_NONE);
}

static void a_gpu_has_no_floor_but_its_minimum(void **state)
{
    (void)state;
    const struct jl_cap_limits limits = { .min_w = 0, .max_w = 400 };
    const struct joulie_caps_intent intent = percent(1);
    struct jl_cap cap;
    resolve_all(intent, JOULIE_CAP_DEVICE_GPU, JOULIE_CAPS_RULES_CURRENT, &limits, 1, &cap);
    assert_near(cap.cap_w, 4, 1e-9);
    assert_int_equal(cap.clamp, JOULIE_CAP_CLAMP_NONE);
}

static void the_source_gives_all_gpus_one_cap_or_none(void **state)
{
    (void)state;
    const struct jl_cap_limits limits[] = { { .min_w = 200, .max_w = 350 },
                                            { .min_w = 350, .max_w = 700 } };
    struct jl_cap caps[2];
    struct jl_arena arena = { 0 };
    struct joulie_caps_intent intent = percent(60);
    resolve_all(intent, JOULIE_CAP_DEVICE_GPU, JOULIE_CAPS_RULES_V0_1_1, limits, 2, caps);
    assert_near(caps[1].cap_w, 210, 1e-9);

    intent = watts(300);
    resolve_all(intent, JOULIE_CAP_DEVICE_GPU, JOULIE_CAPS_RULES_V0_1_1, limits, 2, caps);
    assert_int_equal(caps[0].block, JOULIE_CAP_BLOCK_GPU_BELOW_MIN);
    assert_string_equal(jl_cap_message(&caps[0], &arena),
                        "requested cap 300.0W below min 350.0W on gpu 1");
    resolve_all(intent, JOULIE_CAP_DEVICE_GPU, JOULIE_CAPS_RULES_V0_1_1, limits, 1, caps);
    assert_int_equal(caps[0].block, JOULIE_CAP_BLOCK_NONE); /* the second is not asked about */
    intent = watts(0); /* an intent, but nothing usable in it */
    resolve_all(intent, JOULIE_CAP_DEVICE_GPU, JOULIE_CAPS_RULES_V0_1_1, limits, 2, caps);
    assert_string_equal(jl_cap_message(&caps[1], &arena), "missing capWattsPerGpu or capPctOfMax");
    intent = (struct joulie_caps_intent){ 0 };
    resolve_all(intent, JOULIE_CAP_DEVICE_GPU, JOULIE_CAPS_RULES_V0_1_1, limits, 2, caps);
    assert_string_equal(jl_cap_message(&caps[1], &arena), "no intent");
    jl_arena_clear(&arena);
}

/* A cap is bounded, whatever is asked for, and never falls when more is asked for. */
static void the_source_takes_watts_between_the_bounds_that_a_gpu_has(void **state)
{
    static const struct {
        double cap_w, min_w, max_w;
        enum joulie_cap_block block;
    } rows[] = {
        { 100, 100, 300, JOULIE_CAP_BLOCK_NONE }, { 99, 100, 300, JOULIE_CAP_BLOCK_GPU_BELOW_MIN },
        { 300, 100, 300, JOULIE_CAP_BLOCK_NONE }, { 301, 100, 300, JOULIE_CAP_BLOCK_GPU_ABOVE_MAX },
        { 301, 100, 0, JOULIE_CAP_BLOCK_NONE }, /* 0: not known */
        { 1, 0, 300, JOULIE_CAP_BLOCK_NONE },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_cap_limits limits = { .min_w = rows[i].min_w, .max_w = rows[i].max_w };
        struct jl_cap cap;
        resolve_all(watts(rows[i].cap_w), JOULIE_CAP_DEVICE_GPU, JOULIE_CAPS_RULES_V0_1_1, &limits,
                    1, &cap);
        assert_int_equal(cap.block, rows[i].block);
    }
}

static void caps_are_bounded_and_monotone(void **state)
{
    (void)state;
    struct jl_random random = { 7 };
    for (int i = 0; i < 20000; i++) {
        const double max_w = jl_random_range(&random, 1, 1000);
        const double min_w = jl_random_range(&random, 0, max_w);
        const double lower = jl_random_range(&random, 0.001, 2000);
        const double upper = lower + jl_random_range(&random, 0, 500);
        const struct jl_cap low = resolve(watts(lower), min_w, max_w);
        const struct jl_cap high = resolve(watts(upper), min_w, max_w);
        assert_true(low.cap_w >= min_w && low.cap_w >= JL_CAP_FLOOR_PCT / 100 * max_w &&
                    low.cap_w <= max_w);
        assert_true(low.cap_w <= high.cap_w);
        assert_int_equal(low.clamp == JOULIE_CAP_CLAMP_NONE, low.cap_w == lower);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percent_is_taken_of_each_packages_own_maximum),
        cmocka_unit_test(watts_are_per_package),
        cmocka_unit_test(a_floor_keeps_a_package_usable),
        cmocka_unit_test(the_bound_that_counts_is_named),
        cmocka_unit_test(without_a_maximum_watts_pass_and_a_percent_is_blocked),
        cmocka_unit_test(watts_win_over_percent_unless_they_are_not_positive),
        cmocka_unit_test(a_percent_that_is_not_positive_asks_for_nothing),
        cmocka_unit_test(microwatts_are_rounded_and_then_cut_to_the_unit),
        cmocka_unit_test(milliwatts_are_rounded),
        cmocka_unit_test(the_source_truncates_microwatts),
        cmocka_unit_test(each_gpu_gets_its_own_cap),
        cmocka_unit_test(a_gpu_has_no_floor_but_its_minimum),
        cmocka_unit_test(the_source_gives_all_gpus_one_cap_or_none),
        cmocka_unit_test(caps_are_bounded_and_monotone),
        cmocka_unit_test(the_source_takes_watts_between_the_bounds_that_a_gpu_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
