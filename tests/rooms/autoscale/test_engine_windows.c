/* SPDX-License-Identifier: Apache-2.0 */

/* The engine at the edges of its windows and delays: what is just in, what is just out, and when a
 * layer is due (docs/rules/autoscaling.md#step). */

#include <string.h>

#include "autoscale/engine.h"
#include "support/test.h"

#define START_NS (INT64_C(1773403200) * JL_NS_PER_S)
#define S JL_NS_PER_S

struct scene {
    struct jl_autoscale_config config;
    struct jl_scale_worker workers[4];
    struct jl_scale_sample samples[16];
    struct jl_scale_step step;
    struct jl_scale_result result;
    struct jl_arena arena;
    struct jl_scale_engine *engine;
};

/* Two workers of an hour, every layer off, requests 10 / 4e9 and limits 20 / 8e9. */
static void begin(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    jl_autoscale_config_init(&scene->config, JL_AUTOSCALE_CURRENT);
    scene->config.original = (struct jl_amounts){ .of = { { 10, 20 }, { 4e9, 8e9 } } };
    scene->config.limits.targets = JL_TARGETS(JL_USAGE_TFLOPS);
    scene->workers[0] = (struct jl_scale_worker){ "a", START_NS - 3600 * S, true, false };
    scene->workers[1] = (struct jl_scale_worker){ "b", START_NS - 3600 * S, true, false };
    scene->step = (struct jl_scale_step){
        .now_ns = START_NS,
        .current = scene->config.original,
        .workers = scene->workers,
        .worker_count = 2,
        .has_workers = true,
        .samples = scene->samples,
    };
    scene->engine = jl_scale_engine_new();
}

static void end(struct scene *scene)
{
    jl_scale_engine_free(scene->engine);
    jl_arena_clear(&scene->arena);
}

static void put(struct scene *scene, const char *worker, int64_t at_ns, double tflops)
{
    scene->samples[scene->step.sample_count++] = (struct jl_scale_sample){
        .worker = worker, .at_ns = at_ns, .tflops = tflops, .has_tflops = true
    };
}

static const struct jl_scale_result *step(struct scene *scene)
{
    jl_arena_reset(&scene->arena);
    assert_int_equal(jl_scale_engine_step(scene->engine, &scene->config, &scene->step,
                                          &scene->arena, &scene->result, NULL),
                     0);
    scene->step.sample_count = 0;
    return &scene->result;
}

/* The reason of the limits layer after three samples, the oldest at this time. */
static enum jl_scale_reason limits_reason(int64_t oldest_ns)
{
    struct scene scene;
    begin(&scene);
    scene.config.limits.is_on = true;
    put(&scene, "a", oldest_ns, 8);
    put(&scene, "a", START_NS - 10 * S, 8);
    put(&scene, "a", START_NS, 8);
    const struct jl_scale_result *result = step(&scene);
    assert_int_equal(result->decision_count, 1);
    const enum jl_scale_reason reason = result->decisions[0].reason;
    end(&scene);
    return reason;
}

static void a_limit_moves_by_three_samples_of_the_last_minute(void **state)
{
    (void)state;
    assert_int_equal(limits_reason(START_NS - 60 * S), JL_REASON_LOW_CONFIDENCE);
    assert_int_equal(limits_reason(START_NS - 60 * S + 1), JL_REASON_SCALED_DOWN);
}

static void a_sample_ahead_of_now_waits_for_its_window(void **state)
{
    struct scene scene;
    (void)state;
    begin(&scene);
    scene.config.limits.is_on = true;
    put(&scene, "a", START_NS - 10 * S, 8);
    put(&scene, "a", START_NS, 8);
    put(&scene, "a", START_NS + 5 * S, 8);
    put(&scene, "b", START_NS + 5 * S + 1, 8);
    assert_int_equal(step(&scene)->decisions[0].reason, JL_REASON_LOW_CONFIDENCE);
    assert_int_equal(scene.result.dropped, 1);
    scene.step.now_ns += 10 * S;
    assert_int_equal(step(&scene)->decisions[0].reason, JL_REASON_SCALED_DOWN);
    end(&scene);
}

static void a_layer_is_due_at_its_delay_and_then_at_each_period(void **state)
{
    struct scene scene;
    (void)state;
    begin(&scene);
    scene.config.limits.is_on = true;
    scene.workers[0].created_ns = START_NS;
    scene.workers[1].created_ns = START_NS + 7 * S; /* the oldest worker counts */
    scene.step.now_ns = START_NS + 60 * S - 1;
    assert_int_equal(step(&scene)->decision_count, 0);
    assert_true(scene.result.next_due_ns == START_NS + 60 * S);
    scene.step.now_ns = START_NS + 60 * S;
    assert_int_equal(step(&scene)->decision_count, 1);
    assert_true(scene.result.next_due_ns == START_NS + 70 * S);
    scene.step.now_ns = START_NS + 70 * S - 1;
    assert_int_equal(step(&scene)->decision_count, 0);
    scene.step.now_ns = START_NS + 95 * S;
    assert_int_equal(step(&scene)->decision_count, 1);
    assert_true(scene.result.next_due_ns == START_NS + 100 * S);
    end(&scene);
}

static void replicas_wait_a_minute_or_one_longer_period(void **state)
{
    (void)state;
    for (int is_long = 0; is_long < 2; is_long++) {
        struct scene scene;
        begin(&scene);
        scene.config.replicas.is_on = true;
        scene.config.replicas.period_ns = is_long ? 90 * S : 30 * S;
        scene.workers[0].created_ns = START_NS;
        scene.workers[1].created_ns = START_NS;
        scene.step.now_ns = START_NS + (is_long ? 90 * S : 60 * S) - 1;
        assert_false(step(&scene)->has_replicas);
        scene.step.now_ns++;
        assert_true(step(&scene)->has_replicas);
        end(&scene);
    }
}

/* The requests layer is due at once: its confidence is what it waits for. */
static void requests_do_not_wait(void **state)
{
    struct scene scene;
    (void)state;
    begin(&scene);
    scene.config.requests.is_on = true;
    scene.workers[0].created_ns = START_NS;
    scene.workers[1].created_ns = START_NS;
    assert_int_equal(step(&scene)->decision_count, 2);
    assert_true(scene.result.next_due_ns == START_NS + 1800 * S);
    end(&scene);
}

/* ---- replicas ---- */

static void begin_replicas(struct scene *scene)
{
    begin(scene);
    scene->config.replicas.is_on = true;
}

static void a_worker_counts_from_thirty_seconds_on(void **state)
{
    (void)state;
    for (int is_young = 0; is_young < 2; is_young++) {
        struct scene scene;
        begin_replicas(&scene);
        scene.workers[1].created_ns = START_NS - 30 * S + is_young;
        put(&scene, "a", START_NS, 20);
        put(&scene, "b", START_NS, 20);
        step(&scene);
        assert_int_equal(scene.result.condition_count, is_young);
        if (is_young)
            assert_int_equal(scene.result.conditions[0].reason, JL_REASON_MISSING_METRICS);
        end(&scene);
    }
}

static void usage_of_one_period_is_what_replicas_are_decided_by(void **state)
{
    (void)state;
    for (int is_in = 0; is_in < 2; is_in++) {
        struct scene scene;
        begin_replicas(&scene);
        scene.step.worker_count = 1;
        put(&scene, "a", START_NS - 30 * S + is_in, 20);
        step(&scene);
        assert_int_equal(scene.result.replicas.reason,
                         is_in ? JL_REASON_SATURATED : JL_REASON_NO_METRICS);
        end(&scene);
    }
}

/* No sum of 1e200 leaves the numbers; a mean that is larger is nobody's usage. */
static void a_mean_of_more_than_1e200_is_missing(void **state)
{
    static const double means[] = { 1e200, 1.001e200 };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        begin_replicas(&scene);
        scene.step.worker_count = 1;
        put(&scene, "a", START_NS, means[i]);
        scene.samples[0].tflops_limit = 1;
        scene.samples[0].has_limit = true;
        step(&scene);
        assert_int_equal(scene.result.replicas.reason,
                         i == 0 ? JL_REASON_SATURATED : JL_REASON_NO_METRICS);
        end(&scene);
    }
}

/* u is a mean over the window, of usage over the limit that was in force. */
static void usage_is_measured_by_the_limit_of_its_time(void **state)
{
    struct scene scene;
    (void)state;
    begin_replicas(&scene);
    scene.step.worker_count = 1;
    put(&scene, "a", START_NS - 20 * S, 10);
    put(&scene, "a", START_NS - 10 * S, 10);
    scene.samples[1].tflops_limit = 40;
    scene.samples[1].has_limit = true;
    step(&scene);
    assert_near(scene.result.replicas.ratio, (10.0 / 20 + 10.0 / 40) / 2 / 0.95, 1e-12);
    end(&scene);
}

static struct jl_replicas_decision replicas_of(struct scene *scene, double tflops)
{
    put(scene, "a", START_NS, tflops);
    put(scene, "b", START_NS, tflops);
    const struct jl_replicas_decision decision = step(scene)->replicas;
    end(scene);
    return decision;
}

static void the_ready_workers_are_the_present_count(void **state)
{
    struct scene scene;
    (void)state;
    begin_replicas(&scene);
    assert_int_equal(replicas_of(&scene, 20).from, 2);
    begin_replicas(&scene);
    scene.step.replicas = 7;
    assert_int_equal(replicas_of(&scene, 20).from, 7);
}

static void pods_of_a_dynamic_count_are_its_minimum(void **state)
{
    struct scene scene;
    (void)state;
    begin_replicas(&scene);
    scene.step.min_replicas = 4;
    assert_int_equal(replicas_of(&scene, 1).desired, 4);
    begin_replicas(&scene);
    scene.step.min_replicas = 4;
    scene.config.spec_replicas = 2; /* not dynamic */
    assert_int_equal(replicas_of(&scene, 1).desired, 1);
    begin_replicas(&scene);
    scene.step.min_replicas = 2;
    scene.config.replicas.config.min = 3; /* the larger minimum */
    assert_int_equal(replicas_of(&scene, 1).desired, 3);
}

static void the_maximum_of_the_caller_has_the_last_word(void **state)
{
    struct scene scene;
    (void)state;
    begin_replicas(&scene);
    scene.step.replicas = 10;
    scene.step.max_replicas = 11;
    assert_int_equal(replicas_of(&scene, 20).desired, 11);
    begin_replicas(&scene);
    scene.step.replicas = 10;
    scene.step.max_replicas = 12;
    scene.config.replicas.config.max = 11; /* the smaller maximum */
    assert_int_equal(replicas_of(&scene, 20).desired, 11);
    begin_replicas(&scene);
    scene.step.replicas = 10;
    scene.step.min_replicas = 9;
    scene.step.max_replicas = 6;
    assert_int_equal(replicas_of(&scene, 20).desired, 6);
}

/* Cards burst before there are more of them, as long as the layer may raise their limit. */
static void replicas_grow_when_the_limit_is_at_its_bound(void **state)
{
    (void)state;
    for (int targets_tflops = 0; targets_tflops < 2; targets_tflops++) {
        struct scene scene;
        begin_replicas(&scene);
        scene.config.limits.is_on = true;
        scene.config.limits.targets = JL_TARGETS(targets_tflops ? JL_USAGE_TFLOPS : JL_USAGE_VRAM);
        scene.step.replicas = 10;
        const struct jl_replicas_decision decision = replicas_of(&scene, 20);
        assert_int_equal(decision.reason,
                         targets_tflops ? JL_REASON_LIMITS_FIRST : JL_REASON_SATURATED);
        assert_int_equal(decision.to, targets_tflops ? 10 : 13);
    }
}

/* A worker that owns its GPU is neither counted nor missed. */
static void a_dedicated_worker_counts_for_nothing(void **state)
{
    struct scene scene;
    (void)state;
    begin_replicas(&scene);
    scene.workers[1].is_dedicated = true;
    put(&scene, "a", START_NS, 10);
    put(&scene, "b", START_NS, 20);
    step(&scene);
    assert_near(scene.result.replicas.ratio, 0.5 / 0.95, 1e-12);
    assert_int_equal(scene.result.condition_count, 0);
    end(&scene);
}

static void without_a_ready_worker_there_is_one_replica(void **state)
{
    struct scene scene;
    (void)state;
    begin_replicas(&scene);
    step(&scene);
    scene.step.worker_count = 0;
    scene.step.now_ns += 30 * S;
    assert_int_equal(step(&scene)->replicas.from, 1);
    end(&scene);
}

/* ---- layers ---- */

/* Twelve samples of one worker, five minutes apart, up to now. */
static void put_hour(struct scene *scene, const char *worker, double tflops, double bytes)
{
    for (int i = 0; i < 12; i++) {
        put(scene, worker, START_NS - (11 - i) * 300 * S, tflops);
        scene->samples[scene->step.sample_count - 1].vram_bytes = bytes;
        scene->samples[scene->step.sample_count - 1].has_vram = true;
    }
}

static void a_forecast_raises_a_limit(void **state)
{
    static const double usage[] = { 10, 12, 13, 15, 16, 18 };
    struct scene scene;
    (void)state;
    begin(&scene);
    scene.config.limits.is_on = true;
    scene.config.limits.prediction.model = JL_FORECAST_HOLT;
    scene.config.limits.prediction.period_ns = 30 * S; /* three bins of 10 s */
    for (int i = 0; i < 6; i++)
        put(&scene, "a", START_NS - (5 - i) * 10 * S, usage[i]);
    step(&scene);
    assert_int_equal(scene.result.decisions[0].reason, JL_REASON_SCALED_UP);
    assert_near(scene.result.decisions[0].to, 24.442, 1e-9); /* 20.368282 and a fifth */
    end(&scene);
}

/* A counter shows throttling when it has grown since the worker's sample before. */
static void a_limit_that_throttles_is_probed(void **state)
{
    static const struct {
        double counts[3];
        double to;
    } cases[] = {
        { { 7, 7, 7 }, 22.564 },                        /* first seen, then unchanged */
        { { 7, 6, 6 }, 22.564 },                        /* the worker began again */
        { { 7, 7, 8 }, 40 },      { { -1, 7, 8 }, 40 }, /* absent, first seen, grown */
        { { -1, 7, 7 }, 22.564 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        struct scene scene;
        begin(&scene);
        scene.config.limits.is_on = true;
        for (int k = 0; k < 3; k++) {
            put(&scene, "a", START_NS - (2 - k) * 10 * S, 18);
            scene.samples[k].throttle_count = cases[i].counts[k];
            scene.samples[k].has_throttle = cases[i].counts[k] >= 0;
        }
        step(&scene);
        assert_int_equal(scene.result.decisions[0].reason, JL_REASON_SCALED_UP);
        assert_near(scene.result.decisions[0].to, cases[i].to, 1e-9);
        end(&scene);
    }
}

static void a_request_grows_to_what_the_gpus_allow_and_the_limit_with_it(void **state)
{
    (void)state;
    for (int is_limits_on = 0; is_limits_on < 2; is_limits_on++) {
        struct scene scene;
        begin(&scene);
        scene.config.requests.is_on = true;
        scene.config.requests.targets = JL_TARGETS(JL_USAGE_TFLOPS);
        scene.config.limits.is_on = is_limits_on == 1;
        scene.config.limits.targets = JL_TARGETS(JL_USAGE_VRAM); /* not this resource */
        scene.step.max_allowed.has = UINT64_C(1) << JL_USAGE_TFLOPS;
        scene.step.max_allowed.of[JL_USAGE_TFLOPS] = 15;
        put_hour(&scene, "a", 30, 1e9);
        step(&scene);
        assert_int_equal(scene.result.decisions[0].reason, JL_REASON_UPDATED);
        assert_near(scene.result.decisions[0].to, 15, 0);
        assert_near(scene.result.amounts.of[JL_USAGE_TFLOPS].limit, 30, 0); /* in proportion */
        end(&scene);
    }
}

/* Allocated memory cannot be taken away; that of a worker that left can. */
static void a_request_is_not_below_the_memory_of_a_ready_worker(void **state)
{
    struct scene scene;
    (void)state;
    begin(&scene);
    scene.config.requests.is_on = true;
    scene.config.requests.targets = JL_TARGETS(JL_USAGE_VRAM);
    scene.config.original.of[JL_USAGE_VRAM] = (struct jl_amount_pair){ 1e9, 2e9 };
    scene.step.current = scene.config.original;
    scene.step.max_allowed.has = UINT64_C(1) << JL_USAGE_VRAM;
    scene.step.max_allowed.of[JL_USAGE_VRAM] = 2e9;
    scene.step.worker_count = 1;
    put_hour(&scene, "a", 5, 3e9);
    put(&scene, "a", START_NS + S, 5);
    scene.samples[12].vram_bytes = 4e9;
    scene.samples[12].has_vram = true;
    put(&scene, "gone", START_NS, 5);
    scene.samples[13].vram_bytes = 9e9;
    scene.samples[13].has_vram = true;
    step(&scene);
    assert_int_equal(scene.result.decisions[0].reason, JL_REASON_UPDATED);
    assert_near(scene.result.decisions[0].to, 3815.0 * 1048576, 0); /* 4e9 in whole MiB */
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_moves_by_three_samples_of_the_last_minute),
        cmocka_unit_test(a_sample_ahead_of_now_waits_for_its_window),
        cmocka_unit_test(a_layer_is_due_at_its_delay_and_then_at_each_period),
        cmocka_unit_test(replicas_wait_a_minute_or_one_longer_period),
        cmocka_unit_test(requests_do_not_wait),
        cmocka_unit_test(a_worker_counts_from_thirty_seconds_on),
        cmocka_unit_test(usage_of_one_period_is_what_replicas_are_decided_by),
        cmocka_unit_test(a_mean_of_more_than_1e200_is_missing),
        cmocka_unit_test(usage_is_measured_by_the_limit_of_its_time),
        cmocka_unit_test(the_ready_workers_are_the_present_count),
        cmocka_unit_test(pods_of_a_dynamic_count_are_its_minimum),
        cmocka_unit_test(the_maximum_of_the_caller_has_the_last_word),
        cmocka_unit_test(replicas_grow_when_the_limit_is_at_its_bound),
        cmocka_unit_test(a_dedicated_worker_counts_for_nothing),
        cmocka_unit_test(without_a_ready_worker_there_is_one_replica),
        cmocka_unit_test(a_forecast_raises_a_limit),
        cmocka_unit_test(a_limit_that_throttles_is_probed),
        cmocka_unit_test(a_request_grows_to_what_the_gpus_allow_and_the_limit_with_it),
        cmocka_unit_test(a_request_is_not_below_the_memory_of_a_ready_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
