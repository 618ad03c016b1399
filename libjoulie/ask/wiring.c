/* SPDX-License-Identifier: Apache-2.0 */

/* agent.wiring: where an agent reads power and sends caps (docs/rules/endpoints.md#settings). */

#include "node/wiring.h"

#include "ask/ask.h"

#define RECORD wiring_in
#define MEMBERS                                                    \
    STRING(node, "node", "Name of the node.", REQUIRED)            \
    OBJECT(env, "env", jl_wiring_env, "Environment of the agent.") \
    LIST(profiles, "profiles", jl_telemetry_profile,               \
         "TelemetryProfiles of the cluster, in any order.")
#include "schema/record.h"

#define RECORD wire_out
#define MEMBERS                                                      \
    ENUM(type, "type", jl_telemetry_type, jl_source_type_words,      \
         "What is read or written; controls are never prometheus.")  \
    STRING(endpoint, "endpoint", "URL, with the node's name in it.") \
    INTEGER(timeout_s, "timeoutS", "Timeout of a request, s.")       \
    STRING(mode, "mode", "How caps are put in force; absent: auto.") \
    STRING(query, "query", "PromQL of the readings, with the node's name in it.")
#include "schema/record.h"

#define RECORD wiring_out
#define MEMBERS                                                           \
    OBJECT(cpu_source, "cpuSource", wire_out, "Where CPU power is read.") \
    OBJECT(cpu_control, "cpuControl", wire_out, "Where CPU caps go.")     \
    OBJECT(gpu_control, "gpuControl", wire_out, "Where GPU caps go.")
#include "schema/record.h"

static struct wire_out wire_of(const struct jl_wire *wire)
{
    struct wire_out out = { 0 };
    JL_SET(&out, type, wire->type);
    if (wire->endpoint != NULL) {
        JL_SET(&out, endpoint, wire->endpoint);
        JL_SET(&out, timeout_s, wire->timeout_s);
    }
    if (wire->mode != NULL)
        JL_SET(&out, mode, wire->mode);
    if (wire->query != NULL)
        JL_SET(&out, query, wire->query);
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
    JL_SET(out, cpu_source, wire_of(&wiring.cpu_source));
    JL_SET(out, cpu_control, wire_of(&wiring.cpu_control));
    JL_SET(out, gpu_control, wire_of(&wiring.gpu_control));
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_agent_wiring = {
    .name = "agent.wiring",
    .summary = "where an agent reads power and sends caps",
    .in = &wiring_in_table,
    .out = &wiring_out_table,
    .models = models,
    .answer = answer,
};
