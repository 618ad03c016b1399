/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the limits and the requests layer answer for one resource
 * (docs/rules/autoscaling.md#limits-layer, docs/rules/autoscaling.md#requests-layer). Amounts are
 * TFLOPS or bytes, as the input's usage says. */

#include <stdbool.h>

#include "autoscale/histogram.h"
#include "autoscale/reason.h"

/* Comparisons leave this much, relative, so that rounding noise decides nothing. */
#define JL_SCALE_SLACK 1e-9

struct jl_layer_result {
    bool has_target; /* target, lower and upper mean something: not after LowConfidence */
    double target;   /* before any clamp: F of the limits layer, T of the requests layer */
    double lower;    /* lo of the limits layer, lower of the requests layer */
    double upper;    /* hi (infinite without any bound), upper */
    double value;    /* the new amount, rounded up, or the current one */
    bool is_kept;    /* value is the current one: its text stays */
    enum jl_scale_reason reason;
    bool is_at_upper; /* limits layer: it ended at hi, so replicas may grow */
    bool has_limit;   /* requests layer: the limit that follows the request */
    double limit;
    bool is_limit_kept; /* limit is the one that was given: its text stays */
};

/* Computed TFLOPS are rounded up to this, computed VRAM to that many bytes. */
double jl_usage_step(enum jl_usage usage);
/* No request is computed below 1 TFLOPS or 1 GiB. */
double jl_usage_least(enum jl_usage usage);
