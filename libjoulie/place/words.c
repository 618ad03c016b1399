/* SPDX-License-Identifier: Apache-2.0 */

/* Words of the enums of placement, and what a score is made of as a table for answers. */

#define JL_SCORE_TERMS_TABLES
#include "place/kube.h"
#include "place/place.h"
#include "place/terms.h"

static void cost_terms_of(const struct jl_place_cost *cost, struct jl_score_terms *out)
{
    JL_SET(out, slope_w, cost->slope_w);
    JL_SET(out, step_w, cost->step_w);
    JL_SET(out, idle_w, cost->idle_w);
    JL_SET(out, gpu_w, cost->gpu_w);
    JL_SET(out, time_w, cost->time_w);
    JL_SET(out, speed, cost->speed);
    JL_SET(out, packing_w, cost->packing_w);
    JL_SET(out, cost_w, cost->total_w);
}

void jl_score_terms_of(const struct jl_place_score *score, enum joulie_place_rules rules,
                       struct jl_score_terms *out)
{
    const struct jl_place_terms *terms = &score->terms;
    if (rules == JOULIE_PLACE_RULES_EFFICIENCY) {
        cost_terms_of(&score->cost, out);
        return;
    }
    JL_SET(out, headroom, terms->headroom);
    JL_SET(out, cooling, terms->cooling);
    JL_SET(out, trend, terms->trend);
    JL_SET(out, profile_bonus, terms->profile_bonus);
    JL_SET(out, pressure, terms->pressure);
    JL_SET(out, sensitivity, terms->sensitivity);
    JL_SET(out, marginal_w, score->marginal_w);
    JL_SET_IF(out, psu, rules == JOULIE_PLACE_RULES_V0_1_0 || terms->psu != 0, terms->psu);
    if (rules != JOULIE_PLACE_RULES_V0_1_0)
        return;
    JL_SET(out, marginal_penalty, terms->marginal_penalty);
    JL_SET(out, idle_gpu, terms->idle_gpu);
    JL_SET(out, eviction, terms->eviction);
}

const struct jl_words jl_place_rules_words = JL_WORDS({
    { JOULIE_PLACE_RULES_CURRENT, "current" },
    { JOULIE_PLACE_RULES_V0_1_1, "v0.1.1" },
    { JOULIE_PLACE_RULES_V0_1_0, "legacy" },
    { JOULIE_PLACE_RULES_EFFICIENCY, "efficiency" },
});

const struct jl_words jl_pod_class_words = JL_WORDS({
    { JOULIE_WORKLOAD_PERFORMANCE, "performance" },
    { JOULIE_WORKLOAD_STANDARD, "standard" },
    { JOULIE_WORKLOAD_OTHER, "other" },
});

const struct jl_words jl_gpu_vendor_words = JL_WORDS({
    { JOULIE_GPU_VENDOR_NVIDIA, "nvidia" },
    { JOULIE_GPU_VENDOR_AMD, "amd" },
    { JOULIE_GPU_VENDOR_INTEL, "intel" },
});

const struct jl_words jl_place_basis_words = JL_WORDS({
    { JOULIE_BASIS_FRESH, "fresh" },
    { JOULIE_BASIS_STALE, "stale" },
    { JOULIE_BASIS_MISSING, "missing" },
});

const struct jl_words jl_fail_policy_words = JL_WORDS({
    { JOULIE_FAIL_LAST_KNOWN, "last-known" },
    { JOULIE_FAIL_OPEN, "open" },
    { JOULIE_FAIL_CLOSED, "closed" },
});

const struct jl_words jl_kube_scoring_words = JL_WORDS({
    { JL_KUBE_LEAST_ALLOCATED, "least-allocated" },
    { JL_KUBE_DEFAULT, "kube" },
    { JL_KUBE_MOST_ALLOCATED, "most-allocated" },
});
