/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "twin/twin.h"

/* joulie-control.md §3.5: what counts as a full node. */
#define FULL_CORES 192.0
#define FULL_GPUS 8.0

double jl_density_score(double cores, bool has_gpu, double gpu_count)
{
    double score = cores / FULL_CORES * 100;
    if (has_gpu)
        score = (score + gpu_count / FULL_GPUS * 100) / 2;
    return jl_clamp(score, 0, 100);
}
