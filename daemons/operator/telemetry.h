/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The power of the nodes, read before each step: a bounded number of requests at a time, each with
 * a time limit and a size limit. A read that failed is no sample
 * (docs/rules/programs.md#power-of-the-nodes).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "runtime/http_client.h"

struct jd_operator;

#define JD_MOST_READS 64

extern const char *const jd_power_sources[]; /* words of OPERATOR_NODE_POWER_SOURCE */

enum jd_power_source {
    JD_POWER_STATIC,
    JD_POWER_HTTP,
    JD_POWER_PROMETHEUS,
    JD_POWER_KEPLER,
    JD_POWER_UTILIZATION
};

struct jd_read { /* one request on its way */
    struct jd_operator *op;
    struct jd_transfer *transfer;
    const char *node_name;
    int query; /* kepler: which of its queries */
};

struct jd_telemetry {
    enum jd_power_source source;
    uint64_t round;
    struct jl_arena arena; /* of names */
    const char **names;
    size_t count;
    size_t next;
    size_t in_flight;
    struct jd_read reads[JD_MOST_READS];
    size_t failed;   /* of this round */
    size_t reported; /* of this round: node by node at most so many */
    void (*done)(struct jd_operator *op);
};

/* 0, or a code with err->message that names the option that is missing. */
int jd_telemetry_open(struct jd_operator *op, struct joulie_error *err);
void jd_telemetry_close(struct jd_operator *op);
/* Reads all nodes in scope, then calls done. false = there is nothing to read. */
bool jd_telemetry_start(struct jd_operator *op, void (*done)(struct jd_operator *op));

/* reading.c: what a reply says. */
struct jd_reading {
    bool has_power;
    double power_w;
    bool has_cpu_util;
    double cpu_util_pct;
    bool has_gpu_util;
    double gpu_util_pct;
    int64_t at_ms;
};

/* now_ms and most_age_ms in policy time. NULL, or why there is no sample, a constant. */
const char *jd_reading_of_telemetry(const struct jd_reply *reply, int64_t now_ms,
                                    int64_t most_age_ms, struct jd_reading *out);
const char *jd_reading_of_prometheus(const struct jd_reply *reply, int64_t now_ms,
                                     struct jd_reading *out);

/* {node} replaced. How a name is written at its place: */
enum jd_quoting { JD_QUOTE_NONE, JD_QUOTE_URL, JD_QUOTE_REGEX };

void jd_put_template(struct jl_buffer *out, const char *text, const char *node_name,
                     enum jd_quoting quoting);
/* ADDRESS/api/v1/query?query=… */
void jd_put_query(struct jl_buffer *out, const char *address, const char *query);
/* prometheus.value of a reply. NULL and *out_value, or why there is none, a constant. */
const char *jd_value_of_prometheus(const struct jd_reply *reply, double *out_value);
/* facility.pue. false = unknown. */
bool jd_pue(double it_power_w, double cooling_power_w, double *out);
