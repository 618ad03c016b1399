/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Control groups of version 2 as kubelet lays them out: what their files say, where a pod's are,
 * and what a tier of threads writes into them. Rules:
 * docs/rules/energy.md#control-groups.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/words.h"
#include "kinds/tier.h"

/* ---- files ---- */

/* Keys of cpu.stat. */
enum {
    JL_CPU_STAT_USAGE_US,
    JL_CPU_STAT_USER_US,
    JL_CPU_STAT_SYSTEM_US,
    JL_CPU_STAT_PERIODS,
    JL_CPU_STAT_THROTTLED,
    JL_CPU_STAT_THROTTLED_US,
    JL_CPU_STAT_COUNT,
};

struct jl_cpu_stat { /* some keys are there only with a limit, others come with new kernels */
    uint64_t has;    /* bits: JL_CPU_STAT_* */
    uint64_t value[JL_CPU_STAT_COUNT];
};

struct jl_cpu_max {
    bool is_unlimited;
    uint64_t quota_us; /* unless unlimited */
    uint64_t period_us;
};

/* 0, JOULIE_E_PARSE or JOULIE_E_RANGE (above 64 bits, or a period of 0); out is untouched on
 * failure. */
int jl_cpu_stat_parse(struct jl_text text, struct jl_cpu_stat *out);
int jl_cpu_max_parse(struct jl_text text, struct jl_cpu_max *out);

/* ---- weights ---- */

#define JL_CPU_WEIGHT_MAX 10000

/* cpu.weight that kubelet gives for a request. */
int64_t jl_cpu_weight(int64_t millicpu);

struct jl_cgroup_write {
    const char *file; /* NULL = nothing is written */
    int64_t value;
};

/* current_weight matters to JL_TIER_LOW, has_idle (the kernel knows cpu.idle) to
 * JL_TIER_BACKGROUND. */
struct jl_cgroup_write jl_tier_write(enum jl_tier tier, int64_t current_weight, bool has_idle);

/* ---- paths ---- */

enum jl_cgroup_driver { JL_CGROUP_DRIVER_UNKNOWN, JL_CGROUP_SYSTEMD, JL_CGROUP_CGROUPFS };

enum jl_qos_class { JL_QOS_UNKNOWN, JL_QOS_GUARANTEED, JL_QOS_BURSTABLE, JL_QOS_BEST_EFFORT };

extern const struct jl_words jl_cgroup_driver_words;
extern const struct jl_words jl_qos_class_words;

/*
 * Below the root of the hierarchy, without a slash at either end. uid and container come from the
 * API server: one that cannot be part of a name is JOULIE_E_PARSE, one that is too long for it
 * JOULIE_E_LIMIT, a container ("containerd://ID") of a runtime whose scopes are unknown
 * JOULIE_E_ENUM. Also JOULIE_E_NOMEM.
 */
int jl_cgroup_pod_path(struct jl_arena *arena, enum jl_cgroup_driver driver, enum jl_qos_class qos,
                       const char *uid, const char **out);
int jl_cgroup_container_path(struct jl_arena *arena, enum jl_cgroup_driver driver,
                             const char *pod_path, const char *container, const char **out);
