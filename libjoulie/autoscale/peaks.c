/* SPDX-License-Identifier: Apache-2.0 */

/*
 * VRAM enters a histogram as each worker's peak of 24 hours
 * (docs/rules/autoscaling-statistics.md#peaks-of-vram).
 */

#include "autoscale/peaks.h"

/* The end of the window that at_ns is in, counted on from the end of the last one. */
static int64_t next_end(int64_t end_ns, int64_t at_ns)
{
    int64_t since_ns = 0;
    int64_t next_ns = 0;
    if (__builtin_sub_overflow(at_ns, end_ns, &since_ns))
        return INT64_MAX;
    const int64_t whole_ns = since_ns - since_ns % JL_PEAK_WINDOW_NS;
    if (__builtin_add_overflow(end_ns + whole_ns, JL_PEAK_WINDOW_NS, &next_ns))
        return INT64_MAX;
    return next_ns;
}

void jl_peak_add(struct jl_histogram *h, struct jl_peak *peak, double bytes, int64_t at_ns,
                 enum jl_peak_rules rules)
{
    const bool is_inside = peak->is_open && at_ns < peak->end_ns;
    if (is_inside && !(bytes > peak->value))
        return;
    if (is_inside) {
        jl_histogram_subtract(h, peak->value, JL_PEAK_WEIGHT, peak->end_ns);
    } else {
        peak->end_ns = next_end(peak->is_open ? peak->end_ns : at_ns, at_ns);
        peak->is_open = true;
    }
    peak->value = bytes;
    jl_histogram_add(h, bytes, JL_PEAK_WEIGHT, rules == JL_PEAKS_CURRENT ? peak->end_ns : at_ns);
}
