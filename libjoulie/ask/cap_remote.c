/* SPDX-License-Identifier: Apache-2.0 */

/* cap.remote: what an agent asks of remote CPU and GPU backends (joulie-node-agent.md §2 step 15,
 * §5.4). */

#include "ask/ask.h"
#include "base/error.h"
#include "node/node.h"

struct remote_in {
    uint64_t has;
    struct jl_node_hardware hardware;
    struct jl_node_twin spec; /* a NodeTwin or its spec */
    int64_t now_ms;
};

enum { IN_HARDWARE, IN_SPEC, IN_NOW };

static const struct jl_row in_rows[] = {
    [IN_HARDWARE] = JL_WHOLE(remote_in, hardware, "hardware", &jl_node_hardware_table, "status",
                             .doc = "What the node is made of."),
    [IN_SPEC] = JL_WHOLE(remote_in, spec, "spec", &jl_node_twin_table, "spec", .flags = JL_REQUIRED,
                         .doc = "A NodeTwin or its spec."),
    [IN_NOW] =
        JL_TIME(remote_in, now_ms, "now", .flags = JL_REQUIRED, .doc = "Instant of the request."),
};
static const struct jl_table in_table = JL_TABLE(remote_in, in_rows);

struct remote_request {
    uint64_t has;
    const char *node;
    const char *action;
    double cap_w;
    int64_t throttle_pct;
    int64_t ts_ms;
};

enum { REQUEST_NODE, REQUEST_ACTION, REQUEST_CAP, REQUEST_THROTTLE, REQUEST_TS };

static const struct jl_row request_rows[] = {
    [REQUEST_NODE] = JL_STRING(remote_request, node, "node", .doc = "Name of the node."),
    [REQUEST_ACTION] =
        JL_STRING(remote_request, action, "action", .doc = "Word of the wire contract."),
    [REQUEST_CAP] =
        JL_NUMBER(remote_request, cap_w, "capWatts", .doc = "Watts of the node's CPUs together."),
    [REQUEST_THROTTLE] =
        JL_INTEGER(remote_request, throttle_pct, "throttlePct", .doc = "-1: left alone."),
    [REQUEST_TS] = JL_TIME(remote_request, ts_ms, "ts", .doc = "Instant of the request."),
};
static const struct jl_table request_table = JL_TABLE(remote_request, request_rows);

struct gpu_request {
    uint64_t has;
    const char *node;
    const char *action;
    double cap_w;
    int64_t ts_ms;
};

enum { GPU_NODE, GPU_ACTION, GPU_CAP, GPU_TS };

static const struct jl_row gpu_rows[] = {
    [GPU_NODE] = JL_STRING(gpu_request, node, "node", .doc = "Name of the node."),
    [GPU_ACTION] = JL_STRING(gpu_request, action, "action", .doc = "Word of the wire contract."),
    [GPU_CAP] = JL_NUMBER(gpu_request, cap_w, "capWattsPerGpu", .doc = "Watts of each GPU."),
    [GPU_TS] = JL_TIME(gpu_request, ts_ms, "ts", .doc = "Instant of the request."),
};
static const struct jl_table gpu_table = JL_TABLE(gpu_request, gpu_rows);

struct remote_out {
    uint64_t has;
    double per_package_w;
    struct remote_request request;
    struct gpu_request gpu;
};

enum { OUT_PER_PACKAGE, OUT_REQUEST, OUT_GPU };

static const struct jl_row out_rows[] = {
    [OUT_PER_PACKAGE] = JL_NUMBER(remote_out, per_package_w, "perPackageW",
                                  .doc = "Watts of one package; absent: no cap to ask for."),
    [OUT_REQUEST] =
        JL_OBJECT(remote_out, request, "request", &request_table, .doc = "Body of the request."),
    [OUT_GPU] = JL_OBJECT(remote_out, gpu, "gpuRequest", &gpu_table,
                          .doc = "Body of the request for the GPUs; absent: no cap to ask for."),
};
static const struct jl_table out_table = JL_TABLE(remote_out, out_rows);

static void put_cpu(const struct remote_in *in, const struct jl_node_want *want,
                    struct remote_out *out)
{
    struct remote_request *request = &out->request;
    const char *name = in->spec.spec.node_name;
    JL_PUT(out, OUT_PER_PACKAGE, per_package_w, want->cap.cap_w);
    if (name != NULL)
        JL_PUT(request, REQUEST_NODE, node, name);
    JL_PUT(request, REQUEST_ACTION, action, "rapl.set_power_cap_watts");
    JL_PUT(request, REQUEST_CAP, cap_w, want->target_w);
    JL_PUT(request, REQUEST_THROTTLE, throttle_pct, -1);
    JL_PUT(request, REQUEST_TS, ts_ms, in->now_ms);
    JL_MARK(out, OUT_REQUEST);
}

static void put_gpu(const struct remote_in *in, const struct jl_node_want *want,
                    struct remote_out *out)
{
    struct gpu_request *request = &out->gpu;
    const char *name = in->spec.spec.node_name;
    if (name != NULL)
        JL_PUT(request, GPU_NODE, node, name);
    JL_PUT(request, GPU_ACTION, action, "gpu.set_power_cap_watts");
    JL_PUT(request, GPU_CAP, cap_w, want->target_w);
    JL_PUT(request, GPU_TS, ts_ms, in->now_ms);
    JL_MARK(out, OUT_GPU);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct remote_in *in = input;
    struct remote_out *out = output;
    struct jl_hardware hardware;
    (void)ask;
    jl_hardware_resolve(JL_HAS(in, IN_HARDWARE) ? &in->hardware.status : NULL, NULL,
                        JL_HARDWARE_CURRENT, &hardware);
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
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
