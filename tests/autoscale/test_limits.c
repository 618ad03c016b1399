/* SPDX-License-Identifier: Apache-2.0 */

/* The limits layer. Its table is a vector (tensor-fusion-8.3-limits.json); here is what holds of
 * any input. */

#include <math.h>

#include "autoscale/limits.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/random.h"
#include "schema/row.h"
#include "support/test.h"

#define ROUNDS 20000
#define MIB 1048576.0
#define NS_PER_S INT64_C(1000000000)

/* Any input whose current limit is 0 or lies within its bounds. */
static struct jl_limits_input any_input(struct jl_random *random)
{
    struct jl_limits_input in;
    const enum jl_usage usage = jl_random_int(random, 0, 1) ? JL_USAGE_VRAM : JL_USAGE_TFLOPS;
    const double unit = usage == JL_USAGE_VRAM ? 1024 * MIB : 1;
    jl_limits_defaults(usage, &in);
    in.request = jl_random_range(random, 0.1, 50) * unit;
    in.floor = usage == JL_USAGE_VRAM ? jl_random_range(random, 0, 80) * unit : 0;
    JL_PUT(&in, JL_LIMITS_P99, p99, jl_random_range(random, 0, 300) * unit);
    JL_PUT(&in, JL_LIMITS_PEAK, peak, jl_random_range(random, 0, 300) * unit);
    in.buffer = jl_random_range(random, 0, 1);
    in.ignored = jl_random_range(random, 0, 0.3);
    in.step = jl_random_range(random, 1, 4);
    in.max_ratio = jl_random_range(random, 1, 10);
    in.is_throttled = jl_random_int(random, 0, 1);
    if (jl_random_int(random, 0, 1))
        JL_PUT(&in, JL_LIMITS_FORECAST, forecast, jl_random_range(random, 0, 300) * unit);
    if (jl_random_int(random, 0, 1))
        JL_PUT(&in, JL_LIMITS_CAPACITY, capacity, jl_random_range(random, 10, 400) * unit);

    struct jl_layer_result bounds;
    jl_scale_limits(&in, &bounds);
    if (jl_random_int(random, 0, 4))
        in.current = jl_random_range(random, bounds.lower, bounds.upper);
    return in;
}

static struct jl_layer_result scaled(const struct jl_limits_input *in)
{
    struct jl_layer_result result;
    jl_scale_limits(in, &result);
    return result;
}

static void a_new_limit_lies_within_its_bounds(void **state)
{
    (void)state;
    struct jl_random random = { 83 };
    for (int i = 0; i < ROUNDS; i++) {
        const struct jl_limits_input in = any_input(&random);
        const struct jl_layer_result result = scaled(&in);
        const double step = jl_usage_step(in.usage);
        assert_true(result.lower <= result.upper);
        if (result.is_kept) {
            assert_true(result.value == in.current);
            assert_true(in.current > 0);
            continue;
        }
        assert_true(result.value >= result.lower * (1 - 2e-9));
        assert_true(result.value <= result.upper + step);
        assert_true(result.reason == JL_REASON_SCALED_UP || result.reason == JL_REASON_SCALED_DOWN);
        assert_int_equal(result.is_at_upper, result.value >= result.upper * (1 - 2e-9));
    }
}

static void more_usage_never_gives_a_lower_limit(void **state)
{
    (void)state;
    struct jl_random random = { 84 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_limits_input in = any_input(&random);
        const struct jl_layer_result less = scaled(&in);
        in.p99 *= jl_random_range(&random, 1, 1.5);
        in.peak *= jl_random_range(&random, 1, 1.5);
        in.forecast *= jl_random_range(&random, 1, 1.5);
        const struct jl_layer_result more = scaled(&in);
        assert_true(more.target >= less.target);
        assert_true(more.value >= less.value);
    }
}

static void amounts_in_another_unit_give_the_same_decision(void **state)
{
    (void)state;
    struct jl_random random = { 85 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_limits_input in = any_input(&random);
        in.usage = JL_USAGE_TFLOPS;
        const struct jl_layer_result before = scaled(&in);
        const double factor = jl_random_int(&random, 0, 1) ? 1024 : 64;
        in.current *= factor;
        in.request *= factor;
        in.floor *= factor;
        in.p99 *= factor;
        in.peak *= factor;
        in.forecast *= factor;
        in.capacity *= factor;
        const struct jl_layer_result after = scaled(&in);
        assert_true(after.target == before.target * factor);
        assert_true(after.lower == before.lower * factor);
        assert_true(after.upper == before.upper * factor);
        /* rounding up to 0.001 is the one step that knows a unit */
        assert_near(after.value, before.value * factor,
                    jl_usage_step(in.usage) * factor + before.value * factor * 2e-9);
    }
}

static void a_second_evaluation_of_the_same_usage_moves_nothing(void **state)
{
    (void)state;
    struct jl_random random = { 86 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_limits_input in = any_input(&random);
        in.is_throttled = false;
        const struct jl_layer_result first = scaled(&in);
        if (in.peak >= 0.95 * in.current || in.peak >= 0.95 * first.value)
            continue; /* a saturated limit probes */
        in.current = first.value;
        assert_true(scaled(&in).value == first.value);
    }
}

static void the_source_comments_step_overshoots_and_ours_does_not(void **state)
{
    (void)state;
    struct jl_limits_input in;
    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 42;
    in.request = 40;
    JL_PUT(&in, JL_LIMITS_P99, p99, 35);
    JL_PUT(&in, JL_LIMITS_PEAK, peak, 38);
    assert_near(scaled(&in).value, 45.6, 1e-9); /* the comment: max(45.6, 2 * 42) = 84 */
}

static void weakness_10_a_limit_does_not_pass_the_card(void **state)
{
    (void)state;
    struct jl_limits_input in;
    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 60;
    in.request = 50;
    JL_PUT(&in, JL_LIMITS_P99, p99, 90);
    JL_PUT(&in, JL_LIMITS_PEAK, peak, 90);
    JL_PUT(&in, JL_LIMITS_CAPACITY, capacity, 65);
    assert_near(scaled(&in).value, 65, 0);
    assert_true(scaled(&in).is_at_upper);
}

static void a_request_that_nobody_set_bounds_nothing(void **state)
{
    (void)state;
    struct jl_limits_input in;
    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 40;
    JL_PUT(&in, JL_LIMITS_P99, p99, 20);
    JL_PUT(&in, JL_LIMITS_PEAK, peak, 20);
    assert_near(scaled(&in).value, 24, 0);
    assert_true(isinf(scaled(&in).upper));
}

static void throttling_says_nothing_about_vram(void **state)
{
    (void)state;
    struct jl_limits_input in;
    jl_limits_defaults(JL_USAGE_VRAM, &in);
    in.current = 1000 * MIB;
    in.request = 500 * MIB;
    JL_PUT(&in, JL_LIMITS_P99, p99, 940 * MIB);
    JL_PUT(&in, JL_LIMITS_PEAK, peak, 940 * MIB);
    in.is_throttled = true;
    assert_near(scaled(&in).value, 1081 * MIB, 0); /* 940 * 1.15 */

    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 100;
    in.request = 50;
    JL_PUT(&in, JL_LIMITS_P99, p99, 94);
    JL_PUT(&in, JL_LIMITS_PEAK, peak, 94);
    in.is_throttled = true;
    assert_near(scaled(&in).value, 200, 0);
}

static void without_usage_or_samples_the_limit_stays(void **state)
{
    (void)state;
    struct jl_limits_input in;
    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 20;
    in.request = 10;
    assert_int_equal(scaled(&in).reason, JL_REASON_LOW_CONFIDENCE);
    assert_false(scaled(&in).has_target);

    JL_PUT(&in, JL_LIMITS_P99, p99, 1);

    static const struct {
        int64_t samples;
        int64_t period_s;
        bool is_enough;
    } cases[] = {
        { 2, 10, false },   { 3, 10, true },   { 2, 20, false }, { 3, 20, true },
        { 1, 30, false },   { 2, 30, true },   { 1, 31, true },  { 0, 60, false },
        { 0, 3600, false }, { 1, 3600, true }, { 2, 1, false },  { 3, 1, true },
    };

    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        JL_PUT(&in, JL_LIMITS_SAMPLES, samples, cases[i].samples);
        in.period_ns = cases[i].period_s * NS_PER_S;
        assert_int_equal(scaled(&in).reason != JL_REASON_LOW_CONFIDENCE, cases[i].is_enough);
    }
}

static void a_limit_that_is_kept_at_its_upper_end_lets_replicas_grow(void **state)
{
    (void)state;
    struct jl_limits_input in;
    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 50;
    in.request = 10;
    JL_PUT(&in, JL_LIMITS_P99, p99, 41);
    JL_PUT(&in, JL_LIMITS_PEAK, peak, 41);
    assert_int_equal(scaled(&in).reason, JL_REASON_WITHIN_IGNORED_RANGE);
    assert_true(scaled(&in).is_at_upper);
    in.current = 49;
    assert_int_equal(scaled(&in).reason, JL_REASON_WITHIN_IGNORED_RANGE);
    assert_false(scaled(&in).is_at_upper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_limit_lies_within_its_bounds),
        cmocka_unit_test(more_usage_never_gives_a_lower_limit),
        cmocka_unit_test(amounts_in_another_unit_give_the_same_decision),
        cmocka_unit_test(a_second_evaluation_of_the_same_usage_moves_nothing),
        cmocka_unit_test(the_source_comments_step_overshoots_and_ours_does_not),
        cmocka_unit_test(weakness_10_a_limit_does_not_pass_the_card),
        cmocka_unit_test(a_request_that_nobody_set_bounds_nothing),
        cmocka_unit_test(throttling_says_nothing_about_vram),
        cmocka_unit_test(without_usage_or_samples_the_limit_stays),
        cmocka_unit_test(a_limit_that_is_kept_at_its_upper_end_lets_replicas_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
