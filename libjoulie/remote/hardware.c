/* SPDX-License-Identifier: Apache-2.0 */

/* From a Node's labels to NodeHardware.status, for nodes of a pool
 * (docs/rules/node-agent.md#hardware-from-labels). */

#include "catalog/hardware.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "kinds/kinds.h"
#include "kinds/naming.h"
#include "remote/labels.h"
#include "schema/document.h"
#include "schema/encode.h"

struct build {
    struct jl_label_facts facts;
    struct jl_hardware hardware;
    const struct joulie_remote_can *can;
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
    JL_SET_IF(cpu, raw_model, hardware->cpu_name != NULL, hardware->cpu_name);
    if (hardware->cpu_model != NULL)
        JL_SET(cpu, model, hardware->cpu_model->key);
    else if (hardware->cpu_name != NULL)
        JL_SET(cpu, warnings, one_text(build, "cpu model not recognized"));
    JL_SET_IF(cpu, vendor, vendor != NULL, vendor);
    JL_SET_IF(cpu, sockets, build->facts.sockets > 0, build->facts.sockets);
    if (cores > 0) {
        JL_SET(cpu, total_cores, cores);
        JL_SET(cpu, logical_cpus, cores);
    }
    if (cores > 0 && build->facts.sockets > 0)
        JL_SET(cpu, cores_per_socket, cores / build->facts.sockets);
    JL_SET(cpu, control_available, build->can->cpu_control != 0);
    JL_SET(cpu, telemetry_available, build->can->cpu_telemetry != 0);
}

/* Control and telemetry are said only of GPUs that are there. */
static void put_gpu(struct build *build, struct jl_hw_gpu *gpu)
{
    const struct jl_hardware *hardware = &build->hardware;
    JL_SET(gpu, present, hardware->gpu_present);
    JL_SET(gpu, count, (int64_t)jl_min(hardware->gpu_count, (double)INT32_MAX));
    if (!hardware->gpu_present) {
        JL_SET(gpu, vendor, "none");
        return;
    }
    JL_SET_IF(gpu, raw_model, hardware->gpu_name != NULL, hardware->gpu_name);
    if (hardware->gpu_model != NULL)
        JL_SET(gpu, model, hardware->gpu_model->key);
    else if (hardware->gpu_name != NULL)
        JL_SET(gpu, warnings, one_text(build, "gpu model not recognized"));
    JL_SET_IF(gpu, vendor, hardware->gpu_vendor != NULL, hardware->gpu_vendor);
    JL_SET(gpu, control_available, build->can->gpu_control != 0);
    JL_SET(gpu, telemetry_available, build->can->gpu_telemetry != 0);
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
    JL_SET(&resolution->exactness, cpu, jl_label_exactness(has_cpu, hardware->cpu_name != NULL));
    JL_SET(&resolution->exactness, gpu, jl_label_exactness(has_gpu, hardware->gpu_name != NULL));
    if (resolution->catalog_key.has != 0)
        resolution->given.catalog_key = true;
    resolution->given.exactness = true;
    JL_SET(&out->quality, overall,
           jl_label_quality(has_cpu && (!hardware->gpu_present || has_gpu), has_text));
}

static void put_capabilities(const struct build *build, struct jl_hw_capabilities *can)
{
    JL_SET(can, cpu_control, build->can->cpu_control != 0);
    JL_SET(can, gpu_control, build->can->gpu_control != 0 && build->hardware.gpu_present);
    JL_SET(can, cpu_telemetry, build->can->cpu_telemetry != 0);
    JL_SET(can, gpu_telemetry, build->can->gpu_telemetry != 0 && build->hardware.gpu_present);
}

static int put_status(const struct jl_node *node, const struct joulie_remote_can *can,
                      struct jl_arena *arena, struct jl_hardware_status *out)
{
    struct build build = { .can = can, .arena = arena };
    const int rc = jl_label_facts_v0_1_1(node, arena, &build.facts);
    if (rc < 0)
        return rc;
    jl_hardware_resolve(NULL, node, JL_HARDWARE_CURRENT, &build.hardware);
    put_cpu(&build, &out->cpu);
    put_gpu(&build, &out->gpu);
    put_quality(&build, out);
    put_capabilities(&build, &out->capabilities);
    if (build.is_out)
        return jl_arena_code(arena);
    out->given.cpu = true;
    out->given.gpu = true;
    out->given.resolution = true;
    out->given.capabilities = true;
    out->given.quality = true;
    return 0;
}

int jl_remote_hardware(const struct jl_node *node, const struct joulie_remote_can *can,
                       int64_t now_ms, struct jl_arena *arena, struct jl_node_hardware *out)
{
    if (jl_is_empty(node->meta.name))
        return JOULIE_E_REQUIRED;
    *out = (struct jl_node_hardware){ 0 };
    const int rc = put_status(node, can, arena, &out->status);
    if (rc < 0)
        return rc;
    const char *name = jl_object_name(arena, node->meta.name, NULL, NULL);
    char *now = jl_arena_alloc(arena, JL_TIME_TEXT);
    if (name == NULL || now == NULL)
        return jl_arena_code(arena);
    jl_format_time(now_ms, now);
    JL_PUT(out, JL_ROOT_API_VERSION, api_version, jl_node_hardware_table.kind->api_version);
    JL_PUT(out, JL_ROOT_KIND, kind, jl_node_hardware_table.kind->kind);
    JL_SET(&out->meta, name, name);
    JL_MARK(out, JL_ROOT_META);
    JL_SET(&out->spec, node_name, node->meta.name);
    JL_MARK(out, JL_ROOT_SPEC);
    JL_SET(&out->status, updated_at, now);
    JL_MARK(out, JL_ROOT_STATUS);
    return 0;
}

/* ---- joulie_remote_hardware() ---- */

_Static_assert(sizeof(struct joulie_remote_can) ==
                   offsetof(struct joulie_remote_can, gpu_telemetry) + sizeof(int32_t),
               "no tail padding");

int joulie_remote_hardware(const char *node, size_t len, const struct joulie_remote_can *can,
                           int64_t now_ms, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    struct joulie_remote_can ours;
    struct jl_node_hardware hardware;
    struct jl_node object;
    if (JL_SIZED_READ(&ours, can) < 0)
        return jl_fail_abi(err, "");
    if (!jl_is_instant(now_ms))
        return jl_fail(err, JOULIE_E_RANGE, "now_ms", "the year is not within 0 to 9999");
    int rc = jl_document_record(node, len, JL_LENIENT, &jl_node_table, &arena, &object, err);
    if (rc < 0)
        return rc;
    rc = jl_remote_hardware(&object, &ours, now_ms, &arena, &hardware);
    if (rc == JOULIE_E_REQUIRED)
        return jl_fail(err, rc, "metadata.name", "a node has a name");
    if (rc < 0)
        return jl_fail_memory(err);
    jl_encode(&out, &jl_node_hardware_table, &hardware);
    return jl_hand_out(&out, json, err);
}
