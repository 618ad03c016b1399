/* SPDX-License-Identifier: Apache-2.0 */

/* telemetry.power: the power in the reply of a telemetry endpoint (joulie-node-agent.md §5.4). */

#include "node/telemetry.h"

#include "ask/ask.h"
#include "base/error.h"

#define HTTP_OK 200

struct telemetry_in {
    uint64_t has;
    const char *body;
    enum jl_power_of power_of;
    int64_t http_status;
};

enum { IN_BODY, IN_FOR, IN_HTTP_STATUS };

static const struct jl_row in_rows[] = {
    [IN_BODY] =
        JL_STRING(telemetry_in, body, "body", .flags = JL_REQUIRED, .doc = "Text of the reply."),
    [IN_FOR] = JL_ENUM(telemetry_in, power_of, "for", &jl_power_of_words, .flags = JL_REQUIRED,
                       .doc = "Whose power is asked for."),
    [IN_HTTP_STATUS] = JL_INTEGER(telemetry_in, http_status, "httpStatus",
                                  .doc = "HTTP status of the reply; default 200."),
};
static const struct jl_table in_table = JL_TABLE(telemetry_in, in_rows);

struct telemetry_out {
    uint64_t has;
    enum jl_sample_result result;
    double watts;
};

enum { OUT_RESULT, OUT_WATTS };

static const struct jl_row out_rows[] = {
    [OUT_RESULT] = JL_ENUM(telemetry_out, result, "result", &jl_sample_result_words,
                           .doc = "Whether the reply has a sample."),
    [OUT_WATTS] = JL_NUMBER(telemetry_out, watts, "watts", .doc = "The sample, W."),
};
static const struct jl_table out_table = JL_TABLE(telemetry_out, out_rows);

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct telemetry_in *in = input;
    struct telemetry_out *out = output;
    const struct jl_telemetry_reply reply = {
        .body = jl_text(in->body),
        .http_status = JL_HAS(in, IN_HTTP_STATUS) ? in->http_status : HTTP_OK,
        .power_of = in->power_of,
        .is_source = !jl_is_current(ask),
    };
    struct jl_power_sample sample;
    if (jl_telemetry_power(&reply, ask->arena, &sample) < 0)
        return jl_fail_memory(ask->err);
    JL_PUT(out, OUT_RESULT, result, sample.result);
    if (sample.result == JL_SAMPLE_TAKEN)
        JL_PUT(out, OUT_WATTS, watts, sample.watts);
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_telemetry_power = {
    .name = "telemetry.power",
    .summary = "the power in the reply of a telemetry endpoint",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
