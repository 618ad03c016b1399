/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The limits layer: how far a worker may burst (docs/rules/autoscaling.md#limits-layer). One
 * resource per call. */

#include <stdint.h>

#include "autoscale/layer.h"

struct jl_limits_input {
    struct { /* members without a bit are always set */
        bool p99 : 1;
        bool peak : 1;
        bool forecast : 1;
        bool capacity : 1;
        bool samples : 1; /* and period_ns; without it there are enough */
    } given;

    enum jl_usage usage;
    double current;    /* limit; 0 = none yet */
    double request;    /* 0 = none: then it bounds nothing */
    double p99;        /* of the histogram */
    double peak;       /* largest sample of max(60 s, period) */
    double forecast;   /* its peak */
    double capacity;   /* of one assigned GPU */
    double floor;      /* TFLOPS: 0; VRAM: the largest 24 h peak of a worker */
    double buffer;     /* fraction added to the usage */
    double ignored;    /* relative band in which nothing changes */
    double step;       /* growth multiplier of a saturated limit */
    double max_ratio;  /* limit over request, at most */
    bool is_throttled; /* TFLOPS: throttledCount grew in the window */
    int64_t samples;   /* in the window, all workers together */
    int64_t period_ns; /* evaluationPeriod, > 0 */

    /* VRAM: oomCount grew in the window. One kill raises a limit once, by its step; until the kill
     * has left the window the raised limit is held, because the worker that shows what it needs is
     * still starting. Without a limit there was none that was too small: then a kill means nothing.
     */
    bool is_oom_killed;
    bool is_oom_answered; /* an evaluation before has seen all of these kills */
};

/* VRAM takes this buffer instead of extraTFlopsBufferRatio. */
#define JL_LIMITS_VRAM_BUFFER 0.15

/* W of step 1, of which the peak is taken. */
int64_t jl_limits_window_ns(int64_t period_ns);

void jl_scale_limits(const struct jl_limits_input *in, struct jl_layer_result *out);
