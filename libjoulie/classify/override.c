/* SPDX-License-Identifier: Apache-2.0 */

/* The CPU part where energies contradict utilisation
 * (docs/rules/classification.md#energy-override), and all rules together at one point. Called by
 * classify.c and, for points nearby, by hysteresis.c. */

#include "classify/rules.h"
#include "classify/thresholds.h"

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
        jl_cpu_rules(signals, out);
        override_by_energy(signals, is_source, out);
    }
    jl_gpu_rules(signals, &out->gpu);
}

void jl_verdict_at(const struct joulie_classify_input *in, const struct jl_signals *signals,
                   struct jl_verdict *out)
{
    *out = (struct jl_verdict){ 0 };
    jl_ratios_derive(in, signals, &out->ratios);
    judge(signals, jl_classify_is_source(in), out);
}

void jl_verdict_near(const struct joulie_classify_input *in, const struct jl_signals *signals,
                     const struct jl_ratios *ratios, struct jl_verdict *out)
{
    *out = (struct jl_verdict){ .ratios = *ratios };
    out->ratios.is_gpu_dominant = jl_is_gpu_dominant(in, signals);
    judge(signals, false, out);
}
