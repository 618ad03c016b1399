/* SPDX-License-Identifier: Apache-2.0 */

/* The limits layer. Its table is a vector (tensor-fusion-8.3-limits.json); here is what holds of
 * any input. */

#include <math.h>

#include "autoscale/config.h"
#include "base/number.h"
#include "base/random.h"
#include "kubernetes/quantity.h"
#include "schema/row.h"
#include "support/test.h"

#define ROUNDS 20000
#define MIB 1048576.0
#define GIB (1024 * MIB)
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
    JL_SET(&in, p99, jl_random_range(random, 0, 300) * unit);
    JL_SET(&in, peak, jl_random_range(random, 0, 300) * unit);
    in.buffer = jl_random_range(random, 0, 1);
    in.ignored = jl_random_range(random, 0, 0.3);
    in.step = jl_random_range(random, 1, 4);
    in.max_ratio = jl_random_range(random, 1, 10);
    in.is_throttled = jl_random_int(random, 0, 1);
    in.is_oom_killed = jl_random_int(random, 0, 1);
    in.is_oom_answered = jl_random_int(random, 0, 1);
    if (jl_random_int(random, 0, 1))
        JL_SET(&in, forecast, jl_random_range(random, 0, 300) * unit);
    if (jl_random_int(random, 0, 1))
        JL_SET(&in, capacity, jl_random_range(random, 10, 400) * unit);

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
        in.is_oom_killed = false;
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
    JL_SET(&in, p99, 35);
    JL_SET(&in, peak, 38);
    assert_near(scaled(&in).value, 45.6, 1e-9); /* the comment: max(45.6, 2 * 42) = 84 */
}

static void source_weakness_a_limit_does_not_pass_the_card(void **state)
{
    (void)state;
    struct jl_limits_input in;
    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 60;
    in.request = 50;
    JL_SET(&in, p99, 90);
    JL_SET(&in, peak, 90);
    JL_SET(&in, capacity, 65);
    assert_near(scaled(&in).value, 65, 0);
    assert_true(scaled(&in).is_at_upper);
}

static void a_request_that_nobody_set_bounds_nothing(void **state)
{
    (void)state;
    struct jl_limits_input in;
    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 40;
    JL_SET(&in, p99, 20);
    JL_SET(&in, peak, 20);
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
    JL_SET(&in, p99, 940 * MIB);
    JL_SET(&in, peak, 940 * MIB);
    in.is_throttled = true;
    assert_near(scaled(&in).value, 1081 * MIB, 0); /* 940 * 1.15 */

    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 100;
    in.request = 50;
    JL_SET(&in, p99, 94);
    JL_SET(&in, peak, 94);
    in.is_throttled = true;
    assert_near(scaled(&in).value, 200, 0);
}

/* ---- kills ---- */

/* VRAM, request 4 GiB, limit 8 GiB, one sample of its 10 s, whose usage is given. */
static struct jl_limits_input killed(double peak_gib)
{
    struct jl_limits_input in;
    jl_limits_defaults(JL_USAGE_VRAM, &in);
    in.request = 4 * GIB;
    in.current = 8 * GIB;
    JL_SET(&in, p99, peak_gib * GIB);
    JL_SET(&in, peak, peak_gib * GIB);
    JL_SET(&in, samples, 1);
    in.is_oom_killed = true;
    return in;
}

static void assert_scaled(const struct jl_limits_input *in, double gib, enum jl_scale_reason reason)
{
    const struct jl_layer_result result = scaled(in);
    assert_near(result.value / GIB, gib, 0);
    assert_int_equal(result.reason, reason);
    assert_int_equal(result.is_kept, result.value == in->current);
}

static void a_kill_raises_the_limit_by_its_step_whatever_usage_says(void **state)
{
    (void)state;
    static const double peaks_gib[] = { 0.5, 6.7, 7, 8, 13.9 };
    for (size_t i = 0; i < JL_COUNT(peaks_gib); i++) { /* down, near, near, saturated, F = 15.985 */
        struct jl_limits_input in = killed(peaks_gib[i]);
        assert_scaled(&in, 16, JL_REASON_SCALED_UP);
        in.is_oom_killed = false;
        assert_scaled(&in, 8, JL_REASON_LOW_CONFIDENCE);
    }
    struct jl_limits_input in = killed(16); /* 1.15 times that is more than the step gives */
    in.given.samples = false;
    assert_near(scaled(&in).value / GIB, 18.4, 1e-3);
}

static void a_kill_is_all_that_has_to_be_known(void **state)
{
    (void)state;
    struct jl_limits_input in = killed(8);
    in.given.p99 = false;
    in.given.peak = false;
    in.given.samples = false;
    assert_scaled(&in, 16, JL_REASON_SCALED_UP);
}

static void a_raise_after_a_kill_ends_at_the_upper_bound(void **state)
{
    (void)state;
    struct jl_limits_input in = killed(8);
    JL_SET(&in, capacity, 12 * GIB);
    assert_scaled(&in, 12, JL_REASON_SCALED_UP);
    assert_true(scaled(&in).is_at_upper);
    in.current = 12 * GIB;
    assert_scaled(&in, 12, JL_REASON_AT_MAXIMUM);
    in.current = 14 * GIB; /* above it already: a kill lowers nothing */
    assert_scaled(&in, 14, JL_REASON_AT_MAXIMUM);
    in.ignored = 0;
    in.current = 14 * GIB + 1;
    assert_scaled(&in, (14 * GIB + 1) / GIB, JL_REASON_AT_MAXIMUM);
}

static void an_answered_kill_holds_the_limit_and_follows_usage_up(void **state)
{
    (void)state;
    struct jl_limits_input in = killed(2);
    in.is_oom_answered = true;
    assert_scaled(&in, 8, JL_REASON_WITHIN_IGNORED_RANGE);
    in = killed(7.5);
    in.is_oom_answered = true;
    assert_scaled(&in, 8.625, JL_REASON_SCALED_UP); /* 7.5 * 1.15 */
    in = killed(7.6);
    in.is_oom_answered = true;
    assert_scaled(&in, 16, JL_REASON_SCALED_UP); /* at its limit, as ever */
}

static void a_kill_says_nothing_without_a_limit_and_nothing_of_tflops(void **state)
{
    (void)state;
    struct jl_random random = { 87 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_limits_input in = any_input(&random);
        if (in.usage == JL_USAGE_VRAM)
            in.current = 0;
        in.is_oom_killed = true;
        const struct jl_layer_result killed = scaled(&in);
        in.is_oom_killed = false;
        const struct jl_layer_result unaware = scaled(&in);
        assert_true(killed.value == unaware.value);
        assert_int_equal(killed.reason, unaware.reason);
        assert_int_equal(killed.is_at_upper, unaware.is_at_upper);
    }
}

static void a_kill_never_gives_less_than_usage_or_the_present_limit(void **state)
{
    (void)state;
    struct jl_random random = { 88 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_limits_input in = any_input(&random);
        if (in.usage != JL_USAGE_VRAM)
            continue;
        if (jl_random_int(&random, 0, 1))
            in.current *= 3; /* beyond its bounds too */
        if (jl_random_int(&random, 0, 1))
            JL_SET(&in, samples, jl_random_int(&random, 1, 4));
        in.is_oom_killed = false;
        const struct jl_layer_result unaware = scaled(&in);
        in.is_oom_killed = true;
        in.is_oom_answered = true;
        const struct jl_layer_result answered = scaled(&in);
        in.is_oom_answered = false;
        const struct jl_layer_result fresh = scaled(&in);
        assert_true(answered.value >= in.current && answered.value >= unaware.value);
        assert_true(fresh.value >= answered.value);
        assert_true(fresh.reason != JL_REASON_SCALED_DOWN);
    }
}

static void a_counter_that_never_stops_does_not_raise_for_ever(void **state)
{
    (void)state;
    struct jl_limits_input in = killed(1);
    in.request = 0; /* bounds nothing */
    for (int i = 0; i < 2000; i++)
        in.current = scaled(&in).value;
    assert_true(in.current > 1e13 && in.current <= 1e14 + MIB);
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

    JL_SET(&in, p99, 1);

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
        JL_SET(&in, samples, cases[i].samples);
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
    JL_SET(&in, p99, 41);
    JL_SET(&in, peak, 41);
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
        cmocka_unit_test(source_weakness_a_limit_does_not_pass_the_card),
        cmocka_unit_test(a_request_that_nobody_set_bounds_nothing),
        cmocka_unit_test(throttling_says_nothing_about_vram),
        cmocka_unit_test(a_kill_raises_the_limit_by_its_step_whatever_usage_says),
        cmocka_unit_test(a_kill_is_all_that_has_to_be_known),
        cmocka_unit_test(a_raise_after_a_kill_ends_at_the_upper_bound),
        cmocka_unit_test(an_answered_kill_holds_the_limit_and_follows_usage_up),
        cmocka_unit_test(a_kill_says_nothing_without_a_limit_and_nothing_of_tflops),
        cmocka_unit_test(a_kill_never_gives_less_than_usage_or_the_present_limit),
        cmocka_unit_test(a_counter_that_never_stops_does_not_raise_for_ever),
        cmocka_unit_test(without_usage_or_samples_the_limit_stays),
        cmocka_unit_test(a_limit_that_is_kept_at_its_upper_end_lets_replicas_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
