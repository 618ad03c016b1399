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
        JL_PUT(cpu, JL_HW_CPU_RAW_MODEL, raw_model, hardware->cpu_name);
    if (hardware->cpu_model != NULL)
        JL_PUT(cpu, JL_HW_CPU_MODEL, model, hardware->cpu_model->key);
    else if (hardware->cpu_name != NULL)
        JL_PUT(cpu, JL_HW_CPU_WARNINGS, warnings, one_text(build, "cpu model not recognized"));
    if (vendor != NULL)
        JL_PUT(cpu, JL_HW_CPU_VENDOR, vendor, vendor);
    if (build->facts.sockets > 0)
        JL_PUT(cpu, JL_HW_CPU_SOCKETS, sockets, build->facts.sockets);
    if (cores > 0) {
        JL_PUT(cpu, JL_HW_CPU_TOTAL_CORES, total_cores, cores);
        JL_PUT(cpu, JL_HW_CPU_LOGICAL_CPUS, logical_cpus, cores);
    }
    if (cores > 0 && build->facts.sockets > 0)
        JL_PUT(cpu, JL_HW_CPU_CORES_PER_SOCKET, cores_per_socket, cores / build->facts.sockets);
    JL_PUT(cpu, JL_HW_CPU_CONTROL_AVAILABLE, control_available, build->can->cpu_control);
    JL_PUT(cpu, JL_HW_CPU_TELEMETRY_AVAILABLE, telemetry_available, build->can->cpu_telemetry);
}

static void put_gpu(struct build *build, struct jl_hw_gpu *gpu)
{
    const struct jl_hardware *hardware = &build->hardware;
    JL_PUT(gpu, JL_HW_GPU_PRESENT, present, hardware->gpu_present);
    JL_PUT(gpu, JL_HW_GPU_COUNT, count, (int64_t)jl_min(hardware->gpu_count, (double)INT32_MAX));
    if (!hardware->gpu_present) {
        JL_PUT(gpu, JL_HW_GPU_VENDOR, vendor, "none");
        return;
    }
    if (hardware->gpu_name != NULL)
        JL_PUT(gpu, JL_HW_GPU_RAW_MODEL, raw_model, hardware->gpu_name);
    if (hardware->gpu_model != NULL)
        JL_PUT(gpu, JL_HW_GPU_MODEL, model, hardware->gpu_model->key);
    else if (hardware->gpu_name != NULL)
        JL_PUT(gpu, JL_HW_GPU_WARNINGS, warnings, one_text(build, "gpu model not recognized"));
    if (hardware->gpu_vendor != NULL)
        JL_PUT(gpu, JL_HW_GPU_VENDOR, vendor, hardware->gpu_vendor);
    JL_PUT(gpu, JL_HW_GPU_CONTROL_AVAILABLE, control_available, build->can->gpu_control);
    JL_PUT(gpu, JL_HW_GPU_TELEMETRY_AVAILABLE, telemetry_available, build->can->gpu_telemetry);
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
        JL_PUT(&resolution->catalog_key, JL_HW_KEYS_CPU, cpu, hardware->cpu_model->key);
    if (has_gpu)
        JL_PUT(&resolution->catalog_key, JL_HW_KEYS_GPU, gpu, hardware->gpu_model->key);
    JL_PUT(&resolution->exactness, JL_HW_KEYS_CPU, cpu,
           exactness(has_cpu, hardware->cpu_name != NULL));
    JL_PUT(&resolution->exactness, JL_HW_KEYS_GPU, gpu,
           exactness(has_gpu, hardware->gpu_name != NULL));
    if (resolution->catalog_key.has != 0)
        JL_MARK(resolution, JL_HW_RESOLUTION_KEY);
    JL_MARK(resolution, JL_HW_RESOLUTION_EXACTNESS);
    JL_PUT(&out->quality, JL_HW_QUALITY_OVERALL, overall,
           has_cpu && (!hardware->gpu_present || has_gpu) ? "exact"
           : has_text                                     ? "heuristic"
                                                          : "unavailable");
}

static void put_capabilities(const struct build *build, struct jl_hw_capabilities *can)
{
    JL_PUT(can, JL_HW_CAN_CPU_CONTROL, cpu_control, build->can->cpu_control);
    JL_PUT(can, JL_HW_CAN_GPU_CONTROL, gpu_control,
           build->can->gpu_control && build->hardware.gpu_present);
    JL_PUT(can, JL_HW_CAN_CPU_TELEMETRY, cpu_telemetry, build->can->cpu_telemetry);
    JL_PUT(can, JL_HW_CAN_GPU_TELEMETRY, gpu_telemetry,
           build->can->gpu_telemetry && build->hardware.gpu_present);
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
    JL_MARK(&status, JL_HARDWARE_CPU);
    JL_MARK(&status, JL_HARDWARE_GPU);
    JL_MARK(&status, JL_HARDWARE_RESOLUTION);
    JL_MARK(&status, JL_HARDWARE_CAPABILITIES);
    JL_MARK(&status, JL_HARDWARE_QUALITY);
    *out = status;
    return 0;
}
