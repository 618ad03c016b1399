/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "twin/lanes.h"

/* docs/rules/twin.md#pue */
#define JL_PUE_COOL 1.05
#define JL_PUE_SPAN 0.35 /* added at full cooling stress */

JL_LANE jl_real jl_pue_from_stress(jl_real cooling_stress)
{
    return JL_PUE_COOL + cooling_stress / 100.0 * JL_PUE_SPAN;
}
