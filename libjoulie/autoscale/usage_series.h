/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The series that a forecast reads: usage in bins of equal length, kept while samples come in.
 * Rules: docs/rules/autoscaling-statistics.md#series. Bin b covers the times from b * bin_ns on,
 * from the Unix epoch.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JL_SERIES_MOST_BINS 20160
#define JL_SERIES_LONGEST_GAP 3 /* bins; a longer gap cuts off what lies before it */

enum jl_series_kind {
    JL_SERIES_MAX,  /* largest value of all workers and samples (limits) */
    JL_SERIES_MEAN, /* mean of the workers' means (requests) */
};

/* What a prediction's settings ask for. */
struct jl_series_shape {
    int64_t bin_ns;
    uint32_t horizon; /* bins to look ahead */
    uint32_t season;  /* bins of one season, at least 2 */
    uint32_t bins;    /* of history, 1 to JL_SERIES_MOST_BINS */
};

/* Periods below 1 ns count as 1 ns. */
struct jl_series_shape jl_series_shape(int64_t prediction_period_ns, int64_t season_ns,
                                       int64_t history_ns);

struct jl_series_bin {
    double value;     /* largest value, or sum of the means of the workers that left the bin */
    uint32_t workers; /* that value is of; 0 = nothing known */
};

/*
 * A ring in the caller's storage: bin b is bins[b modulo capacity]. State to save: newest and, from
 * jl_usage_series_oldest() on, the bins; jl_usage_series_put() brings them back.
 */
struct jl_usage_series {
    enum jl_series_kind kind;
    int64_t bin_ns;
    struct jl_series_bin *bins;
    uint32_t capacity; /* 1 to JL_SERIES_MOST_BINS */
    bool has_any;
    int64_t newest; /* number of the newest bin; with has_any */
};

/* The bin that a worker is in, with JL_SERIES_MEAN; zeroed = none. It is state to save. */
struct jl_series_worker {
    int64_t bin;
    double sum;
    uint32_t samples; /* 0 = none */
};

/* bins: capacity of them, any content. A bin is 10 s or longer. */
void jl_usage_series_init(struct jl_usage_series *series, enum jl_series_kind kind, int64_t bin_ns,
                          struct jl_series_bin *bins, uint32_t capacity);

/*
 * Times of one worker do not decrease; another worker's may lie before. Samples before the oldest
 * bin of the ring count for nothing. worker: of this series; not used with JL_SERIES_MAX.
 */
void jl_usage_series_add(struct jl_usage_series *series, struct jl_series_worker *worker,
                         double value, int64_t at_ns);
/* Before a worker is forgotten: its bin keeps what it measured. */
void jl_usage_series_leave(struct jl_usage_series *series, struct jl_series_worker *worker);

/* One bin as it was saved; bins may come in any order. */
void jl_usage_series_put(struct jl_usage_series *series, int64_t number,
                         const struct jl_series_bin *bin);
/* Number of the oldest bin that the ring can hold; with has_any. */
int64_t jl_usage_series_oldest(const struct jl_usage_series *series);
/* A bin of the ring; workers 0 when nothing is known. */
struct jl_series_bin jl_usage_series_get(const struct jl_usage_series *series, int64_t number);

/*
 * The latest run without a long gap, short gaps filled on a straight line, oldest first: returns
 * how many values were written to out, which has room for capacity. workers: count of them, stride
 * bytes apart, whose open bins take part (not with JL_SERIES_MAX).
 */
size_t jl_usage_series_values(const struct jl_usage_series *series,
                              const struct jl_series_worker *workers, size_t stride, size_t count,
                              double *out);
