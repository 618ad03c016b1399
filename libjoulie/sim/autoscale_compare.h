/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The same demand against static amounts, the source's algorithm and ours, seed by seed. */

#include "base/buffer.h"
#include "sim/autoscale_play.h"

struct jl_compare_options {
    enum jl_load_kind kind;
    const char *trace; /* with JL_LOAD_TRACE */
    size_t trace_len;
    const char *profile; /* NULL = the built-in one */
    size_t profile_len;
    const char *source_profile; /* NULL = what profile converts to */
    size_t source_profile_len;
    double hours;
    uint64_t first_seed;
    size_t seeds;
    struct jl_scale_pool pool;
    bool keeps_series;
};

/* Appends the answer. err's where begins with trace, profile or sourceProfile. */
int jl_autoscale_compare(const struct jl_compare_options *options, struct jl_buffer *out,
                         struct joulie_error *err);
