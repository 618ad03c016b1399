/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How a recommendation reaches the workers: one state machine per worker over the accounting of
 * GPUs and quota (docs/rules/autoscaling.md#rollout). The question autoscale.rollout runs it; the
 * caller makes the patches.
 */

#include "autoscale/rollout.h"

#include "base/backoff.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/text.h"

#define NS_PER_S 1e9
#define EVENT_NS INT64_C(60000000000) /* between two events of one direction */
#define JITTER 0.1
static const struct jl_backoff backoff = { 1, 300 }; /* s */

#define SLACK 1e-9 /* relative, so that sums of decimals do not refuse */

const struct jl_words jl_rollout_state_words = JL_WORDS({
    { JL_ROLLOUT_IDLE, "Idle" },
    { JL_ROLLOUT_RESERVING, "Reserving" },
    { JL_ROLLOUT_PATCHING, "Patching" },
    { JL_ROLLOUT_APPLIED, "Applied" },
    { JL_ROLLOUT_ROLLING_BACK, "RollingBack" },
    { JL_ROLLOUT_DRIFTED, "Drifted" },
});

const struct jl_words jl_rollout_direction_words = JL_WORDS({
    /* reasons of the source's events */
    { JL_ROLLOUT_UP, "ResourceScaledUp" },
    { JL_ROLLOUT_DOWN, "ResourceScaledDown" },
});

int64_t jl_rollout_wait_ns(uint32_t failures, double u)
{
    const double wait_s = jl_backoff_s(&backoff, failures > 0 ? failures - 1 : 0);
    return (int64_t)(wait_s * (1 - JITTER + 2 * JITTER * u) * NS_PER_S);
}

/* ---- amounts ---- */

static bool is_target(unsigned targets, unsigned usage)
{
    return (targets >> usage & 1) != 0;
}

/* Non-targeted resources keep the worker's own values. */
static struct jl_amounts aim(const struct jl_rollout *rollout,
                             const struct jl_rollout_worker *worker)
{
    struct jl_amounts amounts = worker->carried;
    for (unsigned u = 0; u < JL_USAGES; u++) {
        const struct jl_amount_pair *wanted = &rollout->wanted.of[u];
        if (!is_target(rollout->targets, u))
            continue;
        if (wanted->request > 0)
            amounts.of[u].request = wanted->request;
        if (wanted->limit > 0)
            amounts.of[u].limit = wanted->limit;
    }
    return amounts;
}

/* Up when a request grows; limits decide when no request changes. */
static enum jl_rollout_direction direction_of(const struct jl_amounts *from,
                                              const struct jl_amounts *to)
{
    bool is_changed = false;
    bool is_limit_grown = false;
    for (unsigned u = 0; u < JL_USAGES; u++) {
        const struct jl_amount_pair *old = &from->of[u];
        if (to->of[u].request > old->request)
            return JL_ROLLOUT_UP;
        is_changed |= to->of[u].request < old->request;
        is_limit_grown |= to->of[u].limit > old->limit;
    }
    return is_limit_grown && !is_changed ? JL_ROLLOUT_UP : JL_ROLLOUT_DOWN;
}

/* ---- the accounting ---- */

static void book(struct jl_rollout *rollout, struct jl_rollout_worker *worker,
                 const struct jl_amounts *amounts)
{
    const double gpus = (double)worker->gpu_count;
    for (unsigned u = 0; u < JL_USAGES; u++) {
        struct jl_amount_pair *used = &rollout->quota.used.of[u];
        const double request = amounts->of[u].request - worker->booked.of[u].request;
        const double limit = amounts->of[u].limit - worker->booked.of[u].limit;
        for (size_t i = 0; i < worker->gpu_count && worker->gpus != NULL; i++)
            rollout->gpus[worker->gpus[i]].available[u] -= request;
        used->request += request * gpus;
        used->limit += limit * gpus;
    }
    worker->booked = *amounts;
}

static bool is_over(double value, double bound)
{
    return bound > 0 && value > bound + SLACK * bound;
}

/* Only what grows can be refused: less always fits. */
static bool fits_quota(const struct jl_rollout_quota *quota, unsigned usage, double gpus,
                       const struct jl_amount_pair *from, const struct jl_amount_pair *to)
{
    const struct jl_amount_pair *single = &quota->single.of[usage];
    const struct jl_amount_pair *total = &quota->total.of[usage];
    const struct jl_amount_pair *used = &quota->used.of[usage];
    const double request = to->request - from->request;
    const double limit = to->limit - from->limit;
    if (request > 0 && (is_over(to->request, single->request) ||
                        is_over(used->request + request * gpus, total->request)))
        return false;
    return !(limit > 0 && (is_over(to->limit, single->limit) ||
                           is_over(used->limit + limit * gpus, total->limit)));
}

static bool fits_gpus(const struct jl_rollout *rollout, const struct jl_rollout_worker *worker,
                      unsigned usage, double request)
{
    const double growth = request - worker->booked.of[usage].request;
    if (growth <= 0 || worker->gpus == NULL)
        return true;
    for (size_t i = 0; i < worker->gpu_count; i++) {
        if (growth > rollout->gpus[worker->gpus[i]].available[usage] + SLACK * request)
            return false;
    }
    return true;
}

static bool fits(const struct jl_rollout *rollout, const struct jl_rollout_worker *worker,
                 const struct jl_amounts *amounts)
{
    const double gpus = (double)worker->gpu_count;
    for (unsigned u = 0; u < JL_USAGES; u++) {
        if (!fits_quota(&rollout->quota, u, gpus, &worker->booked.of[u], &amounts->of[u]) ||
            !fits_gpus(rollout, worker, u, amounts->of[u].request))
            return false;
    }
    return true;
}

/* ---- one worker ---- */

static void begin(struct jl_rollout *rollout, uint32_t index)
{
    struct jl_rollout_worker *worker = &rollout->workers[index];
    const struct jl_amounts wanted = aim(rollout, worker);
    worker->state = JL_ROLLOUT_RESERVING;
    if (!fits(rollout, worker, &wanted)) {
        worker->state = JL_ROLLOUT_IDLE;
        worker->reason = JL_REASON_INSUFFICIENT_CAPACITY;
        worker->is_refused = true;
        return;
    }
    worker->before = worker->booked;
    worker->wanted = wanted;
    book(rollout, worker, &wanted);
    worker->state = JL_ROLLOUT_PATCHING;
    worker->reason = JL_REASON_NONE;
    rollout->patches[rollout->patch_count++] =
        (struct jl_rollout_patch){ index, direction_of(&worker->carried, &wanted), wanted };
}

static void settle(struct jl_rollout_worker *worker)
{
    worker->state = JL_ROLLOUT_APPLIED;
    worker->reason = JL_REASON_NONE;
    worker->failures = 0;
}

/* Whether a patch may begin now; a worker that has all it needs is settled on the way. */
static bool is_ready(const struct jl_rollout *rollout, struct jl_rollout_worker *worker,
                     int64_t now_ns)
{
    if (worker->is_dedicated || worker->state == JL_ROLLOUT_PATCHING ||
        worker->state == JL_ROLLOUT_DRIFTED)
        return false;
    const struct jl_amounts wanted = aim(rollout, worker);
    if (jl_amounts_are_same(&wanted, &worker->carried)) {
        settle(worker);
        return false;
    }
    if (worker->state == JL_ROLLOUT_APPLIED)
        worker->state = JL_ROLLOUT_IDLE;
    return !worker->is_refused && (worker->failures == 0 || now_ns >= worker->retry_ns);
}

/* Shrinking workers first, so that what they free can be used in the same pass. */
static int compare_workers(const void *a, const void *b, void *user)
{
    const struct jl_rollout *rollout = user;
    const struct jl_rollout_worker *left = &rollout->workers[*(const uint32_t *)a];
    const struct jl_rollout_worker *right = &rollout->workers[*(const uint32_t *)b];
    const struct jl_amounts left_aim = aim(rollout, left);
    const struct jl_amounts right_aim = aim(rollout, right);
    const enum jl_rollout_direction left_way = direction_of(&left->carried, &left_aim);
    const enum jl_rollout_direction right_way = direction_of(&right->carried, &right_aim);
    if (left_way != right_way)
        return left_way == JL_ROLLOUT_DOWN ? -1 : 1;
    return jl_compare(left->name, right->name);
}

static void begin_all(struct jl_rollout *rollout, int64_t now_ns)
{
    size_t count = 0;
    for (uint32_t i = 0; i < rollout->worker_count; i++) {
        if (is_ready(rollout, &rollout->workers[i], now_ns))
            rollout->order[count++] = i;
    }
    jl_sort_with(rollout->order, count, sizeof *rollout->order, compare_workers, rollout,
                 rollout->scratch);
    for (size_t i = 0; i < count; i++)
        begin(rollout, rollout->order[i]);
}

static void add_event(struct jl_rollout *rollout, enum jl_rollout_direction direction,
                      const char *worker, int64_t now_ns)
{
    const size_t way = direction - JL_ROLLOUT_UP;
    if (rollout->has_event[way] && now_ns - rollout->event_ns[way] < EVENT_NS)
        return;
    rollout->has_event[way] = true;
    rollout->event_ns[way] = now_ns;
    rollout->events[rollout->event_count++] = (struct jl_rollout_event){ direction, worker };
}

/* Another worker may have taken what this one gave up; then the accounts keep the new amounts until
 * the annotations are read again. */
static void roll_back(struct jl_rollout *rollout, struct jl_rollout_worker *worker, int64_t now_ns)
{
    worker->state = JL_ROLLOUT_ROLLING_BACK;
    worker->failures++;
    struct jl_random random = { rollout->seed ^ jl_hash(worker->name, jl_text(worker->name).len) ^
                                worker->failures };
    worker->retry_ns = now_ns + jl_rollout_wait_ns(worker->failures, jl_random_unit(&random));
    if (!fits(rollout, worker, &worker->before)) {
        worker->state = JL_ROLLOUT_DRIFTED;
        worker->reason = JL_REASON_DRIFTED;
        return;
    }
    book(rollout, worker, &worker->before);
    worker->state = JL_ROLLOUT_IDLE;
    worker->reason = JL_REASON_ROLLED_BACK;
}

/* What status keeps is what every worker carries, not what was proposed. */
static void note_applied(struct jl_rollout *rollout)
{
    size_t counted = 0;
    const size_t applied = jl_rollout_applied(rollout, &counted);
    if (counted == 0 || applied < counted)
        return;
    rollout->has_applied = true;
    rollout->applied = rollout->wanted;
}

/* ---- steps ---- */

int jl_rollout_init(struct jl_rollout *rollout, struct jl_arena *arena)
{
    rollout->patches = JL_NEW_ARRAY(arena, rollout->worker_count, struct jl_rollout_patch);
    rollout->order = JL_NEW_ARRAY(arena, rollout->worker_count, uint32_t);
    rollout->scratch = JL_NEW_ARRAY(arena, rollout->worker_count, uint32_t);
    if (rollout->patches == NULL || rollout->order == NULL || rollout->scratch == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < rollout->worker_count; i++) {
        rollout->workers[i].booked = rollout->workers[i].carried;
        rollout->workers[i].state = JL_ROLLOUT_IDLE;
    }
    return 0;
}

static void clear_answers(struct jl_rollout *rollout)
{
    rollout->patch_count = 0;
    rollout->event_count = 0;
}

void jl_rollout_evaluate(struct jl_rollout *rollout, const struct jl_amounts *wanted,
                         unsigned targets, int64_t now_ns)
{
    clear_answers(rollout);
    rollout->has_wanted = true;
    rollout->wanted = *wanted;
    rollout->targets = targets;
    for (size_t i = 0; i < rollout->worker_count; i++)
        rollout->workers[i].is_refused = false;
    begin_all(rollout, now_ns);
    note_applied(rollout);
}

void jl_rollout_tick(struct jl_rollout *rollout, int64_t now_ns)
{
    clear_answers(rollout);
    for (size_t i = 0; i < rollout->worker_count; i++) {
        struct jl_rollout_worker *worker = &rollout->workers[i];
        if (worker->state != JL_ROLLOUT_DRIFTED)
            continue;
        book(rollout, worker, &worker->carried);
        worker->state = JL_ROLLOUT_IDLE;
        worker->reason = JL_REASON_NONE;
    }
    if (!rollout->has_wanted)
        return;
    begin_all(rollout, now_ns);
    note_applied(rollout);
}

void jl_rollout_patched(struct jl_rollout *rollout, size_t index, bool is_done, int64_t now_ns)
{
    struct jl_rollout_worker *worker = &rollout->workers[index];
    clear_answers(rollout);
    if (worker->state != JL_ROLLOUT_PATCHING)
        return;
    if (!is_done) {
        roll_back(rollout, worker, now_ns);
        return;
    }
    add_event(rollout, direction_of(&worker->carried, &worker->wanted), worker->name, now_ns);
    worker->carried = worker->wanted;
    worker->state = JL_ROLLOUT_IDLE;
    worker->failures = 0;
    const struct jl_amounts wanted = aim(rollout, worker);
    if (jl_amounts_are_same(&wanted,
                            &worker->carried)) /* else a newer recommendation came meanwhile */
        settle(worker);
    note_applied(rollout);
}

void jl_rollout_observe(struct jl_rollout *rollout, size_t index, const struct jl_amounts *carried)
{
    struct jl_rollout_worker *worker = &rollout->workers[index];
    clear_answers(rollout);
    if (worker->state == JL_ROLLOUT_PATCHING)
        return;
    worker->carried = *carried;
    if (worker->state != JL_ROLLOUT_DRIFTED) /* a drifted one waits for its tick */
        book(rollout, worker, carried);
    if (worker->state == JL_ROLLOUT_APPLIED)
        worker->state = JL_ROLLOUT_IDLE;
}

size_t jl_rollout_applied(const struct jl_rollout *rollout, size_t *out_counted)
{
    size_t applied = 0;
    size_t counted = 0;
    for (size_t i = 0; i < rollout->worker_count; i++) {
        const struct jl_rollout_worker *worker = &rollout->workers[i];
        const struct jl_amounts wanted = aim(rollout, worker);
        counted += !worker->is_dedicated;
        applied += !worker->is_dedicated && rollout->has_wanted &&
                   worker->state != JL_ROLLOUT_PATCHING &&
                   jl_amounts_are_same(&wanted, &worker->carried);
    }
    *out_counted = counted;
    return applied;
}
