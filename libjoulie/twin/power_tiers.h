/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "twin/lanes.h"

/* Node power from utilisation, and from what pods ask for: the tiers between a measurement and what
 * the caps allow (docs/rules/twin.md#node-power). */

struct jl_power_estimate {
    jl_real cpu_tdp_w; /* all sockets */
    jl_real cpu_capped_w;
    jl_mask has_cpu_util; /* else by cpu_allocated_w */
    jl_real cpu_util_pct;
    jl_real cpu_allocated_w;
    jl_mask has_cpu_curve;
    jl_real cpu_curve_w; /* of all sockets, at cpu_util_pct */
    jl_real gpu_count;   /* 0 = none */
    jl_real gpu_max_w;   /* per GPU */
    jl_real gpu_idle_w;  /* per GPU, 0 = unknown */
    jl_real gpu_capped_w;
    jl_mask has_gpu_util;
    jl_real gpu_util_pct;
    jl_mask has_gpu_allocated; /* else, without a utilisation, what the cap allows */
    jl_real gpu_allocated_w;
};

JL_LANE jl_real jl_fraction_of(jl_real pct)
{
    return jl_within(pct / 100.0, 0, 1);
}

JL_LANE jl_real jl_cpu_estimate_w(const struct jl_power_estimate *in)
{
    const jl_real share =
        JL_CPU_IDLE_FRAC + (1 - JL_CPU_IDLE_FRAC) * jl_fraction_of(in->cpu_util_pct);
    const jl_real busy_w = jl_pick(in->has_cpu_curve, in->cpu_curve_w, in->cpu_tdp_w * share);
    return jl_lesser(jl_pick(in->has_cpu_util, busy_w, in->cpu_allocated_w), in->cpu_capped_w);
}

JL_LANE jl_real jl_gpu_estimate_w(const struct jl_power_estimate *in)
{
    const jl_real idle_w =
        jl_pick(jl_is_above_0(in->gpu_idle_w), in->gpu_idle_w, JL_GPU_IDLE_FRAC * in->gpu_max_w);
    const jl_real busy_w =
        in->gpu_count * (idle_w + (in->gpu_max_w - idle_w) * jl_fraction_of(in->gpu_util_pct));
    const jl_real other_w = jl_pick(in->has_gpu_allocated, in->gpu_allocated_w, in->gpu_capped_w);
    return jl_lesser(jl_pick(in->has_gpu_util, busy_w, other_w), in->gpu_capped_w);
}

JL_LANE jl_real jl_power_estimate_w(const struct jl_power_estimate *in)
{
    const jl_mask has_gpu = jl_is_above_0(in->gpu_count);
    const jl_real cpu_w = jl_cpu_estimate_w(in);
    return jl_any(has_gpu) ? cpu_w + jl_or_0(has_gpu, jl_gpu_estimate_w(in)) : cpu_w + 0.0;
}
