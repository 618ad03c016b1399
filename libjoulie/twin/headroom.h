/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

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
