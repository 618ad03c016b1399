/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Threads out of events (docs/rules/threads-training.md#reconstruction). Memory grows with the
 * number of threads, not with that of events. Called by capture.c.
 */

#include "threads/replay.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "threads/samples.h"

#define NS_PER_US 1000.0
#define NS_PER_S 1e9
#define FIRST_SLOTS 256
#define NOBODY UINT32_MAX /* index of the idle thread, and of none */

enum thread_state {
    STATE_UNKNOWN, /* nothing was seen of it that tells */
    STATE_RUNNING,
    STATE_PREEMPTED,
    STATE_WOKEN, /* and not yet on a CPU */
    STATE_ASLEEP,
};

struct thread {
    uint32_t tid;
    enum thread_state state;
    bool is_member;
    bool is_seen; /* an event tells of it */
    bool sleeps_for_device;
    bool has_burst;          /* its start was seen */
    bool is_burst_of_member; /* a thread of the workload started it */
    bool has_woken_member;   /* in this burst */
    bool is_waker_member;    /* of the wake-up that it waits to run for */
    char comm[JL_COMM];
    int64_t since_ns; /* it runs, or since it was woken */
    int64_t run_ns;
    int64_t burst_ns;
    uint64_t voluntary, involuntary;
    uint64_t sleeps, device_sleeps; /* whose end was seen */
    uint64_t wakes, irq_wakes;      /* received */
    uint64_t woken;                 /* others, by it */
    uint64_t relays;
    struct jl_samples bursts;
    struct jl_samples latencies;
};

struct cpu {
    bool is_known;  /* a switch was seen */
    uint32_t tid;   /* that runs; has_thread false for idle */
    uint32_t index; /* of its thread, NOBODY for idle */
};

struct jl_replay {
    struct thread *threads;
    size_t count;
    size_t capacity;
    uint32_t *slots; /* index + 1 by hash of tid, 0 = free */
    size_t slot_count;
    struct cpu *cpus; /* JL_REPLAY_MOST_CPUS of them */
    bool has_members; /* else every thread is one */
    bool hides_interrupts;
    bool has_started;
    int64_t first_ns;
    int64_t last_ns;
    uint64_t switches;
    uint64_t mismatches;
};

/* ---- threads by number ---- */

static size_t slot_of(uint32_t tid, size_t slot_count)
{
    return (size_t)(((uint64_t)tid * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (slot_count - 1);
}

static void put_slot(uint32_t *slots, size_t slot_count, uint32_t tid, size_t index)
{
    size_t at = slot_of(tid, slot_count);
    while (slots[at] != 0)
        at = (at + 1) & (slot_count - 1);
    slots[at] = (uint32_t)index + 1;
}

static int grow_slots(struct jl_replay *replay)
{
    const size_t slot_count = replay->slot_count > 0 ? 2 * replay->slot_count : FIRST_SLOTS;
    uint32_t *slots = jl_calloc(slot_count, sizeof *slots);
    if (slots == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < replay->count; i++)
        put_slot(slots, slot_count, replay->threads[i].tid, i);
    jl_free(replay->slots);
    replay->slots = slots;
    replay->slot_count = slot_count;
    return 0;
}

static int add_thread(struct jl_replay *replay, uint32_t tid, uint32_t *out)
{
    int rc = 0;
    if (replay->count == JL_REPLAY_MOST_THREADS)
        return JOULIE_E_LIMIT;
    if (2 * (replay->count + 1) > replay->slot_count)
        rc = grow_slots(replay);
    if (rc == 0)
        rc = JL_GROW(&replay->threads, &replay->capacity, replay->count + 1);
    if (rc < 0)
        return rc;
    *out = (uint32_t)replay->count;
    put_slot(replay->slots, replay->slot_count, tid, replay->count);
    replay->threads[replay->count++] =
        (struct thread){ .tid = tid, .is_member = !replay->has_members, .is_seen = true };
    return 0;
}

/* The thread of a number, new where it was not seen before; NOBODY for idle. */
static int find(struct jl_replay *replay, uint32_t tid, uint32_t *out)
{
    *out = NOBODY;
    if (tid == 0)
        return 0;
    if (replay->slot_count > 0) {
        size_t at = slot_of(tid, replay->slot_count);
        for (; replay->slots[at] != 0; at = (at + 1) & (replay->slot_count - 1)) {
            if (replay->threads[replay->slots[at] - 1].tid == tid) {
                *out = replay->slots[at] - 1;
                replay->threads[*out].is_seen = true;
                return 0;
            }
        }
    }
    return add_thread(replay, tid, out);
}

static void name(struct thread *thread, const char comm[JL_COMM])
{
    if (comm[0] != 0)
        memcpy(thread->comm, comm, JL_COMM);
}

/* ---- what happens to a thread ---- */

/* What it did since was not seen. */
static void lose(struct thread *thread)
{
    thread->state = STATE_UNKNOWN;
    thread->has_burst = false;
}

static int get_cpu(struct thread *thread, int64_t ns)
{
    int rc = 0;
    switch (thread->state) {
    case STATE_WOKEN:
        rc = jl_samples_add(&thread->latencies, (uint64_t)(ns - thread->since_ns));
        thread->has_burst = true;
        thread->is_burst_of_member = thread->is_waker_member;
        break;
    case STATE_ASLEEP: /* its wake-up was not seen */
        thread->has_burst = true;
        thread->is_burst_of_member = false;
        break;
    case STATE_PREEMPTED:
        break;
    case STATE_UNKNOWN: /* perhaps in the middle of a burst */
    case STATE_RUNNING: /* on another CPU, whose switch was not seen */
        thread->has_burst = false;
        break;
    }
    if (thread->state != STATE_PREEMPTED) {
        thread->burst_ns = 0;
        thread->has_woken_member = false;
    }
    thread->state = STATE_RUNNING;
    thread->since_ns = ns;
    return rc;
}

static int leave_cpu(struct thread *thread, int64_t ns, char state)
{
    int rc = 0;
    if (thread->state == STATE_RUNNING) {
        thread->run_ns += ns - thread->since_ns;
        thread->burst_ns += ns - thread->since_ns;
    } else {
        thread->has_burst = false;
    }
    if (state == 'R') {
        thread->involuntary++;
        thread->state = STATE_PREEMPTED;
        return 0;
    }
    thread->voluntary++;
    if (thread->has_burst)
        rc = jl_samples_add(&thread->bursts, (uint64_t)thread->burst_ns);
    if (thread->has_burst && thread->is_burst_of_member && thread->has_woken_member)
        thread->relays++;
    thread->has_burst = false;
    thread->state = STATE_ASLEEP;
    thread->sleeps_for_device = state == 'D';
    return rc;
}

static void wake(struct thread *thread, struct thread *waker, int64_t ns, bool is_believed)
{
    const bool is_inside = waker != NULL && waker->is_member && thread->is_member;
    if (thread->state != STATE_ASLEEP && thread->state != STATE_UNKNOWN)
        return; /* it is runnable already */
    if (thread->state == STATE_ASLEEP) {
        thread->sleeps++;
        thread->device_sleeps += thread->sleeps_for_device;
    }
    thread->state = STATE_WOKEN;
    thread->since_ns = ns;
    thread->is_waker_member = is_inside;
    thread->wakes++;
    thread->irq_wakes += waker == NULL;
    if (waker == NULL || !(is_believed || is_inside))
        return;
    waker->woken++;
    waker->has_woken_member = waker->has_woken_member || is_inside;
}

/* ---- events ---- */

/* tid leaves the CPU: whoever was seen to get it has to be the same. */
static int put_out(struct jl_replay *replay, const struct jl_event *event)
{
    struct cpu *cpu = &replay->cpus[event->cpu];
    uint32_t index = cpu->index;
    if (cpu->is_known && cpu->tid != event->tid) {
        replay->mismatches += event->kind == JL_EVENT_SWITCH; /* rows of a table are whole */
        if (index != NOBODY)
            lose(&replay->threads[index]);
    }
    if (!cpu->is_known || cpu->tid != event->tid) {
        const int rc = find(replay, event->tid, &index);
        if (rc < 0)
            return rc;
    }
    if (index == NOBODY)
        return 0;
    struct thread *thread = &replay->threads[index];
    name(thread, event->comm);
    if (!cpu->is_known && thread->state == STATE_UNKNOWN) { /* it ran when the trace began */
        thread->state = STATE_RUNNING;
        thread->since_ns = replay->first_ns;
    }
    return leave_cpu(thread, event->ns, event->state);
}

static int put_in(struct jl_replay *replay, uint32_t tid, const char *comm, uint16_t at, int64_t ns)
{
    struct cpu *cpu = &replay->cpus[at];
    const int rc = find(replay, tid, &cpu->index);
    cpu->is_known = true;
    cpu->tid = tid;
    if (rc < 0 || cpu->index == NOBODY)
        return rc;
    name(&replay->threads[cpu->index], comm);
    return get_cpu(&replay->threads[cpu->index], ns);
}

static int put_switch(struct jl_replay *replay, const struct jl_event *event)
{
    replay->switches++;
    const int rc = put_out(replay, event);
    return rc < 0 ? rc : put_in(replay, event->other, event->other_comm, event->cpu, event->ns);
}

static int put_wake(struct jl_replay *replay, const struct jl_event *event)
{
    uint32_t waker = NOBODY;
    uint32_t thread;
    int rc = find(replay, event->other, &thread);
    if (rc == 0 && !event->is_irq)
        rc = find(replay, event->tid, &waker);
    if (rc < 0 || thread == NOBODY)
        return rc;
    name(&replay->threads[thread], event->other_comm);
    wake(&replay->threads[thread], waker != NOBODY ? &replay->threads[waker] : NULL, event->ns,
         !replay->hides_interrupts);
    return 0;
}

static int put_fork(struct jl_replay *replay, const struct jl_event *event)
{
    uint32_t parent;
    uint32_t child;
    int rc = find(replay, event->tid, &parent);
    if (rc == 0)
        rc = find(replay, event->other, &child);
    if (rc < 0 || child == NOBODY)
        return rc;
    name(&replay->threads[child], event->other_comm);
    if (parent != NOBODY && replay->threads[parent].is_member)
        replay->threads[child].is_member = true;
    return 0;
}

static int put_rename(struct jl_replay *replay, const struct jl_event *event)
{
    uint32_t thread;
    const int rc = find(replay, event->tid, &thread);
    if (rc == 0 && thread != NOBODY)
        name(&replay->threads[thread], event->comm);
    return rc;
}

int jl_replay_event(struct jl_replay *replay, const struct jl_event *event)
{
    if (event->kind == JL_EVENT_LOST) {
        replay->mismatches += event->count;
        return 0;
    }
    if (!replay->has_started)
        replay->first_ns = event->ns;
    replay->has_started = true;
    replay->last_ns = event->ns;
    switch ((enum jl_event_kind)event->kind) {
    case JL_EVENT_SWITCH:
        return put_switch(replay, event);
    case JL_EVENT_IN:
        return put_in(replay, event->tid, event->comm, event->cpu, event->ns);
    case JL_EVENT_OUT:
        replay->switches++;
        return put_out(replay, event);
    case JL_EVENT_WAKE:
        return put_wake(replay, event);
    case JL_EVENT_FORK:
        return put_fork(replay, event);
    case JL_EVENT_RENAME:
        return put_rename(replay, event);
    case JL_EVENT_NONE:
    case JL_EVENT_LOST:
        break;
    }
    return 0;
}

/* ---- begin and end ---- */

struct jl_replay *jl_replay_new(void)
{
    struct jl_replay *replay = jl_calloc(1, sizeof *replay);
    if (replay != NULL)
        replay->cpus = jl_calloc(JL_REPLAY_MOST_CPUS, sizeof *replay->cpus);
    if (replay != NULL && replay->cpus == NULL) {
        jl_free(replay);
        return NULL;
    }
    return replay;
}

void jl_replay_hide_interrupts(struct jl_replay *replay)
{
    replay->hides_interrupts = true;
}

void jl_replay_free(struct jl_replay *replay)
{
    if (replay == NULL)
        return;
    for (size_t i = 0; i < replay->count; i++) {
        jl_samples_clear(&replay->threads[i].bursts);
        jl_samples_clear(&replay->threads[i].latencies);
    }
    jl_free(replay->threads);
    jl_free(replay->slots);
    jl_free(replay->cpus);
    jl_free(replay);
}

int jl_replay_add_member(struct jl_replay *replay, uint32_t tid)
{
    uint32_t index;
    replay->has_members = true;
    const int rc = find(replay, tid, &index);
    if (rc == 0 && index != NOBODY) {
        replay->threads[index].is_member = true;
        replay->threads[index].is_seen = false;
    }
    return rc;
}

static int put_percentiles(struct jl_samples *samples, double *out_50_us, double *out_99_us)
{
    int rc = samples->count > 0 ? jl_samples_percentile(samples, 50, out_50_us) : 0;
    if (rc == 0 && samples->count > 0)
        rc = jl_samples_percentile(samples, 99, out_99_us);
    *out_50_us /= NS_PER_US;
    *out_99_us /= NS_PER_US;
    return rc;
}

/* A name as text: a byte that is no UTF-8 becomes the mark of one. */
static const char *text_of(const char comm[JL_COMM], struct jl_arena *arena)
{
    static const char mark[] = "\xEF\xBF\xBD";
    char text[JL_COMM * (sizeof mark - 1)];
    size_t used = 0;
    for (size_t at = 0, len; at < JL_COMM && comm[at] != 0; at += len) {
        for (len = 1; len < 4 && at + len < JL_COMM && !jl_utf8_valid(comm + at, len);)
            len++;
        const bool is_valid = jl_utf8_valid(comm + at, len);
        len = is_valid ? len : 1;
        const size_t put = is_valid ? len : sizeof mark - 1;
        memcpy(text + used, is_valid ? comm + at : mark, put);
        used += put;
    }
    return jl_arena_copy(arena, text, used);
}

static int put_thread(struct thread *thread, struct jl_arena *arena, double trace_ns, bool has_irq,
                      struct jl_thread_features *out)
{
    const double trace_s = trace_ns / NS_PER_S;
    const double voluntary = (double)thread->voluntary;
    const double switches = voluntary + (double)thread->involuntary;
    const bool has_bursts = thread->bursts.count > 0;
    const bool has_latencies = thread->latencies.count > 0;
    int rc = put_percentiles(&thread->bursts, &out->p50, &out->p99);
    if (rc == 0)
        rc = put_percentiles(&thread->latencies, &out->lat50, &out->lat99);
    const char *comm = text_of(thread->comm, arena);
    if (rc < 0 || comm == NULL)
        return JOULIE_E_NOMEM;
    out->is_foreign = !thread->is_member;
    out->given.p50 = out->given.p99 = has_bursts;
    out->given.lat50 = out->given.lat99 = has_latencies;
    JL_SET(out, tid, thread->tid);
    JL_SET(out, comm, comm);
    JL_SET(out, run_us, (double)thread->run_ns / NS_PER_US);
    JL_SET(out, util, (double)thread->run_ns / trace_ns);
    JL_SET(out, rate, voluntary / trace_s);
    JL_SET_IF(out, io, thread->sleeps > 0,
              (double)thread->device_sleeps / jl_max(1, (double)thread->sleeps));
    JL_SET_IF(out, relay, thread->voluntary > 0, (double)thread->relays / jl_max(1, voluntary));
    JL_SET_IF(out, irq, thread->wakes > 0,
              has_irq ? (double)thread->irq_wakes / jl_max(1, (double)thread->wakes) : 0);
    JL_SET(out, out, (double)thread->woken / trace_s);
    JL_SET_IF(out, invol, switches > 0, (double)thread->involuntary / jl_max(1, switches));
    return 0;
}

static void end_runs(struct jl_replay *replay)
{
    for (size_t i = 0; i < replay->count; i++) {
        struct thread *thread = &replay->threads[i];
        if (thread->state == STATE_RUNNING)
            thread->run_ns += replay->last_ns - thread->since_ns;
    }
}

int jl_replay_end(struct jl_replay *replay, struct jl_arena *arena, struct jl_thread_analysis *out,
                  struct joulie_error *err)
{
    const double trace_ns = (double)(replay->last_ns - replay->first_ns);
    struct jl_thread_features *threads =
        JL_NEW_ARRAY(arena, replay->count, struct jl_thread_features);
    size_t count = 0;
    if (threads == NULL)
        return jl_fail_memory(err);
    if (trace_ns <= 0 || replay->switches == 0)
        return jl_fail(err, JOULIE_E_PARSE, "trace",
                       "E_TRACE_FORMAT: no switch of threads and no time passes in it");
    end_runs(replay);
    for (size_t i = 0; i < replay->count; i++) {
        if (!replay->threads[i].is_seen)
            continue;
        if (put_thread(&replay->threads[i], arena, trace_ns, !replay->hides_interrupts,
                       &threads[count++]) < 0)
            return jl_fail_memory(err);
    }
    JL_SET(out, trace_us, trace_ns / NS_PER_US);
    JL_SET(out, switches, (int64_t)replay->switches);
    JL_SET(out, coverage, jl_unit(1 - (double)replay->mismatches / (double)replay->switches));
    JL_SET(out, threads, ((struct jl_list){ threads, count }));
    return 0;
}
