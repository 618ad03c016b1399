/* SPDX-License-Identifier: Apache-2.0 */

/* What a control reply says became of a cap, and the number in a reply of Prometheus
 * (docs/rules/endpoints.md#replies, #prometheus). Called by agents and operators, and by the
 * question control.result. */

#include "base/error.h"
#include "base/memory.h"
#include "kinds/node_twin.h"
#include "remote/replies.h"
#include "schema/decode.h"
#include "schema/json.h"
#include "twin/twin.h"

/* The members of the body that say how it went. */
#define RECORD reply
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                     \
    BOOLEAN(ok, "ok", "Whether the cap was taken.") \
    STRING(result, "result", "What became of it, a word.")
#include "schema/record.h"

/* Read apart: a reply whose other members are broken may still say what is wrong. */
#define RECORD explanation
#define ABOUT .flags = JL_OPEN
#define MEMBERS RAW(message, "message", "What is wrong; anything may stand here.")
#include "schema/record.h"

static enum joulie_control_result result_of(const struct reply *reply)
{
    const int word = jl_word_value(&jl_control_result_words, jl_text(reply->result));
    if (word != JOULIE_CONTROL_UNKNOWN)
        return (enum joulie_control_result)word;
    return reply->given.ok && reply->ok ? JOULIE_CONTROL_APPLIED : JOULIE_CONTROL_ERROR;
}

static int read_message(struct jl_decode *decode, const char **out)
{
    struct explanation explanation;
    struct jl_json_string string;
    size_t len = 0;
    if (jl_decode_document(decode, &explanation_table, &explanation) < 0)
        return 0;
    struct jl_json json = { .text = explanation.message.text, .len = explanation.message.len };
    if (json.len == 0 || jl_json_peek(&json) != JL_JSON_STRING ||
        jl_json_string(&json, &string) < 0)
        return 0;
    int code = 0;
    *out = jl_json_value(&string, decode->arena, &len, &code);
    return code == JOULIE_E_PARSE ? 0 : code;
}

int jl_remote_read_reply(int64_t http_status, struct jl_text body, bool is_source,
                         struct jl_arena *arena, struct jl_remote_verdict *out)
{
    struct jl_decode decode = {
        .arena = arena, .text = body.ptr, .len = body.len, .flags = JL_LENIENT
    };
    struct reply reply = { 0 };
    const bool is_good = http_status >= 200 && http_status <= 299;
    *out = (struct jl_remote_verdict){ .result = is_good && is_source ? JOULIE_CONTROL_APPLIED
                                                                      : JOULIE_CONTROL_ERROR };
    if (is_source || body.len == 0)
        return 0;
    if (is_good) {
        const int rc = jl_decode_document(&decode, &reply_table, &reply);
        if (rc == JOULIE_E_NOMEM)
            return rc;
        if (rc == 0)
            out->result = result_of(&reply);
    }
    return read_message(&decode, &out->message);
}

int joulie_remote_read_control(int32_t http_status, const char *body, size_t len,
                               enum joulie_control_result *out_result, char **out_message,
                               struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_remote_verdict verdict;
    if (jl_remote_read_reply(http_status, (struct jl_text){ body, len }, false, &arena, &verdict) <
        0)
        return jl_fail_memory(err);
    if (out_message != NULL) {
        char *copy = jl_strdup(verdict.message);
        if (copy == NULL && verdict.message != NULL)
            return jl_fail_memory(err);
        *out_message = copy;
    }
    *out_result = verdict.result;
    return JOULIE_OK;
}

int joulie_remote_read_prometheus(int32_t http_status, const char *body, size_t len, double *out,
                                  struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_prometheus_value value;
    if (jl_prometheus_value(body, len, http_status, JOULIE_TWIN_RULES_CURRENT, &arena, &value) < 0)
        return jl_fail_memory(err);
    if (!value.has_value)
        return jl_fail(err, JOULIE_E_PARSE, "", "%s", value.message);
    *out = value.value;
    return JOULIE_OK;
}
