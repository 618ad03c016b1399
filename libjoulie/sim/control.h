/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Operator, extender and agents of a simulated cluster: the library's own steps on virtual time
 * (docs/rules/simulation.md#control-steps). */

#include "place/profile.h"
#include "policy/policy.h"
#include "sim/controller.h"
#include "sim/decisions.h"

#define JL_SIM_OPERATOR_INTERVAL_S 60
#define JL_SIM_AGENT_INTERVAL_MS 20000

/* scoring is the extender's profile; empty = the current one. fleet and decisions have to live as
 * long as the controller. The first step is at 0 s. 0 or a failure. */
int jl_sim_control_new(struct jl_sim_fleet *fleet, struct jl_sim_decisions *decisions,
                       const struct jl_policy_config *policy,
                       const struct jl_scoring_profile *scoring, struct jl_sim_controller *out,
                       struct joulie_error *err);

/*
 * When the agent of a node steps for the first time at or after now_s: every 20 s, each at its own
 * offset, in whole milliseconds, because the time stamps of an external clock have no finer
 * grain.
 */
double jl_sim_agent_time(size_t node, size_t node_count, double now_s);
