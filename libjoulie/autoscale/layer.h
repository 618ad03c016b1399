/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the limits and the requests layer answer for one resource (tensor-fusion.md §8.3, §8.4).
 * Amounts are TFLOPS or bytes, as the input's usage says. */

#include <stdbool.h>

#include "autoscale/histogram.h"
#include "autoscale/reason.h"

/* Comparisons leave this much, relative, so that rounding noise decides nothing. */
#define JL_SCALE_SLACK 1e-9

struct jl_layer_result {
    bool has_target; /* target, lower and upper mean something: not after LowConfidence */
    double target;   /* before any clamp: F of §8.3, T of §8.4 */
    double lower;    /* lo of §8.3; the lower bound after its factors of §8.4 */
    double upper;    /* hi of §8.3, infinite without any bound; the upper bound of §8.4 */
    double value;    /* the new amount, rounded up, or the current one */
    bool is_kept;    /* value is the current one: its text stays */
    enum jl_scale_reason reason;
    bool is_at_upper; /* limits layer: it ended at hi, so replicas may grow */
    bool has_limit;   /* requests layer: the coupled limit of §8.4 step 7 */
    double limit;
    bool is_limit_kept; /* limit is the one that was given: its text stays */
};

/* §3.4: computed TFLOPS are rounded up to this, computed VRAM to that many bytes. */
double jl_usage_step(enum jl_usage usage);
/* §7.5 step 4, §8.4 step 4: no request is computed below 1 TFLOPS or 1 GiB. */
double jl_usage_least(enum jl_usage usage);
