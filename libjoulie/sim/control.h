/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Operator, extender and agents of a simulated cluster: the library's own steps on virtual time
 * (docs/rules/simulation.md#control-steps). */

#include "cluster/model.h"
#include "sim/run.h"

#define JL_SIM_OPERATOR_INTERVAL_S 60
#define JL_SIM_AGENT_INTERVAL_MS 20000

struct jl_sim_control;

int jl_sim_control_new(struct jl_sim_run *run, const struct jl_policy_config *policy,
                       struct jl_sim_control **out, struct joulie_error *err);
void jl_sim_control_free(struct jl_sim_control *control);

/*
 * When the agent of a node steps for the first time at or after now_s: every 20 s, each at its own
 * offset, in whole milliseconds, because the time stamps of an external clock have no finer
 * grain.
 */
double jl_sim_agent_time(size_t node, size_t node_count, double now_s);

/* Tells the operator's caches about a job's pod as it is now: waiting, bound or gone. */
int jl_sim_control_pod(struct jl_sim_control *control, size_t job, double now_s,
                       struct joulie_error *err);
/* The operator when it is due, then the agents that are. */
int jl_sim_control_steer(struct jl_sim_control *control, double now_s, struct joulie_error *err);
/* Filter and score of a job's pod, one entry per node in name order; valid until the next call. */
int jl_sim_control_score(struct jl_sim_control *control, size_t job, double now_s,
                         const struct jl_cluster_score **out, struct joulie_error *err);

/*
 * By node in name order: whether the extender admits performance pods. It looks at the class of a
 * pod and nothing else, and its answer changes with the operator's steps only.
 */
const bool *jl_sim_control_admits(const struct jl_sim_control *control);
