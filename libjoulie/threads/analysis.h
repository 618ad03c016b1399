/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is found out about the threads of a workload (docs/rules/threads-training.md#analysis). */

#include <stdint.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "threads/features.h"

#define JL_ANALYSIS_SEED 42            /* unless another is asked for */
#define JL_ANALYSIS_MOST_THREADS 16384 /* that are clustered: each is compared with each */

#ifdef JL_THREAD_ANALYSIS_TABLES
#define RECORD_TABLES
#endif
#define RECORD jl_thread_cluster
#define MEMBERS                                                                                \
    ENUM(role, "class", jl_thread_role, jl_thread_role_words, "Role of the threads together.") \
    NUMBERS(tids, "tids", "Its threads, by name and tid.", AS_INT32)                           \
    NUMBER(util_sum, "util_sum", "CPU time of all of them per time.", NOT_NEGATIVE)
#include "schema/shared_record.h"

#define RECORD jl_thread_analysis
#define MEMBERS                                                                                  \
    STRING(format, "format", "What was read: features, ftrace, perf, perfetto or chrome.")       \
    NUMBER(trace_us, "trace_us", "Length of the trace, us.", NOT_NEGATIVE)                       \
    INTEGER(switches, "switches", "Switches from thread to thread that it has.", NOT_NEGATIVE)   \
    NUMBER(coverage, "coverage", "Share of switches that fit the one before.", BETWEEN(0, 1))    \
    BOOLEAN(is_lossy, "lossy", "true where that is below 0.98: some events are missing.")        \
    LIST(threads, "threads", jl_thread_features, "Threads, by tid.", REQUIRED)                   \
    INTEGER(k, "k", "Number of clusters.", NOT_NEGATIVE)                                         \
    NUMBER(silhouette, "silhouette", "How well they are apart, -1 to 1.", BETWEEN(-1, 1))        \
    NUMBER(inertia, "inertia", "Squared distances to the middle of the clusters.", NOT_NEGATIVE) \
    INTEGER(seed, "seed", "Of the search.")                                                      \
    LIST(clusters, "clusters", jl_thread_cluster,                                                \
         "Threads that behave alike, most CPU time first.")                                      \
    NUMBERS(sporadic, "sporadic", "Threads that hardly run, by name and tid.", AS_INT32)
#include "schema/shared_record.h"
#undef RECORD_TABLES

/*
 * Completes an analysis of which format and threads are there: their order by tid, their roles,
 * the clusters. Threads with is_foreign are listed and left alone. JOULIE_E_CONFLICT: two threads
 * of one tid; JOULIE_E_LIMIT: more busy threads than JL_ANALYSIS_MOST_THREADS; JOULIE_E_NOMEM.
 */
int jl_thread_analyze(struct jl_arena *arena, uint64_t seed, struct jl_thread_analysis *analysis,
                      struct joulie_error *err);
