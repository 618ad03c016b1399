/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Caps by frequency where there is no power limit. `proportional` is ours, `legacy` the
 * source's (docs/rules/frequencies.md). */

#include <stdbool.h>
#include <stdint.h>

/* ---- proportional ---- */

/* Down is slower: what `legacy` calls throttle-up. */
enum jl_dvfs_action { JL_DVFS_HOLD, JL_DVFS_DOWN, JL_DVFS_UP, JL_DVFS_COOLDOWN };

/* Below this s no processor gets any slower, and a loop that went
 * on would need minutes to come back. */
#define JL_DVFS_S_MIN 0.01

struct jl_dvfs {         /* one loop */
    double s;            /* share of the maximum frequency, JL_DVFS_S_MIN to 1 */
    uint64_t step;       /* intervals seen */
    bool has_up;         /* last_up is set */
    uint64_t last_up;    /* step of the last up-step */
    uint64_t hold_until; /* no up-step before this step */
};

/* s is the mean of scaling_max_freq / cpuinfo_max_freq ; 1 where that is no share. */
void jl_dvfs_init(struct jl_dvfs *loop, double s);
/* What power of the whole node is compared with. */
double jl_dvfs_node_cap_w(double cap_w, uint32_t packages);
/* One control interval. has_sample false or cap_w <= 0 = unknown: holds. */
enum jl_dvfs_action jl_dvfs_step(struct jl_dvfs *loop, bool has_sample, double power_w,
                                 double cap_w);

/* ---- legacy ---- */

struct jl_dvfs_params {
    double alpha;
    double high_margin_w;
    double low_margin_w;
    double step_pct;
    int64_t cooldown_ms;
    uint32_t trip_count;
    uint64_t floor_khz; /* DVFS_MIN_FREQ_KHZ */
};

void jl_dvfs_params_default(struct jl_dvfs_params *params);
/* The first parameter that is out of its range by its environment name, NULL = all are good.
 */
const char *jl_dvfs_params_fault(const struct jl_dvfs_params *params);

struct jl_dvfs_legacy {
    double throttle_pct;
    bool has_ema;
    double ema_w;
    uint32_t above;
    uint32_t below;
    bool has_action;
    int64_t last_action_ms;
};

/* Smoothed power above upper is too much, below lower too little. */
struct jl_dvfs_band {
    double lower_w;
    double upper_w;
};

struct jl_dvfs_band jl_dvfs_band(const struct jl_dvfs_params *params, double cap_w);
enum jl_dvfs_action jl_dvfs_legacy_step(const struct jl_dvfs_params *params,
                                        struct jl_dvfs_legacy *loop, bool has_sample,
                                        double power_w, double cap_w, int64_t now_ms);
/* Throttle of a percentage without a reading of power: round(100 - pct), half away from zero. */
double jl_dvfs_open_throttle_pct(double pct);
/* Why a percentage is none; NULL = it is one. */
const char *jl_dvfs_open_blocked(double pct);
/* What that percentage of the observed power is, for messages; more than 100 % counts as 100. */
double jl_dvfs_open_target_w(double pct, double observed_w);
