/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* power_off_v1 on the nodes of a run (docs/rules/simulation.md#switching-nodes-off): beside any
 * controller, or alone. */

#include "policy/power_off.h"
#include "sim/placement.h"

struct jl_sim_power_off;

/* The fleet has to live as long; the first step is at 0 s. 0 or JOULIE_E_NOMEM. */
int jl_sim_power_off_new(struct jl_sim_fleet *fleet, const struct jl_power_off_config *config,
                         struct jl_sim_power_off **out);
void jl_sim_power_off_free(struct jl_sim_power_off *power_off); /* NULL does nothing */

/* When it steps by itself. */
double jl_sim_power_off_due_s(const struct jl_sim_power_off *power_off);
/* Behind every pass over the queue: switches nodes when it is due or jobs arrived. 0, JL_SIM_WAITS,
 * or a failure. */
int jl_sim_power_off_step(struct jl_sim_power_off *power_off, const struct jl_sim_queue *queue,
                          const struct jl_sim_controller *controller, struct joulie_error *err);
