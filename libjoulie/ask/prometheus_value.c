/* SPDX-License-Identifier: Apache-2.0 */

/*
 * prometheus.value: the number in the reply of an instant query
 * (docs/rules/twin.md#prometheus-replies).
 */

#include <string.h>

#include "ask/ask.h"
#include "base/error.h"
#include "twin/twin.h"

#define HTTP_OK 200

#define RECORD prometheus_value_in
#define MEMBERS                                          \
    STRING(body, "body", "Text of the reply.", REQUIRED) \
    INTEGER(http_status, "httpStatus", "HTTP status of the reply; default 200.")
#include "schema/record.h"

#define RECORD prometheus_value_out
#define MEMBERS                                        \
    STRING(result, "result", "ok or error.")           \
    NUMBER(value, "value", "The first series' value.") \
    STRING(message, "message", "Why there is no value, for a person.")
#include "schema/record.h"

static int answer_prometheus_value(struct jl_ask *ask, const struct prometheus_value_in *in,
                                   struct prometheus_value_out *out)
{
    const int64_t http_status = JL_GIVEN_OR(in, http_status, HTTP_OK);
    struct jl_prometheus_value value;
    if (jl_prometheus_value(in->body, strlen(in->body), http_status,
                            jl_twin_rules(ask->options.model), ask->arena, &value) < 0)
        return jl_fail_memory(ask->err);

    JL_SET(out, result, value.is_ok ? "ok" : "error");
    if (value.has_value)
        JL_SET(out, value, value.value);
    else
        JL_SET(out, message, value.message);
    return 0;
}

JL_QUESTION(prometheus_value, "prometheus.value", "the number in a reply of Prometheus",
            JL_MODELS("current", "v0.1.1"));
