/* SPDX-License-Identifier: Apache-2.0 */

/* Workers that are killed for the memory of their GPU, as a counter of their samples shows: what
 * the limits layer makes of one kill, and how a worker that is killed again and again gets free. */

#include <math.h>
#include <string.h>

#include "autoscale/engine.h"
#include "base/buffer.h"
#include "support/test.h"

#define GIB 1073741824.0
#define SECONDS(s) (INT64_C(s) * JL_NS_PER_S)
#define START_NS SECONDS(1773403200) /* 2026-03-13T12:00:00Z */
#define STEP_NS SECONDS(10)
#define HOUR_STEPS 360
#define RESTART_STEPS 6 /* a minute */

struct scene {
    struct jl_autoscale_config config;
    struct jl_scale_worker workers[2];
    struct jl_scale_sample samples[2];
    struct jl_scale_step step;
    struct jl_scale_result result;
    struct jl_arena arena;
    struct jl_scale_engine *scaler;
};

/* Worker "w" of an hour, the limits layer on for VRAM, request 4 GiB and limit 8 GiB. */
static void begin(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    jl_autoscale_config_init(&scene->config, JL_AUTOSCALE_CURRENT);
    scene->config.limits.is_on = true;
    scene->config.limits.targets = JL_TARGETS(JL_USAGE_VRAM);
    scene->config.original = (struct jl_amounts){ .of = { { 10, 20 }, { 4 * GIB, 8 * GIB } } };
    scene->workers[0] = (struct jl_scale_worker){ "w", START_NS - SECONDS(3600), true, false };
    scene->workers[1] = (struct jl_scale_worker){ "x", START_NS - SECONDS(3600), true, false };
    scene->step = (struct jl_scale_step){
        .now_ns = START_NS,
        .current = scene->config.original,
        .workers = scene->workers,
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
    assert_int_equal(jl_scale_engine_step(scene->scaler, &scene->config, &scene->step,
                                          &scene->arena, &scene->result, NULL),
                     0);
    scene->step.current = scene->result.amounts;
    scene->step.sample_count = 0;
    scene->step.now_ns += STEP_NS;
}

/* A sample of now that counts kills. */
static struct jl_scale_sample *put(struct scene *scene, const char *worker, double bytes,
                                   double kills)
{
    struct jl_scale_sample *sample = &scene->samples[scene->step.sample_count++];
    *sample = (struct jl_scale_sample){ .worker = worker,
                                        .at_ns = scene->step.now_ns,
                                        .vram_bytes = bytes,
                                        .has_vram = true,
                                        .oom_count = kills,
                                        .has_oom = true };
    return sample;
}

static double limit_gib(const struct scene *scene)
{
    return scene->result.amounts.of[JL_USAGE_VRAM].limit / GIB;
}

static enum jl_scale_reason reason(const struct scene *scene)
{
    assert_int_equal(scene->result.decision_count, 1);
    return scene->result.decisions[0].reason;
}

/* ---- one kill ---- */

static void a_counter_that_grew_raises_the_limit_at_once(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    put(&scene, "w", 1 * GIB, 0);
    step(&scene);
    assert_int_equal(reason(&scene), JL_REASON_LOW_CONFIDENCE);
    put(&scene, "w", 8 * GIB, 1);
    step(&scene);
    assert_int_equal(reason(&scene), JL_REASON_SCALED_UP);
    assert_near(limit_gib(&scene), 16, 0);
    end(&scene);
}

static void a_counter_that_is_seen_first_or_that_began_anew_says_nothing(void **state)
{
    (void)state;
    static const double counts[] = { 7, 7, 3, 0 };
    struct scene scene;
    begin(&scene);
    for (size_t i = 0; i < JL_COUNT(counts); i++) {
        scene.step.now_ns += SECONDS(60); /* alone in its window */
        put(&scene, "w", 7.5 * GIB, counts[i]);
        step(&scene);
        assert_int_equal(reason(&scene), JL_REASON_LOW_CONFIDENCE);
        assert_near(limit_gib(&scene), 8, 0);
    }
    put(&scene, "w", 7.5 * GIB, 1);
    step(&scene);
    assert_near(limit_gib(&scene), 16, 0); /* 1 is more than 0 */
    end(&scene);
}

static void one_kill_raises_once_and_is_held_while_its_window_lasts(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.step.worker_count = 2;
    put(&scene, "w", 1 * GIB, 0);
    step(&scene);
    put(&scene, "w", 8 * GIB, 1);
    put(&scene, "x", 1 * GIB, 0);
    step(&scene);
    assert_near(limit_gib(&scene), 16, 0);
    for (int i = 1; i < 6; i++) { /* the other one goes on, so there are samples enough */
        put(&scene, "x", 1 * GIB, 0);
        step(&scene);
        assert_int_equal(reason(&scene), JL_REASON_WITHIN_IGNORED_RANGE);
        assert_near(limit_gib(&scene), 16, 0);
    }
    put(&scene, "x", 1 * GIB, 0);
    step(&scene); /* 60 s later usage counts again: that of the day is the limit that killed */
    assert_int_equal(reason(&scene), JL_REASON_SCALED_DOWN);
    assert_true(limit_gib(&scene) > 8 * 1.15 && limit_gib(&scene) < 8 * 1.15 * 1.06);
    end(&scene);
}

static void a_second_kill_in_the_window_raises_again(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    put(&scene, "w", 1 * GIB, 4);
    step(&scene);
    put(&scene, "w", 8 * GIB, 5);
    step(&scene);
    step(&scene);
    put(&scene, "w", 16 * GIB, 6);
    step(&scene);
    assert_int_equal(reason(&scene), JL_REASON_SCALED_UP);
    assert_near(limit_gib(&scene), 20, 0); /* five times the request */
    end(&scene);
}

/* A scraper hands samples on later than they were taken, the next one may come from a clock that is
 * ahead: each is answered by the first evaluation that sees it. */
static void a_kill_that_comes_late_or_ahead_is_answered_once(void **state)
{
    (void)state;
    static const int64_t offsets_ns[] = { -SECONDS(25), SECONDS(3) };
    for (size_t i = 0; i < JL_COUNT(offsets_ns); i++) {
        const bool is_ahead = offsets_ns[i] > 0;
        struct scene scene;
        begin(&scene);
        put(&scene, "w", 1 * GIB, 0)->at_ns -= SECONDS(30);
        step(&scene);
        put(&scene, "w", 7 * GIB, 1)->at_ns += offsets_ns[i]; /* usage alone would not raise it */
        step(&scene);
        assert_near(limit_gib(&scene), is_ahead ? 8 : 16, 0);
        for (int k = 0; k < 3; k++) {
            step(&scene);
            assert_near(limit_gib(&scene), 16, 0);
        }
        end(&scene);
    }
}

static void kills_that_overtake_one_another_are_both_answered(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.step.worker_count = 2;
    scene.config.limits.period_ns = SECONDS(1);
    put(&scene, "w", 1 * GIB, 0);
    put(&scene, "x", 1 * GIB, 0);
    step(&scene);
    put(&scene, "w", 7 * GIB, 1)->at_ns += SECONDS(4);
    step(&scene);
    assert_near(limit_gib(&scene), 8, 0); /* that has not been yet */
    scene.step.now_ns += SECONDS(1) - STEP_NS;
    put(&scene, "x", 7 * GIB, 1);
    step(&scene);
    assert_near(limit_gib(&scene), 16, 0);
    scene.step.now_ns += SECONDS(5) - STEP_NS;
    step(&scene);
    assert_near(limit_gib(&scene), 20, 0); /* five times the request */
    end(&scene);
}

static void a_kill_counts_in_a_sample_that_says_no_vram(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    put(&scene, "w", 1 * GIB, 0);
    step(&scene);
    struct jl_scale_sample *half = put(&scene, "w", (double)NAN, 1);
    half->has_vram = false;
    half->has_tflops = true;
    step(&scene);
    assert_near(limit_gib(&scene), 16, 0);
    end(&scene);
}

static void a_kill_older_than_the_window_counts_when_no_evaluation_has_seen_it(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    put(&scene, "w", 1 * GIB, 0);
    step(&scene);
    put(&scene, "w", 8 * GIB, 1);
    scene.step.now_ns += SECONDS(61);
    step(&scene);
    assert_int_equal(reason(&scene), JL_REASON_SCALED_UP);
    assert_near(limit_gib(&scene), 16, 0);
    step(&scene); /* once is enough */
    assert_near(limit_gib(&scene), 16, 0);
    end(&scene);
}

static void a_counter_alone_is_a_sample(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    put(&scene, "w", 7 * GIB, 0)->has_vram = false;
    step(&scene);
    assert_int_equal(scene.result.dropped, 0);
    put(&scene, "w", 7 * GIB, 1)->has_vram = false;
    step(&scene);
    assert_near(limit_gib(&scene), 16, 0);
    end(&scene);
}

static void a_count_that_is_no_number_is_unknown_and_reported(void **state)
{
    (void)state;
    static const double bad[] = { (double)NAN, (double)INFINITY, -1 };
    struct scene scene;
    begin(&scene);
    put(&scene, "w", 1 * GIB, 0);
    step(&scene);
    for (size_t i = 0; i < JL_COUNT(bad); i++) {
        put(&scene, "w", 1 * GIB, bad[i]);
        step(&scene);
        assert_int_equal(scene.result.dropped, 0);
        assert_true(limit_gib(&scene) <= 8);
        assert_int_equal(scene.result.condition_count, 1);
        assert_int_equal(scene.result.conditions[0].reason, JL_REASON_INVALID_FIELD);
        assert_string_equal(scene.result.conditions[0].where, "samples");
    }
    end(&scene);
}

static void the_halves_of_a_sample_share_its_counter(void **state)
{
    (void)state;
    for (int of_vram = 0; of_vram < 2; of_vram++) {
        struct scene scene;
        begin(&scene);
        put(&scene, "w", 1 * GIB, 0);
        step(&scene);
        put(&scene, "w", 8 * GIB, 1)->has_oom = of_vram == 1;
        struct jl_scale_sample *half = put(&scene, "w", 0, 1);
        half->has_oom = of_vram == 0;
        half->has_vram = false;
        half->has_tflops = true;
        step(&scene);
        assert_int_equal(scene.result.dropped, 0);
        assert_near(limit_gib(&scene), 16, 0);
        end(&scene);
    }
}

static void samples_of_one_time_that_count_otherwise_give_one_answer(void **state)
{
    (void)state;
    double limits[2];
    for (int order = 0; order < 2; order++) {
        struct scene scene;
        begin(&scene);
        put(&scene, "w", 1 * GIB, 0);
        step(&scene);
        put(&scene, "w", 7 * GIB, order);
        put(&scene, "w", 7 * GIB, 1 - order);
        step(&scene);
        assert_int_equal(scene.result.dropped, 1);
        limits[order] = limit_gib(&scene);
        end(&scene);
    }
    assert_near(limits[0], limits[1], 0);
}

/* ---- where it says nothing ---- */

static void tflops_do_not_look_at_kills(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.config.limits.targets = JL_TARGETS(JL_USAGE_TFLOPS);
    for (int i = 0; i < 4; i++) {
        struct jl_scale_sample *sample = put(&scene, "w", 1 * GIB, i);
        sample->has_tflops = true;
        sample->tflops = 16.8;
        step(&scene);
    }
    /* 1.2 * 16.8 is within 5 % of 20 */
    assert_int_equal(reason(&scene), JL_REASON_WITHIN_IGNORED_RANGE);
    assert_near(scene.result.amounts.of[JL_USAGE_TFLOPS].limit, 20, 0);
    end(&scene);
}

static void a_workload_without_a_limit_is_answered_as_without_kills(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    scene.config.original.of[JL_USAGE_VRAM].limit = 0;
    scene.step.current.of[JL_USAGE_VRAM].limit = 0;
    put(&scene, "w", 3 * GIB, 0);
    step(&scene);
    put(&scene, "w", 8 * GIB, 1);
    step(&scene);
    assert_int_equal(reason(&scene), JL_REASON_LOW_CONFIDENCE);
    assert_near(limit_gib(&scene), 0, 0);
    end(&scene);
}

static void the_source_does_not_look_at_kills(void **state)
{
    (void)state;
    struct scene scene;
    double limits[2];
    for (int has_counter = 0; has_counter < 2; has_counter++) {
        begin(&scene);
        jl_autoscale_config_init(&scene.config, JL_AUTOSCALE_V2_17_1);
        scene.config.original = scene.step.current;
        scene.config.percentile.is_on = true;
        scene.config.percentile.targets = JL_TARGETS_ALL;
        scene.config.percentile.config.initial_delay_ns = 0;
        for (int i = 0; i < 8; i++) {
            put(&scene, "w", 8 * GIB, i)->has_oom = has_counter == 1;
            step(&scene);
        }
        limits[has_counter] = limit_gib(&scene);
        end(&scene);
    }
    assert_true(limits[0] == limits[1] && limits[0] > 0);
}

static void a_clock_that_goes_back_does_not_use_a_kill_up(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene);
    put(&scene, "w", 1 * GIB, 0);
    step(&scene);
    put(&scene, "w", 8 * GIB, 1);
    const struct jl_scale_sample kill = scene.samples[0];
    scene.step.now_ns -= SECONDS(15);
    step(&scene);
    assert_true(scene.result.is_untouched);
    scene.samples[0] = kill;
    scene.step.sample_count = 1;
    scene.step.now_ns = kill.at_ns;
    step(&scene);
    assert_near(limit_gib(&scene), 16, 0);
    end(&scene);
}

/* ---- a worker that is killed again and again ---- */

struct life {
    double kills;
    double ready_step;
    bool is_reported; /* its samples have the counter */
};

/* One step of a worker that needs so much: beyond its limit it is killed and starts again. */
static void live(struct scene *scene, struct life *life, int64_t index, double need_gib)
{
    const double limit = scene->step.current.of[JL_USAGE_VRAM].limit;
    if ((double)index >= life->ready_step) {
        const bool is_killed = need_gib * GIB > limit;
        if (is_killed) {
            life->kills++;
            life->ready_step = (double)(index + RESTART_STEPS);
        }
        put(scene, "w", is_killed ? limit : need_gib * GIB, life->kills)->has_oom =
            life->is_reported;
    }
    step(scene);
}

/* Kills of a lone worker in two hours that needs 2 GiB and after ten minutes so much. */
static double kills_until_served(double need_gib, bool is_reported)
{
    struct scene scene;
    struct life life = { .is_reported = is_reported };
    begin(&scene);
    scene.config.limits.max_ratio = 1000;
    for (int64_t i = 0; i < 2 * (int64_t)HOUR_STEPS; i++)
        live(&scene, &life, i, i < 60 ? 2 : need_gib);
    end(&scene);
    return life.kills;
}

/* Ten minutes at 2 GiB bring the limit to the request, 4 GiB. */
static void a_lone_worker_gets_free_after_as_many_kills_as_doublings(void **state)
{
    (void)state;
    assert_near(kills_until_served(3.9, true), 0, 0);
    assert_near(kills_until_served(7.9, true), 1, 0);
    assert_near(kills_until_served(15.9, true), 2, 0);
    assert_near(kills_until_served(63.9, true), 4, 0);
    assert_near(kills_until_served(1000, true), 8, 0);
    assert_true(kills_until_served(15.9, false) > 100); /* weakness 6: nobody would know */
}

/* Every layer runs, requests every half hour; the need lasts ten minutes of the day. */
static void a_raised_limit_stays_above_the_need_for_a_day(void **state)
{
    (void)state;
    struct scene scene;
    struct life life = { .is_reported = true };
    begin(&scene);
    scene.config.limits.targets = JL_TARGETS_ALL;
    scene.config.requests.is_on = true;
    scene.config.replicas.is_on = true;
    for (int64_t i = 0; i < 23 * (int64_t)HOUR_STEPS; i++) {
        const bool is_high = i >= 60 && i < 120;
        live(&scene, &life, i, is_high ? 15.9 : 2);
        if (i > 60 + 2 * RESTART_STEPS)
            assert_true(limit_gib(&scene) >= 15.9);
    }
    assert_near(life.kills, 2, 0);
    live(&scene, &life, 23 * (int64_t)HOUR_STEPS, 15.9); /* it comes back on the same day */
    assert_near(life.kills, 2, 0);
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_that_grew_raises_the_limit_at_once),
        cmocka_unit_test(a_counter_that_is_seen_first_or_that_began_anew_says_nothing),
        cmocka_unit_test(one_kill_raises_once_and_is_held_while_its_window_lasts),
        cmocka_unit_test(a_second_kill_in_the_window_raises_again),
        cmocka_unit_test(a_kill_that_comes_late_or_ahead_is_answered_once),
        cmocka_unit_test(kills_that_overtake_one_another_are_both_answered),
        cmocka_unit_test(a_kill_counts_in_a_sample_that_says_no_vram),
        cmocka_unit_test(a_kill_older_than_the_window_counts_when_no_evaluation_has_seen_it),
        cmocka_unit_test(a_counter_alone_is_a_sample),
        cmocka_unit_test(a_count_that_is_no_number_is_unknown_and_reported),
        cmocka_unit_test(the_halves_of_a_sample_share_its_counter),
        cmocka_unit_test(samples_of_one_time_that_count_otherwise_give_one_answer),
        cmocka_unit_test(tflops_do_not_look_at_kills),
        cmocka_unit_test(a_workload_without_a_limit_is_answered_as_without_kills),
        cmocka_unit_test(the_source_does_not_look_at_kills),
        cmocka_unit_test(a_clock_that_goes_back_does_not_use_a_kill_up),
        cmocka_unit_test(a_lone_worker_gets_free_after_as_many_kills_as_doublings),
        cmocka_unit_test(a_raised_limit_stays_above_the_need_for_a_day),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
