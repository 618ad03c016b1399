/* SPDX-License-Identifier: Apache-2.0 */

/* Replies of telemetry endpoints and of Prometheus, read by the library
 * (docs/rules/programs.md#power-of-the-nodes). */

#include "operator/reading.h"

#include <string.h>

#include <joulie/remote.h>

#include "base/buffer.h"
#include "base/number.h"

#define MS_PER_S 1000.0
#define PLACEHOLDER "{node}"

/* ---- requests ---- */

/* A regular expression inside a string of PromQL: its backslash is written twice. */
static void put_regex(struct jl_buffer *out, const char *name)
{
    for (; *name; name++) {
        if (strchr(".+*?()[]{}|^$\\", *name))
            jl_put_string(out, "\\\\");
        jl_put_char(out, *name);
    }
}

static void put_name(struct jl_buffer *out, const char *name, enum jd_quoting quoting)
{
    switch (quoting) {
    case JD_QUOTE_NONE:
        jl_put_string(out, name);
        break;
    case JD_QUOTE_URL:
        jd_put_url(out, name);
        break;
    case JD_QUOTE_REGEX:
        put_regex(out, name);
        break;
    }
}

void jd_put_template(struct jl_buffer *out, const char *text, const char *node_name,
                     enum jd_quoting quoting)
{
    const char *at = strstr(text, PLACEHOLDER);
    for (; at; at = strstr(text, PLACEHOLDER)) {
        jl_put(out, text, (size_t)(at - text));
        put_name(out, node_name, quoting);
        text = at + strlen(PLACEHOLDER);
    }
    jl_put_string(out, text);
}

void jd_put_query_time(struct jl_buffer *out, const struct jd_clock *clock)
{
    if (!jd_clock_is_simulated(clock))
        return;
    jl_put_string(out, "&time=");
    jl_put_double(out, (double)jd_policy_now_ms(clock) / MS_PER_S);
}

void jd_put_query(struct jl_buffer *out, const char *address, const char *query,
                  const struct jd_clock *clock)
{
    size_t len = strlen(address);
    while (len > 0 && address[len - 1] == '/')
        len--;
    jl_put(out, address, len);
    jl_put_string(out, "/api/v1/query?query=");
    jd_put_url(out, query);
    jd_put_query_time(out, clock);
}

/* ---- replies ---- */

static const char *problem_of_result(enum joulie_remote_result result)
{
    switch (result) {
    case JOULIE_REMOTE_RESULT_SAMPLE:
    case JOULIE_REMOTE_RESULT_NO_SAMPLE:
        return NULL;
    case JOULIE_REMOTE_RESULT_STALE:
        return "the sample is too old";
    case JOULIE_REMOTE_RESULT_AHEAD:
        return "the time of the sample lies in the future";
    case JOULIE_REMOTE_RESULT_ERROR:
    case JOULIE_REMOTE_RESULT_UNKNOWN:
        break;
    }
    return "the reply is no JSON object, or its time stamp is none";
}

const char *jd_reading_of_telemetry(const struct jd_reply *reply, int64_t now_ms,
                                    int64_t most_age_ms, struct joulie_cluster_sample *out)
{
    struct joulie_remote_reply given = JOULIE_INIT(struct joulie_remote_reply);
    struct joulie_remote_sample sample = JOULIE_INIT(struct joulie_remote_sample);
    const char *problem = jd_reply_problem(reply);
    if (problem)
        return problem;
    given.has = JOULIE_REMOTE_REPLY_HAS_AGE;
    given.body = reply->body;
    given.len = reply->len;
    given.now_ms = now_ms;
    given.max_age_ms = most_age_ms;
    given.http_status = reply->status;
    given.power_of = JOULIE_REMOTE_POWER_OF_NODE;
    if (joulie_remote_read_telemetry(&given, &sample, NULL) < 0)
        return "memory ran out";
    problem = problem_of_result(sample.result);
    *out = (struct joulie_cluster_sample){
        .struct_size = sizeof *out,
        .has = (sample.has & JOULIE_REMOTE_SAMPLE_HAS_POWER ? JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER
                                                            : 0) |
               (sample.has & JOULIE_REMOTE_SAMPLE_HAS_CPU_UTIL ? JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL
                                                               : 0) |
               (sample.has & JOULIE_REMOTE_SAMPLE_HAS_GPU_UTIL ? JOULIE_CLUSTER_SAMPLE_HAS_GPU_UTIL
                                                               : 0),
        .at_ms = now_ms - (int64_t)jl_round_half_away(sample.age_s * MS_PER_S),
        .node_power_w = sample.power_w,
        .cpu_util_pct = sample.cpu_util_pct,
        .gpu_util_pct = sample.gpu_util_pct,
    };
    return !problem && !(out->has & (JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER |
                                     JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL))
               ? "the reply says neither power nor utilisation"
               : problem;
}

const char *jd_value_of_prometheus(const struct jd_reply *reply, double *out_value)
{
    const char *problem = jd_reply_problem(reply);
    if (problem)
        return problem;
    return joulie_remote_read_prometheus(reply->status, reply->body, reply->len, out_value, NULL) ==
                   0
               ? NULL
               : "the reply has no value";
}

const char *jd_reading_of_prometheus(const struct jd_reply *reply, int64_t now_ms,
                                     struct joulie_cluster_sample *out)
{
    *out = JOULIE_INIT(struct joulie_cluster_sample);
    out->has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    out->at_ms = now_ms;
    const char *problem = jd_value_of_prometheus(reply, &out->node_power_w);
    return problem || out->node_power_w > 0 ? problem : "the value is not above 0";
}
