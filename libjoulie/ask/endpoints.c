/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What an agent reads from and sends to remote endpoints: its settings, replies with power, and
 * caps (docs/rules/endpoints.md).
 */

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"
#include "caps/state.h"
#include "node/node.h"
#include "remote/replies.h"
#include "remote/settings.h"

/* agent.wiring: where an agent reads power and sends caps (docs/rules/endpoints.md#settings). */

#define RECORD agent_wiring_in
#define MEMBERS                                                             \
    STRING(node, "node", "Name of the node.", REQUIRED)                     \
    MAP(labels, "labels", "Labels of the node; absent: unknown.")           \
    OBJECT(env, "env", joulie_remote_settings, "Environment of the agent.") \
    LIST(profiles, "profiles", jl_telemetry_profile,                        \
         "TelemetryProfiles of the cluster, in any order.")
#include "schema/record.h"

#define RECORD wire_out
#define MEMBERS                                                      \
    ENUM(type, "type", joulie_remote_type, jl_source_type_words,     \
         "What is read or written; controls are never prometheus.")  \
    STRING(endpoint, "endpoint", "URL, with the node's name in it.") \
    INTEGER(timeout_s, "timeoutS", "Timeout of a request, s.")       \
    STRING(mode, "mode", "How caps are put in force; absent: auto.") \
    STRING(query, "query", "PromQL of the readings, with the node's name in it.")
#include "schema/record.h"

#define RECORD agent_wiring_out
#define MEMBERS                                                           \
    OBJECT(cpu_source, "cpuSource", wire_out, "Where CPU power is read.") \
    OBJECT(cpu_control, "cpuControl", wire_out, "Where CPU caps go.")     \
    OBJECT(gpu_control, "gpuControl", wire_out, "Where GPU caps go.")
#include "schema/record.h"

static struct wire_out wire_of(const struct jl_endpoint *wire)
{
    struct wire_out out = { 0 };
    JL_SET(&out, type, wire->type);
    if (wire->endpoint != NULL) {
        JL_SET(&out, endpoint, wire->endpoint);
        JL_SET(&out, timeout_s, wire->timeout_s);
    }
    JL_SET_IF(&out, mode, wire->mode != NULL, wire->mode);
    JL_SET_IF(&out, query, wire->query != NULL, wire->query);
    return out;
}

static int answer_agent_wiring(struct jl_ask *ask, const struct agent_wiring_in *in,
                               struct agent_wiring_out *out)
{
    const struct jl_remote_input agent_wiring_in = {
        .node_name = in->node,
        .labels = in->given.labels ? &in->labels : NULL,
        .env = &in->env,
        .profiles = in->profiles.items,
        .profile_count = in->profiles.count,
        .is_source = !jl_is_current(ask),
    };
    struct jl_endpoint wiring[JL_REMOTE_ROLES];
    const int rc = jl_remote_resolve(&agent_wiring_in, ask->arena, wiring, ask->err);
    if (rc < 0)
        return rc;
    JL_SET(out, cpu_source, wire_of(&wiring[JOULIE_REMOTE_ROLE_CPU_SOURCE]));
    JL_SET(out, cpu_control, wire_of(&wiring[JOULIE_REMOTE_ROLE_CPU_CONTROL]));
    JL_SET(out, gpu_control, wire_of(&wiring[JOULIE_REMOTE_ROLE_GPU_CONTROL]));
    return 0;
}

JL_QUESTION(agent_wiring, "agent.wiring", "where an agent reads power and sends caps",
            JL_MODELS("current", "v0.1.1"));

/* telemetry.power: what the reply of a telemetry endpoint says
 * (docs/rules/endpoints.md#telemetry). */

#define HTTP_OK 200
#define MS_PER_S 1000
#define LONGEST_MS 1e15

#define RECORD telemetry_in
#define MEMBERS                                                                                    \
    STRING(body, "body", "Text of the reply.", REQUIRED)                                           \
    ENUM(power_of, "for", joulie_remote_power, jl_remote_power_words, "Whose power is asked for.", \
         REQUIRED)                                                                                 \
    INTEGER(http_status, "httpStatus", "HTTP status of the reply; default 200.")                   \
    TIME(now_ms, "now", "Instant of the reading; without it the time stamp is not looked at.")     \
    NUMBER(most_age_s, "mostAgeS", "Age at which a reading still counts, s; needed with now.",     \
           NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD joulie_remote_sample
#define IS_PUBLIC
#define MEMBERS                                                                               \
    ENUM(result, "result", joulie_remote_result, jl_remote_result_words,                      \
         "Whether the reply has a sample.")                                                   \
    NUMBER(power_w, "watts", "The sample, W.", BIT(JOULIE_REMOTE_SAMPLE_HAS_POWER))           \
    NUMBER(age_s, "ageS", "How old it is, s; 0 when it does not say.",                        \
           BIT(JOULIE_REMOTE_SAMPLE_HAS_AGE))                                                 \
    NUMBER(cpu_util_pct, "cpuUtilPct", "Utilisation of the CPUs, percent.",                   \
           BIT(JOULIE_REMOTE_SAMPLE_HAS_CPU_UTIL))                                            \
    NUMBER(gpu_util_pct, "gpuUtilPct", "Utilisation of the GPUs, percent.",                   \
           BIT(JOULIE_REMOTE_SAMPLE_HAS_GPU_UTIL))                                            \
    NUMBER(gpu_power_w, "gpuWatts", "Power of all GPUs, W.",                                  \
           BIT(JOULIE_REMOTE_SAMPLE_HAS_GPU_POWER))                                           \
    NUMBER(cpu_limit_w, "cpuLimitWatts", "Limit of all CPUs that the backend is to keep, W.", \
           BIT(JOULIE_REMOTE_SAMPLE_HAS_CPU_LIMIT))                                           \
    NUMBER(gpu_limit_w, "gpuLimitWattsPerGpu",                                                \
           "Limit of each GPU that the backend is to keep, W.",                               \
           BIT(JOULIE_REMOTE_SAMPLE_HAS_GPU_LIMIT))                                           \
    NUMBER(throttle_pct, "throttlePct", "Throttle in force, percent.",                        \
           BIT(JOULIE_REMOTE_SAMPLE_HAS_THROTTLE))
#include "schema/record.h"

static int answer_telemetry_power(struct jl_ask *ask, const struct telemetry_in *in,
                                  struct joulie_remote_sample *output)
{
    const int64_t status = JL_GIVEN_OR(in, http_status, HTTP_OK);
    const struct joulie_remote_reply reply = {
        .struct_size = sizeof reply,
        .has = in->given.now_ms ? JOULIE_REMOTE_REPLY_HAS_AGE : 0,
        .body = in->body,
        .len = jl_text(in->body).len,
        .http_status = status == (int32_t)status ? (int32_t)status : 0, /* none that is a success */
        .power_of = in->power_of,
        .now_ms = in->now_ms,
        .max_age_ms = (int64_t)jl_min(jl_round_half_away(in->most_age_s * MS_PER_S), LONGEST_MS),
    };
    if (in->given.now_ms && !in->given.most_age_s)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "mostAgeS", "now needs the age that counts");
    return jl_remote_read(&reply, !jl_is_current(ask), ask->arena, output) < 0
               ? jl_fail_memory(ask->err)
               : 0;
}

JL_QUESTION_OF(telemetry_power, telemetry_in, joulie_remote_sample, "telemetry.power",
               "what the reply of a telemetry endpoint says: power, utilisation, limits, age",
               JL_MODELS("current", "v0.1.1"));

/*
 * cap.remote: what an agent asks of remote CPU and GPU backends (docs/rules/endpoints.md#control).
 */

#define RECORD cap_remote_in
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

#define RECORD cap_remote_out
#define MEMBERS                                                                              \
    NUMBER(per_package_w, "perPackageW", "Watts of one package; absent: no cap to ask for.") \
    OBJECT(request, "request", remote_request, "Body of the request.")                       \
    OBJECT(gpu, "gpuRequest", gpu_request,                                                   \
           "Body of the request for the GPUs; absent: no cap to ask for.")
#include "schema/record.h"

static void put_cpu(const struct cap_remote_in *in, const struct jl_part_want *want,
                    struct cap_remote_out *out)
{
    struct remote_request *request = &out->request;
    const char *name = in->spec.spec.node_name;
    JL_SET(out, per_package_w, want->cap.cap_w);
    JL_SET_IF(request, node, name != NULL, name);
    JL_SET(request, action, "rapl.set_power_cap_watts");
    JL_SET(request, cap_w, want->target_w);
    JL_SET(request, throttle_pct, -1);
    JL_SET(request, ts_ms, in->now_ms);
    out->given.request = true;
}

static void put_gpu(const struct cap_remote_in *in, const struct jl_part_want *want,
                    struct cap_remote_out *out)
{
    struct gpu_request *request = &out->gpu;
    const char *name = in->spec.spec.node_name;
    JL_SET_IF(request, node, name != NULL, name);
    JL_SET(request, action, "gpu.set_power_cap_watts");
    JL_SET(request, cap_w, want->target_w);
    JL_SET(request, ts_ms, in->now_ms);
    out->given.gpu = true;
}

static int answer_cap_remote(struct jl_ask *ask, const struct cap_remote_in *in,
                             struct cap_remote_out *out)
{
    struct jl_hardware hardware;
    (void)ask;
    jl_hardware_resolve(in->given.hardware ? &in->hardware.status : NULL, NULL, JL_HARDWARE_CURRENT,
                        &hardware);
    const struct jl_part parts[] = { jl_node_remote_cpu(&hardware), jl_node_remote_gpu(&hardware) };
    const struct jl_node_input node = { .spec = &in->spec.spec,
                                        .parts = parts,
                                        .part_count = hardware.gpu_present ? 2 : 1,
                                        .now_ms = in->now_ms };
    struct jl_node_config config;
    struct jl_node_memory memory = { 0 };
    struct jl_part_want wants[JL_COUNT(parts)];
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

JL_QUESTION(cap_remote, "cap.remote", "what an agent asks of remote CPU and GPU backends");

/* control.result: one word for what became of a cap (docs/rules/endpoints.md#replies). */

#define RECORD control_result_in
#define MEMBERS                                                           \
    STRINGS(devices, "devices", "Result words of the devices.")           \
    INTEGER(http_status, "httpStatus", "Status of a control reply; 200.") \
    STRING(body, "body", "Body of a control reply.")
#include "schema/record.h"

#define RECORD control_result_out
#define MEMBERS                                                            \
    ENUM(result, "result", joulie_control_result, jl_control_result_words, \
         "The word that is reported.")
#include "schema/record.h"

static int answer_control_result(struct jl_ask *ask, const struct control_result_in *in,
                                 struct control_result_out *out)
{
    const size_t count = in->devices.count;
    if (!in->given.devices) {
        struct jl_remote_verdict verdict;
        if (jl_remote_read_reply(JL_GIVEN_OR(in, http_status, HTTP_OK), jl_text(in->body),
                                 jl_is_model(ask, "v0.1.1"), ask->arena, &verdict) < 0)
            return jl_fail_memory(ask->err);
        JL_SET(out, result, verdict.result);
        return 0;
    }
    enum joulie_control_result *results =
        JL_NEW_ARRAY(ask->arena, count, enum joulie_control_result);
    if (results == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++)
        results[i] = (enum joulie_control_result)jl_word_value(
            &jl_control_result_words, jl_text(JL_STRING_ITEM(in->devices, i)));
    JL_SET(out, result, jl_cap_worst(results, count));
    return 0;
}

JL_QUESTION(control_result, "control.result", "one word for what became of a cap",
            JL_MODELS("current", "v0.1.1"));
