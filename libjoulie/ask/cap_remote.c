/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cap.remote: what an agent asks of a remote CPU backend (joulie-node-agent.md §2 step 15, §5.4).
 */

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

struct remote_out {
    uint64_t has;
    double per_package_w;
    struct remote_request request;
};

enum { OUT_PER_PACKAGE, OUT_REQUEST };

static const struct jl_row out_rows[] = {
    [OUT_PER_PACKAGE] = JL_NUMBER(remote_out, per_package_w, "perPackageW",
                                  .doc = "Watts of one package; absent: no cap to ask for."),
    [OUT_REQUEST] =
        JL_OBJECT(remote_out, request, "request", &request_table, .doc = "Body of the request."),
};
static const struct jl_table out_table = JL_TABLE(remote_out, out_rows);

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct remote_in *in = input;
    struct remote_out *out = output;
    struct jl_hardware hardware;
    (void)ask;
    jl_hardware_resolve(JL_HAS(in, IN_HARDWARE) ? &in->hardware.status : NULL, NULL,
                        JL_HARDWARE_CURRENT, &hardware);
    const struct jl_node_part part = jl_node_remote_cpu(&hardware);
    const struct jl_node_input node = {
        .spec = &in->spec.spec, .parts = &part, .part_count = 1, .now_ms = in->now_ms
    };
    struct jl_node_config config;
    struct jl_node_memory memory = { 0 };
    struct jl_node_want want;
    size_t order = 0;
    jl_node_defaults(&config);
    config.mode = JL_NODE_ENFORCE;
    if (jl_node_step(&config, &node, &memory, &want, &order) == 0)
        return 0;

    struct remote_request *request = &out->request;
    const char *name = in->spec.spec.node_name;
    JL_PUT(out, OUT_PER_PACKAGE, per_package_w, want.cap.cap_w);
    if (name != NULL)
        JL_PUT(request, REQUEST_NODE, node, name);
    JL_PUT(request, REQUEST_ACTION, action, "rapl.set_power_cap_watts");
    JL_PUT(request, REQUEST_CAP, cap_w, want.target_w);
    JL_PUT(request, REQUEST_THROTTLE, throttle_pct, -1);
    JL_PUT(request, REQUEST_TS, ts_ms, in->now_ms);
    JL_MARK(out, OUT_REQUEST);
    return 0;
}

const struct jl_question jl_question_cap_remote = {
    .name = "cap.remote",
    .summary = "what an agent asks of a remote CPU backend",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
