/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Sums over the nodes of a cluster, in their order. */

#include "place/row_rules.h"

/* One mean in three forms: the source's, weighted by capped power, and plain when a weight is
 * absent. */
struct jl_place_sums {
    double trend_w_per_min;
    double pressure;
    double weighted;
    double weight_w;
    int64_t count;
    int64_t lacks_weight;
    double psu;
    int64_t psu_count;
};

/* A node that does not count adds zeros, which changes no sum. */
JL_ALWAYS_INLINE void jl_place_sums_add(struct jl_place_sums *sums,
                                        const struct jl_row_share *share)
{
    sums->trend_w_per_min += share->trend_w_per_min;
    sums->pressure += share->pressure;
    sums->weighted += share->weighted;
    sums->weight_w += share->weight_w;
    sums->count += share->counts;
    sums->lacks_weight += share->lacks_weight;
    sums->psu += share->psu;
    sums->psu_count += share->has_psu;
}

void jl_place_sums_end(const struct jl_place_sums *sums, enum joulie_place_rules rules,
                       struct jl_place_aggregate *out);
