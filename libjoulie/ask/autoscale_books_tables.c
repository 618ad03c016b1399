/* SPDX-License-Identifier: Apache-2.0 */

/* The tables of the question autoscale.books. */

#include "ask/autoscale_books.h"

#define LONGEST_S 1e9 /* keeps nanoseconds inside an int64_t */

/* ---- amounts ---- */

static const struct jl_row side_rows[] = {
    [SIDE_TFLOPS] = JL_NUMBER(books_side, of[JL_USAGE_TFLOPS], "tflops", .flags = JL_NOT_NEGATIVE,
                              .doc = "TFLOPS; absent: 0, not set."),
    [SIDE_VRAM] = JL_NUMBER(books_side, of[JL_USAGE_VRAM], "vram", .flags = JL_NOT_NEGATIVE,
                            .doc = "Video memory, bytes; absent: 0, not set."),
};
static const struct jl_table side_table = JL_TABLE(books_side, side_rows);

/* what is left may be below 0 */
static const struct jl_row room_rows[] = {
    [SIDE_TFLOPS] = JL_NUMBER(books_side, of[JL_USAGE_TFLOPS], "tflops", .doc = "TFLOPS."),
    [SIDE_VRAM] = JL_NUMBER(books_side, of[JL_USAGE_VRAM], "vram", .doc = "Video memory, bytes."),
};
static const struct jl_table room_table = JL_TABLE(books_side, room_rows);

static const struct jl_row amounts_rows[] = {
    [AMOUNTS_REQUESTS] =
        JL_OBJECT(books_amounts, requests, "requests", &side_table, .doc = "Promised amounts."),
    [AMOUNTS_LIMITS] =
        JL_OBJECT(books_amounts, limits, "limits", &side_table, .doc = "Largest amounts."),
};
static const struct jl_table amounts_table = JL_TABLE(books_amounts, amounts_rows);

/* ---- input ---- */

static const struct jl_word target_items[] = {
    { TARGETS_TFLOPS, "tflops" },
    { TARGETS_VRAM, "vram" },
    { TARGETS_ALL, "all" },
};
static const struct jl_words target_words = JL_WORDS(target_items);

static const struct jl_row quota_rows[] = {
    [QUOTA_SINGLE] = JL_OBJECT(books_quota_in, single, "single", &amounts_table,
                               .doc = "Bounds of one worker; 0 or absent: none."),
    [QUOTA_TOTAL] = JL_OBJECT(books_quota_in, total, "total", &amounts_table,
                              .doc = "Bounds of the namespace; 0 or absent: none."),
    [QUOTA_USED] = JL_OBJECT(books_quota_in, used, "used", &amounts_table,
                             .doc = "What the namespace has booked, these workers included."),
};
static const struct jl_table quota_table = JL_TABLE(books_quota_in, quota_rows);

static const struct jl_row worker_rows[] = {
    [WORKER_NAME] = JL_STRING(books_worker_in, name, "name", .flags = JL_REQUIRED,
                              .doc = "Name of the worker's pod."),
    [WORKER_DEDICATED] = JL_BOOLEAN(books_worker_in, dedicated, "dedicated",
                                    .doc = "It owns its GPU: never changed, not counted."),
    [WORKER_GPUS] = JL_NUMBERS(books_worker_in, gpus, "gpus",
                               .doc = "Its GPUs, indices into gpus; absent: one that is not "
                                      "booked."),
    [WORKER_RESOURCES] = JL_OBJECT(books_worker_in, resources, "resources", &amounts_table,
                                   .flags = JL_REQUIRED, .doc = "What its pod's annotations say."),
};
static const struct jl_table worker_table = JL_TABLE(books_worker_in, worker_rows);

static const struct jl_row patched_rows[] = {
    [PATCHED_WORKER] = JL_STRING(books_patched_in, worker, "worker", .flags = JL_REQUIRED,
                                 .doc = "Name of the worker."),
    [PATCHED_OK] = JL_BOOLEAN(books_patched_in, ok, "ok", .flags = JL_REQUIRED,
                              .doc = "The API server took the patch."),
};
static const struct jl_table patched_table = JL_TABLE(books_patched_in, patched_rows);

static const struct jl_row observe_rows[] = {
    [OBSERVE_WORKER] = JL_STRING(books_observe_in, worker, "worker", .flags = JL_REQUIRED,
                                 .doc = "Name of the worker."),
    [OBSERVE_RESOURCES] = JL_OBJECT(books_observe_in, resources, "resources", &amounts_table,
                                    .flags = JL_REQUIRED, .doc = "What its annotations say now."),
};
static const struct jl_table observe_table = JL_TABLE(books_observe_in, observe_rows);

static const struct jl_row step_rows[] = {
    [STEP_T] =
        JL_NUMBER(books_step_in, t_s, "t", .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX,
                  .min = -LONGEST_S, .max = LONGEST_S, .doc = "Instant of the step, seconds."),
    [STEP_EVALUATE] = JL_OBJECT(books_step_in, evaluate, "evaluate", &amounts_table,
                                .doc = "A new recommendation. A step with none of the three "
                                       "is a tick: time went on."),
    [STEP_PATCHED] = JL_OBJECT(books_step_in, patched, "patched", &patched_table,
                               .doc = "How the patch of a worker went."),
    [STEP_OBSERVE] = JL_OBJECT(books_step_in, observe, "observe", &observe_table,
                               .doc = "The annotations of a worker as they were read."),
};
static const struct jl_table step_table = JL_TABLE(books_step_in, step_rows);

static const struct jl_row in_rows[] = {
    [IN_TARGETS] = JL_ENUM(books_in, targets, "targetResource", &target_words,
                           .doc = "Which resources the recommendation is about; all."),
    [IN_SEED] = JL_INTEGER(books_in, seed, "seed", .doc = "Seed of the waits' jitter; 0."),
    [IN_GPUS] =
        JL_LIST(books_in, gpus, "gpus", &room_table, .doc = "What is still free on each GPU."),
    [IN_QUOTA] = JL_OBJECT(books_in, quota, "quota", &quota_table,
                           .doc = "Quota of the namespace; absent: no bounds."),
    [IN_WORKERS] = JL_LIST(books_in, workers, "workers", &worker_table, .flags = JL_REQUIRED,
                           .doc = "Workers of the workload."),
    [IN_STEPS] = JL_LIST(books_in, steps, "steps", &step_table, .flags = JL_REQUIRED,
                         .doc = "What happens, in order."),
};
const struct jl_table jl_rollout_in_table = JL_TABLE(books_in, in_rows);

/* ---- answer ---- */

static const struct jl_row patch_rows[] = {
    [PATCH_WORKER] = JL_STRING(books_patch_out, worker, "worker", .doc = "Whose pod to patch."),
    [PATCH_RESOURCES] = JL_OBJECT(books_patch_out, resources, "resources", &amounts_table,
                                  .doc = "What to write: targeted resources only."),
};
static const struct jl_table patch_table = JL_TABLE(books_patch_out, patch_rows);

static const struct jl_row event_rows[] = {
    [EVENT_REASON] = JL_ENUM(books_event_out, reason, "reason", &jl_rollout_direction_words,
                             .doc = "Reason of the event on the workload."),
    [EVENT_WORKER] = JL_STRING(books_event_out, worker, "worker", .doc = "The worker changed."),
};
static const struct jl_table event_table = JL_TABLE(books_event_out, event_rows);

static const struct jl_row state_rows[] = {
    [STATE_NAME] = JL_STRING(books_state_out, name, "name", .doc = "Name of the worker."),
    [STATE_STATE] = JL_ENUM(books_state_out, state, "state", &jl_rollout_state_words,
                            .doc = "Where it is on its way."),
    [STATE_REASON] = JL_ENUM(books_state_out, reason, "reason", &jl_scale_reason_words,
                             .doc = "Why it did not get what was wanted."),
    [STATE_RETRY] = JL_NUMBER(books_state_out, retry_s, "retryT",
                              .doc = "After failed patches: when the next one may be made, s."),
    [STATE_CARRIED] = JL_OBJECT(books_state_out, carried, "carried", &amounts_table,
                                .doc = "What its annotations say."),
    [STATE_BOOKED] = JL_OBJECT(books_state_out, booked, "booked", &amounts_table,
                               .doc = "What the books hold for it."),
};
static const struct jl_table state_table = JL_TABLE(books_state_out, state_rows);

static const struct jl_row step_out_rows[] = {
    [O_PATCHES] = JL_LIST(books_step_out, patches, "patches", &patch_table,
                          .doc = "Patches to make, in this order."),
    [O_EVENTS] = JL_LIST(books_step_out, events, "events", &event_table, .doc = "Events to write."),
    [O_WORKERS] = JL_LIST(books_step_out, workers, "workers", &state_table,
                          .doc = "The workers after the step."),
    [O_GPUS] = JL_LIST(books_step_out, gpus, "gpus", &room_table, .doc = "What is free now."),
    [O_APPLIED] = JL_INTEGER(books_step_out, applied, "applied",
                             .doc = "Workers that carry the recommendation."),
    [O_COUNTED] = JL_INTEGER(books_step_out, counted, "counted",
                             .doc = "Workers that could: those that are not dedicated."),
    [O_RECOMMENDATION] = JL_OBJECT(books_step_out, recommendation, "recommendation", &amounts_table,
                                   .doc = "Last one that all of them carried; what status keeps."),
};
static const struct jl_table step_out_table = JL_TABLE(books_step_out, step_out_rows);

static const struct jl_row out_rows[] = {
    [OUT_STEPS] =
        JL_LIST(books_out, steps, "steps", &step_out_table, .doc = "What follows from each step."),
};
const struct jl_table jl_rollout_out_table = JL_TABLE(books_out, out_rows);
