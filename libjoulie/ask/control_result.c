/* SPDX-License-Identifier: Apache-2.0 */

/* control.result: one word for what became of a cap (joulie-node-agent.md §2, §5.4, §8.3). */

#include "ask/ask.h"
#include "base/error.h"
#include "caps/state.h"
#include "node/node.h"

struct result_in {
    uint64_t has;
    struct jl_list devices; /* strings */
    int64_t http_status;
    const char *body;
};

enum { IN_DEVICES, IN_HTTP_STATUS, IN_BODY };

static const struct jl_row in_rows[] = {
    [IN_DEVICES] = JL_STRINGS(result_in, devices, "devices", .doc = "Result words of the devices."),
    [IN_HTTP_STATUS] =
        JL_INTEGER(result_in, http_status, "httpStatus", .doc = "Status of a control reply; 200."),
    [IN_BODY] = JL_STRING(result_in, body, "body", .doc = "Body of a control reply."),
};
static const struct jl_table in_table = JL_TABLE(result_in, in_rows);

struct result_out {
    uint64_t has;
    enum joulie_control_result result;
};

enum { OUT_RESULT };

static const struct jl_row out_rows[] = {
    [OUT_RESULT] = JL_ENUM(result_out, result, "result", &jl_control_result_words,
                           .doc = "The word that is reported."),
};
static const struct jl_table out_table = JL_TABLE(result_out, out_rows);

/* The members of a control reply that say how it went. */
struct reply {
    uint64_t has;
    bool ok;
    const char *result;
};

enum { REPLY_OK, REPLY_RESULT };

static const struct jl_row reply_rows[] = {
    [REPLY_OK] = JL_BOOLEAN(reply, ok, "ok"),
    [REPLY_RESULT] = JL_STRING(reply, result, "result"),
};
static const struct jl_table reply_table = JL_TABLE(reply, reply_rows, .flags = JL_OPEN);

static enum joulie_control_result reply_result(struct jl_ask *ask, const struct result_in *in)
{
    const int64_t status = JL_HAS(in, IN_HTTP_STATUS) ? in->http_status : 200;
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
    return jl_node_reply_result(status, JL_HAS(&reply, REPLY_OK), reply.ok, reply.result);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct result_in *in = input;
    struct result_out *out = output;
    const size_t count = in->devices.count;
    if (!JL_HAS(in, IN_DEVICES)) {
        JL_PUT(out, OUT_RESULT, result, reply_result(ask, in));
        return 0;
    }
    enum joulie_control_result *results =
        JL_NEW_ARRAY(ask->arena, count, enum joulie_control_result);
    if (results == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++)
        results[i] = (enum joulie_control_result)jl_word_value(
            &jl_control_result_words, jl_text(JL_STRING_ITEM(in->devices, i)));
    JL_PUT(out, OUT_RESULT, result, jl_cap_worst(results, count));
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_control_result = {
    .name = "control.result",
    .summary = "one word for what became of a cap",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
