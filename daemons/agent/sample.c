/* SPDX-License-Identifier: Apache-2.0 */

/* What a reply of a telemetry endpoint is worth (docs/rules/endpoints.md#telemetry): the library
 * reads the body, this file adds how the request ended. */

#include "agent/sample.h"

#include "agent/ask.h"
#include "base/text.h"
#include "base/time.h"

#define STALE_PERIODS 3 /* docs/rules/endpoints.md#telemetry */
#define MS_PER_S 1000
#define US_PER_MS 1000

const char *const jd_quality_words[] = { "missing", "stale", "fresh" };

static void put_reply(struct jl_buffer *out, const struct jd_reply *reply)
{
    jl_put_char(out, '{');
    jd_json_put_key(out, "body");
    jl_put_json_string(out, reply->body, reply->len);
    jd_json_put_number(out, "httpStatus", reply->status);
}

/* What the library makes of it; NULL = it cannot even be asked. */
static struct json_object *ask_telemetry(const struct jd_reply *reply, int64_t now_ms,
                                         int64_t period_ms)
{
    struct jl_buffer text = { 0 };
    char now[JL_TIME_TEXT];
    jl_format_time_us(now_ms * US_PER_MS, now);
    put_reply(&text, reply);
    jd_json_put_text(&text, "for", "cpu");
    jd_json_put_text(&text, "now", now);
    jd_json_put_number(&text, "mostAgeS", STALE_PERIODS * (double)period_ms / MS_PER_S);
    jl_put_char(&text, '}');
    struct json_object *answer = jd_ask("telemetry.power", &text, NULL);
    jl_buffer_clear(&text);
    return answer;
}

static struct jd_watts watts_at(struct json_object *answer, const char *member)
{
    struct jd_watts out = { 0 };
    out.is_known = jd_json_number(answer, member, &out.w);
    return out;
}

static void read_http(const struct jd_reply *reply, int64_t now_ms, int64_t period_ms,
                      struct jd_sample *out)
{
    struct json_object *answer = ask_telemetry(reply, now_ms, period_ms);
    const char *result = jd_json_text(answer, "result");
    if (jl_same(result, "sample") || jl_same(result, "no-sample")) {
        out->quality = JD_FRESH;
        out->cpu = watts_at(answer, "watts");
        out->gpu = watts_at(answer, "gpuWatts");
        out->cpu_limit = watts_at(answer, "cpuLimitWatts");
        out->gpu_limit = watts_at(answer, "gpuLimitWattsPerGpu");
        out->has_throttle = jd_json_number(answer, "throttlePct", &out->throttle_pct);
    } else if (jl_same(result, "stale")) {
        out->quality = JD_STALE;
        out->problem = "the readings are old";
    } else {
        out->problem = "the reply is no JSON object, or its time stamp is none";
    }
    json_object_put(answer);
}

static void read_prometheus(const struct jd_reply *reply, struct jd_sample *out)
{
    struct jl_buffer text = { 0 };
    put_reply(&text, reply);
    jl_put_char(&text, '}');
    struct json_object *answer = jd_ask("prometheus.value", &text, NULL);
    jl_buffer_clear(&text);
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
