/* SPDX-License-Identifier: Apache-2.0 */

/* prometheus.value: the number in the reply of an instant query (joulie-control.md §4.13). */

#include <string.h>

#include "ask/ask.h"
#include "base/error.h"
#include "twin/twin.h"

#define HTTP_OK 200

struct prometheus_in {
    uint64_t has;
    const char *body;
    int64_t http_status;
};

enum { IN_BODY, IN_HTTP_STATUS };

static const struct jl_row in_rows[] = {
    [IN_BODY] =
        JL_STRING(prometheus_in, body, "body", .flags = JL_REQUIRED, .doc = "Text of the reply."),
    [IN_HTTP_STATUS] = JL_INTEGER(prometheus_in, http_status, "httpStatus",
                                  .doc = "HTTP status of the reply; default 200."),
};
static const struct jl_table in_table = JL_TABLE(prometheus_in, in_rows);

struct prometheus_out {
    uint64_t has;
    const char *result;
    double value;
    const char *message;
};

enum { OUT_RESULT, OUT_VALUE, OUT_MESSAGE };

static const struct jl_row out_rows[] = {
    [OUT_RESULT] = JL_STRING(prometheus_out, result, "result", .doc = "ok or error."),
    [OUT_VALUE] = JL_NUMBER(prometheus_out, value, "value", .doc = "The first series' value."),
    [OUT_MESSAGE] = JL_STRING(prometheus_out, message, "message",
                              .doc = "Why there is no value, for a person."),
};
static const struct jl_table out_table = JL_TABLE(prometheus_out, out_rows);

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct prometheus_in *in = input;
    struct prometheus_out *out = output;
    const int64_t http_status = JL_HAS(in, IN_HTTP_STATUS) ? in->http_status : HTTP_OK;
    struct jl_prometheus_value value;
    if (jl_prometheus_value(in->body, strlen(in->body), http_status,
                            jl_twin_rules(ask->options.model), ask->arena, &value) < 0)
        return jl_fail_memory(ask->err);

    JL_PUT(out, OUT_RESULT, result, value.is_ok ? "ok" : "error");
    if (value.has_value)
        JL_PUT(out, OUT_VALUE, value, value.value);
    else
        JL_PUT(out, OUT_MESSAGE, message, value.message);
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_prometheus_value = {
    .name = "prometheus.value",
    .summary = "the number in a reply of Prometheus",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
