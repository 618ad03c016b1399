/* SPDX-License-Identifier: Apache-2.0 */

/* The engine over many steps of random workloads: what is saved is all that counts
 * (docs/rules/autoscaling.md#step). */

#include <string.h>

#include <joulie/error.h>

#include "autoscale/engine.h"
#include "base/buffer.h"
#include "base/random.h"
#include "support/test.h"

#define WORKERS 5
#define SAMPLES 24
#define START_NS (INT64_C(1773400000) * JL_NS_PER_S)
#define STEP_NS (10 * JL_NS_PER_S)

static const char *const names[WORKERS] = { "w-0", "w-1", "w-2", "w-3", "w-4" };

struct play {
    struct jl_random random;
    struct jl_autoscale_config config;
    struct jl_scale_worker workers[WORKERS];
    struct jl_scale_sample samples[SAMPLES];
    struct jl_scale_step step;
};

static double uniform(struct play *play, double least, double most)
{
    return jl_random_range(&play->random, least, most);
}

static void all_layers(struct jl_autoscale_config *config, enum jl_autoscale_model model)
{
    jl_autoscale_config_init(config, model);
    config->original = (struct jl_amounts){ .of = { { 10, 20 }, { 4e9, 8e9 } } };
    if (model == JL_AUTOSCALE_V2_17_1) {
        config->percentile.is_on = true;
        config->percentile.targets = JL_TARGETS_ALL;
        config->percentile.config.initial_delay_ns = 0;
        return;
    }
    config->limits.is_on = true;
    config->limits.prediction.model = JL_FORECAST_AUTO;
    config->requests.is_on = true;
    config->requests.period_ns = 60 * JL_NS_PER_S;
    config->requests.prediction.model = JL_FORECAST_HOLT;
    config->replicas.is_on = true;
}

static void begin(struct play *play, uint64_t seed, enum jl_autoscale_model model)
{
    memset(play, 0, sizeof *play);
    play->random.state = seed;
    all_layers(&play->config, model);
    for (size_t i = 0; i < WORKERS; i++)
        play->workers[i] = (struct jl_scale_worker){
            .name = names[i],
            .created_ns = START_NS - (int64_t)i * 20 * JL_NS_PER_S,
            .has_created = true,
        };
    play->step = (struct jl_scale_step){
        .now_ns = START_NS,
        .current = play->config.original,
        .workers = play->workers,
        .worker_count = WORKERS,
        .has_workers = true,
        .samples = play->samples,
        .gpu = { .has = 1, .of = { 300, 0 } },
    };
}

/* The next ten seconds, now and then an hour; workers come and go. */
static void go_on(struct play *play)
{
    struct jl_scale_step *step = &play->step;
    step->now_ns += uniform(play, 0, 1) < 0.05 ? 360 * STEP_NS : STEP_NS;
    step->worker_count = 1 + (size_t)uniform(play, 0, WORKERS - 0.01);
    step->sample_count = (size_t)uniform(play, 0, SAMPLES + 0.99);
    for (size_t i = 0; i < step->sample_count; i++) {
        play->samples[i] = (struct jl_scale_sample){
            .worker = names[(size_t)uniform(play, 0, WORKERS - 0.01)],
            .at_ns = step->now_ns - (int64_t)uniform(play, -6e9, 14e9),
            .tflops = uniform(play, -0.5, 30),
            .has_tflops = true,
            .vram_bytes = uniform(play, 1e8, 6e9),
            .has_vram = uniform(play, 0, 1) < 0.9,
            .throttle_count = uniform(play, 0, 5),
            .has_throttle = uniform(play, 0, 1) < 0.3,
            .oom_count = (double)(int)uniform(play, 0, 5),
            .has_oom = uniform(play, 0, 1) < 0.3,
        };
    }
}

static void follow(struct play *play, const struct jl_scale_result *result)
{
    play->step.current = result->amounts;
    if (result->has_replicas)
        play->step.replicas = result->replicas.to;
}

static void assert_same_result(const struct jl_scale_result *a, const struct jl_scale_result *b)
{
    assert_int_equal(a->decision_count, b->decision_count);
    for (size_t i = 0; i < a->decision_count; i++) {
        assert_int_equal(a->decisions[i].layer, b->decisions[i].layer);
        assert_int_equal(a->decisions[i].usage, b->decisions[i].usage);
        assert_int_equal(a->decisions[i].reason, b->decisions[i].reason);
        assert_memory_equal(&a->decisions[i].to, &b->decisions[i].to, sizeof(double));
    }
    assert_memory_equal(&a->amounts, &b->amounts, sizeof a->amounts);
    assert_int_equal(a->has_replicas, b->has_replicas);
    assert_int_equal(a->replicas.to, b->replicas.to);
    assert_memory_equal(&a->replicas.ratio, &b->replicas.ratio, sizeof(double));
    assert_int_equal(a->condition_count, b->condition_count);
    assert_int_equal(a->dropped, b->dropped);
    assert_true(a->next_due_ns == b->next_due_ns);
}

static void step(struct jl_scale_engine *scaler, const struct play *play, struct jl_arena *arena,
                 struct jl_scale_result *out)
{
    memset(out, 0, sizeof *out);
    assert_int_equal(jl_scale_engine_step(scaler, &play->config, &play->step, arena, out, NULL), 0);
}

/* ---- saving ---- */

static void play_saved(uint64_t seed, enum jl_autoscale_model model, size_t steps)
{
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *kept = jl_scale_engine_new();
    struct jl_buffer state = { 0 };
    struct jl_buffer other = { 0 };
    struct jl_scale_result expected;
    struct jl_scale_result result;
    begin(&play, seed, model);
    for (size_t i = 0; i < steps; i++) {
        struct jl_scale_engine *restored = jl_scale_engine_new();
        jl_arena_reset(&arena);
        go_on(&play);
        if (i > 0)
            assert_int_equal(jl_scale_engine_restore(restored, state.data, state.len, NULL), 0);
        step(kept, &play, &arena, &expected);
        step(restored, &play, &arena, &result);
        assert_same_result(&result, &expected);
        jl_buffer_reset(&state);
        jl_buffer_reset(&other);
        assert_int_equal(jl_scale_engine_save(restored, &state), 0);
        assert_int_equal(jl_scale_engine_save(kept, &other), 0);
        assert_int_equal(state.len, other.len);
        assert_memory_equal(state.data, other.data, state.len);
        jl_scale_engine_free(restored);
        follow(&play, &expected);
    }
    jl_scale_engine_free(kept);
    jl_buffer_clear(&state);
    jl_buffer_clear(&other);
    jl_arena_clear(&arena);
}

static void saving_at_every_step_changes_no_decision_and_no_byte(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        play_saved(seed, JL_AUTOSCALE_CURRENT, 120);
}

static void the_source_model_can_be_saved_as_well(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        play_saved(seed, JL_AUTOSCALE_V2_17_1, 120);
}

/* A workload with everything on after some steps. */
static struct jl_scale_engine *grown(struct play *play, struct jl_arena *arena)
{
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    begin(play, 3, JL_AUTOSCALE_CURRENT);
    for (size_t i = 0; i < 30; i++) {
        go_on(play);
        step(scaler, play, arena, &result);
        follow(play, &result);
    }
    return scaler;
}

/* What there was before a rule is saved while the rule is active: without one a state has the shape
 * that it had before these amounts were remembered. */
static void a_state_without_the_amounts_before_a_rule_is_read(void **state)
{
    (void)state;
    static const unsigned char old[53] = {
        1
    }; /* the version, and an autoscaler that saw nothing */
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    assert_int_equal(jl_scale_engine_restore(scaler, old, sizeof old, NULL), 0);
    jl_scale_engine_free(scaler);
}

static void a_damaged_state_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_buffer saved = { 0 };
    struct jl_buffer after = { 0 };
    struct jl_scale_engine *scaler = grown(&play, &arena);
    struct jl_scale_engine *target = jl_scale_engine_new();
    assert_int_equal(jl_scale_engine_save(scaler, &saved), 0);
    assert_int_equal(jl_scale_engine_restore(target, saved.data, saved.len, NULL), 0);
    for (size_t len = 0; len < saved.len; len += len < 512 ? 1 : 37) /* a head, and values alike */
        assert_int_equal(jl_scale_engine_restore(target, saved.data, len, NULL), JOULIE_E_PARSE);
    saved.data[0] = 99;
    assert_int_equal(jl_scale_engine_restore(target, saved.data, saved.len, NULL),
                     JOULIE_E_UNSUPPORTED);
    saved.data[0] = 1;
    assert_int_equal(jl_scale_engine_save(target, &after), 0);
    assert_int_equal(after.len, saved.len);
    assert_memory_equal(after.data, saved.data, saved.len);
    jl_scale_engine_free(target);
    jl_scale_engine_free(scaler);
    jl_buffer_clear(&saved);
    jl_buffer_clear(&after);
    jl_arena_clear(&arena);
}

/* Whatever is restored can be stepped: sanitizers watch. */
static void any_state_that_is_accepted_can_go_on(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_buffer saved = { 0 };
    struct jl_scale_result result;
    struct jl_scale_engine *scaler = grown(&play, &arena);
    assert_int_equal(jl_scale_engine_save(scaler, &saved), 0);
    for (size_t i = 0; i < 2000; i++) {
        const size_t at = (size_t)uniform(&play, 0, (double)saved.len - 0.01);
        const char old = saved.data[at];
        struct jl_scale_engine *other = jl_scale_engine_new();
        saved.data[at] = (char)(unsigned char)uniform(&play, 0, 255.9);
        jl_arena_reset(&arena);
        if (jl_scale_engine_restore(other, saved.data, saved.len, NULL) == 0)
            step(other, &play, &arena, &result);
        saved.data[at] = old;
        jl_scale_engine_free(other);
    }
    jl_scale_engine_free(scaler);
    jl_buffer_clear(&saved);
    jl_arena_clear(&arena);
}

/* ---- order ---- */

static void samples_count_the_same_in_any_order(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *one = jl_scale_engine_new();
    struct jl_scale_engine *two = jl_scale_engine_new();
    struct jl_scale_result expected;
    struct jl_scale_result result;
    begin(&play, 11, JL_AUTOSCALE_CURRENT);
    for (size_t i = 0; i < 60; i++) {
        jl_arena_reset(&arena);
        go_on(&play);
        step(one, &play, &arena, &expected);
        for (size_t k = play.step.sample_count; k > 1; k--) {
            const size_t other = (size_t)uniform(&play, 0, (double)k - 0.01);
            const struct jl_scale_sample moved = play.samples[k - 1];
            play.samples[k - 1] = play.samples[other];
            play.samples[other] = moved;
        }
        step(two, &play, &arena, &result);
        assert_same_result(&result, &expected);
        follow(&play, &expected);
    }
    jl_scale_engine_free(one);
    jl_scale_engine_free(two);
    jl_arena_clear(&arena);
}

static void requests_are_decided_before_limits(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    begin(&play, 5, JL_AUTOSCALE_CURRENT);
    play.step.now_ns += 3600 * JL_NS_PER_S;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.decision_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(result.decisions[i].layer, i < 2 ? JL_LAYER_REQUESTS : JL_LAYER_LIMITS);
        assert_int_equal(result.decisions[i].usage, i % 2 == 0 ? JL_USAGE_TFLOPS : JL_USAGE_VRAM);
    }
    assert_true(result.has_replicas);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

/* ---- time ---- */

static void a_missed_tick_is_not_replayed(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    begin(&play, 5, JL_AUTOSCALE_CURRENT);
    play.config.requests.is_on = false;
    play.config.replicas.is_on = false;
    play.step.worker_count = 1;
    play.step.now_ns = START_NS + 59 * JL_NS_PER_S;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.decision_count, 0);
    assert_true(result.next_due_ns == START_NS + 60 * JL_NS_PER_S);
    play.step.now_ns = START_NS + 157 * JL_NS_PER_S;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.decision_count, 2);
    assert_true(result.next_due_ns == START_NS + 160 * JL_NS_PER_S);
    play.step.now_ns += JL_NS_PER_S;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.decision_count, 0);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

static void a_clock_that_goes_back_changes_nothing(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_buffer before = { 0 };
    struct jl_buffer after = { 0 };
    struct jl_scale_result result;
    struct jl_scale_engine *scaler = grown(&play, &arena);
    assert_int_equal(jl_scale_engine_save(scaler, &before), 0);
    play.step.now_ns -= 1;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.decision_count, 0);
    assert_false(result.has_replicas);
    assert_int_equal(result.condition_count, 1);
    assert_int_equal(result.conditions[0].reason, JL_REASON_CLOCK_WENT_BACK);
    assert_int_equal(jl_scale_engine_save(scaler, &after), 0);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.data, after.data, before.len);
    jl_scale_engine_free(scaler);
    jl_buffer_clear(&before);
    jl_buffer_clear(&after);
    jl_arena_clear(&arena);
}

/* ---- samples ---- */

static void bad_samples_are_dropped_one_by_one(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    const double bad[] = { __builtin_nan(""), __builtin_inf(), -1 };
    begin(&play, 5, JL_AUTOSCALE_CURRENT);
    for (size_t i = 0; i < 3; i++)
        play.samples[i] = (struct jl_scale_sample){ .worker = "w-0",
                                                    .at_ns = START_NS - 100 + (int64_t)i,
                                                    .tflops = bad[i],
                                                    .has_tflops = true };
    play.samples[3] = (struct jl_scale_sample){
        .worker = "w-0", .at_ns = START_NS - 50, .tflops = 1, .has_tflops = true
    };
    play.samples[4] = play.samples[3]; /* the same time again */
    play.samples[5] = (struct jl_scale_sample){
        .worker = "w-1", .at_ns = START_NS + 5 * JL_NS_PER_S, .tflops = 1, .has_tflops = true
    };
    play.samples[6] = (struct jl_scale_sample){
        .worker = "w-2", .at_ns = START_NS + 5 * JL_NS_PER_S + 1, .tflops = 1, .has_tflops = true
    };
    play.samples[7] = (struct jl_scale_sample){ .worker = "w-3", .at_ns = START_NS }; /* empty */
    play.step.sample_count = 8;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.dropped, 6);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

static void a_workload_of_many_workers_has_a_limit(void **state)
{
    (void)state;
    static char texts[JL_AUTOSCALE_MOST_WORKERS + 1][8];
    static struct jl_scale_worker workers[JL_AUTOSCALE_MOST_WORKERS + 1];
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    begin(&play, 5, JL_AUTOSCALE_CURRENT);
    for (size_t i = 0; i <= JL_AUTOSCALE_MOST_WORKERS; i++) {
        for (size_t k = 0; k < 4; k++)
            texts[i][k] = (char)('a' + (i >> (4 * k)) % 16);
        workers[i].name = texts[i];
    }
    play.step.workers = workers;
    play.step.worker_count = JL_AUTOSCALE_MOST_WORKERS + 1;
    assert_int_equal(jl_scale_engine_step(scaler, &play.config, &play.step, &arena, &result, NULL),
                     JOULIE_E_LIMIT);
    play.step.worker_count = JL_AUTOSCALE_MOST_WORKERS;
    step(scaler, &play, &arena, &result);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

#define NAME_TEXT 48

/* As a Deployment names its pods. */
static void name_pod(char *out, size_t i)
{
    static const char pod[] = "inference-llama-70b-instruct-7c9f8b6d5d-";
    memcpy(out, pod, sizeof pod);
    for (size_t k = 0; k < 4; k++)
        out[sizeof pod - 1 + k] = (char)('a' + (i >> (4 * k)) % 16);
    out[sizeof pod + 3] = '\0';
}

/* All layers predict, and the samples of the last minutes are as many as are kept. */
static void the_largest_workload_can_be_saved(void **state)
{
    (void)state;
    static char texts[JL_AUTOSCALE_MOST_WORKERS][NAME_TEXT];
    static struct jl_scale_worker workers[JL_AUTOSCALE_MOST_WORKERS];
    static struct jl_scale_sample samples[JL_AUTOSCALE_MOST_RECENT];
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_buffer saved = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    begin(&play, 5, JL_AUTOSCALE_CURRENT);
    for (size_t i = 0; i < JL_AUTOSCALE_MOST_WORKERS; i++) {
        name_pod(texts[i], i);
        workers[i] = (struct jl_scale_worker){ .name = texts[i],
                                               .created_ns = START_NS - (int64_t)i * 1000003,
                                               .has_created = true };
    }
    for (size_t i = 0; i < JL_AUTOSCALE_MOST_RECENT; i++)
        samples[i] = (struct jl_scale_sample){
            .worker = texts[i % JL_AUTOSCALE_MOST_WORKERS],
            .at_ns = START_NS - 30 * JL_NS_PER_S + (int64_t)i * 1000003 / 2,
            .tflops = uniform(&play, 1, 20),
            .has_tflops = true,
            .vram_bytes = uniform(&play, 1e9, 4e9),
            .has_vram = true,
            .throttle_count = (double)i,
            .has_throttle = true,
            .oom_count = (double)i,
            .has_oom = true,
            .tflops_limit = uniform(&play, 20, 40),
            .has_limit = true,
        };
    play.step.workers = workers;
    play.step.worker_count = JL_AUTOSCALE_MOST_WORKERS;
    play.step.samples = samples;
    play.step.sample_count = JL_AUTOSCALE_MOST_RECENT;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.dropped, 0);
    assert_int_equal(jl_scale_engine_save(scaler, &saved), 0);
    assert_true(saved.len / 3 * 4 < JL_AUTOSCALE_STATE_BYTES - 100); /* base64 in JSON */
    jl_scale_engine_free(scaler);
    jl_buffer_clear(&saved);
    jl_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saving_at_every_step_changes_no_decision_and_no_byte),
        cmocka_unit_test(the_source_model_can_be_saved_as_well),
        cmocka_unit_test(a_state_without_the_amounts_before_a_rule_is_read),
        cmocka_unit_test(a_damaged_state_is_refused_and_changes_nothing),
        cmocka_unit_test(any_state_that_is_accepted_can_go_on),
        cmocka_unit_test(samples_count_the_same_in_any_order),
        cmocka_unit_test(requests_are_decided_before_limits),
        cmocka_unit_test(a_missed_tick_is_not_replayed),
        cmocka_unit_test(a_clock_that_goes_back_changes_nothing),
        cmocka_unit_test(bad_samples_are_dropped_one_by_one),
        cmocka_unit_test(a_workload_of_many_workers_has_a_limit),
        cmocka_unit_test(the_largest_workload_can_be_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
