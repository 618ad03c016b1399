/* SPDX-License-Identifier: Apache-2.0 */

/* Every default of a request, and the scoring profile: its table, and how it becomes settings and
 * back (docs/rules/placement.md#scoring-profile). Called wherever settings begin. */

#define JL_SCORING_PROFILE_TABLES
#include "place/profile.h"

const struct jl_words jl_spread_words = JL_WORDS({
    { JOULIE_SPREAD_NONE, "none" },
    { JOULIE_SPREAD_RANK, "rank" },
});

void jl_place_config_init(struct joulie_place_config *config, enum joulie_place_rules rules)
{
    *config = (struct joulie_place_config){
        .struct_size = sizeof *config,
        .rules = rules,
        .score_range = 10,
        .staleness_ms = JL_TWIN_STALENESS_MS,
        .max_age_ms = JL_TWIN_MAX_AGE_MS,
        .stale_grace_ms = INT64_C(30) * 60 * 1000,
        .fail_policy = JOULIE_FAIL_LAST_KNOWN,
        .cpu_util_coeff = 0.7,
        .gpu_util_coeff_standard = 0.65,
        .gpu_util_coeff_performance = 0.85,
        .is_marginal_scoring = 1,
        .spread = JOULIE_SPREAD_NONE,
        .headroom_weight = 0.7,
        .cooling_weight = 0.15,
        .pressure_weight = 0.3,
        .eco_points = 10,
        .trend_max_points = 25,
        .steady_w_per_point = 6,
        .burst_w_per_point = 2,
        .burst_w_per_min = 500,
        .unknown_score = 25,
        .cpu_cap_points = 25,
        .gpu_cap_points = 50,
        .cap_points_max = 40,
        .psu_weight = 0.05,
    };
}

const char jl_scoring_profile_unknown[] = "this release knows version 1 of scoring profiles";

bool jl_scoring_profile_is_known(const struct jl_scoring_profile *profile)
{
    return !profile->given.version || profile->version == JL_SCORING_PROFILE_VERSION;
}

void jl_scoring_profile_fill(struct jl_scoring_profile *profile,
                             const struct jl_scoring_profile *other)
{
    if (!profile->given.rules && other->given.rules)
        JL_SET(profile, rules, other->rules);
    if (!profile->given.spread && other->given.spread)
        JL_SET(profile, spread, other->spread);
#define FILL(member, ...)                              \
    if (!profile->given.member && other->given.member) \
        JL_SET(profile, member, other->member);
    JL_SCORING_NUMBERS(FILL)
#undef FILL
}

void jl_scoring_profile_apply(const struct jl_scoring_profile *profile,
                              struct joulie_place_config *config)
{
    const struct joulie_place_config before = *config;
    if (profile->given.rules) {
        jl_place_config_init(config, profile->rules);
        config->has = before.has;
        config->staleness_ms = before.staleness_ms;
        config->max_age_ms = before.max_age_ms;
        config->heartbeat_ms = before.heartbeat_ms;
        config->score_range = before.score_range;
        config->stale_grace_ms = before.stale_grace_ms;
        config->fail_policy = before.fail_policy;
        config->is_marginal_scoring = before.is_marginal_scoring;
    }
    config->spread = JL_GIVEN_OR(profile, spread, config->spread);
#define APPLY(member, ...)     \
    if (profile->given.member) \
        config->member = profile->member;
    JL_SCORING_NUMBERS(APPLY)
#undef APPLY
}

void jl_scoring_profile_of(const struct joulie_place_config *config, struct jl_scoring_profile *out)
{
    *out = (struct jl_scoring_profile){ 0 };
    JL_SET(out, version, JL_SCORING_PROFILE_VERSION);
    JL_SET(out, rules, config->rules);
    JL_SET(out, spread, config->spread);
#define TAKE(member, ...) JL_SET(out, member, config->member);
    JL_SCORING_NUMBERS(TAKE)
#undef TAKE
}

const char *jl_scoring_profile_fault(const struct jl_scoring_profile *profile)
{
#define CHECK(member, key, low, high, text)                                                \
    if (profile->given.member && !(profile->member >= (low) && profile->member <= (high))) \
        return "config." #member;
    JL_SCORING_NUMBERS(CHECK)
#undef CHECK
    return NULL;
}
