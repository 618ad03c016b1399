/* SPDX-License-Identifier: Apache-2.0 */

/* The settings TELEMETRY_* as URLs and timeouts, and which of them an agent mode allows
 * (docs/rules/endpoints.md#settings). */

#include "agent/wiring.h"

#include <string.h>

#include "agent/ask.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/http_client.h"

#define MS_PER_S 1000
#define ANY_NODE "node" /* to try the settings of a pool with */
#define QUERY_PATH "/api/v1/query?query="
/* What Kepler measures of the CPUs of a node. */
#define QUERY_BEFORE "sum(rate(kepler_node_cpu_joules_total{zone=\"package\",node_name=\""
#define QUERY_BEHIND "\"}[1m]))"

void jd_wiring_clear(struct jd_wiring *wiring)
{
    jl_free(wiring->cpu_source.url);
    jl_free(wiring->cpu_control.url);
    jl_free(wiring->gpu_control.url);
    *wiring = (struct jd_wiring){ 0 };
}

static void put_variable(struct jl_buffer *out, const char *name, const char *value)
{
    if (!jl_is_empty(value))
        jd_json_put_text(out, name, value);
}

static void put_question(const struct jd_agent_values *values, const char *node_name,
                         struct jl_buffer *out)
{
    jl_put_char(out, '{');
    jd_json_put_text(out, "node", node_name);
    jd_json_put_key(out, "env");
    jl_put_char(out, '{');
    put_variable(out, "TELEMETRY_CPU_SOURCE", values->telemetry_cpu_source);
    put_variable(out, "TELEMETRY_CPU_HTTP_ENDPOINT", values->telemetry_cpu_endpoint);
    put_variable(out, "TELEMETRY_CPU_CONTROL", values->telemetry_cpu_control);
    put_variable(out, "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT",
                 values->telemetry_cpu_control_endpoint);
    put_variable(out, "TELEMETRY_CPU_CONTROL_MODE", values->telemetry_cpu_control_mode);
    put_variable(out, "TELEMETRY_GPU_CONTROL", values->telemetry_gpu_control);
    put_variable(out, "TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT",
                 values->telemetry_gpu_control_endpoint);
    put_variable(out, "TELEMETRY_GPU_CONTROL_MODE", values->telemetry_gpu_control_mode);
    put_variable(out, "TELEMETRY_HTTP_TIMEOUT_SECONDS", values->telemetry_timeout);
    jl_put_string(out, "}}");
}

static enum jd_wire_type type_of(const char *word)
{
    if (jl_same(word, "http"))
        return JD_WIRE_HTTP;
    if (jl_same(word, "prometheus"))
        return JD_WIRE_PROMETHEUS;
    return jl_same(word, "none") ? JD_WIRE_NONE : JD_WIRE_HOST;
}

static enum jd_wire_mode mode_of(const char *word)
{
    if (jl_same(word, "dvfs"))
        return JD_WIRE_DVFS;
    return jl_same(word, "rapl") ? JD_WIRE_RAPL : JD_WIRE_AUTO;
}

/* The library has made sure that the name can stand in a URL. */
static char *url_of(struct json_object *wire, enum jd_wire_type type, const char *node_name)
{
    struct jl_buffer url = { 0 };
    const char *endpoint = jd_json_text(wire, "endpoint");
    if (!endpoint)
        return NULL;
    jl_put_string(&url, endpoint);
    if (type == JD_WIRE_PROMETHEUS) {
        struct jl_buffer query = { 0 };
        jl_put_string(&query, QUERY_BEFORE);
        jl_put_string(&query, node_name);
        jl_put_string(&query, QUERY_BEHIND);
        jl_put_string(&url, QUERY_PATH);
        url.is_failed |= query.is_failed;
        if (!query.is_failed)
            jd_put_url(&url, query.data);
        jl_buffer_clear(&query);
    }
    return jl_buffer_take(&url);
}

static int read_wire(struct json_object *wire, const char *node_name, struct jd_wire *out)
{
    double timeout_s = 0;
    if (jd_json_number(wire, "timeoutS", &timeout_s))
        out->timeout_ms = (int64_t)timeout_s * MS_PER_S;
    out->type = type_of(jd_json_text(wire, "type"));
    out->mode = mode_of(jd_json_text(wire, "mode"));
    out->url = url_of(wire, out->type, node_name);
    const bool needs_url = out->type == JD_WIRE_HTTP || out->type == JD_WIRE_PROMETHEUS;
    return needs_url && !out->url ? JOULIE_E_NOMEM : 0;
}

int jd_wiring_read(const struct jd_agent_values *values, const char *node_name,
                   struct jd_wiring *out, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct jl_buffer question = { 0 };
    struct jd_wiring wiring = { 0 };
    put_question(values, node_name, &question);
    struct json_object *answer = jd_ask("agent.wiring", &question, &full);
    jl_buffer_clear(&question);
    if (!answer) {
        const bool is_variable = jl_starts_with(full.where, "env.");
        return jl_fail(err, full.code, "", "%s: %s",
                       is_variable ? full.where + strlen("env.") : node_name, full.message);
    }
    int rc = read_wire(jd_json_at(answer, "cpuSource"), node_name, &wiring.cpu_source);
    if (rc == 0)
        rc = read_wire(jd_json_at(answer, "cpuControl"), node_name, &wiring.cpu_control);
    if (rc == 0)
        rc = read_wire(jd_json_at(answer, "gpuControl"), node_name, &wiring.gpu_control);
    json_object_put(answer);
    if (rc < 0) {
        jd_wiring_clear(&wiring);
        return jl_fail_memory(err);
    }
    *out = wiring;
    return 0;
}

static int refuse(struct joulie_error *err, const char *name, const char *problem)
{
    return jl_fail(err, JOULIE_E_CONFLICT, "", "%s: %s", name, problem);
}

/* An agent that drives a node over HTTP never reads or writes the machine that it runs on. A
 * setting that is not made is none there. */
static int check_remote(const struct jd_agent_values *values, const struct jd_wiring *wiring,
                        struct joulie_error *err)
{
    const struct {
        const char *name;
        const char *value;
        enum jd_wire_type type;
    } parts[] = {
        { "TELEMETRY_CPU_SOURCE", values->telemetry_cpu_source, wiring->cpu_source.type },
        { "TELEMETRY_CPU_CONTROL", values->telemetry_cpu_control, wiring->cpu_control.type },
        { "TELEMETRY_GPU_CONTROL", values->telemetry_gpu_control, wiring->gpu_control.type },
    };

    bool is_wired = false;
    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        if (!jl_is_empty(parts[i].value) && parts[i].type == JD_WIRE_HOST)
            return refuse(err, parts[i].name,
                          "a node that is driven over HTTP has no host here: http or none");
        is_wired |= !jl_is_empty(parts[i].value);
    }
    return is_wired ? 0 : refuse(err, "TELEMETRY_CPU_CONTROL", "a pool needs http or none");
}

/* The engine of a host measures with the host's own counters. */
static int check_host(const struct jd_wiring *wiring, struct joulie_error *err)
{
    if (wiring->cpu_source.type != JD_WIRE_HOST)
        return refuse(err, "TELEMETRY_CPU_SOURCE",
                      "must be host where TELEMETRY_CPU_CONTROL is host");
    if (wiring->gpu_control.type == JD_WIRE_HTTP)
        return refuse(err, "TELEMETRY_GPU_CONTROL",
                      "http needs TELEMETRY_CPU_CONTROL http or none");
    return 0;
}

int jd_wiring_check(const struct jd_agent_values *values, enum jd_agent_place place,
                    struct joulie_error *err)
{
    const bool is_pool = jl_same(values->agent_mode, "pool");
    struct jd_wiring wiring = { 0 };
    if (place == JD_WITH_FILES)
        return 0;
    int rc = jd_wiring_read(values, is_pool ? ANY_NODE : values->node_name, &wiring, err);
    if (rc == 0)
        rc = place == JD_WITH_HOST ? check_host(&wiring, err) : check_remote(values, &wiring, err);
    jd_wiring_clear(&wiring);
    return rc;
}
