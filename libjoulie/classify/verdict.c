/* SPDX-License-Identifier: Apache-2.0 */

/* What the rules make of one point: ratios of energies (docs/rules/classification.md#ratios), the
 * CPU part, also where energies contradict utilisation (docs/rules/classification.md#cpu-part,
 * docs/rules/classification.md#energy-override), and the GPU part
 * (docs/rules/classification.md#gpu-part). Called by classify.c and, for points nearby, by
 * hysteresis.c. */

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

static bool is_gpu_dominant(const struct joulie_classify_input *in,
                            const struct jl_signals *signals)
{
    if (JL_CLASSIFY_HAS(in, GPU_DOMINANT))
        return in->gpu_dominant == 1;
    return signals->gpu_util_pct > JL_DOMINANT_GPU_PCT &&
           signals->gpu_util_pct > signals->cpu_util_pct;
}

static void derive_ratios(const struct joulie_classify_input *in, const struct jl_signals *signals,
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
    out->is_gpu_dominant = is_gpu_dominant(in, signals);
}

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

static void cpu_rules(const struct jl_signals *signals, struct jl_verdict *verdict)
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

static void gpu_rules(const struct jl_signals *signals, struct jl_triple *out)
{
    if (!(signals->gpu_util_pct > 0) && !(signals->is_kepler_used && signals->gpu_energy_j > 0)) {
        *out = (struct jl_triple){ JOULIE_LEVEL_NONE, JOULIE_BOUND_NONE, JOULIE_LEVEL_NONE };
        return;
    }
    out->intensity = jl_intensity(signals->gpu_util_pct, JL_GPU_HIGH_PCT, JL_GPU_MEDIUM_PCT);
    out->bound = bound(signals);
    out->sensitivity = sensitivity(out);
}

static void override_by_energy(const struct jl_signals *signals, bool is_source,
                               struct jl_verdict *verdict)
{
    struct jl_triple *cpu = &verdict->cpu;
    verdict->energy_rule = JL_ENERGY_RULE_NONE;
    if (!signals->is_kepler_used || !(signals->total_energy_j > 0))
        return;
    if (!is_source &&
        verdict->cpu_rule == JL_CPU_RULE_IO) /* its energies are those of an idle machine */
        return;
    if (verdict->ratios.cpu_bound > JL_CPU_ENERGY_RATIO && cpu->bound != JOULIE_BOUND_COMPUTE) {
        verdict->energy_rule = JL_ENERGY_RULE_COMPUTE;
        cpu->bound = JOULIE_BOUND_COMPUTE;
        cpu->sensitivity = JOULIE_LEVEL_HIGH;
    } else if (verdict->ratios.mem_bound > JL_MEM_ENERGY_RATIO &&
               cpu->bound != JOULIE_BOUND_MEMORY) {
        verdict->energy_rule = JL_ENERGY_RULE_MEMORY;
        cpu->bound = JOULIE_BOUND_MEMORY;
        cpu->sensitivity = JOULIE_LEVEL_LOW;
    }
}

/* By the ratios that out has. */
static void judge(const struct jl_signals *signals, bool is_source, struct jl_verdict *out)
{
    if (signals->is_cpu_known) {
        cpu_rules(signals, out);
        override_by_energy(signals, is_source, out);
    }
    gpu_rules(signals, &out->gpu);
}

void jl_verdict_at(const struct joulie_classify_input *in, const struct jl_signals *signals,
                   struct jl_verdict *out)
{
    *out = (struct jl_verdict){ 0 };
    derive_ratios(in, signals, &out->ratios);
    judge(signals, jl_classify_is_source(in), out);
}

void jl_verdict_near(const struct joulie_classify_input *in, const struct jl_signals *signals,
                     const struct jl_ratios *ratios, struct jl_verdict *out)
{
    *out = (struct jl_verdict){ .ratios = *ratios };
    out->ratios.is_gpu_dominant = is_gpu_dominant(in, signals);
    judge(signals, false, out);
}
