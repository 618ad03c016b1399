/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the reply of a Prometheus instant query (docs/rules/twin.md#prometheus-replies). Called by
 * the question prometheus.value and wherever telemetry comes from Prometheus. */

#include "base/number.h"
#include "schema/json.h"
#include "twin/twin.h"

/*
 * The reply of an instant query:
 * {"status":"success","data":{"result":[{"value":[time,"number"]},…]}}. Other members are skipped,
 * only the first series counts.
 */

enum found { FOUND_NOTHING, FOUND_OTHER, FOUND_STRING };

struct reply {
    bool is_success;
    bool has_series;
    enum found value; /* value[1] of the first series */
    struct jl_json_string text;
};

typedef int read_fn(struct jl_json *json, const struct jl_text *key, struct reply *reply);

/* Calls read at each member's value; a value that is no object is skipped. */
static int read_members(struct jl_json *json, read_fn *read, struct reply *reply)
{
    if (jl_json_peek(json) != JL_JSON_OBJECT)
        return jl_json_skip(json);
    int code = jl_json_open(json);
    for (bool is_first = true, more = true; code == 0; is_first = false) {
        struct jl_json_string key;
        code = jl_json_member(json, is_first, &key, &more);
        if (code < 0 || !more)
            return code;
        code = read(json, &key.raw, reply);
    }
    return code;
}

static int read_value(struct jl_json *json, struct reply *reply)
{
    if (jl_json_peek(json) != JL_JSON_ARRAY)
        return jl_json_skip(json);
    int code = jl_json_open(json);
    for (size_t i = 0; code == 0; i++) {
        bool more = true;
        code = jl_json_item(json, i == 0, &more);
        if (code < 0 || !more)
            return code;
        if (i == 1 && jl_json_peek(json) == JL_JSON_STRING) {
            reply->value = FOUND_STRING;
            code = jl_json_string(json, &reply->text);
        } else {
            if (i == 1)
                reply->value = FOUND_OTHER;
            code = jl_json_skip(json);
        }
    }
    return code;
}

static int read_series(struct jl_json *json, const struct jl_text *key, struct reply *reply)
{
    return jl_text_is(*key, "value") ? read_value(json, reply) : jl_json_skip(json);
}

static int read_result(struct jl_json *json, struct reply *reply)
{
    if (jl_json_peek(json) != JL_JSON_ARRAY)
        return jl_json_skip(json);
    int code = jl_json_open(json);
    for (bool is_first = true, more = true; code == 0; is_first = false) {
        code = jl_json_item(json, is_first, &more);
        if (code < 0 || !more)
            return code;
        reply->has_series = true;
        code = is_first ? read_members(json, read_series, reply) : jl_json_skip(json);
    }
    return code;
}

static int read_data(struct jl_json *json, const struct jl_text *key, struct reply *reply)
{
    return jl_text_is(*key, "result") ? read_result(json, reply) : jl_json_skip(json);
}

static int read_status(struct jl_json *json, struct reply *reply)
{
    struct jl_json_string word;
    if (jl_json_peek(json) != JL_JSON_STRING)
        return jl_json_skip(json);
    const int code = jl_json_string(json, &word);
    reply->is_success = code == 0 && jl_text_is(word.raw, "success");
    return code;
}

static int read_reply(struct jl_json *json, const struct jl_text *key, struct reply *reply)
{
    if (jl_text_is(*key, "status"))
        return read_status(json, reply);
    return jl_text_is(*key, "data") ? read_members(json, read_data, reply) : jl_json_skip(json);
}

/* NaN and infinities as Go reads them: any case, a sign before them. */
static bool is_not_finite(struct jl_text text)
{
    if (text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-'))
        text = (struct jl_text){ text.ptr + 1, text.len - 1 };
    return jl_same_nocase(text, "nan") || jl_same_nocase(text, "inf") ||
           jl_same_nocase(text, "infinity");
}

int jl_prometheus_number(struct jl_text text, bool *out_is_missing, double *out)
{
    *out_is_missing = is_not_finite(text);
    if (*out_is_missing)
        return 0;
    if (text.len > 1 && text.ptr[0] == '+' && jl_is_digit(text.ptr[1]))
        text = (struct jl_text){ text.ptr + 1, text.len - 1 };
    return jl_parse_double(text.ptr, text.len, out);
}

static void fail(struct jl_prometheus_value *out, const char *message)
{
    *out = (struct jl_prometheus_value){ .message = message };
}

static void read_number(struct jl_text text, enum joulie_twin_rules rules,
                        struct jl_prometheus_value *out)
{
    bool is_missing;
    double value = 0;
    if (jl_prometheus_number(text, &is_missing, &value) < 0)
        fail(out, "the value is not a number");
    else if (!is_missing)
        *out = (struct jl_prometheus_value){
            .is_ok = true, .has_value = true, .value = value, .message = ""
        };
    else if (jl_twin_rules_are_current(rules))
        fail(out, "the value is not finite");
    else
        *out = (struct jl_prometheus_value){ .is_ok = true, .message = "the value is not finite" };
}

static const char *problem_of(const struct reply *reply)
{
    if (!reply->is_success)
        return "the status is not success";
    if (!reply->has_series)
        return "the result has no series";
    return reply->value == FOUND_STRING ? NULL : "the first series has no value that is text";
}

int jl_prometheus_value(const char *body, size_t len, int64_t http_status,
                        enum joulie_twin_rules rules, struct jl_arena *arena,
                        struct jl_prometheus_value *out)
{
    if (jl_twin_rules_are_current(rules) && (http_status < 200 || http_status > 299)) {
        fail(out, "the HTTP status is not 2xx");
        return 0;
    }
    struct jl_json json = { .text = body, .len = len };
    struct reply reply = { 0 };
    int code = jl_json_peek(&json) == JL_JSON_OBJECT ? read_members(&json, read_reply, &reply)
                                                     : JOULIE_E_PARSE;
    if (code == 0)
        code = jl_json_finish(&json);
    const char *problem =
        code == 0 ? problem_of(&reply) : "the reply is not JSON of an instant query";
    if (problem != NULL) {
        fail(out, problem);
        return 0;
    }
    size_t text_len;
    const char *text = jl_json_value(&reply.text, arena, &text_len, &code);
    if (text == NULL && code != JOULIE_E_PARSE)
        return code;
    if (text == NULL)
        fail(out, "the value is not a number");
    else
        read_number((struct jl_text){ text, text_len }, rules, out);
    return 0;
}
