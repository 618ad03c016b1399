/* SPDX-License-Identifier: Apache-2.0 */

/* The Node and NodeHardware of a simulated machine, and the Pod of a job of the trace
 * (docs/rules/simulation.md#objects): for the cluster model, the extender and callers. */

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "kinds/effective.h"
#include "kinds/node_twin.h"
#include "kubernetes/quantity.h"
#include "sim/inventory.h"
#include "sim/pod.h"

#define NANO 1000000000
#define PERCENT 100
#define UW_PER_W 1e6

/*
 * A 100 % cap never binds, although a measured curve exceeds the sum of the TDPs
 * (docs/rules/simulation.md#hardware-model). Up to a whole microwatt, because that is how finely a
 * cap can be set.
 */
double jl_sim_socket_max_w(const struct jl_sim_family *family)
{
    const double peak_w = family->profile.peak_w / (double)family->sockets;
    const double max_w = family->cpu_model ? jl_max(family->cpu_model->tdp_w, peak_w) : peak_w;
    return ceil(max_w * UW_PER_W) / UW_PER_W;
}

double jl_sim_design_it_w(const struct jl_inventory *inventory)
{
    double sum_w = 0;
    for (size_t i = 0; i < inventory->count; i++) {
        const struct jl_sim_family *family = inventory->machines[i].family;
        sum_w += family->profile.peak_w + (double)family->gpus * family->profile.gpu.max_w;
    }
    return sum_w;
}

double jl_sim_socket_min_w(const struct jl_sim_family *family)
{
    return family->profile.cap_min_w / (double)family->sockets;
}

/* As a kubelet prints it: the largest binary unit that is whole. */
static const char *memory_text(struct jl_arena *arena, int64_t bytes)
{
    char text[JL_QUANTITY_TEXT];
    const struct jl_quantity quantity = { (jl_i128)bytes * NANO, JL_QUANTITY_BINARY_SI };
    const size_t len = jl_format_quantity(&quantity, text);
    return jl_arena_copy(arena, text, len);
}

int jl_sim_node_object(const struct jl_sim_machine *machine, struct jl_arena *arena,
                       struct jl_node *out)
{
    const struct jl_sim_family *family = machine->family;
    struct jl_pair *labels = JL_NEW_ARRAY(arena, family->labels.count + 1, struct jl_pair);
    struct jl_pair *capacity = JL_NEW_ARRAY(arena, 4, struct jl_pair);
    const char *cores = jl_sim_number_text(arena, family->cores, "");
    const char *memory = memory_text(arena, family->memory_bytes);
    const char *pods = jl_sim_number_text(arena, JL_SIM_PODS_PER_NODE, "");
    const char *gpus = jl_sim_number_text(arena, family->gpus, "");
    if (!labels || !capacity || !cores || !memory || !pods || !gpus)
        return JOULIE_E_NOMEM;

    for (size_t i = 0; i < family->labels.count; i++)
        labels[i] = family->labels.items[i];
    labels[family->labels.count] = (struct jl_pair){ JL_SIM_HOST_NAME_LABEL, machine->name };
    capacity[0] = (struct jl_pair){ "cpu", cores };
    capacity[1] = (struct jl_pair){ "memory", memory };
    capacity[2] = (struct jl_pair){ "pods", pods };
    capacity[3] = (struct jl_pair){ family->gpu_resource, gpus };

    const struct jl_map resources = { capacity, family->gpu_resource ? 4 : 3 };
    *out = (struct jl_node){ .has = 0 };
    JL_SET(out, api_version, "v1");
    JL_SET(out, kind, "Node");
    JL_SET(&out->meta, name, machine->name);
    JL_SET(&out->meta, labels, ((struct jl_map){ labels, family->labels.count + 1 }));
    JL_SET(&out->status, capacity, resources);
    JL_SET(&out->status, allocatable, resources);
    out->given.meta = true;
    out->given.status = true;
    return 0;
}

static const char *vendor_id(const struct jl_cpu_model *model)
{
    return jl_same(model->vendor, "amd") ? "AuthenticAMD" : "GenuineIntel";
}

static int put_packages(const struct jl_sim_family *family, struct jl_arena *arena,
                        struct jl_hw_cpu *out)
{
    struct jl_cpu_package *packages =
        JL_NEW_ARRAY(arena, (size_t)family->sockets, struct jl_cpu_package);
    if (!packages)
        return JOULIE_E_NOMEM;
    for (int64_t i = 0; i < family->sockets; i++) {
        struct jl_cpu_package *package = &packages[i];
        JL_SET(package, index, i);
        JL_SET(package, min_w, jl_sim_socket_min_w(family));
        JL_SET(package, max_w, jl_sim_socket_max_w(family));
        JL_SET(package, default_w, jl_sim_socket_max_w(family));
        JL_SET(package, controllable, true);
        JL_SET(package, locked, false);
    }
    JL_SET(out, packages, ((struct jl_list){ packages, (size_t)family->sockets }));
    return 0;
}

static int put_cpu(const struct jl_sim_family *family, struct jl_arena *arena,
                   struct jl_hw_cpu *out)
{
    if (family->cpu_text)
        JL_SET(out, raw_model, family->cpu_text);
    if (family->cpu_model) {
        JL_SET(out, model, family->cpu_model->key);
        JL_SET(out, vendor, vendor_id(family->cpu_model));
    }
    JL_SET(out, sockets, family->sockets);
    JL_SET(out, total_cores, family->cores);
    JL_SET(out, cores_per_socket, family->cores / family->sockets);
    JL_SET(out, logical_cpus, family->cores);
    JL_SET(out, driver_family, family->profile.driver_family);
    JL_SET(&out->cap_range, type, "package");
    JL_SET(&out->cap_range, min_w, jl_sim_socket_min_w(family));
    JL_SET(&out->cap_range, max_w, jl_sim_socket_max_w(family));
    out->given.cap_range = true;
    JL_SET(out, control_available, true);
    JL_SET(out, telemetry_available, true);
    return put_packages(family, arena, out);
}

static int put_devices(const struct jl_sim_machine *machine, struct jl_arena *arena,
                       struct jl_hw_gpu *out)
{
    const struct jl_sim_family *family = machine->family;
    const struct jl_gpu_profile *gpu = &family->profile.gpu;
    struct jl_gpu_device *devices = JL_NEW_ARRAY(arena, (size_t)family->gpus, struct jl_gpu_device);
    if (!devices)
        return JOULIE_E_NOMEM;
    for (int64_t i = 0; i < family->gpus; i++) {
        struct jl_gpu_device *device = &devices[i];
        const char *number = jl_sim_number_text(arena, i, "");
        const char *id = number ? JL_JOIN(arena, "GPU-", machine->name, "-", number) : NULL;
        if (!id)
            return JOULIE_E_NOMEM;
        JL_SET(device, id, id);
        if (family->gpu_text)
            JL_SET(device, raw_model, family->gpu_text);
        if (family->gpu_model)
            JL_SET(device, model, family->gpu_model->key);
        JL_SET(device, min_w, gpu->min_cap_w);
        JL_SET(device, max_w, gpu->max_w);
        JL_SET(device, default_w, gpu->max_w);
        JL_SET(device, controllable, true);
    }
    JL_SET(out, devices, ((struct jl_list){ devices, (size_t)family->gpus }));
    return 0;
}

static int put_gpu(const struct jl_sim_machine *machine, struct jl_arena *arena,
                   struct jl_hw_gpu *out)
{
    const struct jl_sim_family *family = machine->family;
    const struct jl_gpu_profile *gpu = &family->profile.gpu;
    JL_SET(out, present, family->gpus > 0);
    JL_SET(out, count, family->gpus);
    if (family->gpus == 0)
        return 0;
    if (family->gpu_text)
        JL_SET(out, raw_model, family->gpu_text);
    if (family->gpu_model)
        JL_SET(out, model, family->gpu_model->key);
    JL_SET(out, vendor, family->gpu_vendor);
    JL_SET(&out->cap_range, min_w, gpu->min_cap_w);
    JL_SET(&out->cap_range, max_w, gpu->max_w);
    JL_SET(&out->cap_range, default_w, gpu->max_w);
    out->given.cap_range = true;
    JL_SET(out, control_available, true);
    JL_SET(out, telemetry_available, true);
    return put_devices(machine, arena, out);
}

static void put_resolution(const struct jl_sim_family *family, struct jl_hardware_status *out)
{
    struct jl_hw_resolution *resolution = &out->resolution;
    JL_SET(&resolution->catalog_key, cpu, family->cpu_model ? family->cpu_model->key : "");
    JL_SET(&resolution->catalog_key, gpu, family->gpu_model ? family->gpu_model->key : "");
    resolution->given.catalog_key = true;
    out->given.resolution = true;
    JL_SET(&out->capabilities, cpu_control, true);
    JL_SET(&out->capabilities, gpu_control, family->gpus > 0);
    JL_SET(&out->capabilities, cpu_telemetry, true);
    JL_SET(&out->capabilities, gpu_telemetry, family->gpus > 0);
    out->given.capabilities = true;
}

int jl_sim_hardware_object(const struct jl_sim_machine *machine, const char *now,
                           struct jl_arena *arena, struct jl_node_hardware *out)
{
    struct jl_hardware_status *status = &out->status;
    struct jl_pair *managed_by = JL_NEW(arena, struct jl_pair);
    if (!managed_by)
        return JOULIE_E_NOMEM;
    *managed_by = (struct jl_pair){ "joulie.io/managed-by", "joulie-simulator" };
    *out = (struct jl_node_hardware){ .has = 0 };
    JL_SET(out, api_version, "joulie.io/v1alpha1");
    JL_SET(out, kind, "NodeHardware");
    JL_SET(&out->meta, name, machine->name);
    JL_SET(&out->meta, labels, ((struct jl_map){ managed_by, 1 }));
    out->given.meta = true;
    JL_SET(&out->spec, node_name, machine->name);
    out->given.spec = true;

    int rc = put_cpu(machine->family, arena, &status->cpu);
    if (rc == 0)
        rc = put_gpu(machine, arena, &status->gpu);
    status->given.cpu = true;
    status->given.gpu = true;
    JL_SET(&status->memory, total_bytes, machine->family->memory_bytes);
    status->given.memory = true;
    put_resolution(machine->family, status);
    JL_SET(status, updated_at, now);
    out->given.status = true;
    return rc;
}

/* ---- the Pod of a job ---- */

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
    JL_SET(container, name, JL_SIM_CONTAINER);
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

/* ---- the WorkloadProfile about a job ---- */

/* The words of a sensitivity stand for 1, 0.5 and 0.25 (docs/rules/placement.md#cap-points). */
#define LEAST_HIGH 0.75
#define LEAST_MEDIUM 0.375

static enum joulie_level level_of(double sensitivity)
{
    if (sensitivity >= LEAST_HIGH)
        return JOULIE_LEVEL_HIGH;
    return sensitivity >= LEAST_MEDIUM ? JOULIE_LEVEL_MEDIUM : JOULIE_LEVEL_LOW;
}

static enum joulie_bound cpu_bound(enum jl_cpu_class class_)
{
    switch (class_) {
    case JL_CPU_COMPUTE:
        return JOULIE_BOUND_COMPUTE;
    case JL_CPU_MEMORY:
        return JOULIE_BOUND_MEMORY;
    case JL_CPU_IO:
        return JOULIE_BOUND_IO;
    case JL_CPU_MIXED:
    case JL_CPU_UNKNOWN:
        break;
    }
    return JOULIE_BOUND_MIXED;
}

/* The word whose share of memory-bound work is nearest to the job's, which also depends on more
 * than its class. */
static enum joulie_bound gpu_bound(const struct jl_work *work)
{
    static const enum joulie_bound words[] = { JOULIE_BOUND_COMPUTE, JOULIE_BOUND_MIXED,
                                               JOULIE_BOUND_MEMORY };
    struct jl_work_traits traits;
    enum joulie_bound best = JOULIE_BOUND_UNKNOWN;
    double best_error = 1;
    jl_work_traits(work, &traits);
    for (size_t i = 0; i < JL_COUNT(words); i++) {
        const struct jl_gpu_mix mix = jl_gpu_mix_of_bound(words[i]);
        struct jl_gpu_weights weights;
        jl_gpu_weights(&mix, &weights);
        const double error = fabs(weights.memory - traits.gpu.memory);
        if (error < best_error) {
            best_error = error;
            best = words[i];
        }
    }
    return best;
}

int jl_sim_profile_object(const struct jl_trace_job *job, const char *now, struct jl_arena *arena,
                          struct jl_workload_profile *out)
{
    const struct jl_work *work = &job->work;
    struct jl_profile_status *status = &out->status;
    const char *updated = jl_arena_copy(arena, now, strlen(now));
    *out = (struct jl_workload_profile){ .has = 0 };
    JL_SET(out, api_version, "joulie.io/v1alpha1");
    JL_SET(out, kind, "WorkloadProfile");
    JL_SET(&out->meta, name, job->job_id);
    JL_SET(&out->meta, name_space, job->name_space);
    JL_SET(&out->spec.workload_ref, kind, "Pod");
    JL_SET(&out->spec.workload_ref, name, job->job_id);
    JL_SET(&status->cpu, bound, cpu_bound(work->cpu_class));
    JL_SET(&status->cpu, avg_utilization_pct, PERCENT * work->cpu_util);
    JL_SET(&status->cpu, cap_sensitivity, level_of(work->sensitivity_cpu));
    if (job->gpu_count > 0) {
        JL_SET(&status->gpu, bound, gpu_bound(work));
        JL_SET(&status->gpu, avg_utilization_pct, PERCENT * work->gpu_util);
        JL_SET(&status->gpu, cap_sensitivity, level_of(work->sensitivity_gpu));
    }
    JL_SET(status, confidence, 1);
    JL_SET(status, last_updated, updated);
    out->given.meta = true;
    out->spec.given.workload_ref = true;
    out->given.spec = true;
    status->given.cpu = true;
    status->given.gpu = job->gpu_count > 0;
    out->given.status = true;
    return updated != NULL ? 0 : JOULIE_E_NOMEM;
}
