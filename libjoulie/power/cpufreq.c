/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Frequencies of cpufreq policies: a throttle as a frequency, the order of two writes, and what
 * gives a limit back. Called by enforce/ and by the questions
 * `cpufreq.cap` and `dvfs.apply`. Implements docs/rules/frequencies.md.
 */

#include "power/cpufreq.h"

#include <math.h>

#include "base/number.h"

#define FULL_PCT 100.0

/* A frequency of 0 or more, at most limit. */
static uint64_t to_khz(double khz, uint64_t limit)
{
    if (!(khz > 0))
        return 0;
    return khz >= (double)limit ? limit : (uint64_t)khz;
}

/* Where the two bounds cross, the maximum wins, as it does in the kernel. */
static uint64_t bounded(uint64_t khz, struct jl_freq_range range)
{
    const uint64_t raised = khz < range.min_khz ? range.min_khz : khz;
    return raised > range.max_khz ? range.max_khz : raised;
}

uint64_t jl_cpufreq_throttled_khz(struct jl_freq_range range, double pct, uint64_t floor_khz)
{
    const uint64_t span_khz = range.max_khz - bounded(floor_khz, range);
    const double share = jl_clamp(pct, 0, FULL_PCT);
    const double cut_khz = jl_round_half_away((double)span_khz * share / FULL_PCT);
    return range.max_khz - to_khz(cut_khz, span_khz);
}

uint64_t jl_cpufreq_share_khz(struct jl_freq_range range, double s)
{
    return bounded(to_khz(floor(s * (double)range.max_khz), range.max_khz), range);
}

size_t jl_cpufreq_throttle_first(const struct jl_freq_range *ranges, size_t count, double pct,
                                 uint64_t floor_khz, uint64_t *out_khz)
{
    const double share = jl_clamp(pct, 0, FULL_PCT);
    const size_t throttled = (size_t)to_khz(ceil((double)count * share / FULL_PCT), count);
    for (size_t i = 0; i < count; i++)
        out_khz[i] = i < throttled ? bounded(floor_khz, ranges[i]) : ranges[i].max_khz;
    return throttled;
}

uint64_t jl_cpufreq_baseline_max_khz(struct jl_freq_range range, uint64_t read_khz)
{
    return read_khz == range.max_khz ? JL_CPUFREQ_NO_MAX_KHZ : read_khz;
}

uint64_t jl_cpufreq_baseline_min_khz(struct jl_freq_range range, uint64_t read_khz)
{
    return read_khz == range.min_khz ? JL_CPUFREQ_NO_MIN_KHZ : read_khz;
}

size_t jl_cpufreq_order(struct jl_freq_range current, struct jl_freq_range target,
                        struct jl_cpufreq_write out[2])
{
    const bool min_goes_first = current.min_khz > target.max_khz;
    size_t count = 0;
    for (size_t turn = 0; turn < 2; turn++) {
        const bool is_max = (turn == 0) != min_goes_first;
        const uint64_t from_khz = is_max ? current.max_khz : current.min_khz;
        const uint64_t to = is_max ? target.max_khz : target.min_khz;
        if (from_khz != to)
            out[count++] = (struct jl_cpufreq_write){ .is_max = is_max, .khz = to };
    }
    return count;
}
