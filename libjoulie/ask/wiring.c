/* SPDX-License-Identifier: Apache-2.0 */

/* agent.wiring: where an agent reads power and sends caps (joulie-node-agent.md §5.1, §5.2). */

#include "node/wiring.h"

#include "ask/ask.h"

struct wiring_in {
    uint64_t has;
    const char *node;
    struct jl_wiring_env env;
    struct jl_list profiles;
};

enum { IN_NODE, IN_ENV, IN_PROFILES };

static const struct jl_row in_rows[] = {
    [IN_NODE] =
        JL_STRING(wiring_in, node, "node", .flags = JL_REQUIRED, .doc = "Name of the node."),
    [IN_ENV] =
        JL_OBJECT(wiring_in, env, "env", &jl_wiring_env_table, .doc = "Environment of the agent."),
    [IN_PROFILES] = JL_LIST(wiring_in, profiles, "profiles", &jl_telemetry_profile_table,
                            .doc = "TelemetryProfiles of the cluster, in any order."),
};
static const struct jl_table in_table = JL_TABLE(wiring_in, in_rows);

struct wire_out {
    uint64_t has;
    enum jl_telemetry_type type;
    const char *endpoint;
    int64_t timeout_s;
    const char *mode;
    const char *query;
};

enum { WIRE_TYPE, WIRE_ENDPOINT, WIRE_TIMEOUT, WIRE_MODE, WIRE_QUERY };

static const struct jl_row wire_rows[] = {
    [WIRE_TYPE] = JL_ENUM(wire_out, type, "type", &jl_source_type_words,
                          .doc = "What is read or written; controls are never prometheus."),
    [WIRE_ENDPOINT] =
        JL_STRING(wire_out, endpoint, "endpoint", .doc = "URL, with the node's name in it."),
    [WIRE_TIMEOUT] = JL_INTEGER(wire_out, timeout_s, "timeoutS", .doc = "Timeout of a request, s."),
    [WIRE_MODE] =
        JL_STRING(wire_out, mode, "mode", .doc = "How caps are put in force; absent: auto."),
    [WIRE_QUERY] = JL_STRING(wire_out, query, "query",
                             .doc = "PromQL of the readings, with the node's name in it."),
};
static const struct jl_table wire_table = JL_TABLE(wire_out, wire_rows);

struct wiring_out {
    uint64_t has;
    struct wire_out cpu_source;
    struct wire_out cpu_control;
    struct wire_out gpu_control;
};

enum { OUT_CPU_SOURCE, OUT_CPU_CONTROL, OUT_GPU_CONTROL };

static const struct jl_row out_rows[] = {
    [OUT_CPU_SOURCE] = JL_OBJECT(wiring_out, cpu_source, "cpuSource", &wire_table,
                                 .doc = "Where CPU power is read."),
    [OUT_CPU_CONTROL] =
        JL_OBJECT(wiring_out, cpu_control, "cpuControl", &wire_table, .doc = "Where CPU caps go."),
    [OUT_GPU_CONTROL] =
        JL_OBJECT(wiring_out, gpu_control, "gpuControl", &wire_table, .doc = "Where GPU caps go."),
};
static const struct jl_table out_table = JL_TABLE(wiring_out, out_rows);

static struct wire_out wire_of(const struct jl_wire *wire)
{
    struct wire_out out = { 0 };
    JL_PUT(&out, WIRE_TYPE, type, wire->type);
    if (wire->endpoint != NULL) {
        JL_PUT(&out, WIRE_ENDPOINT, endpoint, wire->endpoint);
        JL_PUT(&out, WIRE_TIMEOUT, timeout_s, wire->timeout_s);
    }
    if (wire->mode != NULL)
        JL_PUT(&out, WIRE_MODE, mode, wire->mode);
    if (wire->query != NULL)
        JL_PUT(&out, WIRE_QUERY, query, wire->query);
    return out;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct wiring_in *in = input;
    struct wiring_out *out = output;
    const struct jl_wiring_input wiring_in = {
        .node_name = in->node,
        .env = &in->env,
        .profiles = in->profiles.items,
        .profile_count = in->profiles.count,
        .is_source = !jl_is_current(ask),
    };
    struct jl_wiring wiring;
    const int rc = jl_wiring_resolve(&wiring_in, ask->arena, &wiring, ask->err);
    if (rc < 0)
        return rc;
    JL_PUT(out, OUT_CPU_SOURCE, cpu_source, wire_of(&wiring.cpu_source));
    JL_PUT(out, OUT_CPU_CONTROL, cpu_control, wire_of(&wiring.cpu_control));
    JL_PUT(out, OUT_GPU_CONTROL, gpu_control, wire_of(&wiring.gpu_control));
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_agent_wiring = {
    .name = "agent.wiring",
    .summary = "where an agent reads power and sends caps",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
