/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The scoring profile (docs/rules/placement.md#scoring-profile): weights and thresholds of
 * the score as a document, with the bounds that the public struct has too. What a document leaves
 * out keeps the default of its rule set. For settings of a daemon:
 *
 *     JL_OBJECT(settings, scoring, "scoring", &jl_scoring_profile_table)
 *     if (!jl_scoring_profile_is_known(&settings->scoring)) …
 *     jl_scoring_profile_apply(&settings->scoring, &config);
 */

#include "place/place.h"
#include "schema/row.h"

#define JL_SCORING_PROFILE_VERSION 1

struct jl_scoring_profile {
    uint64_t has;
    int64_t version;
    enum joulie_place_rules rules;
    enum joulie_spread spread;
    double headroom_weight;
    double cooling_weight;
    double pressure_weight;
    double eco_points;
    double trend_max_points;
    double steady_w_per_point;
    double burst_w_per_point;
    double burst_w_per_min;
    double unknown_score;
    double cpu_cap_points;
    double gpu_cap_points;
    double cap_points_max;
    double max_projected_pct;
    double cpu_util_coeff;
    double gpu_util_coeff_standard;
    double gpu_util_coeff_performance;
};

enum {
    JL_SCORING_VERSION,
    JL_SCORING_RULES,
    JL_SCORING_SPREAD,
    JL_SCORING_HEADROOM_WEIGHT,
    JL_SCORING_COOLING_WEIGHT,
    JL_SCORING_PRESSURE_WEIGHT,
    JL_SCORING_ECO_POINTS,
    JL_SCORING_TREND_MAX_POINTS,
    JL_SCORING_STEADY_W_PER_POINT,
    JL_SCORING_BURST_W_PER_POINT,
    JL_SCORING_BURST_W_PER_MIN,
    JL_SCORING_UNKNOWN_SCORE,
    JL_SCORING_CPU_CAP_POINTS,
    JL_SCORING_GPU_CAP_POINTS,
    JL_SCORING_CAP_POINTS_MAX,
    JL_SCORING_MAX_PROJECTED_PCT,
    JL_SCORING_CPU_UTIL_COEFF,
    JL_SCORING_GPU_UTIL_COEFF_STANDARD,
    JL_SCORING_GPU_UTIL_COEFF_PERFORMANCE,
};

/* The numbers, in the order of their rows: members of the same name in struct jl_place_config and
 * struct joulie_place_config. */
#define JL_SCORING_NUMBERS(X)  \
    X(headroom_weight)         \
    X(cooling_weight)          \
    X(pressure_weight)         \
    X(eco_points)              \
    X(trend_max_points)        \
    X(steady_w_per_point)      \
    X(burst_w_per_point)       \
    X(burst_w_per_min)         \
    X(unknown_score)           \
    X(cpu_cap_points)          \
    X(gpu_cap_points)          \
    X(cap_points_max)          \
    X(max_projected_pct)       \
    X(cpu_util_coeff)          \
    X(gpu_util_coeff_standard) \
    X(gpu_util_coeff_performance)

extern const struct jl_table jl_scoring_profile_table;
extern const struct jl_words jl_spread_words;

/* False: written for another release (JOULIE_E_UNSUPPORTED at "version"). */
bool jl_scoring_profile_is_known(const struct jl_scoring_profile *profile);
extern const char jl_scoring_profile_unknown[]; /* what to say of another version */
/* Sets what the profile has. Its rule set, when it has one, comes first and resets the settings to
 * that set's defaults; freshness and fail policy stay. */
void jl_scoring_profile_apply(const struct jl_scoring_profile *profile,
                              struct jl_place_config *config);
/* Everything of a config that is part of a profile. */
void jl_scoring_profile_of(const struct jl_place_config *config, struct jl_scoring_profile *out);
/* The row of the first number outside its bounds, or NULL. */
const struct jl_row *jl_scoring_profile_fault(const struct jl_scoring_profile *profile);
/* The member of struct joulie_place_config that it is, such as "config.headroom_weight". */
const char *jl_scoring_profile_member(const struct jl_row *row);
