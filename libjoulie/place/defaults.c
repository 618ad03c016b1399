/* SPDX-License-Identifier: Apache-2.0 */

/* Every default of a request (docs/rules/placement.md#scoring-profile). Called wherever settings
 * begin: config.c, profile.c, the cluster model and questions. */

#include "place/place.h"

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
    };
}
