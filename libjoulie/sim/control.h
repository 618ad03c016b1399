/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Operator, extender and agents of a simulated cluster: the library's own steps on virtual time
 * (SD15). */

#include "cluster/model.h"
#include "sim/run.h"

#define JL_SIM_OPERATOR_INTERVAL_S 60
#define JL_SIM_AGENT_INTERVAL_S 20

struct jl_sim_control;

struct jl_sim_counts { /* nodes by what the operator made of them */
    size_t performance;
    size_t eco;
    size_t draining;
    size_t other;
    int64_t transitions; /* changes of profile or draining after the first step */
    int64_t decisions;   /* specs written */
};

int jl_sim_control_new(struct jl_sim_run *run, const struct jl_policy_config *policy,
                       struct jl_sim_control **out, struct joulie_error *err);
void jl_sim_control_free(struct jl_sim_control *control);

/* Tells the operator's caches about a job's pod as it is now: waiting, bound or gone. */
int jl_sim_control_pod(struct jl_sim_control *control, size_t job, double now_s,
                       struct joulie_error *err);
int jl_sim_control_operator(struct jl_sim_control *control, double now_s, struct joulie_error *err);
int jl_sim_control_agent(struct jl_sim_control *control, size_t node, double now_s,
                         struct joulie_error *err);
/* Filter and score of a job's pod, one entry per node in name order; valid until the next call. */
int jl_sim_control_score(struct jl_sim_control *control, size_t job, double now_s,
                         const struct jl_cluster_score **out, struct joulie_error *err);

/*
 * By node in name order: whether the extender admits performance pods. It looks at the class of a
 * pod and nothing else, and its answer changes with the operator's steps only.
 */
const bool *jl_sim_control_admits(const struct jl_sim_control *control);

void jl_sim_control_counts(const struct jl_sim_control *control, struct jl_sim_counts *out);
/* performance, eco, draining, or NULL before the first decision. */
const char *jl_sim_control_state(const struct jl_sim_control *control, size_t node);
