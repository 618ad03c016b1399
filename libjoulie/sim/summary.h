/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What came out of both runs, in numbers and as text (docs/rules/simulation.md#outcome). */

#include <joulie/sim.h>

#include "base/buffer.h"
#include "sim/measures.h"
#include "sim/run.h"

struct jl_sim_pair { /* what is left of the two runs */
    const struct jl_sim_fleet *controlled;
    const struct jl_sim_fleet *uncontrolled; /* NULL = not compared */
    const struct jl_sim_hours *controlled_hours;
    const struct jl_sim_hours *uncontrolled_hours;
    const struct jl_sim_decisions *decisions;
    uint64_t seed;
};

/* The later time of both runs: energies are compared over [0, this]. */
double jl_sim_window_s(const struct jl_sim_pair *pair);
void jl_sim_outcome_of(const struct jl_sim_pair *pair, bool is_uncontrolled,
                       struct joulie_sim_outcome *out);
/* 99th percentile of the power over settled caps, percent. 1, 0 when no cap was in force, or
 * JOULIE_E_NOMEM. */
int jl_sim_overshoot_p99(const struct jl_sim_fleet *fleet, double *out_pct);

/* Why two runs of one trace cannot be compared (static text), or NULL. */
const char *jl_sim_no_saving(const struct joulie_sim_outcome *controlled,
                             const struct joulie_sim_outcome *uncontrolled);
/* Why there is no saving to report (static text), or NULL with *out_pct filled. */
const char *jl_sim_saving(const struct jl_sim_pair *pair, double *out_pct);

/* ---- texts ---- */

/* Each appends its text and returns 0 or JOULIE_E_NOMEM. */
int jl_sim_put_summary(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_nodes(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_families(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_jobs(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_decisions(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_models(struct jl_buffer *out, const struct jl_inventory *inventory);
