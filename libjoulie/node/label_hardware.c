/* SPDX-License-Identifier: Apache-2.0 */

/* From a Node's labels to NodeHardware.status, for nodes of a pool
 * (docs/rules/node-agent.md#hardware-from-labels). */

#include "node/label_hardware.h"

#include "base/number.h"
#include "catalog/hardware.h"
#include "node/labels.h"

struct build {
    struct jl_label_facts facts;
    struct jl_hardware hardware;
    const struct jl_label_can *can;
    struct jl_arena *arena;
    bool is_out; /* of memory */
};

/* The words that are published, for a vendor that only the catalog knows. */
static const char *vendor_of(const struct build *build)
{
    const struct jl_cpu_model *model = build->hardware.cpu_model;
    if (!jl_is_empty(build->facts.cpu_vendor))
        return build->facts.cpu_vendor;
    if (model == NULL)
        return NULL;
    return jl_same(model->vendor, "amd") ? "AuthenticAMD" : "GenuineIntel";
}

static struct jl_list one_text(struct build *build, const char *text)
{
    const char **items = JL_NEW_ARRAY(build->arena, 1, const char *);
    build->is_out |= items == NULL;
    if (items == NULL)
        return (struct jl_list){ .count = 0 };
    items[0] = text;
    return (struct jl_list){ items, 1 };
}

static void put_cpu(struct build *build, struct jl_hw_cpu *cpu)
{
    const struct jl_hardware *hardware = &build->hardware;
    const int64_t cores = (int64_t)jl_min(hardware->total_cores, (double)INT32_MAX);
    const char *vendor = vendor_of(build);
    if (hardware->cpu_name != NULL)
        JL_SET(cpu, raw_model, hardware->cpu_name);
    if (hardware->cpu_model != NULL)
        JL_SET(cpu, model, hardware->cpu_model->key);
    else if (hardware->cpu_name != NULL)
        JL_SET(cpu, warnings, one_text(build, "cpu model not recognized"));
    if (vendor != NULL)
        JL_SET(cpu, vendor, vendor);
    if (build->facts.sockets > 0)
        JL_SET(cpu, sockets, build->facts.sockets);
    if (cores > 0) {
        JL_SET(cpu, total_cores, cores);
        JL_SET(cpu, logical_cpus, cores);
    }
    if (cores > 0 && build->facts.sockets > 0)
        JL_SET(cpu, cores_per_socket, cores / build->facts.sockets);
    JL_SET(cpu, control_available, build->can->cpu_control);
    JL_SET(cpu, telemetry_available, build->can->cpu_telemetry);
}

static void put_gpu(struct build *build, struct jl_hw_gpu *gpu)
{
    const struct jl_hardware *hardware = &build->hardware;
    JL_SET(gpu, present, hardware->gpu_present);
    JL_SET(gpu, count, (int64_t)jl_min(hardware->gpu_count, (double)INT32_MAX));
    if (!hardware->gpu_present) {
        JL_SET(gpu, vendor, "none");
        return;
    }
    if (hardware->gpu_name != NULL)
        JL_SET(gpu, raw_model, hardware->gpu_name);
    if (hardware->gpu_model != NULL)
        JL_SET(gpu, model, hardware->gpu_model->key);
    else if (hardware->gpu_name != NULL)
        JL_SET(gpu, warnings, one_text(build, "gpu model not recognized"));
    if (hardware->gpu_vendor != NULL)
        JL_SET(gpu, vendor, hardware->gpu_vendor);
    JL_SET(gpu, control_available, build->can->gpu_control);
    JL_SET(gpu, telemetry_available, build->can->gpu_telemetry);
}

static const char *exactness(bool has_key, bool has_text)
{
    if (has_key)
        return "exact";
    return has_text ? "proxy" : "generic";
}

static void put_quality(const struct build *build, struct jl_hardware_status *out)
{
    const struct jl_hardware *hardware = &build->hardware;
    const bool has_cpu = hardware->cpu_model != NULL;
    const bool has_gpu = hardware->gpu_model != NULL;
    const bool has_text = hardware->cpu_name != NULL || hardware->gpu_name != NULL;
    struct jl_hw_resolution *resolution = &out->resolution;
    if (has_cpu)
        JL_SET(&resolution->catalog_key, cpu, hardware->cpu_model->key);
    if (has_gpu)
        JL_SET(&resolution->catalog_key, gpu, hardware->gpu_model->key);
    JL_SET(&resolution->exactness, cpu, exactness(has_cpu, hardware->cpu_name != NULL));
    JL_SET(&resolution->exactness, gpu, exactness(has_gpu, hardware->gpu_name != NULL));
    if (resolution->catalog_key.has != 0)
        resolution->given.catalog_key = true;
    resolution->given.exactness = true;
    JL_SET(&out->quality, overall,
           has_cpu && (!hardware->gpu_present || has_gpu) ? "exact"
           : has_text                                     ? "heuristic"
                                                          : "unavailable");
}

static void put_capabilities(const struct build *build, struct jl_hw_capabilities *can)
{
    JL_SET(can, cpu_control, build->can->cpu_control);
    JL_SET(can, gpu_control, build->can->gpu_control && build->hardware.gpu_present);
    JL_SET(can, cpu_telemetry, build->can->cpu_telemetry);
    JL_SET(can, gpu_telemetry, build->can->gpu_telemetry && build->hardware.gpu_present);
}

int jl_label_hardware(const struct jl_node *node, const struct jl_label_can *can,
                      struct jl_arena *arena, struct jl_hardware_status *out)
{
    struct build build = { .can = can, .arena = arena };
    struct jl_hardware_status status = { 0 };
    const int rc = jl_label_facts_v0_1_1(node, arena, &build.facts);
    if (rc < 0)
        return rc;
    jl_hardware_resolve(NULL, node, JL_HARDWARE_CURRENT, &build.hardware);
    put_cpu(&build, &status.cpu);
    put_gpu(&build, &status.gpu);
    put_quality(&build, &status);
    put_capabilities(&build, &status.capabilities);
    if (build.is_out)
        return jl_arena_code(arena);
    status.given.cpu = true;
    status.given.gpu = true;
    status.given.resolution = true;
    status.given.capabilities = true;
    status.given.quality = true;
    *out = status;
    return 0;
}
