/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The replicas layer: how many workers there are (docs/rules/autoscaling.md#replicas-layer). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "autoscale/layer.h"

/* Counts are at most this; larger bounds and steps count as this many. */
#define JL_REPLICAS_MAX INT32_MAX

struct jl_replica_step {
    double amount; /* fraction of the current replicas, or pods */
    bool is_pods;
};

struct jl_replicas_config {
    double target_frac; /* targetTFlopsOfLimits, (0, 1] */
    struct jl_replica_step up;
    struct jl_replica_step down;
    int64_t up_cool_down_ns;
    int64_t down_cool_down_ns;
    int64_t min; /* at least 1 */
    int64_t max; /* at least min; JL_REPLICAS_MAX = none */
};

/* One evaluation's desired count, as long as the scale-down cool-down remembers it. */
struct jl_replicas_wish {
    int64_t t_ns;
    int64_t desired;
};

/*
 * Only the largest of the list counts, so a wish goes when a later one is as large: what stays
 * falls strictly from the oldest to the newest, and the oldest is the largest. Should 64 different
 * counts fall within one cool-down, the two oldest become one, with the larger count and the later
 * time: the maximum is never lost, it is remembered a little longer than the cool-down.
 */
#define JL_REPLICAS_WISHES 64

struct jl_replicas_state {
    bool has_last_up;
    bool has_last_down; /* false = long ago */
    int64_t last_up_ns;
    int64_t last_down_ns; /* initially the creation time */
    size_t wish_count;
    struct jl_replicas_wish wishes[JL_REPLICAS_WISHES];
};

/* created_ns is the creation of the workload. */
void jl_replicas_begin(struct jl_replicas_state *state, int64_t created_ns);

struct jl_replicas_input {
    int64_t now_ns;
    int64_t replicas;           /* n */
    const double *utilizations; /* mean TFLOPS over limit of each reporting worker, finite */
    size_t reporting;           /* of them */
    size_t missing;             /* ready workers without one */
    bool is_limits_bursting;    /* the limits layer runs on TFLOPS and is not at hi */
    const struct jl_replicas_config *config;
};

struct jl_replicas_result {
    bool has_ratio;
    double ratio;    /* r, with the missing workers filled in */
    int64_t desired; /* before cool-down and stabilisation */
    int64_t to;      /* after them */
    enum jl_scale_reason reason;
};

/* Evaluates once and remembers it in the state. */
void jl_scale_replicas(const struct jl_replicas_input *in, struct jl_replicas_state *state,
                       struct jl_replicas_result *out);
