/* SPDX-License-Identifier: Apache-2.0 */

/*
 * autoscale.books: a recommendation on its way to the workers, step by step. Amounts are TFLOPS
 * and bytes (docs/rules/autoscaling.md#rollout).
 */

#include "ask/autoscale_books.h"

#include "ask/ask.h"
#include "base/error.h"
#include "base/map.h"

#define NS_PER_S 1e9

#define ALL_TARGETS ((1U << JL_USAGES) - 1)

enum { TARGET_TFLOPS = 1 << JL_USAGE_TFLOPS, TARGET_VRAM = 1 << JL_USAGE_VRAM };

static struct jl_amounts amounts_of(const struct books_amounts *from)
{
    struct jl_amounts amounts = { 0 };
    for (unsigned u = 0; u < JL_USAGES; u++)
        amounts.of[u] = (struct jl_amount_pair){ from->requests.of[u], from->limits.of[u] };
    return amounts;
}

/* The resources of a mask only. */
static struct books_amounts print_amounts(const struct jl_amounts *from, unsigned targets)
{
    struct books_amounts amounts = { 0 };
    for (unsigned u = 0; u < JL_USAGES; u++) { /* rows stand in the order of enum jl_usage */
        if ((targets >> u & 1) == 0)
            continue;
        JL_PUT(&amounts.requests, u, of[u], from->of[u].request);
        JL_PUT(&amounts.limits, u, of[u], from->of[u].limit);
        JL_MARK(&amounts, AMOUNTS_REQUESTS);
        JL_MARK(&amounts, AMOUNTS_LIMITS);
    }
    return amounts;
}

/* ---- from one to the other ---- */

static int read_gpus(struct jl_ask *ask, const struct jl_list *list, size_t gpu_count, size_t index,
                     struct jl_rollout_worker *out)
{
    const struct jl_path top = { .key = jl_text("workers") };
    const struct jl_path item = { .up = &top, .index = index };
    const struct jl_path at = { .up = &item, .key = jl_text("gpus") };
    uint32_t *gpus = JL_NEW_ARRAY(ask->arena, list->count, uint32_t);
    if (gpus == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < list->count; i++) {
        const double gpu = JL_NUMBER_ITEM(*list, i);
        if (!(gpu >= 0 && gpu < (double)gpu_count) || (double)(uint32_t)gpu < gpu)
            return jl_decode_fail(ask->decode, JOULIE_E_RANGE, &at, SIZE_MAX,
                                  "there is no GPU of this index");
        gpus[i] = (uint32_t)gpu;
    }
    out->gpus = gpus;
    out->gpu_count = list->count;
    return 0;
}

static int read_workers(struct jl_ask *ask, const struct books_in *in, struct jl_index *names,
                        struct jl_rollout *books)
{
    const struct jl_path top = { .key = jl_text("workers") };
    for (size_t i = 0; i < in->workers.count; i++) {
        const struct books_worker_in *from = JL_ITEM(in->workers, books_worker_in, i);
        const struct jl_path item = { .up = &top, .index = i };
        const struct jl_path at = { .up = &item, .key = jl_text("name") };
        size_t first = 0;
        if (jl_index_get(names, from->name, &first))
            return jl_decode_fail(ask->decode, JOULIE_E_CONFLICT, &at, SIZE_MAX,
                                  "worker \"%.64s\" is given twice", from->name);
        if (jl_index_set(names, from->name, i) < 0)
            return jl_fail_memory(ask->err);
        books->workers[i] = (struct jl_rollout_worker){ .name = from->name,
                                                        .is_dedicated = from->dedicated,
                                                        .gpu_count = 1,
                                                        .carried = amounts_of(&from->resources) };
        const int rc = JL_HAS(from, WORKER_GPUS)
                           ? read_gpus(ask, &from->gpus, books->gpu_count, i, &books->workers[i])
                           : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int open_books(struct jl_ask *ask, const struct books_in *in, struct jl_index *names,
                      struct jl_rollout *books)
{
    *books = (struct jl_rollout){
        .workers = JL_NEW_ARRAY(ask->arena, in->workers.count, struct jl_rollout_worker),
        .worker_count = in->workers.count,
        .gpus = JL_NEW_ARRAY(ask->arena, in->gpus.count, struct jl_rollout_gpu),
        .gpu_count = in->gpus.count,
        .quota = { amounts_of(&in->quota.single), amounts_of(&in->quota.total),
                   amounts_of(&in->quota.used) },
        .seed = (uint64_t)in->seed,
    };
    if (books->workers == NULL || books->gpus == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->gpus.count; i++) {
        const struct books_side *room = JL_ITEM(in->gpus, books_side, i);
        for (unsigned u = 0; u < JL_USAGES; u++)
            books->gpus[i].available[u] = room->of[u];
    }
    const int rc = read_workers(ask, in, names, books);
    if (rc < 0)
        return rc;
    return jl_rollout_init(books, ask->arena) < 0 ? jl_fail_memory(ask->err) : 0;
}

static unsigned targets_of(const struct books_in *in)
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
    const struct jl_path top = { .key = jl_text("steps") };
    const struct jl_path item = { .up = &top, .index = step };
    const struct jl_path part = { .up = &item, .key = jl_text(member) };
    const struct jl_path at = { .up = &part, .key = jl_text("worker") };
    if (jl_index_get(names, name, out))
        return 0;
    return jl_decode_fail(ask->decode, JOULIE_E_ENUM, &at, SIZE_MAX, "there is no worker \"%.64s\"",
                          name);
}

static int take_step(struct jl_ask *ask, const struct books_in *in, const struct jl_index *names,
                     size_t index, struct jl_rollout *books)
{
    const struct books_step_in *step = JL_ITEM(in->steps, books_step_in, index);
    const int64_t now_ns = (int64_t)(step->t_s * NS_PER_S);
    size_t worker = 0;
    int rc = 0;
    if (JL_HAS(step, STEP_EVALUATE)) {
        const struct jl_amounts wanted = amounts_of(&step->evaluate);
        jl_rollout_evaluate(books, &wanted, targets_of(in), now_ns);
    } else if (JL_HAS(step, STEP_PATCHED)) {
        rc = find_worker(ask, names, step->patched.worker, index, "patched", &worker);
        if (rc == 0)
            jl_rollout_patched(books, worker, step->patched.ok, now_ns);
    } else if (JL_HAS(step, STEP_OBSERVE)) {
        const struct jl_amounts carried = amounts_of(&step->observe.resources);
        rc = find_worker(ask, names, step->observe.worker, index, "observe", &worker);
        if (rc == 0)
            jl_rollout_observe(books, worker, &carried);
    } else {
        jl_rollout_tick(books, now_ns);
    }
    return rc;
}

static void print_worker(const struct jl_rollout_worker *from, struct books_state_out *out)
{
    JL_PUT(out, STATE_NAME, name, from->name);
    JL_PUT(out, STATE_STATE, state, from->state);
    if (from->reason != JL_REASON_NONE)
        JL_PUT(out, STATE_REASON, reason, from->reason);
    if (from->failures > 0)
        JL_PUT(out, STATE_RETRY, retry_s, (double)from->retry_ns / NS_PER_S);
    JL_PUT(out, STATE_CARRIED, carried, print_amounts(&from->carried, ALL_TARGETS));
    JL_PUT(out, STATE_BOOKED, booked, print_amounts(&from->booked, ALL_TARGETS));
}

static int print_step(struct jl_ask *ask, const struct jl_rollout *books,
                      struct books_step_out *out)
{
    struct books_patch_out *patches =
        JL_NEW_ARRAY(ask->arena, books->patch_count, struct books_patch_out);
    struct books_event_out *events =
        JL_NEW_ARRAY(ask->arena, books->event_count, struct books_event_out);
    struct books_state_out *workers =
        JL_NEW_ARRAY(ask->arena, books->worker_count, struct books_state_out);
    struct books_side *gpus = JL_NEW_ARRAY(ask->arena, books->gpu_count, struct books_side);
    if (patches == NULL || events == NULL || workers == NULL || gpus == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < books->patch_count; i++) {
        const struct jl_rollout_patch *patch = &books->patches[i];
        JL_PUT(&patches[i], PATCH_WORKER, worker, books->workers[patch->worker].name);
        JL_PUT(&patches[i], PATCH_RESOURCES, resources,
               print_amounts(&patch->amounts, books->targets));
    }
    for (size_t i = 0; i < books->event_count; i++) {
        JL_PUT(&events[i], EVENT_REASON, reason, books->events[i].direction);
        JL_PUT(&events[i], EVENT_WORKER, worker, books->events[i].worker);
    }
    for (size_t i = 0; i < books->worker_count; i++)
        print_worker(&books->workers[i], &workers[i]);
    for (size_t i = 0; i < books->gpu_count; i++) {
        for (unsigned u = 0; u < JL_USAGES; u++)
            JL_PUT(&gpus[i], u, of[u], books->gpus[i].available[u]);
    }
    JL_PUT(out, O_PATCHES, patches, ((struct jl_list){ patches, books->patch_count }));
    JL_PUT(out, O_EVENTS, events, ((struct jl_list){ events, books->event_count }));
    JL_PUT(out, O_WORKERS, workers, ((struct jl_list){ workers, books->worker_count }));
    JL_PUT(out, O_GPUS, gpus, ((struct jl_list){ gpus, books->gpu_count }));
    size_t counted = 0;
    JL_PUT(out, O_APPLIED, applied, (int64_t)jl_rollout_applied(books, &counted));
    JL_PUT(out, O_COUNTED, counted, (int64_t)counted);
    if (books->has_applied)
        JL_PUT(out, O_RECOMMENDATION, recommendation,
               print_amounts(&books->applied, books->targets));
    return 0;
}

static int answer_steps(struct jl_ask *ask, const struct books_in *in, struct jl_index *names,
                        struct books_out *out)
{
    struct jl_rollout books;
    struct books_step_out *steps = JL_NEW_ARRAY(ask->arena, in->steps.count, struct books_step_out);
    if (steps == NULL)
        return jl_fail_memory(ask->err);
    int rc = open_books(ask, in, names, &books);
    for (size_t i = 0; i < in->steps.count && rc == 0; i++) {
        rc = take_step(ask, in, names, i, &books);
        if (rc == 0)
            rc = print_step(ask, &books, &steps[i]);
    }
    JL_PUT(out, OUT_STEPS, steps, ((struct jl_list){ steps, in->steps.count }));
    return rc;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    JL_CLEANUP(jl_index_clear) struct jl_index names = { 0 };
    return answer_steps(ask, input, &names, output);
}

const struct jl_question jl_question_autoscale_books = {
    .name = "autoscale.books",
    .summary = "a recommendation on its way to the workers: patches, books and events",
    .in = &jl_rollout_in_table,
    .out = &jl_rollout_out_table,
    .answer = answer,
};
