/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Power, speeds and lags of one node of a fleet (docs/rules/simulation.md#jobs-on-a-node,
 * #caps-and-lags). */

#include "sim/fleet.h"

#define JL_SIM_STALL_S 120 /* no progress for so long ends a job */

/*
 * Recomputes utilisation, power and speeds of a node now, and when it has its next event. 0 or
 * JOULIE_E_NOMEM.
 */
int jl_sim_node_update(struct jl_sim_fleet *fleet, size_t node);

/* New targets of the caps, W; <= 0 = none. They apply with the hardware's lag. */
void jl_sim_set_cpu_cap(struct jl_sim_fleet *fleet, size_t node, double cap_w);
void jl_sim_set_gpu_cap(struct jl_sim_fleet *fleet, size_t node, double cap_w);
/* A new target of the frequency, 0..100 % less than the most; it ramps by dvfsRampMs. */
void jl_sim_set_throttle(struct jl_sim_fleet *fleet, size_t node, double pct);

struct jl_sim_node_now { /* where the lags of a node are; reading moves nothing */
    double cpu_cap_w;
    double gpu_cap_w;
    double freq_limit;
    double temp_c;
    double thermal; /* throttle fraction */
};

void jl_sim_node_now(const struct jl_sim_fleet *fleet, size_t node, struct jl_sim_node_now *out);

struct jl_sim_device {
    double power_w;
    double speed; /* relative to no cap */
    bool is_active;
};

/* The GPUs of a node, those that work first; out has room for all of them. */
void jl_sim_node_devices(const struct jl_sim_fleet *fleet, size_t node, struct jl_sim_device *out);

struct jl_node_load {
    double cpu_util;
    double gpu_util;
    double memory;
    double io;
    double feed;
    enum jl_cpu_class cpu_class; /* the heaviest, if it holds at least 60 % */
    enum jl_gpu_class gpu_class;
    struct jl_cpu_weights weights; /* of the jobs, by what of them depends on the CPU's speed */
    double base;                   /* how much of cpu_util that is */
    double cpu_share;              /* < 1 when the jobs ask for more than there is */
    double gpu_share;
};

/* Over the jobs of the node that have work left and, in a gang, whose gang is complete. */
void jl_sim_node_load(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node,
                      struct jl_node_load *out);
