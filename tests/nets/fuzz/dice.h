/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The bytes of an input as choices; when they are used up, every choice is the first one. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice {
    const uint8_t *at;
    size_t left;
};

bool dice_bit(struct dice *dice);
int64_t dice_int(struct dice *dice, int64_t low, int64_t high); /* both ends included */
uint64_t dice_bits(struct dice *dice);                          /* any 64 */
/* Often an end or a round number, else anything between. */
double dice_number(struct dice *dice, double low, double high);
/* A member with its bit, or neither. */
void dice_member(struct dice *dice, uint64_t *has, unsigned bit, double *out, double low,
                 double high);

/* Equal but for rounding. */
bool dice_near(double a, double b);

/* One family of rules: whatever the choices are, its invariants hold. */
typedef void rules_fn(struct dice *dice);

rules_fn rules_energy, rules_balance, rules_attribute, rules_rapl, rules_cpufreq; /* power */
rules_fn rules_cap, rules_ramp, rules_dvfs, rules_dvfs_legacy, rules_drift;       /* caps */
rules_fn rules_cpu, rules_gpu, rules_lag, rules_profile;                          /* physics */
rules_fn rules_predict, rules_trend, rules_cooling, rules_psu;                    /* twin */
rules_fn rules_score, rules_wire, rules_marginal;                                 /* place */
rules_fn rules_plan, rules_guard, rules_hysteresis, rules_hp, rules_power_off;    /* policy */
rules_fn rules_classify, rules_intensity;                                         /* classify */
rules_fn rules_histogram, rules_peaks, rules_forecast, rules_series;              /* autoscale */
rules_fn rules_limits, rules_requests, rules_replicas, rules_merge, rules_percentile;
rules_fn rules_backoff, rules_retry, rules_sort, rules_random, rules_numbers,
    rules_elementary;                                 /* base */
rules_fn rules_node_step, rules_machine, rules_shard; /* node */
