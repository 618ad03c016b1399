/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/sample.h"

#include <string.h>

#include "agent/ask.h"
#include "base/text.h"
#include "base/time.h"

#define STALE_PERIODS 3 /* joulie-node-agent.md §5.2 */

const char *const jd_quality_words[] = { "missing", "stale", "fresh" };

/* The answer of a question about the reply; NULL = it cannot even be asked. */
static struct json_object *ask_about(const char *question, const char *about,
                                     const struct jd_reply *reply)
{
    struct jl_buffer text = { 0 };
    jl_put_char(&text, '{');
    jd_json_put_key(&text, "body");
    jl_put_json_string(&text, reply->body, reply->len);
    jd_json_put_number(&text, "httpStatus", reply->status);
    if (about)
        jd_json_put_text(&text, "for", about);
    jl_put_char(&text, '}');
    struct json_object *answer = jd_ask(question, &text, NULL);
    jl_buffer_clear(&text);
    return answer;
}

/* The first of the members that is a number that can be watts. */
static struct jd_watts watts_at(struct json_object *body, const char *first, const char *second)
{
    struct jd_watts out = { 0 };
    out.is_known = jd_json_number(body, first, &out.w) || jd_json_number(body, second, &out.w);
    if (out.is_known && out.w < 0)
        out = (struct jd_watts){ 0 };
    return out;
}

static bool is_old(struct json_object *body, int64_t now_ms, int64_t period_ms)
{
    const char *ts = jd_json_text(body, "ts");
    int64_t at_ms = 0;
    if (!ts || jl_parse_time(ts, strlen(ts), &at_ms) < 0)
        return false; /* it does not say */
    return now_ms - at_ms > STALE_PERIODS * period_ms;
}

static void read_body(struct json_object *body, struct jd_sample *out)
{
    /* What the backend took as its target is its limit, as the register of a package is; what is
     * in force may follow slowly. */
    out->cpu_limit = watts_at(body, "cpu.targetCapWatts", "cpu.capWatts");
    out->gpu_limit = watts_at(body, "gpu.capWattsPerGpuTarget", "gpu.capWattsPerGpuApplied");
    out->gpu = watts_at(body, "gpu.powerWattsTotal", "gpu.avgPowerWattsTotal");
    out->has_throttle = jd_json_number(body, "cpu.throttlePct", &out->throttle_pct) &&
                        out->throttle_pct >= 0 && out->throttle_pct <= 100;
}

static void read_http(const struct jd_reply *reply, int64_t now_ms, int64_t period_ms,
                      struct jd_sample *out)
{
    struct json_object *answer = ask_about("telemetry.power", "cpu", reply);
    const char *result = jd_json_text(answer, "result");
    out->problem = "the reply is no JSON object";
    if (result && !jl_same(result, "error")) {
        struct json_object *body = jd_json_parse(reply->body, reply->len);
        out->problem = NULL;
        out->quality = JD_FRESH;
        out->cpu.is_known = jd_json_number(answer, "watts", &out->cpu.w);
        read_body(body, out);
        if (is_old(body, now_ms, period_ms))
            *out = (struct jd_sample){ .quality = JD_STALE, .problem = "the readings are old" };
        json_object_put(body);
    }
    json_object_put(answer);
}

static void read_prometheus(const struct jd_reply *reply, struct jd_sample *out)
{
    struct json_object *answer = ask_about("prometheus.value", NULL, reply);
    out->cpu.is_known = jd_json_number(answer, "value", &out->cpu.w) && out->cpu.w >= 0;
    out->problem = out->cpu.is_known ? NULL : "the reply has no value";
    out->quality = out->cpu.is_known ? JD_FRESH : JD_MISSING;
    json_object_put(answer);
}

static const char *problem_of(const struct jd_reply *reply)
{
    switch (reply->end) {
    case JD_HTTP_WHOLE:
        return reply->status >= 200 && reply->status <= 299 ? NULL : "the reply is an error";
    case JD_HTTP_UNREACHABLE:
        return "the server cannot be reached";
    case JD_HTTP_BROKEN:
        return "the connection broke";
    case JD_HTTP_TIMED_OUT:
        return "there was no reply in time";
    case JD_HTTP_TOO_LONG:
        return "the reply is too long";
    case JD_HTTP_UNTRUSTED:
        return "the server's certificate does not verify";
    case JD_HTTP_FAILED:
        break;
    }
    return "the request failed";
}

void jd_sample_read(const struct jd_reply *reply, enum jd_wire_type type, int64_t now_ms,
                    int64_t period_ms, struct jd_sample *out)
{
    *out = (struct jd_sample){ .problem = problem_of(reply) };
    if (out->problem)
        return;
    if (type == JD_WIRE_PROMETHEUS)
        read_prometheus(reply, out);
    else
        read_http(reply, now_ms, period_ms, out);
}
