/* SPDX-License-Identifier: Apache-2.0 */

/* telemetry.power: what the reply of a telemetry endpoint says
 * (docs/rules/endpoints.md#telemetry). */

#include "node/telemetry.h"

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"

#define HTTP_OK 200
#define MS_PER_S 1000
#define LONGEST_MS 1e15

#define RECORD telemetry_in
#define MEMBERS                                                                                  \
    STRING(body, "body", "Text of the reply.", REQUIRED)                                         \
    ENUM(power_of, "for", jl_power_of, jl_power_of_words, "Whose power is asked for.", REQUIRED) \
    INTEGER(http_status, "httpStatus", "HTTP status of the reply; default 200.")                 \
    TIME(now_ms, "now", "Instant of the reading; without it the time stamp is not looked at.")   \
    NUMBER(most_age_s, "mostAgeS", "Age at which a reading still counts, s; needed with now.",   \
           NOT_NEGATIVE)
#include "schema/record.h"

static const struct jl_row out_rows[] = {
    [JL_READ_RESULT] = JL_ENUM(jl_power_sample, result, "result", &jl_sample_result_words,
                               .doc = "Whether the reply has a sample."),
    [JL_READ_WATTS] = JL_NUMBER(jl_power_sample, watts, "watts", .doc = "The sample, W."),
    [JL_READ_AGE] = JL_NUMBER(jl_power_sample, age_s, "ageS",
                              .doc = "How old it is, s; 0 when it does not say."),
    [JL_READ_CPU_UTIL] = JL_NUMBER(jl_power_sample, cpu_util_pct, "cpuUtilPct",
                                   .doc = "Utilisation of the CPUs, percent."),
    [JL_READ_GPU_UTIL] = JL_NUMBER(jl_power_sample, gpu_util_pct, "gpuUtilPct",
                                   .doc = "Utilisation of the GPUs, percent."),
    [JL_READ_GPU_WATTS] =
        JL_NUMBER(jl_power_sample, gpu_w, "gpuWatts", .doc = "Power of all GPUs, W."),
    [JL_READ_CPU_LIMIT] = JL_NUMBER(jl_power_sample, cpu_limit_w, "cpuLimitWatts",
                                    .doc = "Limit of all CPUs that the backend is to keep, W."),
    [JL_READ_GPU_LIMIT] = JL_NUMBER(jl_power_sample, gpu_limit_w, "gpuLimitWattsPerGpu",
                                    .doc = "Limit of each GPU that the backend is to keep, W."),
    [JL_READ_THROTTLE] = JL_NUMBER(jl_power_sample, throttle_pct, "throttlePct",
                                   .doc = "Throttle in force, percent."),
};
static const struct jl_table out_table = JL_TABLE(jl_power_sample, out_rows);

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct telemetry_in *in = input;
    const struct jl_telemetry_reply reply = {
        .body = jl_text(in->body),
        .http_status = in->given.http_status ? in->http_status : HTTP_OK,
        .power_of = in->power_of,
        .is_source = !jl_is_current(ask),
        .has_age = in->given.now_ms && jl_is_current(ask),
        .now_ms = in->now_ms,
        .most_age_ms = (int64_t)jl_min(jl_round_half_away(in->most_age_s * MS_PER_S), LONGEST_MS),
    };
    if (in->given.now_ms && !in->given.most_age_s)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "mostAgeS", "now needs the age that counts");
    return jl_telemetry_power(&reply, ask->arena, output) < 0 ? jl_fail_memory(ask->err) : 0;
}

static const char *const models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_telemetry_power = {
    .name = "telemetry.power",
    .summary = "what the reply of a telemetry endpoint says: power, utilisation, limits, age",
    .in = &telemetry_in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
