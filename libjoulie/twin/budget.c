/* SPDX-License-Identifier: Apache-2.0 */
#include "twin/twin.h"

void jl_budget_of(double cpu_tdp_w, double gpu_tdp_w, double cpu_pct, double gpu_pct,
                  struct jl_budget *out)
{
    out->cpu_tdp_w = cpu_tdp_w;
    out->gpu_tdp_w = gpu_tdp_w;
    out->node_tdp_w = cpu_tdp_w + gpu_tdp_w;
    out->cpu_capped_w = cpu_tdp_w * cpu_pct / 100;
    out->gpu_capped_w = gpu_tdp_w * gpu_pct / 100;
    out->node_capped_w = out->cpu_capped_w + out->gpu_capped_w;
}
