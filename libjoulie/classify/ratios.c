/* SPDX-License-Identifier: Apache-2.0 */

/* Ratios of energies and whether the GPU dominates (docs/rules/classification.md#ratios). */

#include "base/number.h"
#include "classify/rules.h"
#include "classify/thresholds.h"

/* The source never reads the energies. */
static void from_utilisation(const struct jl_signals *signals, struct jl_ratios *out)
{
    const double cpu_pct = signals->cpu_util_pct;
    const double mem_pct = signals->mem_pressure_pct;
    if (cpu_pct > JL_SOURCE_RATIO_CPU_PCT &&
        jl_max(signals->gpu_util_pct, mem_pct) < JL_SOURCE_RATIO_MAX_PCT)
        out->cpu_bound = cpu_pct / 100;
    if (mem_pct > JL_MEMORY_MEM_PCT && cpu_pct < JL_MEMORY_MAX_CPU_PCT)
        out->mem_bound = mem_pct / 100;
}

/*
 * Without a DRAM reading neither ratio is known, and an unknown ratio overrides nothing: a
 * machine without a DRAM meter would otherwise make each of its pods compute-bound. A GPU reading
 * that is missing is a pod without GPU.
 */
static void from_energies(const struct jl_signals *signals, struct jl_ratios *out)
{
    if (!signals->is_dram_known)
        return;
    const double host_j = signals->cpu_energy_j + signals->dram_energy_j;
    if (signals->total_energy_j > 0)
        out->cpu_bound = signals->cpu_energy_j / signals->total_energy_j;
    if (host_j > 0)
        out->mem_bound = signals->dram_energy_j / host_j;
}

bool jl_is_gpu_dominant(const struct joulie_classify_input *in, const struct jl_signals *signals)
{
    if (JL_CLASSIFY_HAS(in, GPU_DOMINANT))
        return in->gpu_dominant == 1;
    return signals->gpu_util_pct > JL_DOMINANT_GPU_PCT &&
           signals->gpu_util_pct > signals->cpu_util_pct;
}

void jl_ratios_derive(const struct joulie_classify_input *in, const struct jl_signals *signals,
                      struct jl_ratios *out)
{
    *out = (struct jl_ratios){ 0 };
    if (jl_classify_is_source(in))
        from_utilisation(signals, out);
    else
        from_energies(signals, out);
    if (JL_CLASSIFY_HAS(in, CPU_BOUND_RATIO))
        out->cpu_bound = in->cpu_bound_ratio;
    if (JL_CLASSIFY_HAS(in, MEM_BOUND_RATIO))
        out->mem_bound = in->mem_bound_ratio;
    out->is_gpu_dominant = jl_is_gpu_dominant(in, signals);
}
