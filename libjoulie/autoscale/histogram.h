/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How much of the time which amount was used: weights in exponential buckets that halve with every
 * half-life. Rules: docs/rules/autoscaling-statistics.md#histograms.
 *
 * Bucket b holds the values from start(b) = f * (1.05^b - 1) / 0.05 up to start(b + 1); the last
 * one has no end. Every function stays in its arrays for any double and any time; a caller refuses
 * NaN, infinities and negative values, which would only land in the first or the last bucket.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jl_usage {
    JL_USAGE_TFLOPS, /* f = 0.1 TFLOPS, values up to 10^4 */
    JL_USAGE_VRAM,   /* f = 10^7 bytes, values up to 10^12 */
};

#define JL_HISTOGRAM_BUCKETS 176
/* A bucket with less weight counts as empty. */
#define JL_HISTOGRAM_EPSILON 0.0001
#define JL_HISTOGRAM_MOST_WEIGHT 1e100

/*
 * The first six members are the state. To restore one: jl_histogram_init(), then ref_ns, has_ref,
 * total and weights as they were saved, then jl_histogram_settle(). Percentiles and later additions
 * are then the same to the last bit.
 */
struct jl_histogram {
    enum jl_usage usage;
    int64_t half_life_ns; /* > 0 */
    int64_t ref_ns;       /* the time at which weight 1 counts 1; a multiple of the half-life */
    bool has_ref;         /* false until the first sample */
    double total;         /* sum of the weights, at ref_ns */
    double weights[JL_HISTOGRAM_BUCKETS];

    /* what follows from those above */
    double per_half_life; /* 1 / half_life_ns */
    uint64_t phase_start; /* of the half-life that the last sample was in, ns modulo 2^64 */
    double phase_factor;  /* 2^(half-lives from ref_ns to phase_start); 0 = not known */
    uint32_t first, last; /* buckets that are not empty; first > last when all are */
};

/* Empty; a half-life below 1 ns is 1 ns. */
void jl_histogram_init(struct jl_histogram *h, enum jl_usage usage, int64_t half_life_ns);
void jl_histogram_settle(struct jl_histogram *h);

/*
 * weight counts at at_ns, which may lie before or after any other sample's time. A weight that is
 * not above 0, or above JL_HISTOGRAM_MOST_WEIGHT, counts nothing.
 */
void jl_histogram_add(struct jl_histogram *h, double value, double weight, int64_t at_ns);
/* Bucket and total become 0 where less than JL_HISTOGRAM_EPSILON is left. */
void jl_histogram_subtract(struct jl_histogram *h, double value, double weight, int64_t at_ns);

/* End of the bucket that the fraction (0..1) of all weight reaches, for the last bucket its start;
 * 0 when it is empty. */
double jl_histogram_percentile(const struct jl_histogram *h, double fraction);
bool jl_histogram_is_empty(const struct jl_histogram *h);

/* The largest b with start(b) <= value; 0 for what is smaller or no number. */
unsigned jl_histogram_bucket(enum jl_usage usage, double value);
double jl_histogram_start(enum jl_usage usage, unsigned bucket); /* bucket < JL_HISTOGRAM_BUCKETS */

/*
 * VRAM enters a histogram as each worker's peak of 24 hours. Rules:
 * docs/rules/autoscaling-statistics.md#peaks-of-vram.
 */

#define JL_PEAK_WINDOW_NS INT64_C(86400000000000) /* 24 h */
#define JL_PEAK_WEIGHT 1.0

/* Of one worker; zeroed = no sample yet. */
struct jl_peak {
    int64_t end_ns; /* of the window; a sample at this time is in the next one */
    double value;   /* bytes, the largest in the window */
    bool is_open;
};

enum jl_peak_rules {
    JL_PEAKS_CURRENT, /* a peak is added and taken away at the end of its window */
    JL_PEAKS_V2_17_1, /* added at the time of its sample, taken away at the end of its window */
};

/* Times of one worker do not decrease. */
void jl_peak_add(struct jl_histogram *h, struct jl_peak *peak, double bytes, int64_t at_ns,
                 enum jl_peak_rules rules);

/* For how many days samples speak. Rules: docs/rules/autoscaling-statistics.md#confidence. Zeroed =
 * no sample yet. */
struct jl_confidence {
    int64_t first_ns; /* earliest sample */
    int64_t last_ns;  /* latest sample */
    double minutes;   /* covered by samples of all workers, not decayed */
    bool has_any;
};

/* Weight of a sample that comes since_ns after the one before it: that time within 1 s to 300 s, in
 * minutes. */
double jl_sample_minutes(int64_t since_ns);

void jl_confidence_add(struct jl_confidence *confidence, double minutes, int64_t at_ns);
/* The smaller of the days between first and last and the days covered; 0 = no confidence. */
double jl_confidence_days(const struct jl_confidence *confidence);
