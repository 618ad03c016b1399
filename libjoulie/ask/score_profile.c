/* SPDX-License-Identifier: Apache-2.0 */

/*
 * score.profile: a scoring profile with everything that it leaves out
 * (docs/rules/placement.md#scoring-profile).
 */
#include <joulie/error.h>

#include "ask/ask.h"
#include "place/profile.h"

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct jl_scoring_profile *profile = in;
    struct jl_place_config config;
    if (!jl_scoring_profile_is_known(profile))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "version", "%s", jl_scoring_profile_unknown);
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    jl_scoring_profile_apply(profile, &config);
    jl_scoring_profile_of(&config, out);
    return 0;
}

const struct jl_question jl_question_score_profile = {
    .name = "score.profile",
    .summary = "Check a scoring profile and fill in what it leaves out",
    .in = &jl_scoring_profile_table,
    .out = &jl_scoring_profile_table,
    .answer = answer,
};
