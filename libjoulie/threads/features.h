/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What is known of how a thread behaves, and the role that follows from it
 * (docs/rules/threads-training.md#features, #roles).
 */

#include <stdbool.h>

#include "kinds/thread_profile.h"

/* A feature that was not seen is absent, never 0. */
#ifdef JL_THREAD_FEATURES_TABLES
#define RECORD_TABLES
#endif
#define RECORD jl_thread_features
#define MEMBERS                                                                                  \
    INTEGER(tid, "tid", "Thread id.", REQUIRED, NOT_NEGATIVE)                                    \
    STRING(comm, "comm", "Name of the thread.", REQUIRED)                                        \
    NUMBER(run_us, "run_us", "CPU time in the trace, us.", NOT_NEGATIVE)                         \
    NUMBER(util, "util", "CPU time per time; 1 is a whole CPU.", REQUIRED, NOT_NEGATIVE)         \
    NUMBER(rate, "rate", "Voluntary sleeps per second.", REQUIRED, NOT_NEGATIVE)                 \
    NUMBER(p50, "p50", "Median CPU time between two sleeps, us.", NOT_NEGATIVE)                  \
    NUMBER(p99, "p99", "Its 99th percentile, us.", NOT_NEGATIVE)                                 \
    NUMBER(io, "io", "Share of sleeps that wait for a device.", BETWEEN(0, 1))                   \
    NUMBER(                                                                                      \
        relay, "relay",                                                                          \
        "Share of sleeps whose burst was started by a thread of the workload and woke another.", \
        BETWEEN(0, 1))                                                                           \
    NUMBER(irq, "irq", "Share of its wake-ups that came from an interrupt.", BETWEEN(0, 1))      \
    NUMBER(out, "out", "Threads that it wakes, per second.", NOT_NEGATIVE)                       \
    NUMBER(invol, "invol", "Share of its switches that were preemptions.", BETWEEN(0, 1))        \
    NUMBER(lat50, "lat50", "Median time from a wake-up to a CPU, us.", NOT_NEGATIVE)             \
    NUMBER(lat99, "lat99", "Its 99th percentile, us.", NOT_NEGATIVE)                             \
    ENUM(role, "class", jl_thread_role, jl_thread_role_words, "Role of the thread.")             \
    HOLDS(bool, is_foreign) /* of another workload */
#include "schema/shared_record.h"
#undef RECORD_TABLES

/* p50, or what comes closest: the mean burst, or all CPU time of a thread that never slept. NAN
 * when nothing is known. */
double jl_thread_burst_us(const struct jl_thread_features *features);

/* The number of the first rule that holds, 1 to 6. */
int jl_thread_rule(const struct jl_thread_features *features);
enum jl_thread_role jl_thread_rule_role(int rule);

/* ---- a thread that is watched without a trace ---- */

#define JL_THREAD_STATE_SAMPLES 60 /* the newest that count */

struct jl_thread_window { /* what changed within it */
    double window_s;      /* above 0 */
    double run_s;
    double wait_s; /* runnable without a CPU */
    double slices;
    double voluntary; /* sleeps; has_voluntary, else slices stand for them */
    double involuntary;
    bool has_voluntary, has_involuntary;
    struct jl_text states; /* letters of sampled states, oldest first */
};

struct jl_thread_live {
    struct jl_thread_features features; /* util, rate, p50 (of the mean burst), io, relay, invol */
    double wait_us;                     /* mean */
};

void jl_thread_watch(const struct jl_thread_window *window, struct jl_thread_live *out);
