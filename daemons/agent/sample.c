/* SPDX-License-Identifier: Apache-2.0 */

/* What a reply of a telemetry endpoint is worth (docs/rules/endpoints.md#telemetry): the library
 * reads the body, this file adds how the request ended. */

#include "agent/sample.h"

#define STALE_PERIODS 3 /* docs/rules/endpoints.md#telemetry */

const char *const jd_quality_words[] = { "missing", "stale", "fresh" };

static struct jd_watts watts_of(const struct joulie_remote_sample *sample, uint64_t bit, double w)
{
    return (struct jd_watts){ (sample->has & bit) != 0, w };
}

static void read_http(const struct jd_reply *reply, int64_t now_ms, int64_t period_ms,
                      struct jd_sample *out)
{
    const struct joulie_remote_reply given = {
        .struct_size = sizeof given,
        .has = JOULIE_REMOTE_REPLY_HAS_AGE,
        .body = reply->body,
        .len = reply->len,
        .now_ms = now_ms,
        .max_age_ms = STALE_PERIODS * period_ms,
        .http_status = reply->status,
        .power_of = JOULIE_REMOTE_POWER_OF_CPU,
    };
    struct joulie_remote_sample sample = JOULIE_INIT(struct joulie_remote_sample);
    (void)joulie_remote_read_telemetry(&given, &sample, NULL); /* unknown after a failure */
    switch (sample.result) {
    case JOULIE_REMOTE_RESULT_SAMPLE:
    case JOULIE_REMOTE_RESULT_NO_SAMPLE:
    case JOULIE_REMOTE_RESULT_AHEAD: /* clocks differ: what has just been read is of now */
        out->quality = JD_FRESH;
        out->cpu = watts_of(&sample, JOULIE_REMOTE_SAMPLE_HAS_POWER, sample.power_w);
        out->gpu = watts_of(&sample, JOULIE_REMOTE_SAMPLE_HAS_GPU_POWER, sample.gpu_power_w);
        out->cpu_limit = watts_of(&sample, JOULIE_REMOTE_SAMPLE_HAS_CPU_LIMIT, sample.cpu_limit_w);
        out->gpu_limit = watts_of(&sample, JOULIE_REMOTE_SAMPLE_HAS_GPU_LIMIT, sample.gpu_limit_w);
        out->has_throttle = (sample.has & JOULIE_REMOTE_SAMPLE_HAS_THROTTLE) != 0;
        out->throttle_pct = sample.throttle_pct;
        break;
    case JOULIE_REMOTE_RESULT_STALE:
        out->quality = JD_STALE;
        out->problem = "the readings are old";
        break;
    case JOULIE_REMOTE_RESULT_ERROR:
    case JOULIE_REMOTE_RESULT_UNKNOWN:
        out->problem = "the reply is no JSON object, or its time stamp is none";
        break;
    }
}

static void read_prometheus(const struct jd_reply *reply, struct jd_sample *out)
{
    out->cpu.is_known = joulie_remote_read_prometheus(reply->status, reply->body, reply->len,
                                                      &out->cpu.w, NULL) == JOULIE_OK &&
                        out->cpu.w >= 0;
    out->problem = out->cpu.is_known ? NULL : "the reply has no value";
    out->quality = out->cpu.is_known ? JD_FRESH : JD_MISSING;
}

void jd_sample_read(const struct jd_reply *reply, enum joulie_remote_type type, int64_t now_ms,
                    int64_t period_ms, struct jd_sample *out)
{
    *out = (struct jd_sample){ .problem = jd_reply_problem(reply) };
    if (out->problem)
        return;
    if (type == JOULIE_REMOTE_TYPE_PROMETHEUS)
        read_prometheus(reply, out);
    else
        read_http(reply, now_ms, period_ms, out);
}
