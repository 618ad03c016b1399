/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* On which CPUs the threads of one workload run, and how. Rules: docs/rules/threads.md#plan. */

#include "base/cpu_set.h"
#include "threads/assign.h"
#include "threads/machine.h"

/* How far an exclusive group got what it wants, the best first. */
enum jl_fence_level {
    JL_LEVEL_UNKNOWN, /* the group is not exclusive, or has no threads */
    JL_LEVEL_D0,      /* cores of its own, siblings idle */
    JL_LEVEL_D1,      /* cores of its own, its threads on the siblings */
    JL_LEVEL_D2,      /* no fence, each busy thread on another core */
    JL_LEVEL_D3,      /* as latency */
    JL_LEVEL_D4,      /* as they are */
};

/* Why not the level that the profile asks for; the first that applies. */
enum jl_fence_reason {
    JL_REASON_NONE,
    JL_REASON_TIER,
    JL_REASON_BUDGET,
    JL_REASON_FENCE,
    JL_REASON_LAYERS,
    JL_REASON_BACKEND,
};

extern const struct jl_words jl_fence_level_words;
extern const struct jl_words jl_fence_reason_words;

struct jl_threads_plan_input {
    const struct jl_thread_profile *profile;
    enum jl_tier tier;
    int64_t cpu_request_m;                   /* of the container */
    const struct jl_thread_machine *machine; /* with cores, its counts derived */
    const struct jl_cpu_set *allowed;        /* CPUs of the container that are online */
    const struct jl_cpu_set *fenced;         /* CPUs that other workloads have fenced */
    const struct jl_list *threads;           /* of jl_thread */
    bool is_static; /* without threads: groups get what they ask for (for a scheduler's layers) */
    bool has_confined_tier; /* there, one core less may be fenced */
};

struct jl_group_plan {
    enum jl_fence_level level;
    enum jl_fence_reason reason;
    int64_t wanted_cores; /* k: what the budget allows of what is wanted */
    size_t *cores;        /* indexes of the machine's list, ascending by id */
    size_t core_count;
    struct jl_cpu_set *cpus;      /* that its threads are bound to; NULL = all that are allowed */
    struct jl_cpu_set *idle_cpus; /* siblings that are kept idle; NULL = none */
};

struct jl_thread_plan {
    size_t group;                  /* or JL_NO_GROUP */
    const struct jl_cpu_set *cpus; /* NULL = untouched */
    enum jl_sched_policy policy;   /* JL_SCHED_UNKNOWN = untouched, and so is nice */
    bool has_nice;
    int64_t nice;
    int64_t slice_us;   /* 0 = untouched */
    int64_t uclamp_min; /* 0 = untouched */
    int64_t uclamp_max; /* 1024 = untouched */
    bool is_real_time;  /* finding rt_thread: nothing of it is touched */
    bool sets_affinity; /* finding affinity_conflict: its CPUs are not touched */
};

struct jl_thread_plans {
    struct jl_group_plan *groups;   /* of the profile, then that of the rest */
    struct jl_thread_plan *threads; /* in the order of the input */
    int64_t taken_cores;            /* of all exclusive groups together */
};

/* 0, JOULIE_E_PARSE (an affinity that is no list) or a code of the arena. */
int jl_plan_threads(struct jl_arena *arena, const struct jl_threads_plan_input *in,
                    struct jl_thread_plans *out);
