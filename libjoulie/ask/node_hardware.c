/* SPDX-License-Identifier: Apache-2.0 */

/*
 * node.hardware: the NodeHardware of a node that nobody can look into
 * (docs/rules/node-agent.md#hardware-from-labels).
 */

#include "ask/ask.h"
#include "base/error.h"
#include "base/time.h"
#include "kinds/naming.h"
#include "node/label_hardware.h"

#define RECORD hardware_in
#define MEMBERS                                                                               \
    OBJECT(node, "node", jl_node, "The Node: name, labels, capacity, allocatable.", REQUIRED) \
    TIME(now_ms, "now", "Instant of the look.", REQUIRED)                                     \
    BOOLEAN(cpu_control, "cpuControl", "Whether its CPU power can be capped.")                \
    BOOLEAN(cpu_telemetry, "cpuTelemetry", "Whether its CPU power can be read.")              \
    BOOLEAN(gpu_control, "gpuControl", "Whether its GPU power can be capped.")                \
    BOOLEAN(gpu_telemetry, "gpuTelemetry", "Whether its GPU power can be read.")
#include "schema/record.h"

#define RECORD hardware_out
#define MEMBERS OBJECT(hardware, "hardware", jl_node_hardware, "The object.")
#include "schema/record.h"

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
    JL_SET(&out->meta, name, name);
    JL_MARK(out, JL_ROOT_META);
    JL_SET(&out->spec, node_name, node_name);
    JL_MARK(out, JL_ROOT_SPEC);
    JL_SET(&out->status, updated_at, now);
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
        out->given.hardware = true;
    return rc;
}

const struct jl_question jl_question_node_hardware = {
    .name = "node.hardware",
    .summary = "NodeHardware of a node from its labels, capacity and the catalog",
    .in = &hardware_in_table,
    .out = &hardware_out_table,
    .answer = answer,
};
