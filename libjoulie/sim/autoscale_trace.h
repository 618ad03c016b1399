/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A recording of usage as a load: CSV with the columns t, worker, tflops, vram and perhaps limit
 * and throttled, or the samples of the question autoscale as JSON, one on each line.
 */

#include "sim/autoscale_load.h"

struct jl_load_trace {
    size_t samples;
    size_t workers;
    /* Samples whose usage reached the limit that was in force, or during which throttling was
     * counted: what was asked for then is not known, the load holds what was served. */
    size_t censored;
};

/*
 * What a worker's memory holds for its requests is not known apart from its model: none of it is
 * shared out. A worker's usage holds until its next sample, at most five minutes; a step has the
 * largest sample in it. The load begins with the first sample, and its memory is the arena's.
 *
 * 0 or the code of a bad line (err: where is "line N", or "line N: member", line is N);
 * JOULIE_E_REQUIRED when there is no sample, JOULIE_E_LIMIT when it lasts longer than
 * JL_LOAD_MOST_HOURS or names more than JL_LOAD_MOST_WORKERS workers.
 */
int jl_load_read(const char *text, size_t len, struct jl_arena *arena, struct jl_load *out,
                 struct jl_load_trace *out_trace, struct joulie_error *err);

#define JL_LOAD_MOST_WORKERS 4096
