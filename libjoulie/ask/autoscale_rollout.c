/* SPDX-License-Identifier: Apache-2.0 */

/*
 * autoscale.rollout: a recommendation on its way to the workers, step by step. Amounts are TFLOPS
 * and bytes (docs/rules/autoscaling.md#rollout).
 */

#include "ask/ask.h"
#include "autoscale/rollout.h"
#include "base/error.h"
#include "base/map.h"

#define RECORD rollout_side
#define MEMBERS                                                                                   \
    HOLDS(double, of[JL_USAGES])                                                                  \
    NUMBER_OF(tflops, of[JL_USAGE_TFLOPS], "tflops", "TFLOPS; absent: 0, not set.", NOT_NEGATIVE) \
    NUMBER_OF(vram, of[JL_USAGE_VRAM], "vram", "Video memory, bytes; absent: 0, not set.",        \
              NOT_NEGATIVE)
#include "schema/record.h"

/* What is left on a GPU may be below 0. */
#define RECORD rollout_room
#define MEMBERS                                                 \
    HOLDS(double, of[JL_USAGES])                                \
    NUMBER_OF(tflops, of[JL_USAGE_TFLOPS], "tflops", "TFLOPS.") \
    NUMBER_OF(vram, of[JL_USAGE_VRAM], "vram", "Video memory, bytes.")
#include "schema/record.h"

enum rollout_target { TARGETS_UNKNOWN, TARGETS_TFLOPS, TARGETS_VRAM, TARGETS_ALL };

#define LONGEST_S 1e9 /* keeps nanoseconds inside an int64_t */

/* ---- amounts ---- */

#define RECORD rollout_amounts
#define MEMBERS                                                     \
    OBJECT(requests, "requests", rollout_side, "Promised amounts.") \
    OBJECT(limits, "limits", rollout_side, "Largest amounts.")
#include "schema/record.h"

/* ---- input ---- */

static const struct jl_words target_words = JL_WORDS({
    { TARGETS_TFLOPS, "tflops" },
    { TARGETS_VRAM, "vram" },
    { TARGETS_ALL, "all" },
});

#define RECORD rollout_quota_in
#define MEMBERS                                                                            \
    OBJECT(single, "single", rollout_amounts, "Bounds of one worker; 0 or absent: none.")  \
    OBJECT(total, "total", rollout_amounts, "Bounds of the namespace; 0 or absent: none.") \
    OBJECT(used, "used", rollout_amounts, "What the namespace has booked, these workers included.")
#include "schema/record.h"

#define RECORD rollout_worker_in
#define MEMBERS                                                                           \
    STRING(name, "name", "Name of the worker's pod.", REQUIRED)                           \
    BOOLEAN(dedicated, "dedicated", "It owns its GPU: never changed, not counted.")       \
    NUMBERS(gpus, "gpus", "Its GPUs, indices into gpus; absent: one that is not booked.") \
    OBJECT(resources, "resources", rollout_amounts, "What its pod's annotations say.", REQUIRED)
#include "schema/record.h"

#define RECORD rollout_patched_in
#define MEMBERS                                               \
    STRING(worker, "worker", "Name of the worker.", REQUIRED) \
    BOOLEAN(ok, "ok", "The API server took the patch.", REQUIRED)
#include "schema/record.h"

#define RECORD rollout_observe_in
#define MEMBERS                                               \
    STRING(worker, "worker", "Name of the worker.", REQUIRED) \
    OBJECT(resources, "resources", rollout_amounts, "What its annotations say now.", REQUIRED)
#include "schema/record.h"

#define RECORD rollout_step_in
#define MEMBERS                                                                                 \
    NUMBER(t_s, "t", "Instant of the step, seconds.", REQUIRED, BETWEEN(-LONGEST_S, LONGEST_S)) \
    OBJECT(evaluate, "evaluate", rollout_amounts,                                               \
           "A new recommendation. A step with none of the three is a tick: time went on.")      \
    OBJECT(patched, "patched", rollout_patched_in, "How the patch of a worker went.")           \
    OBJECT(observe, "observe", rollout_observe_in, "The annotations of a worker as they were read.")
#include "schema/record.h"

#define RECORD autoscale_rollout_in
#define MEMBERS                                                                            \
    ENUM(targets, "targetResource", rollout_target, target_words,                          \
         "Which resources the recommendation is about; all.")                              \
    INTEGER(seed, "seed", "Seed of the waits' jitter; 0.")                                 \
    LIST(gpus, "gpus", rollout_room, "What is still free on each GPU.")                    \
    OBJECT(quota, "quota", rollout_quota_in, "Quota of the namespace; absent: no bounds.") \
    LIST(workers, "workers", rollout_worker_in, "Workers of the workload.", REQUIRED)      \
    LIST(steps, "steps", rollout_step_in, "What happens, in order.", REQUIRED)
#include "schema/record.h"

/* ---- answer ---- */

#define RECORD rollout_patch_out
#define MEMBERS                                     \
    STRING(worker, "worker", "Whose pod to patch.") \
    OBJECT(resources, "resources", rollout_amounts, "What to write: targeted resources only.")
#include "schema/record.h"

#define RECORD rollout_event_out
#define MEMBERS                                                              \
    ENUM(reason, "reason", jl_rollout_direction, jl_rollout_direction_words, \
         "Reason of the event on the workload.")                             \
    STRING(worker, "worker", "The worker changed.")
#include "schema/record.h"

#define RECORD rollout_state_out
#define MEMBERS                                                                               \
    STRING(name, "name", "Name of the worker.")                                               \
    ENUM(state, "state", jl_rollout_state, jl_rollout_state_words, "Where it is on its way.") \
    ENUM(reason, "reason", jl_scale_reason, jl_scale_reason_words,                            \
         "Why it did not get what was wanted.")                                               \
    NUMBER(retry_s, "retryT", "After failed patches: when the next one may be made, s.")      \
    OBJECT(carried, "carried", rollout_amounts, "What its annotations say.")                  \
    OBJECT(booked, "booked", rollout_amounts, "What the rollout hold for it.")
#include "schema/record.h"

#define RECORD rollout_step_out
#define MEMBERS                                                                      \
    LIST(patches, "patches", rollout_patch_out, "Patches to make, in this order.")   \
    LIST(events, "events", rollout_event_out, "Events to write.")                    \
    LIST(workers, "workers", rollout_state_out, "The workers after the step.")       \
    LIST(gpus, "gpus", rollout_room, "What is free now.")                            \
    INTEGER(applied, "applied", "Workers that carry the recommendation.")            \
    INTEGER(counted, "counted", "Workers that could: those that are not dedicated.") \
    OBJECT(recommendation, "recommendation", rollout_amounts,                        \
           "Last one that all of them carried; what status keeps.")
#include "schema/record.h"

#define RECORD autoscale_rollout_out
#define MEMBERS LIST(steps, "steps", rollout_step_out, "What follows from each step.")
#include "schema/record.h"

#define NS_PER_S 1e9

#define ALL_TARGETS ((1U << JL_USAGES) - 1)

enum { TARGET_TFLOPS = 1 << JL_USAGE_TFLOPS, TARGET_VRAM = 1 << JL_USAGE_VRAM };

static struct jl_amounts amounts_of(const struct rollout_amounts *from)
{
    struct jl_amounts amounts = { 0 };
    for (unsigned u = 0; u < JL_USAGES; u++)
        amounts.of[u] = (struct jl_amount_pair){ from->requests.of[u], from->limits.of[u] };
    return amounts;
}

/* The resources of a mask only. */
static struct rollout_amounts print_amounts(const struct jl_amounts *from, unsigned targets)
{
    struct rollout_amounts amounts = { 0 };
    for (unsigned u = 0; u < JL_USAGES; u++) { /* rows stand in the order of enum jl_usage */
        if ((targets >> u & 1) == 0)
            continue;
        JL_PUT(&amounts.requests, u, of[u], from->of[u].request);
        JL_PUT(&amounts.limits, u, of[u], from->of[u].limit);
        amounts.given.requests = true;
        amounts.given.limits = true;
    }
    return amounts;
}

/* ---- from one to the other ---- */

static int read_gpus(struct jl_ask *ask, const struct jl_list *list, size_t gpu_count, size_t index,
                     struct jl_rollout_worker *out)
{
    uint32_t *gpus = JL_NEW_ARRAY(ask->arena, list->count, uint32_t);
    if (gpus == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < list->count; i++) {
        const double gpu = JL_NUMBER_ITEM(*list, i);
        if (!(gpu >= 0 && gpu < (double)gpu_count) || (double)(uint32_t)gpu < gpu)
            return jl_ask_fail(ask, JOULIE_E_RANGE, jl_ask_path(ask, "workers[%zu].gpus", index),
                               "there is no GPU of this index");
        gpus[i] = (uint32_t)gpu;
    }
    out->gpus = gpus;
    out->gpu_count = list->count;
    return 0;
}

static int read_workers(struct jl_ask *ask, const struct autoscale_rollout_in *in,
                        struct jl_index *names, struct jl_rollout *rollout)
{
    for (size_t i = 0; i < in->workers.count; i++) {
        const struct rollout_worker_in *from = JL_ITEM(in->workers, rollout_worker_in, i);
        size_t first = 0;
        if (jl_index_get(names, from->name, &first))
            return jl_ask_fail(ask, JOULIE_E_CONFLICT, jl_ask_path(ask, "workers[%zu].name", i),
                               "worker \"%.64s\" is given twice", from->name);
        if (jl_index_set(names, from->name, i) < 0)
            return jl_fail_memory(ask->err);
        rollout->workers[i] = (struct jl_rollout_worker){ .name = from->name,
                                                          .is_dedicated = from->dedicated,
                                                          .gpu_count = 1,
                                                          .carried = amounts_of(&from->resources) };
        const int rc = from->given.gpus ? read_gpus(ask, &from->gpus, rollout->gpu_count, i,
                                                    &rollout->workers[i])
                                        : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int open_rollout(struct jl_ask *ask, const struct autoscale_rollout_in *in,
                        struct jl_index *names, struct jl_rollout *rollout)
{
    *rollout = (struct jl_rollout){
        .workers = JL_NEW_ARRAY(ask->arena, in->workers.count, struct jl_rollout_worker),
        .worker_count = in->workers.count,
        .gpus = JL_NEW_ARRAY(ask->arena, in->gpus.count, struct jl_rollout_gpu),
        .gpu_count = in->gpus.count,
        .quota = { amounts_of(&in->quota.single), amounts_of(&in->quota.total),
                   amounts_of(&in->quota.used) },
        .seed = (uint64_t)in->seed,
    };
    if (rollout->workers == NULL || rollout->gpus == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->gpus.count; i++) {
        const struct rollout_room *room = JL_ITEM(in->gpus, rollout_room, i);
        for (unsigned u = 0; u < JL_USAGES; u++)
            rollout->gpus[i].available[u] = room->of[u];
    }
    const int rc = read_workers(ask, in, names, rollout);
    if (rc < 0)
        return rc;
    return jl_rollout_init(rollout, ask->arena) < 0 ? jl_fail_memory(ask->err) : 0;
}

static unsigned targets_of(const struct autoscale_rollout_in *in)
{
    switch (in->targets) {
    case TARGETS_TFLOPS:
        return TARGET_TFLOPS;
    case TARGETS_VRAM:
        return TARGET_VRAM;
    case TARGETS_UNKNOWN:
    case TARGETS_ALL:
        break;
    }
    return ALL_TARGETS;
}

static int find_worker(struct jl_ask *ask, const struct jl_index *names, const char *name,
                       size_t step, const char *member, size_t *out)
{
    if (jl_index_get(names, name, out))
        return 0;
    return jl_ask_fail(ask, JOULIE_E_ENUM, jl_ask_path(ask, "steps[%zu].%s.worker", step, member),
                       "there is no worker \"%.64s\"", name);
}

static int take_step(struct jl_ask *ask, const struct autoscale_rollout_in *in,
                     const struct jl_index *names, size_t index, struct jl_rollout *rollout)
{
    const struct rollout_step_in *step = JL_ITEM(in->steps, rollout_step_in, index);
    const int64_t now_ns = (int64_t)(step->t_s * NS_PER_S);
    size_t worker = 0;
    int rc = 0;
    if (step->given.evaluate) {
        const struct jl_amounts wanted = amounts_of(&step->evaluate);
        jl_rollout_evaluate(rollout, &wanted, targets_of(in), now_ns);
    } else if (step->given.patched) {
        rc = find_worker(ask, names, step->patched.worker, index, "patched", &worker);
        if (rc == 0)
            jl_rollout_patched(rollout, worker, step->patched.ok, now_ns);
    } else if (step->given.observe) {
        const struct jl_amounts carried = amounts_of(&step->observe.resources);
        rc = find_worker(ask, names, step->observe.worker, index, "observe", &worker);
        if (rc == 0)
            jl_rollout_observe(rollout, worker, &carried);
    } else {
        jl_rollout_tick(rollout, now_ns);
    }
    return rc;
}

static void print_worker(const struct jl_rollout_worker *from, struct rollout_state_out *out)
{
    JL_SET(out, name, from->name);
    JL_SET(out, state, from->state);
    JL_SET_IF(out, reason, from->reason != JL_REASON_NONE, from->reason);
    JL_SET_IF(out, retry_s, from->failures > 0, (double)from->retry_ns / NS_PER_S);
    JL_SET(out, carried, print_amounts(&from->carried, ALL_TARGETS));
    JL_SET(out, booked, print_amounts(&from->booked, ALL_TARGETS));
}

static int print_step(struct jl_ask *ask, const struct jl_rollout *rollout,
                      struct rollout_step_out *out)
{
    struct rollout_patch_out *patches =
        JL_NEW_LIST(ask, out, patches, rollout->patch_count, struct rollout_patch_out);
    struct rollout_event_out *events =
        JL_NEW_LIST(ask, out, events, rollout->event_count, struct rollout_event_out);
    struct rollout_state_out *workers =
        JL_NEW_LIST(ask, out, workers, rollout->worker_count, struct rollout_state_out);
    struct rollout_room *gpus =
        JL_NEW_LIST(ask, out, gpus, rollout->gpu_count, struct rollout_room);
    if (patches == NULL || events == NULL || workers == NULL || gpus == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < rollout->patch_count; i++) {
        const struct jl_rollout_patch *patch = &rollout->patches[i];
        JL_SET(&patches[i], worker, rollout->workers[patch->worker].name);
        JL_SET(&patches[i], resources, print_amounts(&patch->amounts, rollout->targets));
    }
    for (size_t i = 0; i < rollout->event_count; i++) {
        JL_SET(&events[i], reason, rollout->events[i].direction);
        JL_SET(&events[i], worker, rollout->events[i].worker);
    }
    for (size_t i = 0; i < rollout->worker_count; i++)
        print_worker(&rollout->workers[i], &workers[i]);
    for (size_t i = 0; i < rollout->gpu_count; i++) {
        for (unsigned u = 0; u < JL_USAGES; u++)
            JL_PUT(&gpus[i], u, of[u], rollout->gpus[i].available[u]);
    }
    size_t counted = 0;
    JL_SET(out, applied, (int64_t)jl_rollout_applied(rollout, &counted));
    JL_SET(out, counted, (int64_t)counted);
    if (rollout->has_applied)
        JL_SET(out, recommendation, print_amounts(&rollout->applied, rollout->targets));
    return 0;
}

static int answer_steps(struct jl_ask *ask, const struct autoscale_rollout_in *in,
                        struct jl_index *names, struct autoscale_rollout_out *out)
{
    struct jl_rollout rollout;
    struct rollout_step_out *steps =
        JL_NEW_LIST(ask, out, steps, in->steps.count, struct rollout_step_out);
    if (steps == NULL)
        return jl_fail_memory(ask->err);
    int rc = open_rollout(ask, in, names, &rollout);
    for (size_t i = 0; i < in->steps.count && rc == 0; i++) {
        rc = take_step(ask, in, names, i, &rollout);
        if (rc == 0)
            rc = print_step(ask, &rollout, &steps[i]);
    }
    return rc;
}

static int answer_autoscale_rollout(struct jl_ask *ask, const struct autoscale_rollout_in *input,
                                    struct autoscale_rollout_out *output)
{
    JL_CLEANUP(jl_index_clear) struct jl_index names = { 0 };
    return answer_steps(ask, input, &names, output);
}

JL_QUESTION(autoscale_rollout, "autoscale.rollout",
            "a recommendation on its way to the workers: patches, rollout and events");
