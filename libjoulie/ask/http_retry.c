/* SPDX-License-Identifier: Apache-2.0 */

/* http.retry: what to do after an answer of the API server (kubernetes.md §1, §1.2, §8, §8.1). */

#include "ask/ask.h"
#include "kubernetes/retry.h"

enum method {
    METHOD_UNKNOWN,
    METHOD_GET,
    METHOD_POST,
    METHOD_PUT,
    METHOD_PATCH,
    METHOD_DELETE,
};

static const struct jl_word method_items[] = {
    { METHOD_GET, "GET" },     { METHOD_POST, "POST" },     { METHOD_PUT, "PUT" },
    { METHOD_PATCH, "PATCH" }, { METHOD_DELETE, "DELETE" },
};
static const struct jl_words method_words = JL_WORDS(method_items);

static const struct jl_word retry_items[] = {
    { JL_RETRY_NO, "no" },         { JL_RETRY_YES, "yes" },       { JL_RETRY_REFRESH, "refresh" },
    { JL_RETRY_CALLER, "caller" }, { JL_RETRY_RELIST, "relist" }, { JL_RETRY_REREAD, "reread" },
};
static const struct jl_words retry_words = JL_WORDS(retry_items);

static const struct jl_word missing_items[] = {
    { JL_MISSING_RESOURCE, "resource" },
    { JL_MISSING_OBJECT, "object" },
};
static const struct jl_words missing_words = JL_WORDS(missing_items);

struct retry_details {
    uint64_t has;
    const char *name;
    double retry_after_s;
};

enum { DETAILS_NAME, DETAILS_RETRY_AFTER };

static const struct jl_row details_rows[] = {
    [DETAILS_NAME] =
        JL_STRING(retry_details, name, "name", .doc = "Name of the object that is meant."),
    [DETAILS_RETRY_AFTER] =
        JL_NUMBER(retry_details, retry_after_s, "retryAfterSeconds", .flags = JL_NOT_NEGATIVE,
                  .doc = "Stands for a Retry-After header that is absent, s."),
};
static const struct jl_table details_table =
    JL_TABLE(retry_details, details_rows, .flags = JL_OPEN);

struct retry_in {
    uint64_t has;
    enum method method;
    int64_t code;
    const char *reason;
    const char *message;
    const char *content_type;
    struct retry_details details;
    double retry_after_s;
    int64_t attempt;
};

enum {
    IN_METHOD,
    IN_CODE,
    IN_REASON,
    IN_MESSAGE,
    IN_CONTENT_TYPE,
    IN_DETAILS,
    IN_RETRY_AFTER,
    IN_ATTEMPT,
};

#define AT_LEAST(least) .flags = JL_HAS_MIN, .min = (least)

static const struct jl_row in_rows[] = {
    [IN_METHOD] = JL_ENUM(retry_in, method, "method", &method_words, .flags = JL_REQUIRED,
                          .doc = "Method of the request; all but GET write."),
    [IN_CODE] = JL_INTEGER(retry_in, code, "code", .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX,
                           .min = 100, .max = 599, .doc = "HTTP status."),
    [IN_REASON] = JL_STRING(retry_in, reason, "reason",
                            .doc = "Reason of the Status; the rule goes by the code."),
    [IN_MESSAGE] = JL_STRING(retry_in, message, "message",
                             .doc = "Message of the Status, or the "
                                    "text that came in its place."),
    [IN_CONTENT_TYPE] = JL_STRING(retry_in, content_type, "contentType",
                                  .doc = "Type of the body; a Status is JSON."),
    [IN_DETAILS] =
        JL_OBJECT(retry_in, details, "details", &details_table, .doc = "Details of the Status."),
    [IN_RETRY_AFTER] = JL_NUMBER(retry_in, retry_after_s, "retryAfterS", .flags = JL_NOT_NEGATIVE,
                                 .doc = "Header Retry-After, s; absent: none."),
    [IN_ATTEMPT] = JL_INTEGER(retry_in, attempt, "attempt", AT_LEAST(1),
                              .doc = "Number of this try; default 1."),
};
static const struct jl_table in_table = JL_TABLE(retry_in, in_rows);

struct retry_out {
    uint64_t has;
    enum jl_retry retry;
    double after_s;
    enum jl_missing missing;
};

enum { OUT_RETRY, OUT_AFTER, OUT_MISSING };

static const struct jl_row out_rows[] = {
    [OUT_RETRY] = JL_ENUM(retry_out, retry, "retry", &retry_words,
                          .doc = "Whether to try again: no, yes, with new credentials, the caller "
                                 "knows, list again, read again what was written."),
    [OUT_AFTER] = JL_NUMBER(retry_out, after_s, "afterS",
                            .doc = "What the server asks to wait, s, at most 60."),
    [OUT_MISSING] = JL_ENUM(retry_out, missing, "missing", &missing_words,
                            .doc = "What a 404 says is not there."),
};
static const struct jl_table out_table = JL_TABLE(retry_out, out_rows);

static double retry_after_of(const struct retry_in *in)
{
    if (JL_HAS(in, IN_RETRY_AFTER))
        return in->retry_after_s;
    return JL_HAS(&in->details, DETAILS_RETRY_AFTER) ? in->details.retry_after_s
                                                     : JL_NO_RETRY_AFTER;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct retry_in *in = input;
    struct retry_out *out = output;
    const struct jl_retry_step step = jl_retry_step(&(struct jl_retry_case){
        .is_read = in->method == METHOD_GET,
        .code = in->code,
        .attempt = JL_HAS(in, IN_ATTEMPT) ? in->attempt : 1,
        .retry_after_s = retry_after_of(in),
        .has_object_name = !jl_is_empty(in->details.name),
        .message = in->message,
    });
    (void)ask;
    JL_PUT(out, OUT_RETRY, retry, step.retry);
    if (step.after_s >= 0)
        JL_PUT(out, OUT_AFTER, after_s, step.after_s);
    if (step.missing != JL_MISSING_NOTHING)
        JL_PUT(out, OUT_MISSING, missing, step.missing);
    return 0;
}

const struct jl_question jl_question_http_retry = {
    .name = "http.retry",
    .summary = "what to do after an answer of the API server",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
