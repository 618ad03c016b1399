/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cap.remote: what an agent asks of remote CPU and GPU backends (docs/rules/endpoints.md#control).
 */

#include "ask/ask.h"
#include "base/error.h"
#include "node/node.h"

#define RECORD remote_in
#define MEMBERS                                                                          \
    WHOLE(hardware, "hardware", jl_node_hardware, "status", "What the node is made of.") \
    /* a NodeTwin or its spec */                                                         \
    WHOLE(spec, "spec", jl_node_twin, "spec", "A NodeTwin or its spec.", REQUIRED)       \
    TIME(now_ms, "now", "Instant of the request.", REQUIRED)
#include "schema/record.h"

#define RECORD remote_request
#define MEMBERS                                                     \
    STRING(node, "node", "Name of the node.")                       \
    STRING(action, "action", "Word of the wire contract.")          \
    NUMBER(cap_w, "capWatts", "Watts of the node's CPUs together.") \
    INTEGER(throttle_pct, "throttlePct", "-1: left alone.")         \
    TIME(ts_ms, "ts", "Instant of the request.")
#include "schema/record.h"

#define RECORD gpu_request
#define MEMBERS                                            \
    STRING(node, "node", "Name of the node.")              \
    STRING(action, "action", "Word of the wire contract.") \
    NUMBER(cap_w, "capWattsPerGpu", "Watts of each GPU.")  \
    TIME(ts_ms, "ts", "Instant of the request.")
#include "schema/record.h"

#define RECORD remote_out
#define MEMBERS                                                                              \
    NUMBER(per_package_w, "perPackageW", "Watts of one package; absent: no cap to ask for.") \
    OBJECT(request, "request", remote_request, "Body of the request.")                       \
    OBJECT(gpu, "gpuRequest", gpu_request,                                                   \
           "Body of the request for the GPUs; absent: no cap to ask for.")
#include "schema/record.h"

static void put_cpu(const struct remote_in *in, const struct jl_node_want *want,
                    struct remote_out *out)
{
    struct remote_request *request = &out->request;
    const char *name = in->spec.spec.node_name;
    JL_SET(out, per_package_w, want->cap.cap_w);
    if (name != NULL)
        JL_SET(request, node, name);
    JL_SET(request, action, "rapl.set_power_cap_watts");
    JL_SET(request, cap_w, want->target_w);
    JL_SET(request, throttle_pct, -1);
    JL_SET(request, ts_ms, in->now_ms);
    out->given.request = true;
}

static void put_gpu(const struct remote_in *in, const struct jl_node_want *want,
                    struct remote_out *out)
{
    struct gpu_request *request = &out->gpu;
    const char *name = in->spec.spec.node_name;
    if (name != NULL)
        JL_SET(request, node, name);
    JL_SET(request, action, "gpu.set_power_cap_watts");
    JL_SET(request, cap_w, want->target_w);
    JL_SET(request, ts_ms, in->now_ms);
    out->given.gpu = true;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct remote_in *in = input;
    struct remote_out *out = output;
    struct jl_hardware hardware;
    (void)ask;
    jl_hardware_resolve(in->given.hardware ? &in->hardware.status : NULL, NULL, JL_HARDWARE_CURRENT,
                        &hardware);
    const struct jl_node_part parts[] = { jl_node_remote_cpu(&hardware),
                                          jl_node_remote_gpu(&hardware) };
    const struct jl_node_input node = { .spec = &in->spec.spec,
                                        .parts = parts,
                                        .part_count = hardware.gpu_present ? 2 : 1,
                                        .now_ms = in->now_ms };
    struct jl_node_config config;
    struct jl_node_memory memory = { 0 };
    struct jl_node_want wants[JL_COUNT(parts)];
    size_t order[JL_COUNT(parts)];
    jl_node_defaults(&config);
    config.mode = JL_NODE_ENFORCE;
    const size_t count = jl_node_step(&config, &node, &memory, wants, order);
    for (size_t i = 0; i < count; i++) {
        if (order[i] == 0)
            put_cpu(in, &wants[0], out);
        else
            put_gpu(in, &wants[1], out);
    }
    return 0;
}

const struct jl_question jl_question_cap_remote = {
    .name = "cap.remote",
    .summary = "what an agent asks of remote CPU and GPU backends",
    .in = &remote_in_table,
    .out = &remote_out_table,
    .answer = answer,
};
