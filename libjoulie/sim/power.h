/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Nodes that are switched off and on again (docs/rules/simulation.md#node-states). Who decides it
 * is a controller; a node that is not on has no room. */

#include "sim/fleet.h"

extern const struct jl_words jl_sim_power_words; /* on, stopping, off, booting */

/* Begins to stop; false when it is not on, or a job runs on it. */
bool jl_sim_node_power_off(struct jl_sim_fleet *fleet, size_t node);
/* Begins to boot, now or when it has stopped; false when it is on or will be. */
bool jl_sim_node_power_on(struct jl_sim_fleet *fleet, size_t node);
/* Nothing new runs on it, or may again: beside what its power says. */
void jl_sim_node_cordon(struct jl_sim_fleet *fleet, size_t node, bool is_cordoned);
/* What ends now: it is off, boots, or is on and has room that the queue has not seen. false:
 * nothing does. */
bool jl_sim_node_power_step(struct jl_sim_fleet *fleet, size_t node);

/* Seconds that it was not on, up to at_s, not before the present state began. */
double jl_sim_node_off_s(const struct jl_sim_node *node, double at_s);

struct jl_sim_watts {
    double cpu_w;
    double gpu_w;
};

/* Of a node that is not on. */
struct jl_sim_watts jl_sim_off_watts(const struct jl_sim_node *node);
/* Moves a copy of a node on to at_s, with nothing else happening: what its meters say then. */
void jl_sim_node_foresee(struct jl_sim_node *copy, double at_s);
