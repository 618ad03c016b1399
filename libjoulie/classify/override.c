/* SPDX-License-Identifier: Apache-2.0 */
#include "classify/rules.h"
#include "classify/thresholds.h"

static void override_by_energy(const struct jl_signals *signals, enum jl_classify_rules rules,
                               struct jl_verdict *verdict)
{
    struct jl_triple *cpu = &verdict->cpu;
    verdict->energy_rule = JL_ENERGY_RULE_NONE;
    if (!signals->is_kepler_used || !(signals->total_energy_j > 0))
        return;
    if (rules == JL_CLASSIFY_CURRENT &&
        verdict->cpu_rule == JL_CPU_RULE_IO) /* D3: that is the idle split */
        return;
    if (verdict->ratios.cpu_bound > JL_CPU_ENERGY_RATIO && cpu->bound != JL_BOUND_COMPUTE) {
        verdict->energy_rule = JL_ENERGY_RULE_COMPUTE;
        cpu->bound = JL_BOUND_COMPUTE;
        cpu->sensitivity = JL_LEVEL_HIGH;
    } else if (verdict->ratios.mem_bound > JL_MEM_ENERGY_RATIO && cpu->bound != JL_BOUND_MEMORY) {
        verdict->energy_rule = JL_ENERGY_RULE_MEMORY;
        cpu->bound = JL_BOUND_MEMORY;
        cpu->sensitivity = JL_LEVEL_LOW;
    }
}

void jl_verdict_at(const struct jl_classify_metrics *metrics, const struct jl_signals *signals,
                   enum jl_classify_rules rules, struct jl_verdict *out)
{
    *out = (struct jl_verdict){ 0 };
    jl_ratios_derive(metrics, signals, rules, &out->ratios);
    if (signals->is_cpu_known) {
        jl_cpu_rules(signals, out);
        override_by_energy(signals, rules, out);
    }
    jl_gpu_rules(signals, &out->gpu);
}
