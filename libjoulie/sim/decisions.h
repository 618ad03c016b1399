/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the operator made of the nodes of a run: the last decision of each, and all of them in a
 * list. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kinds/node_twin.h"

struct jl_sim_decision { /* one NodeTwin spec that was written */
    double time_s;
    uint32_t node;
    enum joulie_profile profile; /* UNKNOWN = nothing was decided yet */
    bool is_draining;
    struct jl_cpu_intent cpu;
    struct jl_gpu_power_cap gpu;
};

struct jl_sim_decisions {
    struct jl_sim_decision *nodes; /* the last one of each node */
    size_t node_count;
    struct jl_sim_decision *rows; /* all of them, as they came */
    size_t count;
    size_t capacity;
    int64_t transitions; /* changes of profile or draining after the first step */
};

struct jl_sim_counts { /* nodes by what the operator made of them */
    size_t performance;
    size_t eco;
    size_t draining;
    size_t other;
    int64_t transitions;
    int64_t decisions;
};

int jl_sim_decisions_init(struct jl_sim_decisions *decisions, size_t nodes); /* 0, JOULIE_E_NOMEM */
void jl_sim_decisions_clear(struct jl_sim_decisions *decisions);

/* A spec was written for a node. 0 or JOULIE_E_NOMEM. */
int jl_sim_decide(struct jl_sim_decisions *decisions, double now_s, size_t node,
                  const struct jl_twin_spec *spec);
void jl_sim_count(const struct jl_sim_decisions *decisions, struct jl_sim_counts *out);
/* performance, eco, draining, or NULL before the first decision. */
const char *jl_sim_state(const struct jl_sim_decisions *decisions, size_t node);
