/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The Pod of a job of the trace (docs/rules/simulation.md#objects), for the cluster model, the
 * extender and the events of an external simulation.
 */

#include "sim/pod.h"

#include "base/number.h"
#include "kinds/effective.h"
#include "kinds/node_twin.h"
#include "sim/inventory.h"

#define MOST_REQUESTS 3

const struct jl_trace_job jl_sim_any_performance_job = { .job_id = "any",
                                                         .name_space = "default",
                                                         .is_performance = true };

int jl_sim_no_eco_affinity(struct jl_arena *arena, struct jl_affinity *out)
{
    struct jl_node_expression *expression = JL_NEW(arena, struct jl_node_expression);
    struct jl_node_term *term = JL_NEW(arena, struct jl_node_term);
    const char **values = JL_NEW(arena, const char *);
    if (!expression || !term || !values)
        return JOULIE_E_NOMEM;
    values[0] = "eco";
    JL_SET(expression, key, JL_LABEL_POWER_PROFILE);
    JL_SET(expression, op, "NotIn");
    JL_SET(expression, values, ((struct jl_list){ values, 1 }));
    JL_SET(term, expressions, ((struct jl_list){ expression, 1 }));
    JL_SET(&out->node.required, terms, ((struct jl_list){ term, 1 }));
    out->node.given.required = true;
    out->given.node = true;
    return 0;
}

/* Millicores, bytes and devices as the trace asks for them; a vendor that it does not name is
 * nvidia's. */
static int put_container(const struct jl_trace_job *job, struct jl_arena *arena,
                         struct jl_pod_spec *spec)
{
    struct jl_container *container = JL_NEW(arena, struct jl_container);
    struct jl_pair *requests = JL_NEW_ARRAY(arena, MOST_REQUESTS, struct jl_pair);
    const char *cpu = jl_sim_number_text(arena, jl_trace_millicores(job), "m");
    const char *memory = jl_sim_number_text(arena, job->memory_bytes, "");
    const char *gpus = jl_sim_number_text(arena, job->gpu_count, "");
    if (!container || !requests || !cpu || !memory || !gpus)
        return JOULIE_E_NOMEM;
    requests[0] = (struct jl_pair){ "cpu", cpu };
    requests[1] = (struct jl_pair){ "memory", memory };
    requests[2] =
        (struct jl_pair){ jl_same(job->gpu_vendor, "amd") ? "amd.com/gpu" : "nvidia.com/gpu",
                          gpus };
    const struct jl_map map = { requests, job->gpu_count > 0 ? 3 : 2 };
    JL_SET(container, name, "job");
    JL_SET(&container->resources, requests, map);
    container->given.resources = true;
    JL_SET(spec, containers, ((struct jl_list){ container, 1 }));
    return 0;
}

static int put_annotation(struct jl_arena *arena, struct jl_meta *meta)
{
    struct jl_pair *annotation = JL_NEW(arena, struct jl_pair);
    if (!annotation)
        return JOULIE_E_NOMEM;
    *annotation = (struct jl_pair){ JL_ANNOTATION_CLASS, "performance" };
    JL_SET(meta, annotations, ((struct jl_map){ annotation, 1 }));
    return 0;
}

int jl_sim_pod_object(const struct jl_trace_job *job, const struct jl_sim_pod *state,
                      struct jl_arena *arena, struct jl_pod *out)
{
    *out = (struct jl_pod){ .has = 0 };
    JL_SET(out, api_version, "v1");
    JL_SET(out, kind, "Pod");
    JL_SET(&out->meta, name, job->job_id);
    JL_SET(&out->meta, name_space, job->name_space);
    out->given.meta = true;
    out->given.spec = true;
    JL_SET(&out->status, phase, state->phase);
    out->given.status = true;
    if (state->node_name)
        JL_SET(&out->spec, node_name, state->node_name);
    int rc = put_container(job, arena, &out->spec);
    if (rc == 0 && job->is_performance)
        rc = put_annotation(arena, &out->meta);
    if (rc == 0 && job->is_performance)
        rc = jl_sim_no_eco_affinity(arena, &out->spec.affinity);
    out->spec.given.affinity = job->is_performance;
    return rc;
}
