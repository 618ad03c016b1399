/* SPDX-License-Identifier: Apache-2.0 */

/* What a score is made of, as a table for answers. */

#define JL_SCORE_TERMS_TABLES
#include "place/terms.h"

void jl_score_terms_of(const struct jl_place_score *score, enum joulie_place_rules rules,
                       struct jl_score_terms *out)
{
    const struct jl_place_terms *terms = &score->terms;
    JL_SET(out, headroom, terms->headroom);
    JL_SET(out, cooling, terms->cooling);
    JL_SET(out, trend, terms->trend);
    JL_SET(out, profile_bonus, terms->profile_bonus);
    JL_SET(out, pressure, terms->pressure);
    JL_SET(out, sensitivity, terms->sensitivity);
    JL_SET(out, marginal_w, score->marginal_w);
    if (rules != JOULIE_PLACE_RULES_V0_1_0)
        return;
    JL_SET(out, psu, terms->psu);
    JL_SET(out, marginal_penalty, terms->marginal_penalty);
    JL_SET(out, idle_gpu, terms->idle_gpu);
    JL_SET(out, eviction, terms->eviction);
}
