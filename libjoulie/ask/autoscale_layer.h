/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Input and answer of autoscale.layer, whose source model has a file of its own. */

#include "ask/ask.h"
#include "autoscale/amounts.h"
#include "autoscale/reason.h"

#define JL_LARGEST_AMOUNT 9.2e18 /* TFLOPS or bytes: what a quantity holds (§3.1) */
#define JL_LONGEST_S 9e9         /* keeps nanoseconds inside an int64_t */
#define JL_NS_PER_S 1e9

enum jl_layer_kind {
    JL_LAYER_LIMITS = 1,
    JL_LAYER_REQUESTS,
    JL_LAYER_PERCENTILE,
};

struct jl_layer_in {
    uint64_t has;
    enum jl_layer_kind layer;

    enum jl_usage_word { JL_USAGE_WORD_TFLOPS = 1, JL_USAGE_WORD_VRAM } resource;
    struct jl_raw current; /* amount, percentile: amounts */
    double forecast;

    double request; /* limits */
    double p99;
    double peak;
    double capacity;
    double floor;
    double buffer;
    double ignored;
    double step;
    double max_ratio;
    bool throttled;
    bool oom_killed;
    bool oom_answered;
    int64_t samples;
    double evaluation_period_s;

    struct jl_raw original; /* requests: amount, percentile: amounts */
    double confidence;
    struct jl_raw percentiles; /* requests: of the resource, percentile: of both */
    double multiplier;
    struct jl_raw max_allowed; /* requests: amount, percentile: of both */
    double used;
    double limit;
    bool limits_layer;

    double margin; /* percentile */
    const char *qos;
    struct jl_list gpus;
    double age_s;
    double initial_delay_s;
    struct jl_raw estimates;
};

enum {
    JL_LAYER_IN_LAYER,
    JL_LAYER_IN_RESOURCE,
    JL_LAYER_IN_CURRENT,
    JL_LAYER_IN_FORECAST,
    JL_LAYER_IN_REQUEST,
    JL_LAYER_IN_P99,
    JL_LAYER_IN_PEAK,
    JL_LAYER_IN_CAPACITY,
    JL_LAYER_IN_FLOOR,
    JL_LAYER_IN_BUFFER,
    JL_LAYER_IN_IGNORED,
    JL_LAYER_IN_STEP,
    JL_LAYER_IN_MAX_RATIO,
    JL_LAYER_IN_THROTTLED,
    JL_LAYER_IN_OOM_KILLED,
    JL_LAYER_IN_OOM_ANSWERED,
    JL_LAYER_IN_SAMPLES,
    JL_LAYER_IN_PERIOD,
    JL_LAYER_IN_ORIGINAL,
    JL_LAYER_IN_CONFIDENCE,
    JL_LAYER_IN_PERCENTILES,
    JL_LAYER_IN_MULTIPLIER,
    JL_LAYER_IN_MAX_ALLOWED,
    JL_LAYER_IN_USED,
    JL_LAYER_IN_LIMIT,
    JL_LAYER_IN_LIMITS_LAYER,
    JL_LAYER_IN_MARGIN,
    JL_LAYER_IN_QOS,
    JL_LAYER_IN_GPUS,
    JL_LAYER_IN_AGE,
    JL_LAYER_IN_INITIAL_DELAY,
    JL_LAYER_IN_ESTIMATES,
};

/* Percentiles or estimates of one resource. */
struct jl_layer_bounds {
    uint64_t has;
    double lower;
    double target;
    double upper;
};

enum { JL_LAYER_BOUNDS_LOWER, JL_LAYER_BOUNDS_TARGET, JL_LAYER_BOUNDS_UPPER };

/* The same of both. */
struct jl_layer_both {
    uint64_t has;
    struct jl_layer_bounds tflops;
    struct jl_layer_bounds vram;
};

enum { JL_LAYER_BOTH_TFLOPS, JL_LAYER_BOTH_VRAM };

/* Amounts as numbers; bits are enum jl_usage. */
struct jl_layer_side {
    uint64_t has;
    double tflops;
    double vram;
};

struct jl_layer_resources {
    uint64_t has;
    struct jl_layer_side requests;
    struct jl_layer_side limits;
};

enum { JL_LAYER_RESOURCES_REQUESTS, JL_LAYER_RESOURCES_LIMITS };

struct jl_layer_gpu {
    uint64_t has;
    struct jl_layer_side available;
    struct jl_list own; /* struct jl_layer_side */
};

enum { JL_LAYER_GPU_AVAILABLE, JL_LAYER_GPU_OWN };

struct jl_layer_out {
    uint64_t has;
    double target;
    double lower;
    double upper;
    double value;
    const char *text;
    enum jl_scale_reason reason;
    double limit;
    const char *limit_text;
    struct jl_layer_both estimates;
    struct jl_layer_side max_allowed;
    struct jl_layer_resources resources;
    double lower_factor;
    double upper_factor;
};

enum {
    JL_LAYER_OUT_TARGET,
    JL_LAYER_OUT_LOWER,
    JL_LAYER_OUT_UPPER,
    JL_LAYER_OUT_VALUE,
    JL_LAYER_OUT_TEXT,
    JL_LAYER_OUT_REASON,
    JL_LAYER_OUT_LIMIT,
    JL_LAYER_OUT_LIMIT_TEXT,
    JL_LAYER_OUT_ESTIMATES,
    JL_LAYER_OUT_MAX_ALLOWED,
    JL_LAYER_OUT_RESOURCES,
    JL_LAYER_OUT_LOWER_FACTOR,
    JL_LAYER_OUT_UPPER_FACTOR,
};

extern const struct jl_table jl_layer_bounds_table;
extern const struct jl_table jl_layer_both_table;
extern const struct jl_table jl_layer_side_table;
extern const struct jl_table jl_layer_resources_table;
extern const struct jl_table jl_layer_gpu_table;

/* A member that is an object of the table; out is zeroed when the bit is not set. */
int jl_ask_layer_part(struct jl_ask *ask, const struct jl_layer_in *in, unsigned bit,
                      const struct jl_raw *raw, const struct jl_table *table, void *out);

/* autoscale_percentile.c: layer percentile. */
int jl_ask_percentile(struct jl_ask *ask, const struct jl_layer_in *in, struct jl_layer_out *out);
