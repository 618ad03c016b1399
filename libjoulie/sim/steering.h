/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a run asks of those who decide for it, whoever they are: the library's own operator,
 * extender and agents (sim/control.h), somebody outside who is waited for (sim/outside.h), or
 * nobody. The run itself is the same for all of them.
 */

#include "cluster/model.h"
#include "sim/run.h"

void jl_sim_steering_free(struct jl_sim_run *run);
/* A job's pod came, was bound, or has gone. */
int jl_sim_pod_changed(struct jl_sim_run *run, size_t job, struct joulie_error *err);
/* Operator, then agents, when one of them is due. 0, JL_SIM_WAITS, or a failure. */
int jl_sim_steer(struct jl_sim_run *run, struct joulie_error *err);
/* Before a pass over the queue: nodes that admit performance pods again count as freed. 0,
 * JL_SIM_WAITS, or a failure. */
int jl_sim_refresh_admits(struct jl_sim_run *run, struct joulie_error *err);
/* By node: whether the extender's filter lets a job's pod pass; NULL = every node that has room. 0,
 * JL_SIM_WAITS, or a failure. */
int jl_sim_filter(struct jl_sim_run *run, size_t job, const struct jl_sim_places *places,
                  const bool **out, struct joulie_error *err);
/* By node: what the extender's prioritize says (member wire); NULL = nothing. */
int jl_sim_prioritize(struct jl_sim_run *run, size_t job, const struct jl_cluster_score **out,
                      struct joulie_error *err);
/* Whether there is something that somebody outside has to be told before anything more happens. */
bool jl_sim_has_news(const struct jl_sim_run *run);
