/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "twin/lanes.h"

/* Cooling stress from power and outside temperature alone (docs/rules/cooling.md). */

#define JL_LINEAR_REFERENCE_W 4000.0
#define JL_LINEAR_FULL_STRESS 80.0 /* at the reference power */
#define JL_LINEAR_WARM_C 20.0
#define JL_LINEAR_PER_C 0.5
#define JL_RATIO_WARM_C 20.0
#define JL_RATIO_PER_C 0.02
#define JL_RATIO_MIN 0.5

JL_LANE jl_real jl_ratio_factor(jl_real outside_c)
{
    return 1.0 / jl_greater(jl_real_of(JL_RATIO_MIN),
                            1.0 - (outside_c - JL_RATIO_WARM_C) * JL_RATIO_PER_C);
}

/* node_tdp_w > 0 */
JL_LANE jl_real jl_ratio_stress(jl_real power_w, jl_real node_tdp_w, jl_real factor)
{
    return jl_within(power_w / node_tdp_w * factor * 100.0, 0, 100);
}

/* A reference of 0 is unknown. */
JL_LANE jl_real jl_linear_stress(jl_real power_w, jl_real reference_w, jl_real outside_c)
{
    const jl_real full_w =
        jl_pick(jl_is_above_0(reference_w), reference_w, jl_real_of(JL_LINEAR_REFERENCE_W));
    const jl_real warm_c = jl_greater(jl_real_of(0), outside_c - JL_LINEAR_WARM_C);
    return jl_within(power_w / full_w * JL_LINEAR_FULL_STRESS + warm_c * JL_LINEAR_PER_C, 0, 100);
}
