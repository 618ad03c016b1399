/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "twin/lanes.h"

/* What a node may draw (docs/rules/twin.md#power-budget). */

struct jl_budget {
    jl_real cpu_tdp_w;
    jl_real gpu_tdp_w;
    jl_real node_tdp_w;
    jl_real cpu_capped_w;
    jl_real gpu_capped_w;
    jl_real node_capped_w;
};

JL_LANE struct jl_budget jl_budget_of(jl_real cpu_tdp_w, jl_real gpu_tdp_w, jl_real cpu_pct,
                                      jl_real gpu_pct)
{
    const jl_real cpu_capped_w = cpu_tdp_w * cpu_pct / 100.0;
    const jl_real gpu_capped_w = gpu_tdp_w * gpu_pct / 100.0;
    return (struct jl_budget){
        .cpu_tdp_w = cpu_tdp_w,
        .gpu_tdp_w = gpu_tdp_w,
        .node_tdp_w = cpu_tdp_w + gpu_tdp_w,
        .cpu_capped_w = cpu_capped_w,
        .gpu_capped_w = gpu_capped_w,
        .node_capped_w = cpu_capped_w + gpu_capped_w,
    };
}
