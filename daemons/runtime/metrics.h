/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a daemon counts, and how Prometheus reads it (docs/rules/programs.md#metrics). Families are
 * tables of constants; series come and go with what they are about. Memory that runs out loses a
 * series, not the daemon.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum jd_metric_type { JD_COUNTER = 1, JD_GAUGE, JD_HISTOGRAM };

#define JD_MOST_LABELS 4
#define JD_BUCKETS_END (-1.0)

struct jd_family {
    const char *name;
    const char *help;
    enum jd_metric_type type;
    const char *labels[JD_MOST_LABELS]; /* names; NULL ends them */
    const double *buckets;              /* upper bounds, JD_BUCKETS_END at the end */
};

/* A family without buckets; behind its help the names of its labels. */
#define JD_FAMILY(tag, kind, series, text, ...)                                     \
    const struct jd_family tag = {                                                  \
        .name = (series), .help = (text), .type = (kind), .labels = { __VA_ARGS__ } \
    }

extern const double jd_seconds_buckets[]; /* .005 .01 .025 .05 .1 .25 .5 1 2.5 5 10 */

struct jd_metrics;

struct jd_metrics *jd_metrics_new(void); /* NULL: memory ran out */
void jd_metrics_free(struct jd_metrics *metrics);

/* values: one per label of the family. */
void jd_metric_add(struct jd_metrics *metrics, const struct jd_family *family,
                   const char *const *values, double by);
void jd_metric_set(struct jd_metrics *metrics, const struct jd_family *family,
                   const char *const *values, double value);
void jd_metric_observe(struct jd_metrics *metrics, const struct jd_family *family,
                       const char *const *values, double value);
#define JD_LABELS(...) ((const char *const[]){ __VA_ARGS__ })
#define JD_NO_LABELS NULL

double jd_metric_get(const struct jd_metrics *metrics, const struct jd_family *family,
                     const char *const *values); /* 0 = absent; a histogram's count */
/* Removes every series whose label has this value: a node that is gone. */
void jd_metrics_forget(struct jd_metrics *metrics, const char *label, const char *value);
/* Removes one series: a reading that is stale. */
void jd_metric_remove(struct jd_metrics *metrics, const struct jd_family *family,
                      const char *const *values);
/* Removes the series of one family whose first label has this value. */
void jd_metric_drop(struct jd_metrics *metrics, const struct jd_family *family, const char *first);
/* Removes every series of one family. */
void jd_metrics_clear(struct jd_metrics *metrics, const struct jd_family *family);

/* All samples are of this instant, ms since 1970: of a time that is not the reader's. 0 = of when
 * they are read. */
void jd_metrics_stamp(struct jd_metrics *metrics, int64_t at_ms);

/* The text format 0.0.4, or OpenMetrics 1.0: families by name, series by label values. A page is
 * whole, or out->is_failed. */
void jd_metrics_put(const struct jd_metrics *metrics, bool is_openmetrics, struct jl_buffer *out);
