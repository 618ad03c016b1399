/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The answer of a simulation of the autoscaler as one JSON object, with means over the seeds and
 * Student's t interval. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "sim/autoscale_play.h"
#include "sim/autoscale_trace.h"

enum jl_compared {
    JL_COMPARED_STATIC, /* amounts and replicas as the profile says */
    JL_COMPARED_SOURCE, /* v2.17.1 */
    JL_COMPARED_OURS,   /* current */
    JL_COMPARED,
};

extern const char *const jl_compared_names[JL_COMPARED];

struct jl_compared_runs {
    const char *workload; /* a word of jl_load_words, or "trace" */
    const struct jl_scale_pool *pool;
    const struct jl_price_input *price;
    const struct jl_autoscale_config *configs[JL_COMPARED]; /* NULL = static */
    const struct jl_load_trace *trace;                      /* NULL = generated */
    int64_t replicas;                                       /* at the start */
    uint64_t first_seed;
    size_t seeds;
    size_t steps; /* of each run */
    bool keeps_series;
    struct jl_play_result (*results)[JL_COMPARED]; /* one row per seed */
};

/* Appends the object. 0 or JOULIE_E_NOMEM. */
int jl_compared_put(struct jl_buffer *out, const struct jl_compared_runs *runs);
