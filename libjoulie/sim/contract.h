/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The bodies of the HTTP contract of a simulated machine, and its control
 * (docs/rules/simulator-contract.md). */

#include <joulie/error.h>

#include "base/buffer.h"
#include "sim/node.h"

/* telemetry and state append one JSON object: 0 or JOULIE_E_NOMEM. */
int jl_sim_put_telemetry(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t node);
int jl_sim_put_state(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t node);
/* What the simulation holds, for a person: the bodies of /debug/jobs, /debug/nodes, /debug/energy.
 */
int jl_sim_put_debug_jobs(struct jl_buffer *out, const struct jl_sim_fleet *fleet);
int jl_sim_put_debug_nodes(struct jl_buffer *out, const struct jl_sim_fleet *fleet);
int jl_sim_put_debug_energy(struct jl_buffer *out, const struct jl_sim_fleet *fleet);

/* As telemetry says them: throttle of the frequency in force, 0 to 100; cap of the CPUs in force
 * within the range of RAPL; plain means of utilisation over all nodes, those without GPUs too. */
double jl_sim_throttle_pct(const struct jl_sim_node_now *now);
double jl_sim_rapl_cap_w(const struct jl_sim_node *node, const struct jl_sim_node_now *now);
void jl_sim_mean_utils(const struct jl_sim_fleet *fleet, double *out_cpu, double *out_gpu);

/* Does what the body of a POST to /control asks for, now, and appends the reply. 0, JOULIE_E_PARSE,
 * JOULIE_E_TYPE, JOULIE_E_LIMIT, JOULIE_E_RANGE or JOULIE_E_NOMEM. */
int jl_sim_do_control(struct jl_buffer *out, struct jl_sim_fleet *fleet, size_t node,
                      const char *text, size_t len, struct joulie_error *err);
