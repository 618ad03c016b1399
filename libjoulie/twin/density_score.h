/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "twin/lanes.h"

/* Density (docs/rules/twin.md#density): what counts as a full node. */
#define JL_FULL_CORES 192.0
#define JL_FULL_GPUS 8.0

JL_LANE jl_real jl_density_score(jl_real cores, jl_mask has_gpu, jl_real gpu_count)
{
    const jl_real of_cores = cores / JL_FULL_CORES * 100.0;
    const jl_real of_both = (of_cores + gpu_count / JL_FULL_GPUS * 100.0) / 2.0;
    return jl_within(jl_pick(has_gpu, of_both, of_cores), 0, 100);
}
