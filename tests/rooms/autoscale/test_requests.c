/* SPDX-License-Identifier: Apache-2.0 */

/* The requests layer. Its table is a vector (tensor-fusion-8.4-requests.json); here is what holds
 * of any input. */

#include "autoscale/requests.h"
#include "base/number.h"
#include "base/random.h"
#include "schema/row.h"
#include "support/test.h"

#define ROUNDS 20000
#define GIB 1073741824.0

static struct jl_requests_input any_input(struct jl_random *random)
{
    struct jl_requests_input in = { .multiplier = jl_random_range(random, 1, 2) };
    in.usage = jl_random_int(random, 0, 1) ? JL_USAGE_VRAM : JL_USAGE_TFLOPS;
    const double unit = in.usage == JL_USAGE_VRAM ? GIB : 1;
    in.current = jl_random_int(random, 0, 4) ? jl_random_range(random, 0.01, 100) * unit : 0;
    in.original = jl_random_int(random, 0, 4) ? jl_random_range(random, 0.01, 100) * unit : 0;
    in.confidence_days = jl_random_int(random, 0, 4) ? jl_random_range(random, 0, 8) : 0;
    in.lower = jl_random_range(random, 0, 50) * unit;
    in.target = jl_random_range(random, in.lower, 100 * unit);
    in.upper = jl_random_range(random, in.target, 120 * unit);
    in.given.percentiles = true;
    if (jl_random_int(random, 0, 1))
        JL_SET(&in, forecast, jl_random_range(random, 0, 150) * unit);
    if (jl_random_int(random, 0, 1))
        JL_SET(&in, max_allowed, jl_random_range(random, 0, 100) * unit);
    if (jl_random_int(random, 0, 1))
        JL_SET(&in, used, jl_random_range(random, 0, 60) * unit);
    if (jl_random_int(random, 0, 1))
        JL_SET(&in, limit, jl_random_range(random, 0, 200) * unit);
    in.is_limits_layer = jl_random_int(random, 0, 1);
    return in;
}

static struct jl_layer_result scaled(const struct jl_requests_input *in)
{
    struct jl_layer_result result;
    jl_scale_requests(in, &result);
    return result;
}

static void a_request_never_falls_below_the_vram_in_use(void **state)
{
    (void)state;
    struct jl_random random = { 841 };
    size_t updated = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_requests_input in = any_input(&random);
        in.usage = JL_USAGE_VRAM;
        const struct jl_layer_result result = scaled(&in);
        if (result.is_kept || !in.given.used)
            continue;
        updated++;
        assert_true(result.value >= in.used * (1 - 2e-9));
    }
    assert_true(updated > 1000);
}

static void a_request_grows_no_further_than_the_gpus_allow(void **state)
{
    (void)state;
    struct jl_random random = { 842 };
    size_t grown = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const struct jl_requests_input in = any_input(&random);
        const struct jl_layer_result result = scaled(&in);
        if (result.value <= in.current || !in.given.max_allowed)
            continue;
        grown++;
        const double used = in.usage == JL_USAGE_VRAM && in.given.used ? in.used : 0;
        const double most = jl_max(jl_max(in.max_allowed, in.current), used);
        assert_true(result.value < most + jl_usage_step(in.usage));
    }
    assert_true(grown > 1000);
}

static void a_request_stays_within_its_ratios_to_the_original(void **state)
{
    (void)state;
    struct jl_random random = { 843 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_requests_input in = any_input(&random);
        in.given.used = false;
        in.given.max_allowed = false;
        const struct jl_layer_result result = scaled(&in);
        if (result.is_kept || !(in.original > 0))
            continue;
        const bool is_vram = in.usage == JL_USAGE_VRAM;
        assert_true(result.value >= in.original * (is_vram ? 0.2 : 0.1) * (1 - 2e-9));
        assert_true(result.value <= in.original * (is_vram ? 5 : 10) + jl_usage_step(in.usage));
    }
}

static void more_confidence_only_narrows_the_bounds(void **state)
{
    (void)state;
    for (double days = 0.01; days < 100; days *= 1.5) {
        assert_true(jl_lower_factor(days) < 1 && jl_upper_factor(days) > 1);
        assert_true(jl_lower_factor(days * 1.5) > jl_lower_factor(days));
        assert_true(jl_upper_factor(days * 1.5) < jl_upper_factor(days));
    }
}

static void more_usage_never_gives_a_smaller_request(void **state)
{
    (void)state;
    struct jl_random random = { 844 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_requests_input in = any_input(&random);
        const struct jl_layer_result less = scaled(&in);
        const double factor = jl_random_range(&random, 1, 3);
        in.lower *= factor;
        in.target *= factor;
        in.upper *= factor;
        const struct jl_layer_result more = scaled(&in);
        if (less.is_kept || more.is_kept)
            continue;
        assert_true(more.value >= less.value);
    }
}

static void a_limit_is_never_below_its_new_request(void **state)
{
    (void)state;
    struct jl_random random = { 845 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_requests_input in = any_input(&random);
        in.limit = jl_max(in.limit, in.current);
        const struct jl_layer_result result = scaled(&in);
        assert_int_equal(result.has_limit, !result.is_kept && in.given.limit);
        if (!result.has_limit)
            continue;
        assert_true(result.limit >= result.value * (1 - 2e-9));
        if (result.is_limit_kept)
            assert_true(result.limit == in.limit);
    }
}

static void percentiles_of_the_bounds_follow_the_target(void **state)
{
    (void)state;
    const struct jl_requests_percentiles usual = jl_requests_percentiles(0.9);
    assert_near(usual.lower, 0.5, 1e-12);
    assert_near(usual.target, 0.9, 0);
    assert_near(usual.upper, 0.95, 1e-12);
    assert_near(jl_requests_percentiles(1).upper, 0.99, 0);
    assert_near(jl_requests_percentiles(1).lower, 0.6, 1e-12);
    assert_near(jl_requests_percentiles(0.2).lower, 0.5, 0);
}

static void small_originals_may_stay_below_the_least_amount(void **state)
{
    (void)state;
    struct jl_requests_input in = { .current = 0.5, .original = 0.05, .confidence_days = 8 };
    in.multiplier = 1;
    in.given.percentiles = true;
    in.lower = in.target = in.upper = 0.0954911;  /* an idle worker */
    assert_near(scaled(&in).value, 0.096, 1e-12); /* not 1: the spec asks for 0.05 */
    in.original = 0;
    assert_near(scaled(&in).value, 1, 0);
}

static void rounding_noise_at_a_bound_decides_nothing(void **state)
{
    (void)state;
    struct jl_requests_input in = { .original = 3, .confidence_days = 1, .multiplier = 1.1 };
    in.given.percentiles = true;
    in.lower = in.target = 1.5;
    in.upper = 1.5;
    assert_near(scaled(&in).lower, 1.65 / (1.001 * 1.001), 1e-12);
    const double upper = 1.5 * 1.1 * 2;
    in.current = upper * (1 + 1e-12);
    assert_int_equal(scaled(&in).reason, JL_REASON_WITHIN_BOUNDS);
    in.current = upper * (1 + 1e-8);
    assert_int_equal(scaled(&in).reason, JL_REASON_UPDATED);
}

static void source_weakness_few_days_of_samples_move_nothing(void **state)
{
    (void)state;
    struct jl_requests_input in = { .current = 50, .original = 50, .multiplier = 1.1 };
    in.given.percentiles = true;
    in.lower = 20;
    in.target = 40;
    in.upper = 42;
    in.confidence_days = 0.1; /* the source has no such term and follows each tick */
    assert_int_equal(scaled(&in).reason, JL_REASON_WITHIN_BOUNDS);
    in.confidence_days = 30;
    assert_int_equal(scaled(&in).reason, JL_REASON_UPDATED);
    assert_near(scaled(&in).value, 44, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_never_falls_below_the_vram_in_use),
        cmocka_unit_test(a_request_grows_no_further_than_the_gpus_allow),
        cmocka_unit_test(a_request_stays_within_its_ratios_to_the_original),
        cmocka_unit_test(more_confidence_only_narrows_the_bounds),
        cmocka_unit_test(more_usage_never_gives_a_smaller_request),
        cmocka_unit_test(a_limit_is_never_below_its_new_request),
        cmocka_unit_test(percentiles_of_the_bounds_follow_the_target),
        cmocka_unit_test(small_originals_may_stay_below_the_least_amount),
        cmocka_unit_test(rounding_noise_at_a_bound_decides_nothing),
        cmocka_unit_test(source_weakness_few_days_of_samples_move_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
