/* SPDX-License-Identifier: Apache-2.0 */

/* Replies of telemetry endpoints and of Prometheus, read through the library's questions
 * (joulie-control.md §3.3, §4.13; joulie-node-agent.md §5.4). */

#include <json-c/json.h>
#include <string.h>

#include <joulie/ask.h>

#include "base/text.h"
#include "base/time.h"
#include "operator/telemetry.h"
#include "runtime/json.h"

#define PCT_PER_ONE 100.0
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

/* A share of 1 as percent; anything else is unknown. */
static bool read_share(struct json_object *root, const char *part, double *out_pct)
{
    double share = 0;
    if (!jd_json_number(json_object_object_get(root, part), "utilization", &share) ||
        !(share >= 0 && share <= 1))
        return false;
    *out_pct = share * PCT_PER_ONE;
    return true;
}

/* Without ts the reply is of now. One from the future is too: clocks differ. */
static const char *read_age(struct json_object *root, int64_t now_ms, int64_t most_age_ms,
                            int64_t *out_ms)
{
    struct json_object *member = NULL;
    int64_t at_ms = now_ms;
    if (json_object_object_get_ex(root, "ts", &member)) {
        const char *text = jd_json_text(root, "ts");
        if (!text || jl_parse_time(text, strlen(text), &at_ms) < 0)
            return "its time stamp is none";
    }
    if (now_ms - at_ms > most_age_ms)
        return "the sample is too old";
    *out_ms = at_ms < now_ms ? at_ms : now_ms;
    return NULL;
}

/* The library's parser is the stricter one: NaN is no JSON. */
static const char *read_power(const struct jd_reply *reply, struct jd_reading *out)
{
    struct json_object *answer = ask("telemetry.power", "\"for\":\"node\",", reply);
    const char *result = jd_json_text(answer, "result");
    const bool is_read = jl_same(result, "sample") || jl_same(result, "no-sample");
    out->has_power = jl_same(result, "sample") && jd_json_number(answer, "watts", &out->power_w);
    json_object_put(answer);
    return is_read ? NULL : "the reply is no JSON";
}

const char *jd_reading_of_telemetry(const struct jd_reply *reply, int64_t now_ms,
                                    int64_t most_age_ms, struct jd_reading *out)
{
    const char *problem = problem_of(reply);
    if (problem)
        return problem;
    struct json_object *root = jd_json_parse(reply->body, reply->len);
    if (!json_object_is_type(root, json_type_object)) {
        json_object_put(root);
        return "the reply is no JSON object";
    }
    *out = (struct jd_reading){ 0 };
    problem = read_age(root, now_ms, most_age_ms, &out->at_ms);
    if (!problem)
        problem = read_power(reply, out);
    if (!problem) {
        out->has_cpu_util = read_share(root, "cpu", &out->cpu_util_pct);
        out->has_gpu_util = read_share(root, "gpu", &out->gpu_util_pct);
        if (!out->has_power && !out->has_cpu_util)
            problem = "the reply says neither power nor utilisation";
    }
    json_object_put(root);
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
