/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a run came to, in numbers: energy in parts, work, and times of jobs
 * (docs/rules/simulation.md#energy, #times-of-jobs). */

#include <joulie/sim.h>

#include "sim/fleet.h"

/* ---- energy and power ---- */

struct jl_sim_energy { /* by enum jl_energy_part */
    double cpu_j[JL_ENERGY_PARTS];
    double gpu_j[JL_ENERGY_PARTS];
};

/* Up to at_s, which may lie behind the end of the run: its machines go on as they were then,
 * and end to stop or to boot. */
void jl_sim_add_energy(struct jl_sim_energy *sum, const struct jl_sim_node *node, double at_s);
double jl_sim_sum_j(const double parts_j[JL_ENERGY_PARTS]);
void jl_sim_energy_of(const struct jl_sim_fleet *fleet, double at_s, struct jl_sim_energy *out);

struct jl_sim_family_energy {
    int64_t nodes;
    struct jl_sim_energy energy;
};

/* Adds to out, one per family of the inventory. */
void jl_sim_energy_by_family(const struct jl_sim_fleet *fleet, double at_s,
                             struct jl_sim_family_energy *out);
double jl_sim_it_energy_j(const struct jl_sim_fleet *fleet);
double jl_sim_it_power_w(const struct jl_sim_fleet *fleet);

/* ---- work ---- */

struct jl_sim_units {
    double cpu;
    double gpu;
};

struct jl_sim_units jl_sim_units_done(const struct jl_sim_fleet *fleet);

/* ---- times of jobs ---- */

#define JL_SIM_MEASURES (JOULIE_SIM_MEASURE_SLOWDOWN + 1)
#define JL_SIM_GROUPS (JOULIE_SIM_GROUP_GPU + 1)

/* false when it has no such time (yet). */
bool jl_sim_measure(const struct jl_sim_fleet *fleet, size_t job, enum joulie_sim_measure measure,
                    double *out);
/* Over the jobs that have arrived, by group. 0 or JOULIE_E_NOMEM. */
int jl_sim_spread(const struct jl_sim_fleet *fleet, enum joulie_sim_measure measure,
                  struct joulie_sim_spread out[JL_SIM_GROUPS]);
