/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Frequencies of cpufreq policies: throttling, order of writes, what to give back. Rules:
 * docs/rules/frequencies.md. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JL_CPUFREQ_NO_MAX_KHZ                                           \
    UINT64_C(2147483647) /* the request of a program that wants nothing \
                          */
#define JL_CPUFREQ_NO_MIN_KHZ UINT64_C(0)

struct jl_freq_range {
    uint64_t min_khz; /* cpuinfo_min_freq */
    uint64_t max_khz; /* cpuinfo_max_freq */
};

/* A throttle of pct (0..100) to one frequency for the whole policy; floor_khz is DVFS_MIN_FREQ_KHZ.
 */
uint64_t jl_cpufreq_throttled_khz(struct jl_freq_range range, double pct, uint64_t floor_khz);
/* The share s of the maximum: clamp(floor(s * max), min, max). */
uint64_t jl_cpufreq_share_khz(struct jl_freq_range range, double s);
/* v0.1.1: the first k policies go to the floor, the others to their maximum; returns k. */
size_t jl_cpufreq_throttle_first(const struct jl_freq_range *ranges, size_t count, double pct,
                                 uint64_t floor_khz, uint64_t *out_khz);

/* What gives back a limit that reads so at first sight. */
uint64_t jl_cpufreq_baseline_max_khz(struct jl_freq_range range, uint64_t read_khz);
uint64_t jl_cpufreq_baseline_min_khz(struct jl_freq_range range, uint64_t read_khz);

/* Lowering: minimum first when it is above the new maximum; raising: maximum first. */
struct jl_cpufreq_write {
    bool is_max; /* scaling_max_freq, else scaling_min_freq */
    uint64_t khz;
};

/* Returns the number of writes (0 to 2). */
size_t jl_cpufreq_order(struct jl_freq_range current, struct jl_freq_range target,
                        struct jl_cpufreq_write out[2]);
