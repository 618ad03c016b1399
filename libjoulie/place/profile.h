/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The scoring profile (docs/rules/placement.md#scoring-profile): weights and thresholds of
 * the score as a document, with the bounds that the public struct has too. What a document leaves
 * out keeps the default of its rule set. For settings of a daemon:
 *
 *     OBJECT(scoring, "scoring", jl_scoring_profile, "Weights and thresholds of the score.")
 *     if (!jl_scoring_profile_is_known(&settings->scoring)) …
 *     jl_scoring_profile_apply(&settings->scoring, &config);
 */

#include "place/place.h"
#include "schema/row.h"

#define JL_SCORING_PROFILE_VERSION 1

/* The numbers are members of the same name in struct joulie_place_config and joulie_place_config:
 *     N(member, key, lowest, highest, sentence) */
#define JL_SCORING_NUMBERS(N)                                                                      \
    N(headroom_weight, "headroomWeight", 0, 10, "Points per point of projected headroom (0.7).")   \
    N(cooling_weight, "coolingWeight", 0, 10,                                                      \
      "Points per point below full cooling stress (0.15).")                                        \
    N(pressure_weight, "pressureWeight", 0, 10, "Weight of loaded performance nodes (0.3).")       \
    N(eco_points, "ecoPoints", 0, 100, "Points of a standard pod on an eco node (10).")            \
    N(trend_max_points, "trendMaxPoints", 0, 100, "Most that a trend adds or takes (25).")         \
    N(steady_w_per_point, "steadyWPerPoint", 0.01, 1e6, "Trend that costs a point, W/min (6).")    \
    N(burst_w_per_point, "burstWPerPoint", 0.01, 1e6,                                              \
      "The same while the cluster's power runs away, W/min (2).")                                  \
    N(burst_w_per_min, "burstWPerMin", 0, 1e9, "Cluster trend beyond which it does, W/min (500).") \
    N(unknown_score, "unknownScore", 0, 25, "Score of a node that nothing is known of (25).")      \
    N(cpu_cap_points, "cpuCapPoints", 0, 100,                                                      \
      "Points that a cap of all CPU power costs a sensitive pod (25).")                            \
    N(gpu_cap_points, "gpuCapPoints", 0, 100, "The same of GPU power (50).")                       \
    N(cap_points_max, "capPointsMax", 0, 100, "Most points that caps cost (40).")                  \
    N(max_projected_pct, "maxProjectedPct", 0, 1000,                                               \
      "Highest power of a node with the pod, percent of its caps; 0 = no limit.")                  \
    N(cpu_util_coeff, "marginalCpuUtilCoeff", 0, 10,                                               \
      "Part of a CPU's power that a busy pod adds (0.7).")                                         \
    N(gpu_util_coeff_standard, "marginalGpuUtilCoeffStandard", 0, 10,                              \
      "The same of a GPU, for standard pods (0.65).")                                              \
    N(gpu_util_coeff_performance, "marginalGpuUtilCoeffPerformance", 0, 10,                        \
      "The same of a GPU, for performance pods (0.85).")                                           \
    N(time_w_per_core, "timeWPerCore", 0, 1000,                                                    \
      "Efficiency: W that time on a core is worth besides its energy (0).")                        \
    N(idle_weight, "idleWeight", 0, 1,                                                             \
      "Efficiency: part of the idle power that the first pod of a node costs (0).")                \
    N(psu_weight, "psuWeight", 0, 10,                                                              \
      "Points per point of PSU stress below the mean of the nodes (0.05).")

extern const struct jl_words jl_spread_words;

#ifdef JL_SCORING_PROFILE_TABLES
#define RECORD_TABLES
#endif

#define JL_SCORING_NUMBER(member, key, low, high, text) \
    NUMBER(member, key, text, BETWEEN(low, high))
#define RECORD jl_scoring_profile
#define ABOUT .doc = "Weights and thresholds of the placement score.",
#define MEMBERS                                                                 \
    INTEGER(version, "version", "Version of this document: 1.")                 \
    ENUM(rules, "profileName", joulie_place_rules, jl_place_rules_words,        \
         "Scoring formula; current is the default.")                            \
    ENUM(spread, "spread", joulie_spread, jl_spread_words,                      \
         "How scores become wire numbers: none, or rank among the candidates.") \
    JL_SCORING_NUMBERS(JL_SCORING_NUMBER)
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* False: written for another release (JOULIE_E_UNSUPPORTED at "version"). */
bool jl_scoring_profile_is_known(const struct jl_scoring_profile *profile);
extern const char jl_scoring_profile_unknown[]; /* what to say of another version */
/* What the profile leaves out is as another one has it. */
void jl_scoring_profile_fill(struct jl_scoring_profile *profile,
                             const struct jl_scoring_profile *other);
/* Sets what the profile has. Its rule set, when it has one, comes first and resets the settings to
 * that set's defaults; freshness and fail policy stay. */
void jl_scoring_profile_apply(const struct jl_scoring_profile *profile,
                              struct joulie_place_config *config);
/* Everything of a config that is part of a profile. */
void jl_scoring_profile_of(const struct joulie_place_config *config,
                           struct jl_scoring_profile *out);
/* The first number outside its bounds as a member of struct joulie_place_config, such as
 * "config.headroom_weight", or NULL. */
const char *jl_scoring_profile_fault(const struct jl_scoring_profile *profile);
