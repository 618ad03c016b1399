/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What joulie_simulate_autoscale() answered, for the table, the CSV files and the page. */

#include <stdbool.h>
#include <stddef.h>

#include <joulie/error.h>

#include "base/buffer.h"

struct json_object;

enum jd_algorithm { JD_STATIC, JD_SOURCE, JD_OURS, JD_ALGORITHMS };

/* Those that a person is shown; the answer has more. */
enum jd_metric {
    JD_METRIC_UNSERVED,
    JD_METRIC_SHORT_TIME,
    JD_METRIC_KILLS,
    JD_METRIC_COST,
    JD_METRIC_COST_PER_SERVED,
    JD_METRIC_REQUEST_TFLOPS,
    JD_METRIC_LIMIT_TFLOPS,
    JD_METRIC_REQUEST_GIB,
    JD_METRIC_LIMIT_GIB,
    JD_METRIC_REPLICAS,
    JD_METRIC_RESOURCE_CHANGES,
    JD_METRIC_REPLICA_CHANGES,
    JD_METRICS,
};

struct jd_metric_row {
    const char *key;   /* in the answer */
    const char *label; /* for a person, with its unit */
    int decimals;
};

struct jd_estimate {
    double mean;
    double half_width;
    bool has_interval;
};

enum jd_difference { JD_OURS_STATIC, JD_OURS_SOURCE, JD_SOURCE_STATIC, JD_DIFFERENCES };

struct jd_compared { /* one workload */
    struct json_object *tree;
    const char *workload;
    size_t seeds;
    double hours;
    double top_tflops; /* of the axes of the plots: the largest demand, or limit; above 0 */
    double top_gib;
    struct jd_estimate means[JD_ALGORITHMS][JD_METRICS];
    struct jd_estimate differences[JD_DIFFERENCES][JD_METRICS];
};

extern const struct jd_metric_row jd_metric_rows[JD_METRICS];
extern const char *const jd_algorithm_names[JD_ALGORITHMS]; /* for a person */

/* Reads one answer; the tree is kept. 0, JOULIE_E_PARSE or JOULIE_E_NOMEM. */
int jd_compared_read(const char *json, size_t len, struct jd_compared *out,
                     struct joulie_error *err);
void jd_compared_clear(struct jd_compared *compared);

/* Item `index` of a list member, and a number of it; 0 when it is not there. */
struct json_object *jd_compared_item(const struct jd_compared *compared, const char *list,
                                     size_t index);
double jd_compared_number(struct json_object *item, const char *key);

/* "3.10 ± 0.42", or the mean alone. */
void jd_put_estimate(struct jl_buffer *out, const struct jd_estimate *estimate, int decimals,
                     bool is_signed);

/* compared_csv.c: a line per run, and a line per point of its course. */
void jd_put_runs_csv(struct jl_buffer *out, const struct jd_compared *all, size_t count);
void jd_put_series_csv(struct jl_buffer *out, const struct jd_compared *all, size_t count);
/* For a terminal. */
void jd_put_compared_table(struct jl_buffer *out, const struct jd_compared *all, size_t count);
/* compared_page.c: one file of HTML that needs nothing else. */
void jd_put_compared_page(struct jl_buffer *out, const struct jd_compared *all, size_t count,
                          const char *command);
/* compared_plot.c: pictures of it. */
void jd_put_course(struct jl_buffer *out, const struct jd_compared *compared, size_t seed,
                   enum jd_algorithm algorithm, bool is_memory);
void jd_put_bars(struct jl_buffer *out, const struct jd_compared *compared, enum jd_metric metric);
