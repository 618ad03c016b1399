/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Sums over a fleet at its present time, in the order of node names and of jobs. */

#include "sim/fleet.h"

struct jl_sim_units {
    double cpu;
    double gpu;
};

struct jl_sim_units jl_sim_units_done(const struct jl_sim_fleet *fleet);
double jl_sim_it_energy_j(const struct jl_sim_fleet *fleet);
double jl_sim_it_power_w(const struct jl_sim_fleet *fleet);
/* 99th percentile of the power over settled caps, percent. 1, 0 when no cap was in force, or
 * JOULIE_E_NOMEM. */
int jl_sim_overshoot_p99(const struct jl_sim_fleet *fleet, double *out_pct);
