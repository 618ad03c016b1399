/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "twin/twin.h"

double jl_headroom_measured(double node_capped_w, double node_power_w)
{
    if (!(node_capped_w > 0))
        return 100; /* v0.1.1 only: in current such a node is unknown (P10) */
    return jl_min(100, (node_capped_w - node_power_w) / node_capped_w * 100);
}

double jl_headroom_from_caps(double cpu_pct, double gpu_pct, double cooling_stress)
{
    return jl_clamp((cpu_pct + gpu_pct) / 200 * (1 - cooling_stress / 100) * 100, 0, 100);
}
