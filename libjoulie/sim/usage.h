/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What each job has used of its node, as the exporters of a real one would have measured it
 * (docs/rules/simulation.md#use-of-a-pod). Kept for those who are asked for it: an external
 * simulation. */

#include "sim/node.h"

struct jl_sim_usage {
    double cores; /* that it uses since since_s, and power that is its own */
    double package_w;
    double dram_w;
    double gpu_w;
    double since_s;
    double cpu_s; /* used up to since_s */
    double package_j;
    double dram_j;
    double gpu_j;
};

/* The jobs of a node use other amounts from now on. Nothing where the fleet keeps no usage. */
void jl_sim_usage_update(struct jl_sim_fleet *fleet, size_t node, const struct jl_node_load *load,
                         double gpu_cap_w);
/* Of a job up to a time not before the last event; reading moves nothing. */
struct jl_sim_usage jl_sim_usage_at(const struct jl_sim_fleet *fleet, size_t job, double at_s);

struct jl_sim_gpu_use { /* of each GPU of a job, 0..1 */
    double util;
    double memory;
};

struct jl_sim_gpu_use jl_sim_gpu_use(const struct jl_sim_fleet *fleet, size_t job);
