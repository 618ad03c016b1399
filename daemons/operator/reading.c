/* SPDX-License-Identifier: Apache-2.0 */

/* Replies of telemetry endpoints and of Prometheus, read through the library's questions
 * (docs/rules/programs.md#power-of-the-nodes). */

#include "operator/reading.h"

#include <json-c/json.h>
#include <string.h>

#include <joulie/ask.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/json.h"

#define MS_PER_S 1000.0
#define US_PER_MS 1000
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

void jd_put_query(struct jl_buffer *out, const char *address, const char *query)
{
    size_t len = strlen(address);
    while (len > 0 && address[len - 1] == '/')
        len--;
    jl_put(out, address, len);
    jl_put_string(out, "/api/v1/query?query=");
    jd_put_url(out, query);
}

/* ---- replies ---- */

/* The library's answer about a reply; NULL = it could not be read. To be put back. */
static struct json_object *ask(const char *question, const char *more, const struct jd_reply *reply)
{
    struct jl_buffer text = { 0 };
    char *answer = NULL;
    struct json_object *root = NULL;
    jl_put_char(&text, '{');
    jl_put_string(&text, more);
    jl_put_string(&text, "\"httpStatus\":");
    jl_put_i64(&text, reply->status);
    jl_put_string(&text, ",\"body\":");
    jl_put_json_string(&text, reply->body, reply->len);
    jl_put_char(&text, '}');
    if (!text.is_failed && joulie_ask(question, text.data, text.len, NULL, &answer, NULL) == 0)
        root = jd_json_parse(answer, strlen(answer));
    joulie_free(answer);
    jl_buffer_clear(&text);
    return root;
}

bool jd_pue(double it_power_w, double cooling_power_w, double *out)
{
    struct jl_buffer text = { 0 };
    char *answer = NULL;
    jl_put_string(&text, "{\"itPowerW\":");
    jl_put_double(&text, it_power_w);
    jl_put_string(&text, ",\"coolingPowerW\":");
    jl_put_double(&text, cooling_power_w);
    jl_put_char(&text, '}');
    struct json_object *root = NULL;
    if (!text.is_failed &&
        joulie_ask("facility.pue", text.data, text.len, NULL, &answer, NULL) == 0)
        root = jd_json_parse(answer, strlen(answer));
    const bool is_known = jd_json_number(root, "pue", out);
    json_object_put(root);
    joulie_free(answer);
    jl_buffer_clear(&text);
    return is_known;
}

static const char *problem_of(const struct jd_reply *reply)
{
    switch (reply->end) {
    case JD_HTTP_WHOLE:
        return reply->status >= 200 && reply->status <= 299 ? NULL : "the status is not 2xx";
    case JD_HTTP_UNREACHABLE:
        return "it cannot be reached";
    case JD_HTTP_BROKEN:
        return "the connection broke";
    case JD_HTTP_TIMED_OUT:
        return "no answer in time";
    case JD_HTTP_TOO_LONG:
        return "the reply is too long";
    case JD_HTTP_UNTRUSTED:
        return "the certificate does not verify";
    case JD_HTTP_FAILED:
        break;
    }
    return "the request failed";
}

static const char *problem_of_result(const char *result)
{
    if (jl_same(result, "stale"))
        return "the sample is too old";
    return jl_same(result, "sample") || jl_same(result, "no-sample")
               ? NULL
               : "the reply is no JSON object, or its time stamp is none";
}

static struct json_object *ask_telemetry(const struct jd_reply *reply, int64_t now_ms,
                                         int64_t most_age_ms)
{
    struct jl_buffer more = { 0 };
    char now[JL_TIME_TEXT];
    jl_format_time_us(now_ms * US_PER_MS, now);
    jl_put_string(&more, "\"for\":\"node\",\"now\":\"");
    jl_put_string(&more, now);
    jl_put_string(&more, "\",\"mostAgeS\":");
    jl_put_double(&more, (double)most_age_ms / MS_PER_S);
    jl_put_char(&more, ',');
    struct json_object *answer = more.is_failed ? NULL : ask("telemetry.power", more.data, reply);
    jl_buffer_clear(&more);
    return answer;
}

const char *jd_reading_of_telemetry(const struct jd_reply *reply, int64_t now_ms,
                                    int64_t most_age_ms, struct jd_reading *out)
{
    const char *problem = problem_of(reply);
    double age_s = 0;
    if (problem)
        return problem;
    struct json_object *answer = ask_telemetry(reply, now_ms, most_age_ms);
    problem = problem_of_result(jd_json_text(answer, "result"));
    *out = (struct jd_reading){ 0 };
    out->has_power = jd_json_number(answer, "watts", &out->power_w);
    out->has_cpu_util = jd_json_number(answer, "cpuUtilPct", &out->cpu_util_pct);
    out->has_gpu_util = jd_json_number(answer, "gpuUtilPct", &out->gpu_util_pct);
    if (jd_json_number(answer, "ageS", &age_s))
        out->at_ms = now_ms - (int64_t)jl_round_half_away(age_s * MS_PER_S);
    if (!problem && !out->has_power && !out->has_cpu_util)
        problem = "the reply says neither power nor utilisation";
    json_object_put(answer);
    return problem;
}

const char *jd_value_of_prometheus(const struct jd_reply *reply, double *out_value)
{
    const char *problem = problem_of(reply);
    if (problem)
        return problem;
    struct json_object *answer = ask("prometheus.value", "", reply);
    const bool is_there =
        jl_same(jd_json_text(answer, "result"), "ok") && jd_json_number(answer, "value", out_value);
    json_object_put(answer);
    return is_there ? NULL : "the reply has no value";
}

const char *jd_reading_of_prometheus(const struct jd_reply *reply, int64_t now_ms,
                                     struct jd_reading *out)
{
    *out = (struct jd_reading){ .at_ms = now_ms };
    const char *problem = jd_value_of_prometheus(reply, &out->power_w);
    if (problem)
        return problem;
    out->has_power = out->power_w > 0;
    return out->has_power ? NULL : "the value is not above 0";
}
