/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "twin/twin.h"

/* P5 tier 2: a CPU without a measured curve draws this share of its TDP when idle, a GPU this share
 * of its maximum. */
#define CPU_IDLE_FRAC 0.2
#define GPU_IDLE_FRAC 0.1

static double fraction(double pct)
{
    return jl_clamp(pct / 100, 0, 1);
}

static double cpu_power_w(const struct jl_power_estimate *in)
{
    if (in->has_cpu_curve)
        return in->cpu_curve_w;
    return in->cpu_tdp_w * (CPU_IDLE_FRAC + (1 - CPU_IDLE_FRAC) * fraction(in->cpu_util_pct));
}

static double gpu_power_w(const struct jl_power_estimate *in)
{
    if (!in->has_gpu_util)
        return in->gpu_capped_w;
    const double idle_w = in->gpu_idle_w > 0 ? in->gpu_idle_w : GPU_IDLE_FRAC * in->gpu_max_w;
    return in->gpu_count * (idle_w + (in->gpu_max_w - idle_w) * fraction(in->gpu_util_pct));
}

double jl_power_from_utilization(const struct jl_power_estimate *in)
{
    const double cpu_w = jl_min(cpu_power_w(in), in->cpu_capped_w);
    const double gpu_w = in->gpu_count > 0 ? jl_min(gpu_power_w(in), in->gpu_capped_w) : 0;
    return cpu_w + gpu_w;
}
