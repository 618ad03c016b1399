/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How many CPUs each tier of a node gets. Rules: docs/rules/threads.md#sizes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kinds/tier.h"

/* How a layer of threads has its CPUs: its own and fenced, some that it prefers, or what is idle.
 */
enum jl_layer_kind {
    JL_LAYER_UNKNOWN,
    JL_LAYER_CONFINED,
    JL_LAYER_GROUPED,
    JL_LAYER_OPEN,
};

extern const struct jl_words jl_layer_kind_words;

struct jl_node_size {
    int64_t logical_cpus;
    int64_t threads_per_core; /* the most of any core */
    int64_t physical_cores;
};

struct jl_tier_need {
    bool is_present; /* at least one pod */
    int64_t request_m;
    bool has_limit; /* false = one of its containers has none */
    int64_t limit_m;
};

struct jl_tier_size {
    bool is_present;
    enum jl_layer_kind kind;
    bool is_protected;
    bool preempts;
    bool has_range;
    int64_t least_cpus;
    int64_t most_cpus;
};

struct jl_tier_sizes {
    int64_t reserve_cores; /* never fenced */
    int64_t fenceable_cores;
    bool is_critical_demoted; /* event whole_cores */
    bool is_high_over;        /* event high_overflow */
    struct jl_tier_size tiers[JL_TIER_COUNT];
};

/* ceil(cores / 10): what stays outside of every fence. */
int64_t jl_reserve_cores(int64_t physical_cores);

/* The counts of the node are at least 1, requests and limits not negative. */
void jl_size_tiers(const struct jl_node_size *node, const struct jl_tier_need needs[JL_TIER_COUNT],
                   struct jl_tier_sizes *out);
