/* SPDX-License-Identifier: Apache-2.0 */

/* Intensity, bound and cap sensitivity of the CPU part (docs/rules/classification.md#cpu-part). */

#include "classify/rules.h"
#include "classify/thresholds.h"

enum joulie_level jl_intensity(double util_pct, double high_pct, double medium_pct)
{
    if (util_pct >= high_pct)
        return JOULIE_LEVEL_HIGH;
    return util_pct >= medium_pct ? JOULIE_LEVEL_MEDIUM : JOULIE_LEVEL_LOW;
}

/* The first row that matches. */
static enum jl_cpu_rule matching_rule(const struct jl_signals *signals, bool is_gpu_dominant)
{
    const double cpu_pct = signals->cpu_util_pct;
    const double mem_pct = signals->mem_pressure_pct;
    if (is_gpu_dominant)
        return JL_CPU_RULE_GPU_DOMINANT;
    if (cpu_pct > JL_COMPUTE_CPU_PCT && mem_pct < JL_COMPUTE_MAX_MEM_PCT)
        return cpu_pct > JL_COMPUTE_SENSITIVE_PCT ? JL_CPU_RULE_COMPUTE_HIGH : JL_CPU_RULE_COMPUTE;
    if (mem_pct > JL_MEMORY_MEM_PCT && cpu_pct < JL_MEMORY_MAX_CPU_PCT)
        return JL_CPU_RULE_MEMORY;
    return cpu_pct < JL_IO_CPU_PCT ? JL_CPU_RULE_IO : JL_CPU_RULE_NONE;
}

void jl_cpu_rules(const struct jl_signals *signals, struct jl_verdict *verdict)
{
    static const struct {
        enum joulie_bound bound;
        enum joulie_level sensitivity;
    } outcomes[] = {
        [JL_CPU_RULE_NONE] = { JOULIE_BOUND_MIXED, JOULIE_LEVEL_MEDIUM },
        [JL_CPU_RULE_GPU_DOMINANT] = { JOULIE_BOUND_MIXED, JOULIE_LEVEL_LOW },
        [JL_CPU_RULE_COMPUTE_HIGH] = { JOULIE_BOUND_COMPUTE, JOULIE_LEVEL_HIGH },
        [JL_CPU_RULE_COMPUTE] = { JOULIE_BOUND_COMPUTE, JOULIE_LEVEL_MEDIUM },
        [JL_CPU_RULE_MEMORY] = { JOULIE_BOUND_MEMORY, JOULIE_LEVEL_LOW },
        [JL_CPU_RULE_IO] = { JOULIE_BOUND_IO, JOULIE_LEVEL_LOW },
    };
    const enum jl_cpu_rule rule = matching_rule(signals, verdict->ratios.is_gpu_dominant);
    verdict->cpu_rule = rule;
    verdict->cpu = (struct jl_triple){
        .intensity = jl_intensity(signals->cpu_util_pct, JL_CPU_HIGH_PCT, JL_CPU_MEDIUM_PCT),
        .bound = outcomes[rule].bound,
        .sensitivity = outcomes[rule].sensitivity,
    };
}
