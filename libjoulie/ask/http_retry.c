/* SPDX-License-Identifier: Apache-2.0 */

/*
 * http.retry: what to do after an answer of the API server
 * (docs/rules/kubernetes-watch.md#retries).
 */

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

static const struct jl_words method_words = JL_WORDS({
    { METHOD_GET, "GET" },
    { METHOD_POST, "POST" },
    { METHOD_PUT, "PUT" },
    { METHOD_PATCH, "PATCH" },
    { METHOD_DELETE, "DELETE" },
});

static const struct jl_words retry_words = JL_WORDS({
    { JL_RETRY_NO, "no" },
    { JL_RETRY_YES, "yes" },
    { JL_RETRY_REFRESH, "refresh" },
    { JL_RETRY_CALLER, "caller" },
    { JL_RETRY_RELIST, "relist" },
    { JL_RETRY_REREAD, "reread" },
});

static const struct jl_words missing_words = JL_WORDS({
    { JL_MISSING_RESOURCE, "resource" },
    { JL_MISSING_OBJECT, "object" },
});

#define RECORD retry_details
#define MEMBERS                                               \
    STRING(name, "name", "Name of the object that is meant.") \
    NUMBER(retry_after_s, "retryAfterSeconds",                \
           "Stands for a Retry-After header that is absent, s.", NOT_NEGATIVE)
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

#define RECORD http_retry_in
#define MEMBERS                                                                                \
    ENUM(method, "method", method, method_words, "Method of the request; all but GET write.",  \
         REQUIRED)                                                                             \
    INTEGER(code, "code", "HTTP status.", REQUIRED, BETWEEN(100, 599))                         \
    STRING(reason, "reason", "Reason of the Status; the rule goes by the code.")               \
    STRING(message, "message", "Message of the Status, or the text that came in its place.")   \
    STRING(content_type, "contentType", "Type of the body; a Status is JSON.")                 \
    OBJECT(details, "details", retry_details, "Details of the Status.")                        \
    NUMBER(retry_after_s, "retryAfterS", "Header Retry-After, s; absent: none.", NOT_NEGATIVE) \
    INTEGER(attempt, "attempt", "Number of this try; default 1.", AT_LEAST(1))
#include "schema/record.h"

#define RECORD http_retry_out
#define MEMBERS                                                                                \
    ENUM(retry, "retry", jl_retry, retry_words,                                                \
         "Whether to try again: no, yes, with new credentials, the caller knows, list again, " \
         "read again what was written.")                                                       \
    NUMBER(after_s, "afterS", "What the server asks to wait, s, at most 60.")                  \
    ENUM(missing, "missing", jl_missing, missing_words, "What a 404 says is not there.")
#include "schema/record.h"

static double retry_after_of(const struct http_retry_in *in)
{
    if (in->given.retry_after_s)
        return in->retry_after_s;
    return in->details.given.retry_after_s ? in->details.retry_after_s : JL_NO_RETRY_AFTER;
}

static int answer_http_retry(struct jl_ask *ask, const struct http_retry_in *in,
                             struct http_retry_out *out)
{
    const struct jl_retry_step step = jl_retry_step(&(struct jl_retry_case){
        .is_read = in->method == METHOD_GET,
        .code = in->code,
        .attempt = JL_GIVEN_OR(in, attempt, 1),
        .retry_after_s = retry_after_of(in),
        .has_object_name = !jl_is_empty(in->details.name),
        .message = in->message,
    });
    (void)ask;
    JL_SET(out, retry, step.retry);
    JL_SET_IF(out, after_s, step.after_s >= 0, step.after_s);
    JL_SET_IF(out, missing, step.missing != JL_MISSING_NOTHING, step.missing);
    return 0;
}

JL_QUESTION(http_retry, "http.retry", "what to do after an answer of the API server");
