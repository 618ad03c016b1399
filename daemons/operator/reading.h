/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is asked of telemetry endpoints and Prometheus, and what their replies say
 * (docs/rules/programs.md#power-of-the-nodes). */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "runtime/http_client.h"

struct jd_reading {
    bool has_power;
    double power_w;
    bool has_cpu_util;
    double cpu_util_pct;
    bool has_gpu_util;
    double gpu_util_pct;
    int64_t at_ms; /* policy time */
};

/* now_ms and most_age_ms in policy time. NULL, or why there is no sample, a constant. */
const char *jd_reading_of_telemetry(const struct jd_reply *reply, int64_t now_ms,
                                    int64_t most_age_ms, struct jd_reading *out);
const char *jd_reading_of_prometheus(const struct jd_reply *reply, int64_t now_ms,
                                     struct jd_reading *out);
/* The value of an instant query. NULL and *out_value, or why there is none, a constant. */
const char *jd_value_of_prometheus(const struct jd_reply *reply, double *out_value);

/* {node} replaced. How a name is written where it stands: */
enum jd_quoting { JD_QUOTE_NONE, JD_QUOTE_URL, JD_QUOTE_REGEX };

void jd_put_template(struct jl_buffer *out, const char *text, const char *node_name,
                     enum jd_quoting quoting);
/* ADDRESS/api/v1/query?query=… */
void jd_put_query(struct jl_buffer *out, const char *address, const char *query);
