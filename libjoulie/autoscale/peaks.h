/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* VRAM enters a histogram as each worker's peak of 24 hours. Rules:
 * docs/rules/autoscaling-statistics.md#peaks-of-vram. */

#include "autoscale/histogram.h"

#define JL_PEAK_WINDOW_NS INT64_C(86400000000000) /* 24 h */
#define JL_PEAK_WEIGHT 1.0

/* Of one worker; zeroed = no sample yet. */
struct jl_peak {
    int64_t end_ns; /* of the window; a sample at this time is in the next one */
    double value;   /* bytes, the largest in the window */
    bool is_open;
};

enum jl_peak_rules {
    JL_PEAKS_CURRENT, /* a peak is added and taken away at the end of its window */
    JL_PEAKS_V2_17_1, /* added at the time of its sample, taken away at the end of its window */
};

/* Times of one worker do not decrease. */
void jl_peak_add(struct jl_histogram *h, struct jl_peak *peak, double bytes, int64_t at_ns,
                 enum jl_peak_rules rules);
