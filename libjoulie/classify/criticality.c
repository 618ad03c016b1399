/* SPDX-License-Identifier: Apache-2.0 */

/* The class of a workload (docs/rules/classification.md#class). */

#include "classify/rules.h"
#include "classify/thresholds.h"

static enum jl_criticality derived_class(const struct jl_signals *signals,
                                         const struct jl_verdict *verdict)
{
    if (verdict->ratios.is_gpu_dominant || signals->gpu_util_pct > JL_DERIVE_GPU_PCT)
        return JL_CRITICALITY_PERFORMANCE;
    if (signals->cpu_util_pct > JL_COMPUTE_CPU_PCT &&
        signals->mem_pressure_pct < JL_COMPUTE_MAX_MEM_PCT)
        return JL_CRITICALITY_PERFORMANCE;
    return JL_CRITICALITY_STANDARD;
}

const char *jl_criticality_text(const struct jl_hints *hints,
                                const struct jl_classify_config *config,
                                const struct jl_signals *signals, const struct jl_verdict *verdict)
{
    bool is_derived = config->derive_class;
    if (config->rules == JL_CLASSIFY_V0_1_0) {
        /* An explicit standard looks like none. */
        if (hints->class_annotation && hints->class_ != JL_CRITICALITY_STANDARD)
            return hints->class_annotation;
        is_derived = config->sim_annotation_fallback;
    } else if (hints->class_ != JL_CRITICALITY_UNKNOWN) {
        return jl_word_of(&jl_criticality_words, (int)hints->class_);
    }
    const enum jl_criticality class_ =
        is_derived && verdict ? derived_class(signals, verdict) : JL_CRITICALITY_STANDARD;
    return jl_word_of(&jl_criticality_words, (int)class_);
}
