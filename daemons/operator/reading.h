/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is asked of telemetry endpoints and Prometheus, and what their replies say
 * (docs/rules/programs.md#power-of-the-nodes). */

#include <stdbool.h>
#include <stdint.h>

#include <joulie/cluster.h>

#include "base/buffer.h"
#include "runtime/clock.h"

/* now_ms and most_age_ms in policy time. NULL, or why there is no sample, a constant. */
const char *jd_reading_of_telemetry(const struct jd_reply *reply, int64_t now_ms,
                                    int64_t most_age_ms, struct joulie_cluster_sample *out);
const char *jd_reading_of_prometheus(const struct jd_reply *reply, int64_t now_ms,
                                     struct joulie_cluster_sample *out);
/* The value of an instant query. NULL and *out_value, or why there is none, a constant. */
const char *jd_value_of_prometheus(const struct jd_reply *reply, double *out_value);

/* {node} replaced. How a name is written where it stands: */
enum jd_quoting { JD_QUOTE_NONE, JD_QUOTE_URL, JD_QUOTE_REGEX };

void jd_put_template(struct jl_buffer *out, const char *text, const char *node_name,
                     enum jd_quoting quoting);
/* On a simulated clock a query says its time: Prometheus has another one. */
void jd_put_query_time(struct jl_buffer *out, const struct jd_clock *clock);
/* ADDRESS/api/v1/query?query=…, with that time. */
void jd_put_query(struct jl_buffer *out, const char *address, const char *query,
                  const struct jd_clock *clock);
