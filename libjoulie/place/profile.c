/* SPDX-License-Identifier: Apache-2.0 */

/* The scoring profile: its table, and how it becomes settings and back
 * (docs/rules/placement.md#scoring-profile). Called by questions and by the settings of daemons. */

#include "place/profile.h"

#include <string.h>

#include "base/number.h"

#define BETWEEN(low, high) .flags = JL_HAS_MIN | JL_HAS_MAX, .min = (low), .max = (high)
#define NUMBER(member, key, ...) JL_NUMBER(jl_scoring_profile, member, key, __VA_ARGS__)

static const struct jl_word spread_words[] = {
    { JOULIE_SPREAD_NONE, "none" },
    { JOULIE_SPREAD_RANK, "rank" },
};
const struct jl_words jl_spread_words = JL_WORDS(spread_words);

static const struct jl_row rows[] = {
    [JL_SCORING_VERSION] =
        JL_INTEGER(jl_scoring_profile, version, "version", .doc = "Version of this document: 1."),
    [JL_SCORING_RULES] = JL_ENUM(jl_scoring_profile, rules, "profileName", &jl_place_rules_words,
                                 .doc = "Scoring formula; current is the default."),
    [JL_SCORING_SPREAD] =
        JL_ENUM(jl_scoring_profile, spread, "spread", &jl_spread_words,
                .doc = "How scores become wire numbers: none, or rank among the candidates."),
    [JL_SCORING_HEADROOM_WEIGHT] = NUMBER(headroom_weight, "headroomWeight", BETWEEN(0, 10),
                                          .doc = "Points per point of projected headroom (0.7)."),
    [JL_SCORING_COOLING_WEIGHT] =
        NUMBER(cooling_weight, "coolingWeight", BETWEEN(0, 10),
               .doc = "Points per point below full cooling stress (0.15)."),
    [JL_SCORING_PRESSURE_WEIGHT] = NUMBER(pressure_weight, "pressureWeight", BETWEEN(0, 10),
                                          .doc = "Weight of loaded performance nodes (0.3)."),
    [JL_SCORING_ECO_POINTS] = NUMBER(eco_points, "ecoPoints", BETWEEN(0, 100),
                                     .doc = "Points of a standard pod on an eco node (10)."),
    [JL_SCORING_TREND_MAX_POINTS] = NUMBER(trend_max_points, "trendMaxPoints", BETWEEN(0, 100),
                                           .doc = "Most that a trend adds or takes (25)."),
    [JL_SCORING_STEADY_W_PER_POINT] =
        NUMBER(steady_w_per_point, "steadyWPerPoint", BETWEEN(0.01, 1e6),
               .doc = "Trend that costs a point, W/min (6)."),
    [JL_SCORING_BURST_W_PER_POINT] =
        NUMBER(burst_w_per_point, "burstWPerPoint", BETWEEN(0.01, 1e6),
               .doc = "The same while the cluster's power runs away, W/min (2)."),
    [JL_SCORING_BURST_W_PER_MIN] =
        NUMBER(burst_w_per_min, "burstWPerMin", BETWEEN(0, 1e9),
               .doc = "Cluster trend beyond which it does, W/min (500)."),
    [JL_SCORING_UNKNOWN_SCORE] = NUMBER(unknown_score, "unknownScore", BETWEEN(0, 25),
                                        .doc = "Score of a node that nothing is known of (25)."),
    [JL_SCORING_CPU_CAP_POINTS] =
        NUMBER(cpu_cap_points, "cpuCapPoints", BETWEEN(0, 100),
               .doc = "Points that a cap of all CPU power costs a sensitive pod (25)."),
    [JL_SCORING_GPU_CAP_POINTS] = NUMBER(gpu_cap_points, "gpuCapPoints", BETWEEN(0, 100),
                                         .doc = "The same of GPU power (50)."),
    [JL_SCORING_CAP_POINTS_MAX] = NUMBER(cap_points_max, "capPointsMax", BETWEEN(0, 100),
                                         .doc = "Most points that caps cost (40)."),
    [JL_SCORING_MAX_PROJECTED_PCT] =
        NUMBER(max_projected_pct, "maxProjectedPct", BETWEEN(0, 1000),
               .doc = "Highest power of a node with the pod, percent of its caps; 0 = no limit."),
    [JL_SCORING_CPU_UTIL_COEFF] =
        NUMBER(cpu_util_coeff, "marginalCpuUtilCoeff", BETWEEN(0, 10),
               .doc = "Part of a CPU's power that a busy pod adds (0.7)."),
    [JL_SCORING_GPU_UTIL_COEFF_STANDARD] =
        NUMBER(gpu_util_coeff_standard, "marginalGpuUtilCoeffStandard", BETWEEN(0, 10),
               .doc = "The same of a GPU, for standard pods (0.65)."),
    [JL_SCORING_GPU_UTIL_COEFF_PERFORMANCE] =
        NUMBER(gpu_util_coeff_performance, "marginalGpuUtilCoeffPerformance", BETWEEN(0, 10),
               .doc = "The same of a GPU, for performance pods (0.85)."),
};
const struct jl_table jl_scoring_profile_table =
    JL_TABLE(jl_scoring_profile, rows, .doc = "Weights and thresholds of the placement score.");

const char jl_scoring_profile_unknown[] = "this release knows version 1 of scoring profiles";

bool jl_scoring_profile_is_known(const struct jl_scoring_profile *profile)
{
    return !JL_HAS(profile, JL_SCORING_VERSION) || profile->version == JL_SCORING_PROFILE_VERSION;
}

void jl_scoring_profile_apply(const struct jl_scoring_profile *profile,
                              struct jl_place_config *config)
{
    const struct jl_place_config before = *config;
    unsigned bit = JL_SCORING_HEADROOM_WEIGHT;
    if (JL_HAS(profile, JL_SCORING_RULES)) {
        jl_place_config_init(config, profile->rules);
        config->freshness = before.freshness;
        config->stale_grace_ms = before.stale_grace_ms;
        config->fail_policy = before.fail_policy;
        config->is_marginal_scoring = before.is_marginal_scoring;
    }
    if (JL_HAS(profile, JL_SCORING_SPREAD))
        config->spread = profile->spread;
#define APPLY(member)                     \
    if (JL_HAS(profile, bit))             \
        config->member = profile->member; \
    bit++;
    JL_SCORING_NUMBERS(APPLY)
#undef APPLY
}

void jl_scoring_profile_of(const struct jl_place_config *config, struct jl_scoring_profile *out)
{
    unsigned bit = JL_SCORING_HEADROOM_WEIGHT;
    *out = (struct jl_scoring_profile){ 0 };
    JL_PUT(out, JL_SCORING_VERSION, version, JL_SCORING_PROFILE_VERSION);
    JL_PUT(out, JL_SCORING_RULES, rules, config->rules);
    JL_PUT(out, JL_SCORING_SPREAD, spread, config->spread);
#define TAKE(member)                          \
    JL_PUT(out, bit, member, config->member); \
    bit++;
    JL_SCORING_NUMBERS(TAKE)
#undef TAKE
}

const char *jl_scoring_profile_member(const struct jl_row *row)
{
#define NAME(member) "config." #member,
    static const char *const names[] = { JL_SCORING_NUMBERS(NAME) };
#undef NAME
    return names[row - rows - JL_SCORING_HEADROOM_WEIGHT];
}

const struct jl_row *jl_scoring_profile_fault(const struct jl_scoring_profile *profile)
{
    for (unsigned bit = JL_SCORING_HEADROOM_WEIGHT; bit < JL_COUNT(rows); bit++) {
        double value = 0;
        memcpy(&value, (const char *)profile + rows[bit].offset, sizeof value);
        if (JL_HAS(profile, bit) && !(value >= rows[bit].min && value <= rows[bit].max))
            return &rows[bit];
    }
    return NULL;
}
