/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the jobs of a node add up to (docs/rules/simulation.md#load). */

#include "sim/fleet.h"

struct jl_node_load {
    double cpu_util;
    double gpu_util;
    double memory;
    double io;
    double feed;
    enum jl_cpu_class cpu_class; /* the heaviest, if it holds at least 60 % */
    enum jl_gpu_class gpu_class;
    double cpu_share; /* < 1 when the jobs ask for more than there is */
    double gpu_share;
};

/* Over the jobs of the node that have work left and, in a gang, whose gang is complete. */
void jl_sim_node_load(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node,
                      struct jl_node_load *out);
