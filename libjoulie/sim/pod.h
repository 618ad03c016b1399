/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The Pod of a job and the WorkloadProfile about it, as an API server would hold them
 * (docs/rules/simulation.md#objects). */

#include "kinds/pod.h"
#include "kinds/workload_profile.h"
#include "sim/trace.h"

#define JL_SIM_CONTAINER "job" /* the one container of a pod */

struct jl_sim_pod {
    const char *node_name; /* NULL = not bound */
    const char *phase;     /* Pending, Running, … */
};

/* No job of a trace: what the extender is asked about to learn which nodes admit its class. */
extern const struct jl_trace_job jl_sim_any_performance_job;

/* Builds it in the arena; texts of the job are borrowed. 0 or JOULIE_E_NOMEM. */
int jl_sim_pod_object(const struct jl_trace_job *job, const struct jl_sim_pod *state,
                      struct jl_arena *arena, struct jl_pod *out);

/* What a classifier that errs in nothing would say of it at now (RFC 3339), as above. */
int jl_sim_profile_object(const struct jl_trace_job *job, const char *now, struct jl_arena *arena,
                          struct jl_workload_profile *out);

/* "Not the eco nodes", which every performance pod asks for beside its annotation; out is zeroed. 0
 * or JOULIE_E_NOMEM. */
int jl_sim_no_eco_affinity(struct jl_arena *arena, struct jl_affinity *out);
