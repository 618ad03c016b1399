/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What each thread did, from the events of a scheduler in the order of time
 * (docs/rules/threads-training.md#reconstruction). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "threads/analysis.h"

#define JL_COMM 16               /* bytes of a name, with zeros behind it */
#define JL_REPLAY_MOST_CPUS 4096 /* their numbers are below it */
#define JL_REPLAY_MOST_THREADS 65536

enum jl_event_kind {
    JL_EVENT_NONE,   /* of no interest */
    JL_EVENT_SWITCH, /* tid leaves the CPU in a state, other gets it */
    JL_EVENT_IN,     /* a table has both halves of a switch apart */
    JL_EVENT_OUT,
    JL_EVENT_WAKE,   /* tid wakes other */
    JL_EVENT_FORK,   /* tid makes other */
    JL_EVENT_RENAME, /* of tid */
    JL_EVENT_LOST,   /* count of events that were lost */
};

struct jl_event {
    int64_t ns;
    uint32_t tid;
    uint32_t other;
    uint32_t count;
    uint16_t cpu;
    uint8_t kind;
    bool is_irq;              /* a wake-up by an interrupt */
    char state;               /* first letter of the state that tid is left in; R is runnable */
    char comm[JL_COMM];       /* of tid: SWITCH, IN, RENAME */
    char other_comm[JL_COMM]; /* SWITCH, WAKE, FORK */
};

struct jl_replay;

struct jl_replay *jl_replay_new(void); /* NULL when memory ran out */
void jl_replay_free(struct jl_replay *replay);

/* The events do not say which wake-ups are of an interrupt: only those within the workload are
 * believed. */
void jl_replay_hide_interrupts(struct jl_replay *replay);

/* The threads of the workload at the start; without any, all threads are of it. 0,
 * JOULIE_E_LIMIT (threads) or JOULIE_E_NOMEM, as jl_replay_event(). */
int jl_replay_add_member(struct jl_replay *replay, uint32_t tid);
int jl_replay_event(struct jl_replay *replay, const struct jl_event *event);

/* Ends what still runs and fills trace_us, switches, coverage and threads. JOULIE_E_NOMEM, or
 * JOULIE_E_PARSE without two events at different times. */
int jl_replay_end(struct jl_replay *replay, struct jl_arena *arena, struct jl_thread_analysis *out,
                  struct joulie_error *err);
