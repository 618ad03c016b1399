/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The state of every node at the end of each hour of a run, for the table "nodes". */

#include "sim/decisions.h"
#include "sim/fleet.h"

#define JL_SIM_HOUR_S 3600.0

struct jl_sim_hour { /* of one node */
    double cpu_j;    /* since the start */
    double gpu_j;
    uint32_t running;
    const char *state; /* performance, eco, draining; NULL = nobody decided */
};

struct jl_sim_hours {
    double next_s;             /* the hour that ends next; JL_NEVER = none is kept */
    struct jl_sim_hour *items; /* one per node, for each hour */
    size_t count;              /* hours */
    size_t capacity;
};

/* Keeps the hours that end at or before until_s, to which nothing happens any more. 0 or
 * JOULIE_E_NOMEM. */
int jl_sim_hours_keep(struct jl_sim_hours *hours, const struct jl_sim_fleet *fleet,
                      const struct jl_sim_decisions *decisions, double until_s);
