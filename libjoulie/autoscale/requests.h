/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The requests layer: what a worker is guaranteed in the long run
 * (docs/rules/autoscaling.md#requests-layer). One resource per call. */

#include <stdint.h>

#include "autoscale/layer.h"

struct jl_requests_input {
    struct {                  /* members without a bit are always set */
        bool percentiles : 1; /* lower, target, upper; without it the histogram is empty */
        bool forecast : 1;
        bool max_allowed : 1;
        bool used : 1;
        bool limit : 1;
    } given;

    enum jl_usage usage;
    double current;         /* request; 0 = none */
    double original;        /* request of the spec; 0 = none */
    double confidence_days; /* what samples cover, see histogram.h */
    double lower;           /* P(max(0.5, q - 0.4)), before factors */
    double target;          /* P(q) */
    double upper;           /* P(min(0.99, q + 0.05)) */
    double multiplier;      /* k: 1.1 adds 10 % */
    double forecast;        /* its peak, before the multiplier */
    double max_allowed;     /* what the assigned GPUs can still give one worker */
    double used;            /* VRAM: the largest usage of a worker now */
    double limit;           /* current limit; 0 = none */
    bool is_limits_layer;   /* the limits layer is enabled for this resource */
};

/* extraBufferRatio's default, 10 %: not the published 1.0. */
#define JL_REQUESTS_MULTIPLIER 1.1

/* The percentiles, 0..1, that percentileForAutoRequests asks of the histogram. */
struct jl_requests_percentiles {
    double lower;
    double target;
    double upper;
};

struct jl_requests_percentiles jl_requests_percentiles(double percentile);

/* How far the bounds lie from their percentiles after c days of confidence, > 0. */
double jl_lower_factor(double confidence_days);
double jl_upper_factor(double confidence_days);

void jl_scale_requests(const struct jl_requests_input *in, struct jl_layer_result *out);
