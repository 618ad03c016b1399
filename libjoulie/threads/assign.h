/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which threads of a workload form which group of its profile. Rules:
 * docs/rules/threads.md#groups. */

#include "base/arena.h"
#include "kinds/thread_profile.h"

/* Policies of the kernel's scheduler. */
enum jl_sched_policy {
    JL_SCHED_UNKNOWN,
    JL_SCHED_NORMAL,
    JL_SCHED_BATCH,
    JL_SCHED_IDLE,
    JL_SCHED_FIFO,
    JL_SCHED_RR,
    JL_SCHED_DEADLINE,
};

extern const struct jl_words jl_sched_policy_words;

#ifdef JL_THREAD_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_thread
#define MEMBERS                                                                                \
    INTEGER(tid, "tid", "Thread id.", REQUIRED, NOT_NEGATIVE)                                  \
    INTEGER(tgid, "tgid", "Its process; that of the first thread where absent.", NOT_NEGATIVE) \
    STRING(comm, "comm", "Name of the thread.", REQUIRED)                                      \
    STRING(cmdline, "cmdline", "Title of its process.")                                        \
    STRING(exe, "exe", "File name of its program.")                                            \
    STRING(container, "container", "Container in its pod.")                                    \
    STRING(cgroup, "cgroup", "Path below the container's control group.")                      \
    BOOLEAN(gpu_user, "gpu_user", "Whether its process has a GPU open.")                       \
    ENUM(role, "role", jl_thread_role, jl_thread_role_words, "What it does.")                  \
    NUMBER(util, "util", "CPU time per time; absent = not measured yet.", NOT_NEGATIVE)        \
    NUMBER(rate, "rate", "Voluntary sleeps per second.", NOT_NEGATIVE)                         \
    NUMBER(cpu_time_s, "cpu_time_s", "CPU time so far, s.", NOT_NEGATIVE)                      \
    ENUM(policy, "policy", jl_sched_policy, jl_sched_policy_words, "Its scheduling policy.")   \
    INTEGER(nice, "nice", "Its nice value.", BETWEEN(-20, 19))                                 \
    STRING(affinity, "affinity", "CPUs that it may use, as a list.")
#include "schema/shared_record.h"
#undef RECORD_TABLES

#define JL_NO_GROUP SIZE_MAX /* the implicit group _rest */

/*
 * The index of the group of each thread, or JL_NO_GROUP. Threads whose policy is of real time have
 * none. 0, or a code of the arena.
 */
int jl_assign_threads(struct jl_arena *arena, const struct jl_thread_profile *profile,
                      const struct jl_list *threads, size_t *groups);

bool jl_is_real_time(const struct jl_thread *thread);
