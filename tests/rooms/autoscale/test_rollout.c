/* SPDX-License-Identifier: Apache-2.0 */

/* The rollout of a workload: tests/vectors/libjoulie-autoscale-rollout.json has single
 * steps, this has random sequences and the edges of capacity, waits and events. */

#include "autoscale/rollout.h"
#include "base/random.h"
#include "base/text.h"
#include "support/test.h"

#define WORKERS 6
#define GPUS 2
#define GPU_TFLOPS 100.0
#define STEP_NS INT64_C(500000000) /* 0.5 s */
#define TARGET_TFLOPS (1u << JL_USAGE_TFLOPS)

static const char *const names[WORKERS] = { "a", "b", "c", "d", "e", "f" };
static const uint32_t one_gpu[GPUS] = { 0, 1 };

struct fleet {
    struct jl_arena arena;
    struct jl_rollout_worker workers[WORKERS];
    struct jl_rollout_gpu gpus[GPUS];
    struct jl_rollout rollout;
};

static void fleet_new(struct fleet *fleet, uint64_t seed)
{
    *fleet = (struct fleet){ 0 };
    for (size_t i = 0; i < GPUS; i++)
        fleet->gpus[i].available[JL_USAGE_TFLOPS] = GPU_TFLOPS - 10.0 * WORKERS / GPUS;
    for (size_t i = 0; i < WORKERS; i++) {
        fleet->workers[i] = (struct jl_rollout_worker){ .name = names[WORKERS - 1 - i],
                                                        .is_dedicated = i == 3,
                                                        .gpus = &one_gpu[i % GPUS],
                                                        .gpu_count = 1 };
        fleet->workers[i].carried.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ 10, 20 };
        fleet->workers[i].carried.of[JL_USAGE_VRAM] = (struct jl_amount_pair){ 7, 8 };
    }
    fleet->rollout = (struct jl_rollout){ .workers = fleet->workers,
                                          .worker_count = WORKERS,
                                          .gpus = fleet->gpus,
                                          .gpu_count = GPUS,
                                          .seed = seed };
    assert_int_equal(jl_rollout_init(&fleet->rollout, &fleet->arena), 0);
}

/* What a GPU has left and what is booked on it is always the whole GPU. */
static void check_sums(const struct fleet *fleet)
{
    for (size_t g = 0; g < GPUS; g++) {
        double sum = fleet->gpus[g].available[JL_USAGE_TFLOPS];
        for (size_t i = 0; i < WORKERS; i++)
            sum += fleet->workers[i].gpus[0] == g
                       ? fleet->workers[i].booked.of[JL_USAGE_TFLOPS].request
                       : 0;
        assert_near(sum, GPU_TFLOPS, 1e-6);
    }
}

static void check_workers(const struct fleet *fleet)
{
    for (size_t i = 0; i < WORKERS; i++) {
        const struct jl_rollout_worker *worker = &fleet->workers[i];
        assert_near(worker->booked.of[JL_USAGE_VRAM].request, 7, 0); /* never targeted */
        if (worker->is_dedicated)
            assert_near(worker->carried.of[JL_USAGE_TFLOPS].request, 10, 0);
        if (worker->state == JL_ROLLOUT_APPLIED || worker->state == JL_ROLLOUT_IDLE)
            assert_near(worker->booked.of[JL_USAGE_TFLOPS].request,
                        worker->carried.of[JL_USAGE_TFLOPS].request, 0);
        assert_true(worker->state != JL_ROLLOUT_RESERVING &&
                    worker->state != JL_ROLLOUT_ROLLING_BACK);
    }
}

static void check_order(const struct fleet *fleet)
{
    const struct jl_rollout *rollout = &fleet->rollout;
    for (size_t i = 1; i < rollout->patch_count; i++) {
        const struct jl_rollout_patch *before = &rollout->patches[i - 1];
        const struct jl_rollout_patch *patch = &rollout->patches[i];
        assert_true(before->direction == JL_ROLLOUT_DOWN || patch->direction == JL_ROLLOUT_UP);
        if (before->direction == patch->direction)
            assert_true(jl_compare(fleet->workers[before->worker].name,
                                   fleet->workers[patch->worker].name) < 0);
    }
}

static void the_accounts_add_up_after_any_sequence(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fleet fleet;
        struct jl_random random = { seed };
        fleet_new(&fleet, seed);
        for (int64_t at = 0; at < 300; at++) {
            const int64_t now_ns = at * STEP_NS;
            const size_t worker = (size_t)jl_random_int(&random, 0, WORKERS - 1);
            struct jl_amounts wanted = { 0 };
            wanted.of[JL_USAGE_TFLOPS].request = (double)jl_random_int(&random, 1, 50);
            wanted.of[JL_USAGE_TFLOPS].limit = 60;
            wanted.of[JL_USAGE_VRAM] = (struct jl_amount_pair){ 99, 99 };
            switch (jl_random_int(&random, 0, 5)) {
            case 0:
                jl_rollout_evaluate(&fleet.rollout, &wanted, TARGET_TFLOPS, now_ns);
                break;
            case 1:
                jl_rollout_tick(&fleet.rollout, now_ns);
                break;
            default:
                jl_rollout_patched(&fleet.rollout, worker, jl_random_int(&random, 0, 2) > 0,
                                   now_ns);
                break;
            }
            check_sums(&fleet);
            check_workers(&fleet);
            check_order(&fleet);
        }
        jl_arena_clear(&fleet.arena);
    }
}

/* What was tuned before is what the pods carry, so nothing is lost or done again. */
static void a_restart_loses_nothing(void **state)
{
    struct fleet fleet;
    struct jl_amounts wanted = { 0 };
    size_t counted = 0;
    (void)state;
    fleet_new(&fleet, 1);
    wanted.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ 10, 20 };
    jl_rollout_evaluate(&fleet.rollout, &wanted, TARGET_TFLOPS, 0);
    assert_int_equal(fleet.rollout.patch_count, 0);
    assert_int_equal(jl_rollout_applied(&fleet.rollout, &counted), WORKERS - 1);
    assert_int_equal(counted, WORKERS - 1);
    assert_true(fleet.rollout.has_applied);
    jl_arena_clear(&fleet.arena);
}

static void waits_double_up_to_five_minutes(void **state)
{
    (void)state;
    assert_int_equal(jl_rollout_wait_ns(1, 0.5), INT64_C(1000000000));
    assert_int_equal(jl_rollout_wait_ns(2, 0.5), INT64_C(2000000000));
    assert_int_equal(jl_rollout_wait_ns(9, 0.5), INT64_C(256000000000));
    assert_int_equal(jl_rollout_wait_ns(10, 0.5), INT64_C(300000000000));
    assert_int_equal(jl_rollout_wait_ns(UINT32_MAX, 0.5), INT64_C(300000000000));
    assert_near((double)jl_rollout_wait_ns(1, 0), 0.9e9, 1);
    assert_near((double)jl_rollout_wait_ns(1, 1), 1.1e9, 1);
}

/* ---- edges ---- */

/* One worker that carries requests 10 / 7 and limits 20 / 8, alone on a GPU with this much left. */
static void alone(struct fleet *fleet, double left_tflops)
{
    fleet_new(fleet, 1);
    jl_arena_clear(&fleet->arena);
    fleet->rollout.worker_count = 1;
    fleet->gpus[0].available[JL_USAGE_TFLOPS] = left_tflops;
    assert_int_equal(jl_rollout_init(&fleet->rollout, &fleet->arena), 0);
}

static size_t patches_of(struct fleet *fleet, double request, double limit, int64_t now_ns)
{
    struct jl_amounts wanted = { 0 };
    wanted.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ request, limit };
    jl_rollout_evaluate(&fleet->rollout, &wanted, TARGET_TFLOPS, now_ns);
    return fleet->rollout.patch_count;
}

/* Sums of decimals do not refuse: a billionth of the request, or of the quota, is dust. */
static void a_billionth_more_than_there_is_fits(void **state)
{
    static const struct {
        double dust;
        bool fits;
    } rows[] = { { 0.99e-9, true }, { 1.005e-9, false } };
    struct fleet fleet;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        alone(&fleet, 5);
        assert_int_equal(patches_of(&fleet, 15 * (1 + rows[i].dust), 20, 0), rows[i].fits);
        jl_arena_clear(&fleet.arena);
        alone(&fleet, 50);
        fleet.rollout.quota.single.of[JL_USAGE_TFLOPS].request = 15;
        assert_int_equal(patches_of(&fleet, 15 * (1 + rows[i].dust), 20, 0), rows[i].fits);
        jl_arena_clear(&fleet.arena);
    }
}

static void a_request_may_take_all_that_is_left_and_no_more(void **state)
{
    struct fleet fleet;
    (void)state;
    alone(&fleet, 5);
    assert_int_equal(patches_of(&fleet, 15, 20, 0), 1);
    assert_near(fleet.gpus[0].available[JL_USAGE_TFLOPS], 0, 0);
    jl_arena_clear(&fleet.arena);
    alone(&fleet, 5);
    assert_int_equal(patches_of(&fleet, 15.001, 20, 0), 0);
    assert_int_equal(fleet.workers[0].reason, JL_REASON_INSUFFICIENT_CAPACITY);
    assert_near(fleet.gpus[0].available[JL_USAGE_TFLOPS], 5, 0);
    jl_arena_clear(&fleet.arena);
}

/* What one worker takes or gives back is at once what the others find of the quota. */
static void the_quota_counts_what_grows_and_what_shrinks(void **state)
{
    static const struct {
        struct jl_amount_pair wanted;
        struct jl_amount_pair used;
    } rows[] = {
        { { 15, 30 }, { 115, 130 } }, /* from requests 10, limits 20 */
        { { 5, 5 }, { 105, 105 } },
        { { 10, 25 }, { 110, 125 } },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct fleet fleet;
        alone(&fleet, 50);
        fleet.rollout.quota.used.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ 110, 120 };
        assert_int_equal(patches_of(&fleet, rows[i].wanted.request, rows[i].wanted.limit, 0), 1);
        const struct jl_amount_pair *used = &fleet.rollout.quota.used.of[JL_USAGE_TFLOPS];
        assert_near(used->request, rows[i].used.request, 1e-9);
        assert_near(used->limit, rows[i].used.limit, 1e-9);
        jl_arena_clear(&fleet.arena);
    }
}

/* A billionth is dust, and the last of it still fits. */
static void a_whole_billionth_more_than_there_is_fits(void **state)
{
    struct fleet fleet;
    const double dust = 15 * 1e-9;
    const double left = 5 - dust;
    (void)state;
    assert_true(left + dust == 5);
    alone(&fleet, left);
    assert_int_equal(patches_of(&fleet, 15, 20, 0), 1);
    jl_arena_clear(&fleet.arena);
}

/* Only what grows is asked for: a quota below what a worker has takes nothing away. */
static void an_amount_that_stays_is_not_refused(void **state)
{
    struct fleet fleet;
    (void)state;
    alone(&fleet, 50);
    fleet.rollout.quota.single.of[JL_USAGE_TFLOPS].request = 5;
    fleet.rollout.quota.total.of[JL_USAGE_TFLOPS].request = 5;
    assert_int_equal(patches_of(&fleet, 10, 30, 0), 1);
    jl_arena_clear(&fleet.arena);
    alone(&fleet, 50);
    fleet.rollout.quota.single.of[JL_USAGE_TFLOPS].limit = 5;
    fleet.rollout.quota.total.of[JL_USAGE_TFLOPS].limit = 5;
    assert_int_equal(patches_of(&fleet, 12, 20, 0), 1);
    jl_arena_clear(&fleet.arena);
}

/* Others have taken more than the GPU has; a limit takes nothing of it. */
static void a_limit_may_change_on_a_gpu_that_is_overbooked(void **state)
{
    struct fleet fleet;
    (void)state;
    alone(&fleet, -5);
    assert_int_equal(patches_of(&fleet, 10, 30, 0), 1);
    jl_arena_clear(&fleet.arena);
}

/* Neither another GPU nor another worker counts than those that are said. */
static void a_rollout_is_of_its_own_workers_and_their_gpus(void **state)
{
    struct fleet fleet;
    (void)state;
    alone(&fleet, 5);
    fleet.gpus[1].available[JL_USAGE_TFLOPS] = 0;
    fleet.workers[1].is_refused = true;
    assert_int_equal(patches_of(&fleet, 15, 20, 0), 1);
    assert_true(fleet.workers[1].is_refused);
    assert_near(fleet.gpus[1].available[JL_USAGE_TFLOPS], 0, 0);
    jl_arena_clear(&fleet.arena);
}

/* What is refused waits for the next recommendation, not for the next tick. */
static void a_refused_worker_waits_for_the_next_evaluation(void **state)
{
    struct fleet fleet;
    (void)state;
    alone(&fleet, 5);
    assert_int_equal(patches_of(&fleet, 16, 20, 0), 0);
    fleet.gpus[0].available[JL_USAGE_TFLOPS] = 50;
    jl_rollout_tick(&fleet.rollout, STEP_NS);
    assert_int_equal(fleet.rollout.patch_count, 0);
    assert_int_equal(patches_of(&fleet, 16, 20, 2 * STEP_NS), 1);
    jl_arena_clear(&fleet.arena);
}

static void a_quota_bounds_one_worker_and_all_together(void **state)
{
    struct fleet fleet;
    (void)state;
    for (int is_limit = 0; is_limit < 2; is_limit++) {
        const double request = is_limit ? 10 : 12;
        const double limit = is_limit ? 24 : 20;
        for (int is_total = 0; is_total < 2; is_total++) {
            for (int is_over = 0; is_over < 2; is_over++) {
                alone(&fleet, 50);
                struct jl_rollout_quota *quota = &fleet.rollout.quota;
                struct jl_amount_pair *bound = is_total ? &quota->total.of[JL_USAGE_TFLOPS]
                                                        : &quota->single.of[JL_USAGE_TFLOPS];
                *(is_limit ? &bound->limit : &bound->request) =
                    (is_total ? 100 : 0) + (is_limit ? 24 : 12) - (is_over ? 0.001 : 0);
                /* of the namespace, this worker's 10 / 20 included */
                quota->used.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ 110, 120 };
                assert_int_equal(patches_of(&fleet, request, limit, 0), !is_over);
                jl_arena_clear(&fleet.arena);
            }
        }
    }
}

static void a_worker_that_shrinks_needs_no_capacity(void **state)
{
    struct fleet fleet;
    (void)state;
    alone(&fleet, -20); /* as after a resync */
    fleet.rollout.quota.single.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ 1, 1 };
    assert_int_equal(patches_of(&fleet, 9, 18, 0), 1);
    assert_int_equal(fleet.rollout.patches[0].direction, JL_ROLLOUT_DOWN);
    jl_arena_clear(&fleet.arena);
}

static void limits_decide_the_direction_when_no_request_changes(void **state)
{
    static const struct {
        double request, limit;
        enum jl_rollout_direction direction;
    } cases[] = {
        { 10, 21, JL_ROLLOUT_UP },
        { 10, 19, JL_ROLLOUT_DOWN },
        { 9, 30, JL_ROLLOUT_DOWN },
        { 11, 12, JL_ROLLOUT_UP },
    };
    struct fleet fleet;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        alone(&fleet, 50);
        assert_int_equal(patches_of(&fleet, cases[i].request, cases[i].limit, 0), 1);
        assert_int_equal(fleet.rollout.patches[0].direction, cases[i].direction);
        jl_arena_clear(&fleet.arena);
    }
}

/* A tick gives up what drifted and leaves alone what is under way. */
static void a_tick_leaves_a_patch_under_way(void **state)
{
    struct fleet fleet;
    (void)state;
    alone(&fleet, 50);
    assert_int_equal(patches_of(&fleet, 12, 20, 0), 1);
    jl_rollout_tick(&fleet.rollout, STEP_NS);
    assert_int_equal(fleet.workers[0].state, JL_ROLLOUT_PATCHING);
    assert_near(fleet.workers[0].booked.of[JL_USAGE_TFLOPS].request, 12, 0);
    assert_near(fleet.gpus[0].available[JL_USAGE_TFLOPS], 48, 0);
    jl_arena_clear(&fleet.arena);
}

/* A failed patch is begun again when its wait is over, and not before. */
static void a_failed_patch_is_tried_again_after_its_wait(void **state)
{
    struct fleet fleet;
    (void)state;
    alone(&fleet, 50);
    assert_int_equal(patches_of(&fleet, 12, 20, 0), 1);
    jl_rollout_patched(&fleet.rollout, 0, false, 0);
    assert_int_equal(fleet.workers[0].reason, JL_REASON_ROLLED_BACK);
    assert_near(fleet.gpus[0].available[JL_USAGE_TFLOPS], 50, 0);
    const int64_t retry_ns = fleet.workers[0].retry_ns;
    assert_in_range(retry_ns, INT64_C(900000000), INT64_C(1100000000));
    jl_rollout_tick(&fleet.rollout, retry_ns - 1);
    assert_int_equal(fleet.rollout.patch_count, 0);
    jl_rollout_tick(&fleet.rollout, retry_ns);
    assert_int_equal(fleet.rollout.patch_count, 1);
    jl_rollout_patched(&fleet.rollout, 0, false, retry_ns);
    assert_in_range(fleet.workers[0].retry_ns - retry_ns, INT64_C(1800000000), INT64_C(2200000000));
    jl_arena_clear(&fleet.arena);
}

/* One event a minute and direction, of changes that were made. */
static void events_are_one_a_minute_and_direction(void **state)
{
    static const int64_t minute_ns = INT64_C(60000000000);
    struct fleet fleet;
    (void)state;
    alone(&fleet, 50);
    assert_int_equal(patches_of(&fleet, 12, 20, 0), 1);
    assert_int_equal(fleet.rollout.event_count, 0);
    jl_rollout_patched(&fleet.rollout, 0, true, 0);
    assert_int_equal(fleet.rollout.event_count, 1);
    assert_int_equal(fleet.rollout.events[0].direction, JL_ROLLOUT_UP);
    assert_int_equal(patches_of(&fleet, 11, 20, 1), 1);
    jl_rollout_patched(&fleet.rollout, 0, true, 1);
    assert_int_equal(fleet.rollout.event_count, 1);
    assert_int_equal(fleet.rollout.events[0].direction, JL_ROLLOUT_DOWN);
    assert_int_equal(patches_of(&fleet, 12, 20, 2), 1);
    jl_rollout_patched(&fleet.rollout, 0, true, minute_ns - 1);
    assert_int_equal(fleet.rollout.event_count, 0);
    assert_int_equal(patches_of(&fleet, 13, 20, minute_ns), 1);
    jl_rollout_patched(&fleet.rollout, 0, true, minute_ns);
    assert_int_equal(fleet.rollout.event_count, 1);
    jl_arena_clear(&fleet.arena);
}

/* Another worker took what this one would give back: its accounts stay until its pod is read. */
static void a_worker_that_cannot_go_back_has_drifted_until_the_next_tick(void **state)
{
    struct fleet fleet;
    struct jl_amounts carried;
    (void)state;
    alone(&fleet, 50);
    assert_int_equal(patches_of(&fleet, 6, 12, 0), 1);
    fleet.gpus[0].available[JL_USAGE_TFLOPS] = 3; /* 4 were given up */
    jl_rollout_patched(&fleet.rollout, 0, false, 0);
    assert_int_equal(fleet.workers[0].state, JL_ROLLOUT_DRIFTED);
    assert_int_equal(fleet.workers[0].reason, JL_REASON_DRIFTED);
    carried = fleet.workers[0].carried;
    carried.of[JL_USAGE_TFLOPS].request = 8;
    jl_rollout_observe(&fleet.rollout, 0, &carried);
    assert_near(fleet.workers[0].booked.of[JL_USAGE_TFLOPS].request, 6, 0);
    jl_rollout_tick(&fleet.rollout, 1);
    assert_int_equal(fleet.workers[0].state, JL_ROLLOUT_IDLE);
    assert_int_equal(fleet.workers[0].reason, JL_REASON_NONE);
    assert_near(fleet.workers[0].booked.of[JL_USAGE_TFLOPS].request, 8, 0);
    assert_near(fleet.gpus[0].available[JL_USAGE_TFLOPS], 1, 0);
    jl_arena_clear(&fleet.arena);
}

static void what_a_pod_carries_is_booked_at_once(void **state)
{
    struct fleet fleet;
    struct jl_amounts carried;
    (void)state;
    alone(&fleet, 50);
    assert_int_equal(patches_of(&fleet, 10, 20, 0), 0);
    assert_int_equal(fleet.workers[0].state, JL_ROLLOUT_APPLIED);
    carried = fleet.workers[0].carried;
    carried.of[JL_USAGE_TFLOPS].request = 12;
    jl_rollout_observe(&fleet.rollout, 0, &carried);
    assert_int_equal(fleet.workers[0].state, JL_ROLLOUT_IDLE);
    assert_near(fleet.gpus[0].available[JL_USAGE_TFLOPS], 48, 0);
    jl_arena_clear(&fleet.arena);
}

static void an_amount_of_0_stays_as_it_is(void **state)
{
    struct fleet fleet;
    (void)state;
    alone(&fleet, 50);
    assert_int_equal(patches_of(&fleet, 0, 30, 0), 1);
    assert_near(fleet.rollout.patches[0].amounts.of[JL_USAGE_TFLOPS].request, 10, 0);
    jl_arena_clear(&fleet.arena);
    alone(&fleet, 50);
    assert_int_equal(patches_of(&fleet, 15, 0, 0), 1);
    assert_near(fleet.rollout.patches[0].amounts.of[JL_USAGE_TFLOPS].limit, 20, 0);
    jl_arena_clear(&fleet.arena);
}

/* Applied is a worker that carries the recommendation, not one that carried another. */
static void a_new_recommendation_that_is_refused_is_not_applied(void **state)
{
    struct fleet fleet;
    size_t counted;
    (void)state;
    alone(&fleet, 5);
    assert_int_equal(patches_of(&fleet, 10, 20, 0), 0);
    assert_int_equal(fleet.workers[0].state, JL_ROLLOUT_APPLIED);
    assert_int_equal(patches_of(&fleet, 30, 30, 1), 0);
    assert_int_equal(fleet.workers[0].state, JL_ROLLOUT_IDLE);
    assert_int_equal(jl_rollout_applied(&fleet.rollout, &counted), 0);
    assert_near(fleet.rollout.applied.of[JL_USAGE_TFLOPS].request, 10, 0);
    jl_arena_clear(&fleet.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_accounts_add_up_after_any_sequence),
        cmocka_unit_test(a_restart_loses_nothing),
        cmocka_unit_test(waits_double_up_to_five_minutes),
        cmocka_unit_test(a_billionth_more_than_there_is_fits),
        cmocka_unit_test(a_request_may_take_all_that_is_left_and_no_more),
        cmocka_unit_test(a_refused_worker_waits_for_the_next_evaluation),
        cmocka_unit_test(a_quota_bounds_one_worker_and_all_together),
        cmocka_unit_test(the_quota_counts_what_grows_and_what_shrinks),
        cmocka_unit_test(a_worker_that_shrinks_needs_no_capacity),
        cmocka_unit_test(limits_decide_the_direction_when_no_request_changes),
        cmocka_unit_test(a_tick_leaves_a_patch_under_way),
        cmocka_unit_test(a_failed_patch_is_tried_again_after_its_wait),
        cmocka_unit_test(events_are_one_a_minute_and_direction),
        cmocka_unit_test(a_worker_that_cannot_go_back_has_drifted_until_the_next_tick),
        cmocka_unit_test(what_a_pod_carries_is_booked_at_once),
        cmocka_unit_test(an_amount_of_0_stays_as_it_is),
        cmocka_unit_test(a_new_recommendation_that_is_refused_is_not_applied),
        cmocka_unit_test(a_whole_billionth_more_than_there_is_fits),
        cmocka_unit_test(an_amount_that_stays_is_not_refused),
        cmocka_unit_test(a_limit_may_change_on_a_gpu_that_is_overbooked),
        cmocka_unit_test(a_rollout_is_of_its_own_workers_and_their_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
