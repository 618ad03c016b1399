/* SPDX-License-Identifier: Apache-2.0 */

/* The engine at its bounds: many workers, many samples, long names, half samples, failed
 * recommenders (docs/rules/autoscaling.md). */

#include <string.h>

#include <joulie/error.h>

#include "autoscale/engine.h"
#include "autoscale/engine_parts.h"
#include "base/buffer.h"
#include "support/test.h"

#define START_NS (INT64_C(1773403200) * JL_NS_PER_S) /* 2026-03-13T12:00:00Z */
#define HOUR_NS (INT64_C(3600) * JL_NS_PER_S)
#define SECONDS(s) (INT64_C(s) * JL_NS_PER_S)

struct scene {
    struct jl_autoscale_config config;
    struct jl_scale_worker worker;
    struct jl_scale_sample samples[16];
    struct jl_scale_step step;
    struct jl_scale_result result;
    struct jl_arena arena;
    struct jl_scale_engine *scaler;
    int code;
};

/* One worker of an hour, the limits layer on, requests 10 / 4e9 and limits 20 / 8e9. */
static void begin(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    jl_autoscale_config_init(&scene->config, JL_AUTOSCALE_CURRENT);
    scene->config.limits.is_on = true;
    scene->config.original = (struct jl_amounts){ .of = { { 10, 20 }, { 4e9, 8e9 } } };
    scene->worker = (struct jl_scale_worker){ "w", START_NS - HOUR_NS, true, false };
    scene->step = (struct jl_scale_step){
        .now_ns = START_NS,
        .current = scene->config.original,
        .workers = &scene->worker,
        .worker_count = 1,
        .has_workers = true,
        .samples = scene->samples,
    };
    scene->scaler = jl_scale_engine_new();
}

static void end(struct scene *scene)
{
    jl_scale_engine_free(scene->scaler);
    jl_arena_clear(&scene->arena);
}

static void step(struct scene *scene)
{
    jl_arena_reset(&scene->arena);
    scene->code = jl_scale_engine_step(scene->scaler, &scene->config, &scene->step, &scene->arena,
                                       &scene->result, NULL);
}

static const struct jl_scale_condition *condition(const struct scene *scene,
                                                  enum jl_scale_reason reason)
{
    for (size_t i = 0; i < scene->result.condition_count; i++) {
        if (scene->result.conditions[i].reason == reason)
            return &scene->result.conditions[i];
    }
    return NULL;
}

static struct jl_scale_sample sample(const char *worker, int64_t at_ns, double tflops, double bytes)
{
    return (struct jl_scale_sample){ .worker = worker,
                                     .at_ns = at_ns,
                                     .tflops = tflops,
                                     .has_tflops = tflops >= 0,
                                     .vram_bytes = bytes,
                                     .has_vram = bytes >= 0 };
}

/* ---- workers ---- */

static char names[JL_AUTOSCALE_MOST_WORKERS + 1][8];
static struct jl_scale_worker many[JL_AUTOSCALE_MOST_WORKERS + 1];
static struct jl_scale_sample of_many[JL_AUTOSCALE_MOST_WORKERS];

static void be_many(void)
{
    for (size_t i = 0; i <= JL_AUTOSCALE_MOST_WORKERS; i++) {
        for (size_t k = 0; k < 5; k++)
            names[i][k] = (char)('a' + (i >> (4 * k)) % 16);
        many[i] = (struct jl_scale_worker){ names[i], START_NS - HOUR_NS, true, false };
        if (i < JL_AUTOSCALE_MOST_WORKERS)
            of_many[i] = sample(names[i], START_NS, 5, 1e9);
    }
}

static void workers_that_are_gone_make_room_for_new_ones(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    be_many();
    scene.step.workers = many;
    scene.step.worker_count = JL_AUTOSCALE_MOST_WORKERS;
    scene.step.samples = of_many;
    scene.step.sample_count = JL_AUTOSCALE_MOST_WORKERS;
    step(&scene);
    assert_int_equal(scene.code, 0);
    scene.samples[0] = sample("w", START_NS + SECONDS(10), 5, 1e9);
    scene.step.workers = &scene.worker;
    scene.step.worker_count = 1;
    scene.step.samples = scene.samples;
    scene.step.sample_count = 1;
    scene.step.now_ns += SECONDS(10);
    step(&scene);
    assert_int_equal(scene.code, 0);
    assert_int_equal(scene.result.dropped, 0);
    end(&scene);
}

/* As many as there may be are known: without new ones nobody has to make room. */
static void at_the_bound_nobody_goes_before_others_come(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    be_many();
    scene.step.workers = many;
    scene.step.worker_count = JL_AUTOSCALE_MOST_WORKERS;
    scene.step.samples = of_many;
    scene.step.sample_count = JL_AUTOSCALE_MOST_WORKERS;
    step(&scene);
    scene.step.worker_count = 1;
    scene.step.sample_count = 0;
    scene.step.now_ns += SECONDS(10);
    step(&scene);
    assert_int_equal(scene.code, 0);
    assert_int_equal(scene.scaler->worker_count, JL_AUTOSCALE_MOST_WORKERS);
    end(&scene);
}

static void without_a_list_a_worker_is_ready_as_long_as_its_samples_come(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    be_many();
    scene.step.has_workers = false;
    scene.step.worker_count = 0;
    scene.step.samples = of_many;
    scene.step.sample_count = JL_AUTOSCALE_MOST_WORKERS;
    step(&scene);
    assert_int_equal(scene.code, 0);
    scene.samples[0] = sample("w", START_NS + SECONDS(10), 5, 1e9);
    scene.step.samples = scene.samples;
    scene.step.sample_count = 1;
    scene.step.now_ns += SECONDS(10);
    step(&scene);
    assert_int_equal(scene.code, JOULIE_E_LIMIT);
    scene.step.now_ns += HOUR_NS;
    step(&scene);
    assert_int_equal(scene.code, 0);
    end(&scene);
}

static void a_worker_is_ready_in_the_step_that_first_names_it(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.config.limits.is_on = false;
    scene.config.replicas.is_on = true;
    scene.step.has_workers = false;
    scene.step.worker_count = 0;
    for (size_t i = 0; i < 14; i++)
        scene.samples[i] =
            sample(i % 2 == 0 ? "a" : "b", START_NS - SECONDS(120) + (int64_t)(i / 2) * SECONDS(20),
                   20, 1e9);
    scene.step.sample_count = 14;
    step(&scene);
    assert_true(scene.result.has_replicas);
    assert_int_equal(scene.result.replicas.from, 2);
    assert_true(scene.result.replicas.has_ratio);
    end(&scene);
}

static void a_name_that_no_pod_can_have_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    struct joulie_error err = { .struct_size = sizeof err };
    struct jl_buffer before = { 0 };
    struct jl_buffer after = { 0 };
    char name[JL_AUTOSCALE_LONGEST_NAME + 2];
    begin(&scene);
    memset(name, 'x', sizeof name);
    name[sizeof name - 2] = '\0';
    scene.samples[0] = sample("w", START_NS, 5, 1e9);
    scene.samples[1] = sample(name, START_NS, 5, 1e9);
    scene.step.sample_count = 2;
    step(&scene); /* the longest one is fine */
    assert_int_equal(scene.code, 0);
    assert_int_equal(jl_scale_engine_save(scene.scaler, &before), 0);
    name[sizeof name - 2] = 'x';
    name[sizeof name - 1] = '\0';
    scene.step.now_ns += SECONDS(10);
    assert_int_equal(jl_scale_engine_step(scene.scaler, &scene.config, &scene.step, &scene.arena,
                                          &scene.result, &err),
                     JOULIE_E_RANGE);
    assert_string_equal(err.where, "samples[1].worker");
    scene.worker.name = name;
    assert_int_equal(jl_scale_engine_step(scene.scaler, &scene.config, &scene.step, &scene.arena,
                                          &scene.result, &err),
                     JOULIE_E_RANGE);
    assert_string_equal(err.where, "workers[0].name");
    assert_int_equal(jl_scale_engine_save(scene.scaler, &after), 0);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.data, after.data, before.len);
    jl_buffer_clear(&before);
    jl_buffer_clear(&after);
    end(&scene);
}

/* ---- samples ---- */

#define TOO_MANY (JL_AUTOSCALE_MOST_RECENT + 100)

static struct jl_scale_sample flood[TOO_MANY];

static void samples_beyond_the_bound_are_reported(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    for (size_t i = 0; i < TOO_MANY; i++) /* the first hundred are the highest */
        flood[i] = sample("w", START_NS - SECONDS(50) + (int64_t)i * 1000, i < 100 ? 100 : 5, 1e9);
    scene.step.samples = flood;
    scene.step.sample_count = JL_AUTOSCALE_MOST_RECENT;
    step(&scene);
    assert_int_equal(scene.code, 0);
    assert_null(condition(&scene, JL_REASON_CAPPED));
    scene.step.samples = flood + JL_AUTOSCALE_MOST_RECENT;
    scene.step.sample_count = 100;
    step(&scene);
    const struct jl_scale_condition *reported = condition(&scene, JL_REASON_CAPPED);
    assert_non_null(reported);
    assert_string_equal(reported->where, "samples");
    assert_non_null(strstr(reported->message, "32768"));
    end(&scene);
}

/* The state after one step, with rows in the order that is given. */
static void state_of(const struct jl_scale_sample *rows, size_t count, struct jl_buffer *out,
                     size_t *out_dropped)
{
    struct scene scene;
    begin(&scene);
    scene.step.samples = rows;
    scene.step.sample_count = count;
    step(&scene);
    assert_int_equal(scene.code, 0);
    assert_int_equal(jl_scale_engine_save(scene.scaler, out), 0);
    *out_dropped = scene.result.dropped;
    end(&scene);
}

static void assert_same_state(const struct jl_scale_sample *a, size_t a_count,
                              const struct jl_scale_sample *b, size_t b_count, size_t dropped)
{
    struct jl_buffer of_a = { 0 };
    struct jl_buffer of_b = { 0 };
    size_t dropped_a = 0;
    size_t dropped_b = 0;
    state_of(a, a_count, &of_a, &dropped_a);
    state_of(b, b_count, &of_b, &dropped_b);
    assert_int_equal(dropped_a, dropped);
    assert_int_equal(of_a.len, of_b.len);
    assert_memory_equal(of_a.data, of_b.data, of_a.len);
    jl_buffer_clear(&of_a);
    jl_buffer_clear(&of_b);
}

static void two_halves_of_a_sample_are_one(void **state)
{
    (void)state;
    const int64_t at_ns = START_NS - SECONDS(10);
    const struct jl_scale_sample whole[] = { sample("w", at_ns, 5, 1e9) };
    const struct jl_scale_sample halves[] = { sample("w", at_ns, 5, -1),
                                              sample("w", at_ns, -1, 1e9) };
    const struct jl_scale_sample turned[] = { halves[1], halves[0] };
    assert_same_state(halves, 2, whole, 1, 0);
    assert_same_state(turned, 2, whole, 1, 0);
    const struct jl_scale_sample more[] = { halves[1], whole[0], halves[0] };
    assert_same_state(more, 3, whole, 1, 2); /* what the whole one says already */
}

static void an_invalid_row_never_hides_a_valid_one(void **state)
{
    (void)state;
    const int64_t at_ns = START_NS - SECONDS(10);
    const struct jl_scale_sample nan = {
        .worker = "w", .at_ns = at_ns, .tflops = __builtin_nan(""), .has_tflops = true
    };
    const struct jl_scale_sample low = sample("w", at_ns, 5, 1e9);
    const struct jl_scale_sample high = sample("w", at_ns, 7, 1e9);
    const struct jl_scale_sample orders[][3] = {
        { nan, low, high }, { nan, high, low }, { low, nan, high },
        { high, nan, low }, { low, high, nan }, { high, low, nan },
    };
    for (size_t i = 0; i < 6; i++)
        assert_same_state(orders[i], 3, &high, 1, 2);
}

static void of_the_gpus_of_a_worker_the_hottest_counts(void **state)
{
    (void)state;
    const int64_t at_ns = START_NS - SECONDS(10);
    const struct jl_scale_sample hot = sample("w", at_ns, 19.9, 1e9);
    const struct jl_scale_sample full = sample("w", at_ns, 1, 3e9);
    const struct jl_scale_sample both = sample("w", at_ns, 19.9, 3e9);
    const struct jl_scale_sample orders[][2] = { { hot, full }, { full, hot } };
    for (size_t i = 0; i < 2; i++)
        assert_same_state(orders[i], 2, &both, 1, 0);
}

static void samples_that_do_not_count_are_reported(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.samples[0] = sample("w", START_NS - SECONDS(40), 5, 1e9);
    scene.samples[0].tflops = -1;
    scene.samples[1] = sample("w", START_NS + HOUR_NS, 5, 1e9);
    scene.samples[2] = sample("w", START_NS + 2 * HOUR_NS, 5, 1e9);
    scene.samples[3] = sample("w", START_NS - SECONDS(20), 5, 1e9);
    scene.samples[3].has_throttle = true;
    scene.samples[3].throttle_count = -1;
    scene.step.sample_count = 4;
    step(&scene);
    const struct jl_scale_condition *reported = condition(&scene, JL_REASON_INVALID_FIELD);
    assert_non_null(reported);
    assert_string_equal(reported->where, "samples");
    assert_string_equal(reported->message,
                        "samples with an amount that is negative or not finite: 1; samples more "
                        "than 5 s ahead of now: 2; counters that are negative or not finite: 1");
    assert_int_equal(scene.result.dropped, 3);
    scene.samples[0] = sample("w", START_NS - SECONDS(20), 5, 1e9); /* the same once more */
    scene.step.sample_count = 1;
    step(&scene);
    assert_null(condition(&scene, JL_REASON_INVALID_FIELD));
    assert_int_equal(scene.result.dropped, 1);
    end(&scene);
}

/* ---- what workers hold ---- */

static double vram_limit_after(struct scene *scene, int64_t later_ns, double used_bytes,
                               double asked_bytes)
{
    const struct jl_scale_reply reply = { .needs_down = true,
                                          .amounts = { .of = { { 0, 0 }, { 4e9, asked_bytes } } } };
    scene->step.now_ns += later_ns;
    scene->config.external.is_on = true;
    scene->step.reply = &reply;
    scene->samples[0] = sample("w", scene->step.now_ns, 5, used_bytes);
    scene->step.sample_count = used_bytes > 0;
    step(scene);
    scene->step.reply = NULL;
    scene->step.current = scene->result.amounts;
    return scene->result.amounts.of[JL_USAGE_VRAM].limit;
}

static void a_peak_is_a_floor_until_its_day_is_over(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.config.limits.targets = JL_TARGETS(JL_USAGE_TFLOPS); /* peaks are followed all the same */
    scene.step.current.of[JL_USAGE_VRAM].limit = 16e9;
    assert_true(vram_limit_after(&scene, 0, 14e9, 5e9) >= 14e9);
    assert_true(vram_limit_after(&scene, 23 * HOUR_NS, 2e9, 5e9) >= 14e9);
    assert_near(vram_limit_after(&scene, 2 * HOUR_NS, 2e9, 5e9), 5e9, 0);
    end(&scene);
}

static void a_worker_that_is_silent_for_days_holds_no_floor(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.step.current.of[JL_USAGE_VRAM].limit = 16e9;
    assert_true(vram_limit_after(&scene, 0, 14e9, 5e9) >= 14e9);
    assert_near(vram_limit_after(&scene, 96 * HOUR_NS, 0, 5e9), 5e9, 0);
    end(&scene);
}

/* To the nanosecond: the window and the age of its only sample end together. */
static void a_floor_ends_a_day_after_the_only_sample(void **state)
{
    (void)state;
    for (int64_t is_over = 0; is_over < 2; is_over++) {
        struct scene scene;
        begin(&scene);
        scene.step.current.of[JL_USAGE_VRAM].limit = 16e9;
        assert_true(vram_limit_after(&scene, 0, 14e9, 5e9) >= 14e9);
        const double limit = vram_limit_after(&scene, 24 * HOUR_NS - 1 + is_over, 0, 5e9);
        assert_true(is_over ? limit == 5e9 : limit >= 14e9);
        end(&scene);
    }
}

/* One that has left holds nothing any more. */
static void a_floor_is_of_the_workers_that_are_ready(void **state)
{
    (void)state;
    const struct jl_scale_reply reply = { .needs_down = true,
                                          .amounts = { .of = { { 0, 0 }, { 4e9, 5e9 } } } };
    struct scene scene;
    begin(&scene);
    scene.step.current.of[JL_USAGE_VRAM].limit = 16e9;
    scene.config.external.is_on = true;
    scene.step.reply = &reply;
    scene.samples[0] = sample("w", START_NS, 5, 7e9);
    scene.samples[1] = sample("gone", START_NS, 5, 14e9);
    scene.step.sample_count = 2;
    step(&scene);
    const double limit = scene.result.amounts.of[JL_USAGE_VRAM].limit;
    assert_true(limit >= 7e9 && limit < 14e9);
    end(&scene);
}

static void between_two_windows_the_last_sample_is_the_floor(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.step.current.of[JL_USAGE_VRAM].limit = 16e9;
    assert_true(vram_limit_after(&scene, 0, 10e9, 5e9) >= 10e9);
    assert_true(vram_limit_after(&scene, 24 * HOUR_NS - SECONDS(5), 14e9, 5e9) >= 14e9);
    assert_true(vram_limit_after(&scene, SECONDS(6), 0, 5e9) >= 14e9);
    end(&scene);
}

static void no_amount_passes_what_a_quantity_holds(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.step.current.of[JL_USAGE_VRAM] = (struct jl_amount_pair){ 8e18, 8e18 };
    for (int i = 0; i < 3; i++)
        scene.samples[i] = sample("w", START_NS - SECONDS(10) * i, 5, 8.5e18);
    scene.step.sample_count = 3;
    step(&scene);
    assert_near(scene.result.amounts.of[JL_USAGE_VRAM].limit, JL_MOST_AMOUNT, 0);
    for (size_t i = 0; i < scene.result.decision_count; i++)
        assert_true(scene.result.decisions[i].to <= JL_MOST_AMOUNT);
    end(&scene);
}

/* ---- layers ---- */

static void a_limit_at_its_bound_lets_replicas_grow_without_enough_samples(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.config.limits.targets = JL_TARGETS(JL_USAGE_TFLOPS);
    scene.config.replicas.is_on = true;
    scene.config.replicas.period_ns = SECONDS(300);
    scene.config.replicas.config.target_frac = 0.5;
    scene.step.current.of[JL_USAGE_TFLOPS].limit = 50; /* 5 times the request */
    for (size_t i = 0; i < 4; i++)                     /* two of them in the last minute */
        scene.samples[i] = sample("w", START_NS - (int64_t)i * SECONDS(55), 50, 1e9);
    scene.step.sample_count = 4;
    step(&scene);
    assert_int_equal(scene.result.decisions[0].reason, JL_REASON_LOW_CONFIDENCE);
    assert_true(scene.result.has_replicas);
    assert_int_equal(scene.result.replicas.desired, 2);
    end(&scene);
}

static void no_ratio_takes_vram_away_that_is_in_use(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.config.limits.targets = JL_TARGETS(JL_USAGE_VRAM);
    scene.step.current.of[JL_USAGE_VRAM] = (struct jl_amount_pair){ 1e9, 20e9 };
    for (size_t i = 0; i < 6; i++)
        scene.samples[i] = sample("w", START_NS - (int64_t)i * SECONDS(10), 5, 12e9);
    scene.step.sample_count = 6;
    step(&scene);
    assert_int_equal(scene.code, 0);
    assert_true(scene.result.amounts.of[JL_USAGE_VRAM].limit >= 12e9);
    assert_true(scene.result.amounts.of[JL_USAGE_VRAM].limit < 20e9);
    end(&scene);
}

/* ---- time ---- */

static void a_clock_that_went_back_still_says_when_to_come_again(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.samples[0] = sample("w", START_NS, 5, 1e9);
    scene.step.sample_count = 1;
    step(&scene);
    const int64_t next_ns = scene.result.next_due_ns;
    assert_true(next_ns == START_NS + SECONDS(10));
    assert_false(scene.result.is_untouched);
    scene.step.now_ns -= SECONDS(5);
    step(&scene);
    assert_non_null(condition(&scene, JL_REASON_CLOCK_WENT_BACK));
    assert_true(scene.result.is_untouched);
    assert_int_equal(scene.result.decision_count, 0);
    assert_true(scene.result.next_due_ns == next_ns);
    end(&scene);
}

/* ---- v2.17.1 ---- */

static void as_the_source(struct scene *scene, struct jl_cron_rule *rules)
{
    begin(scene);
    jl_autoscale_config_init(&scene->config, JL_AUTOSCALE_V2_17_1);
    scene->config.original = scene->step.current;
    scene->config.percentile.is_on = true;
    scene->config.percentile.config.initial_delay_ns = 0;
    scene->config.rules = rules;
    for (size_t i = 0; i < 2; i++) {
        rules[i] = (struct jl_cron_rule){ .where_start = "s",
                                          .where_end = "e",
                                          .desired = { .of = { { 60, 60 }, { 4e9, 8e9 } } } };
        assert_int_equal(jl_cron_parse("0 11 * * *", 10, &rules[i].start, NULL), 0);
        assert_int_equal(jl_cron_parse("0 13 * * *", 10, &rules[i].end, NULL), 0);
    }
}

static void a_failed_reply_stops_the_sources_merge(void **state)
{
    (void)state;
    struct scene scene;
    struct jl_cron_rule rules[2];
    const struct jl_scale_reply failed = { .problem = "no answer" };
    as_the_source(&scene, rules);
    scene.config.rule_count = 1;
    scene.config.external.is_on = true;
    scene.step.reply = &failed;
    step(&scene);
    assert_near(scene.result.amounts.of[JL_USAGE_TFLOPS].request, 10, 0);
    assert_non_null(condition(&scene, JL_REASON_EXTERNAL_SCALER_FAILED));
    scene.step.reply = NULL; /* the rule was not applied then, so it is now */
    step(&scene);
    assert_near(scene.result.amounts.of[JL_USAGE_TFLOPS].request, 60, 0);
    end(&scene);
}

/* Current request: 10. A request that does not grow is not capped. */
static void a_rule_of_the_source_grows_to_what_is_allowed(void **state)
{
    static const struct {
        double asked, allowed, request;
    } rows[] = { { 60, 30, 30 }, { 60, 60, 60 }, { 60, 90, 60 }, { 10, 5, 10 }, { 8, 5, 8 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct scene scene;
        struct jl_cron_rule rules[2];
        as_the_source(&scene, rules);
        scene.config.rule_count = 1;
        rules[0].desired.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ rows[i].asked, 90 };
        scene.step.max_allowed.has = UINT64_C(1) << JL_USAGE_TFLOPS;
        scene.step.max_allowed.of[JL_USAGE_TFLOPS] = rows[i].allowed;
        step(&scene);
        assert_near(scene.result.amounts.of[JL_USAGE_TFLOPS].request, rows[i].request, 0);
        end(&scene);
    }
}

static void rules_that_overlap_leave_no_trace_in_the_source(void **state)
{
    (void)state;
    struct scene scene;
    struct jl_cron_rule rules[2];
    as_the_source(&scene, rules);
    scene.config.rule_count = 2;
    scene.step.current.of[JL_USAGE_TFLOPS].request = 77;
    step(&scene);
    assert_non_null(condition(&scene, JL_REASON_OVERLAPPING_CRON_RULES));
    scene.step.now_ns += 2 * HOUR_NS;
    step(&scene);
    for (size_t i = 0; i < scene.result.decision_count; i++)
        assert_int_not_equal(scene.result.decisions[i].layer, JL_LAYER_CRON);
    assert_near(scene.result.amounts.of[JL_USAGE_TFLOPS].request, 77, 0);
    end(&scene);
}

/* In a histogram of half-lives of an hour, and at an hour: nothing has aged. */
static void a_sample_of_the_source_weighs_a_tenth(void **state)
{
    (void)state;
    struct scene scene;
    struct jl_cron_rule rules[2];
    as_the_source(&scene, rules);
    scene.samples[0] = sample("w", START_NS, 5, -1);
    scene.step.sample_count = 1;
    step(&scene);
    const struct jl_layer_memory *memory = scene.scaler->memories[JL_MEMORY_PERCENTILE];
    assert_non_null(memory);
    assert_near(memory->histograms[JL_USAGE_TFLOPS].total, 0.1, 0);
    end(&scene);
}

/* ---- state ---- */

/* No other worker has ever been there: put_worker() and samples are refused as well. */
static void a_state_with_a_longer_name_than_a_pods_is_damaged(void **state)
{
    (void)state;
    struct scene scene;
    char name[JL_AUTOSCALE_LONGEST_NAME + 1] = "";
    struct jl_buffer saved = { 0 };
    struct jl_buffer longer = { 0 };
    begin(&scene);
    memset(name, 'x', JL_AUTOSCALE_LONGEST_NAME);
    scene.worker.name = name;
    step(&scene);
    assert_int_equal(jl_scale_engine_save(scene.scaler, &saved), 0);
    assert_int_equal(jl_scale_engine_restore(scene.scaler, saved.data, saved.len, NULL), 0);
    const char *at = memchr(saved.data, 'x', saved.len);
    assert_non_null(at);
    const size_t before = (size_t)(at - saved.data);
    assert_int_equal((unsigned char)at[-2], 0xFD); /* 253 in sevens of bits: 125 and a mark, 1 */
    assert_int_equal(at[-1], 1);
    jl_put(&longer, saved.data, before);
    jl_put_char(&longer, 'x');
    jl_put(&longer, at, saved.len - before);
    longer.data[before - 2] = (char)0xFE;
    assert_int_equal(jl_scale_engine_restore(scene.scaler, longer.data, longer.len, NULL),
                     JOULIE_E_PARSE);
    jl_buffer_clear(&saved);
    jl_buffer_clear(&longer);
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_that_are_gone_make_room_for_new_ones),
        cmocka_unit_test(without_a_list_a_worker_is_ready_as_long_as_its_samples_come),
        cmocka_unit_test(a_worker_is_ready_in_the_step_that_first_names_it),
        cmocka_unit_test(a_name_that_no_pod_can_have_is_refused),
        cmocka_unit_test(samples_beyond_the_bound_are_reported),
        cmocka_unit_test(two_halves_of_a_sample_are_one),
        cmocka_unit_test(an_invalid_row_never_hides_a_valid_one),
        cmocka_unit_test(of_the_gpus_of_a_worker_the_hottest_counts),
        cmocka_unit_test(samples_that_do_not_count_are_reported),
        cmocka_unit_test(a_peak_is_a_floor_until_its_day_is_over),
        cmocka_unit_test(a_worker_that_is_silent_for_days_holds_no_floor),
        cmocka_unit_test(a_floor_ends_a_day_after_the_only_sample),
        cmocka_unit_test(a_floor_is_of_the_workers_that_are_ready),
        cmocka_unit_test(between_two_windows_the_last_sample_is_the_floor),
        cmocka_unit_test(no_amount_passes_what_a_quantity_holds),
        cmocka_unit_test(a_limit_at_its_bound_lets_replicas_grow_without_enough_samples),
        cmocka_unit_test(no_ratio_takes_vram_away_that_is_in_use),
        cmocka_unit_test(a_clock_that_went_back_still_says_when_to_come_again),
        cmocka_unit_test(a_failed_reply_stops_the_sources_merge),
        cmocka_unit_test(a_rule_of_the_source_grows_to_what_is_allowed),
        cmocka_unit_test(rules_that_overlap_leave_no_trace_in_the_source),
        cmocka_unit_test(a_sample_of_the_source_weighs_a_tenth),
        cmocka_unit_test(a_state_with_a_longer_name_than_a_pods_is_damaged),
        cmocka_unit_test(at_the_bound_nobody_goes_before_others_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
