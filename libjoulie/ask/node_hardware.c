/* SPDX-License-Identifier: Apache-2.0 */

/* node.hardware: the NodeHardware of a node that nobody can look into (joulie-node-agent.md §4.2,
 * §4.4, W9). */

#include "ask/ask.h"
#include "base/error.h"
#include "base/time.h"
#include "kinds/naming.h"
#include "node/label_hardware.h"

struct hardware_in {
    uint64_t has;
    struct jl_node node;
    int64_t now_ms;
    bool cpu_control;
    bool cpu_telemetry;
    bool gpu_control;
    bool gpu_telemetry;
};

enum {
    IN_NODE,
    IN_NOW,
    IN_CPU_CONTROL,
    IN_CPU_TELEMETRY,
    IN_GPU_CONTROL,
    IN_GPU_TELEMETRY,
};

static const struct jl_row in_rows[] = {
    [IN_NODE] = JL_OBJECT(hardware_in, node, "node", &jl_node_table, .flags = JL_REQUIRED,
                          .doc = "The Node: name, labels, capacity, allocatable."),
    [IN_NOW] =
        JL_TIME(hardware_in, now_ms, "now", .flags = JL_REQUIRED, .doc = "Instant of the look."),
    [IN_CPU_CONTROL] = JL_BOOLEAN(hardware_in, cpu_control, "cpuControl",
                                  .doc = "Whether its CPU power can be capped."),
    [IN_CPU_TELEMETRY] = JL_BOOLEAN(hardware_in, cpu_telemetry, "cpuTelemetry",
                                    .doc = "Whether its CPU power can be read."),
    [IN_GPU_CONTROL] = JL_BOOLEAN(hardware_in, gpu_control, "gpuControl",
                                  .doc = "Whether its GPU power can be capped."),
    [IN_GPU_TELEMETRY] = JL_BOOLEAN(hardware_in, gpu_telemetry, "gpuTelemetry",
                                    .doc = "Whether its GPU power can be read."),
};
static const struct jl_table in_table = JL_TABLE(hardware_in, in_rows);

struct hardware_out {
    uint64_t has;
    struct jl_node_hardware hardware;
};

enum { OUT_HARDWARE };

static const struct jl_row out_rows[] = {
    [OUT_HARDWARE] = JL_OBJECT(hardware_out, hardware, "hardware", &jl_node_hardware_table,
                               .doc = "The object."),
};
static const struct jl_table out_table = JL_TABLE(hardware_out, out_rows);

static int put_head(struct jl_ask *ask, const struct hardware_in *in, struct jl_node_hardware *out)
{
    const char *node_name = in->node.meta.name;
    if (jl_is_empty(node_name))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "node.metadata.name", "a node has a name");
    const char *name = jl_object_name(ask->arena, node_name, NULL, NULL);
    char *now = jl_arena_alloc(ask->arena, JL_TIME_TEXT);
    if (name == NULL || now == NULL)
        return jl_fail_memory(ask->err);
    jl_format_time(in->now_ms, now);
    JL_PUT(out, JL_ROOT_API_VERSION, api_version, "joulie.io/v1alpha1");
    JL_PUT(out, JL_ROOT_KIND, kind, "NodeHardware");
    JL_PUT(&out->meta, JL_META_NAME, name, name);
    JL_MARK(out, JL_ROOT_META);
    JL_PUT(&out->spec, JL_HARDWARE_SPEC_NODE_NAME, node_name, node_name);
    JL_MARK(out, JL_ROOT_SPEC);
    JL_PUT(&out->status, JL_HARDWARE_UPDATED_AT, updated_at, now);
    JL_MARK(out, JL_ROOT_STATUS);
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct hardware_in *in = input;
    struct hardware_out *out = output;
    const struct jl_label_can can = { in->cpu_control, in->cpu_telemetry, in->gpu_control,
                                      in->gpu_telemetry };
    if (jl_label_hardware(&in->node, &can, ask->arena, &out->hardware.status) < 0)
        return jl_fail_memory(ask->err);
    const int rc = put_head(ask, in, &out->hardware);
    if (rc == 0)
        JL_MARK(out, OUT_HARDWARE);
    return rc;
}

const struct jl_question jl_question_node_hardware = {
    .name = "node.hardware",
    .summary = "NodeHardware of a node from its labels, capacity and the catalog",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
