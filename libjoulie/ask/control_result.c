/* SPDX-License-Identifier: Apache-2.0 */

/* control.result: one word for what became of a cap (docs/rules/endpoints.md#replies). */

#include "ask/ask.h"
#include "base/error.h"
#include "caps/state.h"
#include "node/node.h"

#define RECORD result_in
#define MEMBERS                                                           \
    STRINGS(devices, "devices", "Result words of the devices.")           \
    INTEGER(http_status, "httpStatus", "Status of a control reply; 200.") \
    STRING(body, "body", "Body of a control reply.")
#include "schema/record.h"

#define RECORD result_out
#define MEMBERS                                                            \
    ENUM(result, "result", joulie_control_result, jl_control_result_words, \
         "The word that is reported.")
#include "schema/record.h"

/* The members of a control reply that say how it went. */

#define RECORD reply
#define MEMBERS                             \
    BOOLEAN(ok, "ok", "Whether it worked.") \
    STRING(result, "result", "Word of the result.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

static enum joulie_control_result reply_result(struct jl_ask *ask, const struct result_in *in)
{
    const int64_t status = in->given.http_status ? in->http_status : 200;
    const struct jl_text body = jl_text(in->body);
    struct joulie_error err = { .struct_size = sizeof err };
    struct jl_decode decode = {
        .arena = ask->arena, .text = body.ptr, .len = body.len, .flags = JL_LENIENT, .err = &err
    };
    struct reply reply = { 0 };
    if (jl_is_model(ask, "v0.1.1")) /* that agent does not look at the body */
        return jl_node_reply_result(status, true, true, NULL);
    if (body.len == 0 || jl_decode_document(&decode, &reply_table, &reply) < 0)
        reply = (struct reply){ 0 }; /* a reply that says nothing readable */
    return jl_node_reply_result(status, reply.given.ok, reply.ok, reply.result);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct result_in *in = input;
    struct result_out *out = output;
    const size_t count = in->devices.count;
    if (!in->given.devices) {
        JL_SET(out, result, reply_result(ask, in));
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

static const char *const models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_control_result = {
    .name = "control.result",
    .summary = "one word for what became of a cap",
    .in = &result_in_table,
    .out = &result_out_table,
    .models = models,
    .answer = answer,
};
