/* SPDX-License-Identifier: Apache-2.0 */

/* What a score is made of, as a table for answers. */

#include "place/terms.h"

static const struct jl_row term_rows[] = {
    [JL_TERM_HEADROOM] = JL_NUMBER(jl_score_terms, headroom, "headroom",
                                   .doc = "Points for power headroom with the pod."),
    [JL_TERM_COOLING] =
        JL_NUMBER(jl_score_terms, cooling, "cooling", .doc = "Points for low cooling stress."),
    [JL_TERM_TREND] = JL_NUMBER(jl_score_terms, trend, "trend",
                                .doc = "Points for falling power, negative for rising."),
    [JL_TERM_BONUS] = JL_NUMBER(jl_score_terms, profile_bonus, "profileBonus",
                                .doc = "Points for the fitting node class."),
    [JL_TERM_PRESSURE] = JL_NUMBER(jl_score_terms, pressure, "pressure",
                                   .doc = "Points lost to loaded performance nodes."),
    [JL_TERM_SENSITIVITY] = JL_NUMBER(jl_score_terms, sensitivity, "sensitivity",
                                      .doc = "Points lost to the node's caps."),
    [JL_TERM_MARGINAL] = JL_NUMBER(jl_score_terms, marginal_w, "marginalW",
                                   .doc = "Power that the pod adds, W; no summand."),
    [JL_TERM_PSU] =
        JL_NUMBER(jl_score_terms, psu, "psu", .doc = "Points for low PSU stress (legacy)."),
    [JL_TERM_PENALTY] = JL_NUMBER(jl_score_terms, marginal_penalty, "marginalPenalty",
                                  .doc = "Points lost to marginal watts (legacy)."),
    [JL_TERM_IDLE_GPU] =
        JL_NUMBER(jl_score_terms, idle_gpu, "idleGpu", .doc = "Points lost to idle GPUs (legacy)."),
    [JL_TERM_EVICTION] = JL_NUMBER(jl_score_terms, eviction, "eviction",
                                   .doc = "Points lost to an eviction (legacy)."),
};
const struct jl_table jl_score_terms_table = JL_TABLE(jl_score_terms, term_rows);

void jl_score_terms_of(const struct jl_place_score *score, enum joulie_place_rules rules,
                       struct jl_score_terms *out)
{
    const struct jl_place_terms *terms = &score->terms;
    JL_PUT(out, JL_TERM_HEADROOM, headroom, terms->headroom);
    JL_PUT(out, JL_TERM_COOLING, cooling, terms->cooling);
    JL_PUT(out, JL_TERM_TREND, trend, terms->trend);
    JL_PUT(out, JL_TERM_BONUS, profile_bonus, terms->profile_bonus);
    JL_PUT(out, JL_TERM_PRESSURE, pressure, terms->pressure);
    JL_PUT(out, JL_TERM_SENSITIVITY, sensitivity, terms->sensitivity);
    JL_PUT(out, JL_TERM_MARGINAL, marginal_w, score->marginal_w);
    if (rules != JOULIE_PLACE_RULES_V0_1_0)
        return;
    JL_PUT(out, JL_TERM_PSU, psu, terms->psu);
    JL_PUT(out, JL_TERM_PENALTY, marginal_penalty, terms->marginal_penalty);
    JL_PUT(out, JL_TERM_IDLE_GPU, idle_gpu, terms->idle_gpu);
    JL_PUT(out, JL_TERM_EVICTION, eviction, terms->eviction);
}
