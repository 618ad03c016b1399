/* SPDX-License-Identifier: Apache-2.0 */

/* The replicas layer. Its tables are vectors (tensor-fusion-8.5-*.json); here is what holds of any
 * sequence of evaluations. */

#include <math.h>
#include <string.h>

#include "autoscale/config.h"
#include "base/random.h"
#include "support/test.h"

#define NS_PER_S INT64_C(1000000000)
#define RUNS 300
#define STEPS 60
#define WORKERS 64

static struct jl_replicas_config any_config(struct jl_random *random)
{
    struct jl_replicas_config config;
    jl_replicas_defaults(&config);
    config.target_frac = jl_random_range(random, 0.05, 1);
    if (jl_random_int(random, 0, 1))
        config.up = (struct jl_replica_step){ (double)jl_random_int(random, 1, 5), true };
    else
        config.up = (struct jl_replica_step){ jl_random_range(random, 0.01, 2), false };
    config.down = (struct jl_replica_step){ jl_random_range(random, 0.01, 1), false };
    config.up_cool_down_ns = jl_random_int(random, 0, 120) * NS_PER_S;
    config.down_cool_down_ns = jl_random_int(random, 0, 600) * NS_PER_S;
    config.min = jl_random_int(random, 1, 5);
    config.max = jl_random_int(random, config.min, WORKERS);
    return config;
}

static size_t any_workers(struct jl_random *random, int64_t replicas, double out[WORKERS],
                          size_t *out_missing)
{
    const size_t reporting = (size_t)jl_random_int(random, 0, replicas);
    const double load = jl_random_unit(random);
    for (size_t i = 0; i < reporting; i++)
        out[i] = jl_random_int(random, 0, 3) ? load : jl_random_unit(random);
    *out_missing = (size_t)replicas - reporting;
    return reporting;
}

static int64_t most_growth(const struct jl_replicas_config *config, int64_t replicas)
{
    const double step =
        config->up.is_pods ? config->up.amount : ceil((double)replicas * config->up.amount);
    return step < 1 ? 1 : (int64_t)step;
}

static int64_t most_shrinkage(const struct jl_replicas_config *config, int64_t replicas)
{
    const double step = floor((double)replicas * config->down.amount + 1e-9);
    return step < 1 ? 1 : (int64_t)step;
}

/* The list of wishes without any cleverness: every evaluation, oldest first. */
struct plain_list {
    size_t count;
    struct jl_replicas_wish wishes[STEPS];
};

static int64_t largest_of(struct plain_list *list, int64_t now_ns, int64_t desired,
                          int64_t cool_down_ns)
{
    int64_t largest = desired;
    list->wishes[list->count++] = (struct jl_replicas_wish){ now_ns, desired };
    for (size_t i = 0; i < list->count; i++)
        if (list->wishes[i].t_ns > now_ns - cool_down_ns && list->wishes[i].desired > largest)
            largest = list->wishes[i].desired;
    return largest;
}

static void check_step(const struct jl_replicas_input *in, const struct jl_replicas_result *result,
                       int64_t largest)
{
    const struct jl_replicas_config *config = in->config;
    assert_true(result->to >= config->min && result->to <= config->max);
    assert_true(result->desired >= config->min && result->desired <= config->max);
    assert_true(result->to <= in->replicas + most_growth(config, in->replicas));
    assert_true(result->to >= in->replicas - most_shrinkage(config, in->replicas));
    assert_int_equal(result->has_ratio, in->reporting > 0);
    if (result->desired > in->replicas)
        assert_true(result->to == in->replicas || result->to == result->desired);
    else
        assert_true(result->to == in->replicas || result->to == largest);
    if (result->desired < in->replicas && largest >= in->replicas)
        assert_int_equal(result->reason, JL_REASON_STABILIZING);
    if (in->is_limits_bursting)
        assert_true(result->to <= in->replicas);
}

static void replicas_stay_within_their_ends_and_move_by_one_step_at_most(void **state)
{
    (void)state;
    struct jl_random random = { 85 };
    for (int run = 0; run < RUNS; run++) {
        const struct jl_replicas_config config = any_config(&random);
        struct jl_replicas_state memory;
        struct plain_list list = { 0 };
        int64_t replicas = jl_random_int(&random, config.min, config.max);
        int64_t now_ns = 0;
        jl_replicas_begin(&memory, 0);
        for (int step = 0; step < STEPS; step++) {
            double utilizations[WORKERS];
            struct jl_replicas_result result;
            struct jl_replicas_input in = {
                .now_ns = now_ns,
                .replicas = replicas,
                .utilizations = utilizations,
                .is_limits_bursting = jl_random_int(&random, 0, 3) == 0,
                .config = &config,
            };
            in.reporting = any_workers(&random, replicas, utilizations, &in.missing);
            jl_scale_replicas(&in, &memory, &result);
            check_step(&in, &result,
                       largest_of(&list, now_ns, result.desired, config.down_cool_down_ns));
            replicas = result.to;
            now_ns += jl_random_int(&random, 10, 60) * NS_PER_S;
        }
    }
}

/* One evaluation in which all of n workers have the same utilization. */
static struct jl_replicas_result evaluated(struct jl_replicas_state *memory, int64_t now_s,
                                           const struct jl_replicas_config *config, int64_t n,
                                           double utilization)
{
    static double utilizations[2000];
    struct jl_replicas_result result;
    assert_true(n <= 2000);
    for (int64_t i = 0; i < n; i++)
        utilizations[i] = utilization;
    const struct jl_replicas_input in = { .now_ns = now_s * NS_PER_S,
                                          .replicas = n,
                                          .utilizations = utilizations,
                                          .reporting = (size_t)n,
                                          .config = config };
    jl_scale_replicas(&in, memory, &result);
    return result;
}

static void many_different_wishes_never_lose_the_largest(void **state)
{
    (void)state;
    struct jl_replicas_config config;
    struct jl_replicas_state memory = { 0 };
    jl_replicas_defaults(&config);
    config.target_frac = 0.5;
    config.down.amount = 1;
    config.down_cool_down_ns = 100000 * NS_PER_S;
    /* a load that falls a little at each of 500 evaluations wishes for fewer each time */
    for (int64_t i = 0; i < 500; i++) {
        const struct jl_replicas_result result =
            evaluated(&memory, i * 10, &config, 1000, 0.449 - (double)i * 0.0008);
        assert_int_equal(result.reason, i == 0 ? JL_REASON_BELOW_TARGET : result.reason);
        assert_true(memory.wish_count <= JL_REPLICAS_WISHES);
        assert_int_equal(memory.wishes[0].desired, 898);
        for (size_t k = 1; k < memory.wish_count; k++) {
            assert_true(memory.wishes[k].desired < memory.wishes[k - 1].desired);
            assert_true(memory.wishes[k].t_ns > memory.wishes[k - 1].t_ns);
        }
    }
    assert_int_equal(memory.wish_count, JL_REPLICAS_WISHES);
}

/* The newer one of two equal wishes outlives the older one. */
static void a_wish_that_comes_again_is_remembered_once(void **state)
{
    (void)state;
    struct jl_replicas_config config;
    struct jl_replicas_state memory = { 0 };
    jl_replicas_defaults(&config);
    config.target_frac = 0.5;
    evaluated(&memory, 0, &config, 10, 0.5);
    evaluated(&memory, 10, &config, 10, 0.5);
    assert_int_equal(memory.wish_count, 1);
    assert_int_equal(memory.wishes[0].t_ns, 10 * NS_PER_S);
}

static void a_cool_down_of_0_lets_every_wish_pass(void **state)
{
    (void)state;
    struct jl_replicas_config config;
    struct jl_replicas_state memory;
    jl_replicas_defaults(&config);
    config.up_cool_down_ns = 0;
    config.down_cool_down_ns = 0;
    jl_replicas_begin(&memory, 0);
    assert_int_equal(evaluated(&memory, 0, &config, 10, 1).to, 13);
    assert_int_equal(evaluated(&memory, 0, &config, 13, 0.1).to, 12);
    assert_int_equal(evaluated(&memory, 1, &config, 12, 0.1).to, 11);
}

static void a_wish_in_between_is_taken_and_named(void **state)
{
    (void)state;
    struct jl_replicas_config config;
    struct jl_replicas_state memory = { 0 };
    jl_replicas_defaults(&config);
    config.down.amount = 0.5;
    config.target_frac = 0.5;
    memory.wishes[0] = (struct jl_replicas_wish){ 0, 8 };
    memory.wish_count = 1;
    const struct jl_replicas_result result = evaluated(&memory, 60, &config, 10, 0.1);
    assert_int_equal(result.desired, 5);
    assert_int_equal(result.to, 8);
    assert_int_equal(result.reason, JL_REASON_STABILIZING);
}

static void a_target_near_1_can_still_be_passed(void **state)
{
    (void)state;
    struct jl_replicas_config config;
    jl_replicas_defaults(&config);
    for (double target = 0.5; target <= 1; target += 0.01) {
        struct jl_replicas_state memory = { 0 };
        config.target_frac = target;
        assert_int_equal(evaluated(&memory, 0, &config, 10, 1).reason, JL_REASON_SATURATED);
    }
}

static void rounding_noise_adds_no_replica(void **state)
{
    (void)state;
    struct jl_replicas_config config;
    jl_replicas_defaults(&config);
    config.target_frac = 0.6;
    config.up.amount = 1;
    for (int64_t n = 1; n < 1000; n++) {
        struct jl_replicas_state memory = { 0 };
        assert_int_equal(evaluated(&memory, 0, &config, n, 0.9).desired, (3 * n + 1) / 2);
    }
    config.down.amount = 0.29; /* 100 * 0.29 is 28.999999999999996 */
    struct jl_replicas_state memory = { 0 };
    assert_int_equal(evaluated(&memory, 0, &config, 100, 0).desired, 71);
}

static void rounding_noise_saturates_nobody_more_or_less(void **state)
{
    (void)state;
    struct jl_replicas_config config;
    jl_replicas_defaults(&config);
    config.target_frac = 0.93;
    for (int limit = 1; limit < 1000;
         limit++) { /* 42 * 0.98 / 42 is below 0.98, 50 * 0.98 / 50 not */
        struct jl_replicas_state memory = { 0 };
        const double utilization = limit * 98 / 100.0 / limit;
        assert_int_equal(evaluated(&memory, 0, &config, 10, utilization).reason,
                         JL_REASON_SATURATED);
    }
    struct jl_replicas_state memory = { 0 };
    assert_int_equal(evaluated(&memory, 0, &config, 10, 41.16 / 42).reason, JL_REASON_SATURATED);
    assert_int_equal(evaluated(&memory, 60, &config, 10, 0.9799).reason, JL_REASON_ABOVE_TARGET);
}

static void missing_workers_never_start_a_change_of_their_own(void **state)
{
    (void)state;
    struct jl_replicas_config config;
    struct jl_random random = { 850 };
    jl_replicas_defaults(&config);
    for (int i = 0; i < 5000; i++) {
        struct jl_replicas_state memory = { 0 };
        struct jl_replicas_result all;
        struct jl_replicas_result some;
        double utilizations[WORKERS];
        config.target_frac = jl_random_range(&random, 0.1, 0.99);
        struct jl_replicas_input in = { .utilizations = utilizations, .config = &config };
        in.replicas = jl_random_int(&random, 1, WORKERS);
        in.reporting = any_workers(&random, in.replicas, utilizations, &in.missing);
        if (in.reporting == 0)
            continue;
        jl_scale_replicas(&in, &memory, &some);
        in.missing = 0;
        jl_scale_replicas(&in, &memory, &all);
        if (some.desired > in.replicas)
            assert_true(all.ratio > 1 && some.desired <= all.desired);
        if (some.desired < in.replicas)
            assert_true(all.ratio < 1 && some.desired >= all.desired);
    }
}

static void source_weakness_a_load_that_swings_does_not_move_the_count_at_each_tick(void **state)
{
    (void)state;
    struct jl_replicas_config config;
    struct jl_replicas_state memory;
    int64_t replicas = 4;
    int changes = 0;
    jl_replicas_defaults(&config);
    config.target_frac = 0.8;
    jl_replicas_begin(&memory, 0);
    for (int64_t tick = 0; tick < 40; tick++) { /* 20 minutes; the source would follow each tick */
        const double utilization = tick % 2 ? 0.2 : 0.8;
        const int64_t to = evaluated(&memory, 30 * tick, &config, replicas, utilization).to;
        changes += to != replicas;
        replicas = to;
    }
    assert_int_equal(changes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replicas_stay_within_their_ends_and_move_by_one_step_at_most),
        cmocka_unit_test(many_different_wishes_never_lose_the_largest),
        cmocka_unit_test(a_cool_down_of_0_lets_every_wish_pass),
        cmocka_unit_test(a_wish_in_between_is_taken_and_named),
        cmocka_unit_test(a_target_near_1_can_still_be_passed),
        cmocka_unit_test(rounding_noise_adds_no_replica),
        cmocka_unit_test(rounding_noise_saturates_nobody_more_or_less),
        cmocka_unit_test(missing_workers_never_start_a_change_of_their_own),
        cmocka_unit_test(source_weakness_a_load_that_swings_does_not_move_the_count_at_each_tick),
        cmocka_unit_test(a_wish_that_comes_again_is_remembered_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
