/* SPDX-License-Identifier: Apache-2.0 */

/* Intensity, bound and cap sensitivity of the GPU part (docs/rules/classification.md#gpu-part). */

#include "classify/rules.h"
#include "classify/thresholds.h"

static enum joulie_bound bound(const struct jl_signals *signals)
{
    /* The source takes the pod's host memory for want of a reading of the GPU's. */
    const double mem_pct =
        signals->is_gpu_mem_known ? signals->gpu_mem_util_pct : signals->mem_pressure_pct;
    if (mem_pct > JL_GPU_MEMORY_PCT)
        return JOULIE_BOUND_MEMORY;
    return signals->gpu_util_pct > JL_GPU_COMPUTE_PCT ? JOULIE_BOUND_COMPUTE : JOULIE_BOUND_MIXED;
}

static enum joulie_level sensitivity(const struct jl_triple *gpu)
{
    if (gpu->bound == JOULIE_BOUND_COMPUTE && gpu->intensity == JOULIE_LEVEL_HIGH)
        return JOULIE_LEVEL_HIGH;
    return gpu->intensity == JOULIE_LEVEL_LOW ? JOULIE_LEVEL_LOW : JOULIE_LEVEL_MEDIUM;
}

void jl_gpu_rules(const struct jl_signals *signals, struct jl_triple *out)
{
    if (!(signals->gpu_util_pct > 0) && !(signals->is_kepler_used && signals->gpu_energy_j > 0)) {
        *out = (struct jl_triple){ JOULIE_LEVEL_NONE, JOULIE_BOUND_NONE, JOULIE_LEVEL_NONE };
        return;
    }
    out->intensity = jl_intensity(signals->gpu_util_pct, JL_GPU_HIGH_PCT, JL_GPU_MEDIUM_PCT);
    out->bound = bound(signals);
    out->sensitivity = sensitivity(out);
}
