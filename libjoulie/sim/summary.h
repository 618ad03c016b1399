/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What came out of a run, as text (docs/rules/simulation.md#outcome). */

#include <joulie/sim.h>

#include "base/buffer.h"
#include "sim/run.h"

/* ---- sums over a fleet at its present time, in the order of node names and of jobs ---- */

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

/* ---- texts ---- */

struct jl_sim_pair { /* what is left of the two runs */
    const struct jl_sim_fleet *controlled;
    const struct jl_sim_fleet *uncontrolled; /* NULL = not compared */
    const struct jl_sim_hours *controlled_hours;
    const struct jl_sim_hours *uncontrolled_hours;
    const struct jl_sim_decisions *decisions;
    uint64_t seed;
};

void jl_sim_outcome_of(const struct jl_sim_fleet *fleet, struct joulie_sim_outcome *out);

/* Why there is no saving to report (static text), or NULL with *out_pct filled. */
const char *jl_sim_saving(const struct jl_sim_pair *pair, double *out_pct);

/* Each appends its text and returns 0 or JOULIE_E_NOMEM. */
int jl_sim_put_summary(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_nodes(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_jobs(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_decisions(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_models(struct jl_buffer *out, const struct jl_inventory *inventory);
