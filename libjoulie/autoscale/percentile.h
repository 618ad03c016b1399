/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The recommender that clusters run today: v2.17.1 and v1.45.0 (docs/rules/autoscaling-source.md),
 * as they are, with their rounding to whole TFLOPS and bytes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "autoscale/amounts.h"
#include "autoscale/layer.h"
#include "base/text.h"

enum jl_percentile_rules {
    JL_PERCENTILE_V2_17_1 = 1,
    JL_PERCENTILE_V1_45_0,
};

struct jl_estimate { /* TFLOPS or bytes */
    double lower;
    double target;
    double upper;
};

struct jl_estimates {
    struct jl_estimate of[JL_USAGES]; /* by enum jl_usage */
};

/* Which estimate becomes the request. */
enum jl_request_estimate {
    JL_REQUEST_LOWER = 1, /* low, medium, no class, or a word that is none */
    JL_REQUEST_TARGET,    /* high */
    JL_REQUEST_UPPER,     /* critical */
};

enum jl_request_estimate jl_request_estimate_of(struct jl_text qos);

struct jl_percentile_config {
    double margin_frac;           /* marginFraction, requestMarginFraction */
    double update_threshold_frac; /* v2.17.1 */
    double min_ratio[JL_USAGES];  /* of the original amounts, 0 = no bound; v2.17.1 */
    double max_ratio[JL_USAGES];
    int64_t initial_delay_ns; /* v2.17.1 */
};

struct jl_percentile_input {
    struct {
        bool age_ns : 1; /* without it the workload is old enough */
    } given;

    enum jl_percentile_rules rules;
    const struct jl_percentile_config *config;
    struct jl_estimates estimates; /* of jl_percentile_estimates() */
    enum jl_request_estimate request;
    struct jl_amounts original;
    struct jl_amounts current;
    struct jl_amount_bounds max_allowed; /* per worker; of jl_max_allowed() */
    int64_t age_ns;                      /* of the workload */
};

struct jl_percentile_result {
    bool is_recommendation; /* amounts mean something */
    bool is_applied;        /* "already applied": they are the current ones */
    struct jl_amounts amounts;
    enum jl_scale_reason reason; /* NONE: no condition is written */
};

/* Whole TFLOPS and bytes: margin, and for v1.45.0 the factors of c days (none: the
 * bounds are 0 and infinite). */
void jl_percentile_estimates(enum jl_percentile_rules rules, const struct jl_estimates *percentiles,
                             double margin_frac, double confidence_days, struct jl_estimates *out);

/* One GPU that carries workers of the workload. */
struct jl_gpu_share {
    struct jl_amount_bounds available; /* not booked */
    const struct jl_amounts *own; /* what each own worker on it has booked; only requests count */
    size_t own_count;
};

/* What one worker's request may grow to, the smallest over the GPUs. GPUs without own
 * workers do not count. */
void jl_max_allowed(const struct jl_gpu_share *gpus, size_t count, struct jl_amount_bounds *out);

void jl_recommend_percentile(const struct jl_percentile_input *in,
                             struct jl_percentile_result *out);
