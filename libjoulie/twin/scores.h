/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Formulas of a node's headroom, density and PUE. */

#include "twin/lanes.h"

/* Power headroom (docs/rules/twin.md#headroom). */

/* v0.1.1 and current, from a power that was read; node_capped_w > 0. */
JL_LANE jl_real jl_headroom_measured(jl_real node_capped_w, jl_real node_power_w)
{
    return jl_lesser(jl_real_of(100), (node_capped_w - node_power_w) / node_capped_w * 100.0);
}

/* v0.1.0, and a node whose power is only estimated from its caps. */
JL_LANE jl_real jl_headroom_from_caps(jl_real cpu_pct, jl_real gpu_pct, jl_real cooling_stress)
{
    return jl_within((cpu_pct + gpu_pct) / 200.0 * (1.0 - cooling_stress / 100.0) * 100.0, 0, 100);
}

/* Density (docs/rules/twin.md#density): what counts as a full node. */
#define JL_FULL_CORES 192.0
#define JL_FULL_GPUS 8.0

JL_LANE jl_real jl_density_score(jl_real cores, jl_mask has_gpu, jl_real gpu_count)
{
    const jl_real of_cores = cores / JL_FULL_CORES * 100.0;
    const jl_real of_both = (of_cores + gpu_count / JL_FULL_GPUS * 100.0) / 2.0;
    return jl_within(jl_pick(has_gpu, of_both, of_cores), 0, 100);
}

/* docs/rules/twin.md#pue */
#define JL_PUE_COOL 1.05
#define JL_PUE_SPAN 0.35 /* added at full cooling stress */

JL_LANE jl_real jl_pue_from_stress(jl_real cooling_stress)
{
    return JL_PUE_COOL + cooling_stress / 100.0 * JL_PUE_SPAN;
}
