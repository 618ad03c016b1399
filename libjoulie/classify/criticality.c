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

const char *jl_criticality_text(const struct joulie_classify_input *in,
                                const struct jl_hints *hints, const struct jl_signals *signals,
                                const struct jl_verdict *verdict)
{
    bool is_derived = in->derive_class == 1;
    if (jl_classify_is_source(in)) {
        /* An explicit standard looks like none. */
        if (hints->class_annotation && hints->class_ != JL_CRITICALITY_STANDARD)
            return hints->class_annotation;
        is_derived = in->use_sim_texts == 1;
    } else if (hints->class_ != JL_CRITICALITY_UNKNOWN) {
        return jl_word_of(&jl_criticality_words, (int)hints->class_);
    }
    const enum jl_criticality class_ =
        is_derived && verdict ? derived_class(signals, verdict) : JL_CRITICALITY_STANDARD;
    return jl_word_of(&jl_criticality_words, (int)class_);
}
