/* SPDX-License-Identifier: Apache-2.0 */

/* How sure a classification is (docs/rules/classification.md#confidence), the class of the workload
 * (docs/rules/classification.md#class), and both in one line. */

#include "base/number.h"
#include "classify/rules.h"
#include "classify/thresholds.h"

/* docs/rules/classification.md#confidence; added in this order, so that 0.3+0.2+0.2+0.2 is the
 * source's 0.8999999999999999. */
#define BASE 0.3
#define UTILISATION_CREDIT 0.2
#define ENERGY_CREDIT 0.2
#define CLASS_CREDIT 0.2
#define CLASS_CREDIT_WITH_ENERGY 0.15

static double source_confidence(const struct jl_hints *hints, const struct jl_signals *signals)
{
    double confidence = BASE;
    if (hints->class_annotation && hints->class_ != JL_CRITICALITY_STANDARD)
        confidence += CLASS_CREDIT;
    if (signals->cpu_util_pct > 0)
        confidence += UTILISATION_CREDIT;
    if (signals->is_kepler_used && signals->total_energy_j > 0)
        confidence += ENERGY_CREDIT;
    return jl_min(confidence, 1);
}

double jl_confidence(const struct joulie_classify_input *in, const struct jl_hints *hints,
                     const struct jl_signals *signals)
{
    if (!signals)
        return BASE;
    if (jl_classify_is_source(in))
        return source_confidence(hints, signals);

    const bool has_energy = signals->total_energy_j > 0;
    double confidence = BASE;
    if (signals->cpu_util_pct > 0 || signals->gpu_util_pct > 0 || signals->mem_pressure_pct > 0)
        confidence += UTILISATION_CREDIT * signals->coverage_frac;
    if (has_energy)
        confidence += ENERGY_CREDIT * signals->coverage_frac;
    if (hints->class_ != JL_CRITICALITY_UNKNOWN)
        confidence += has_energy ? CLASS_CREDIT_WITH_ENERGY : CLASS_CREDIT;
    return jl_min(confidence, 1);
}

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

#define HIGH_CONFIDENCE 0.7
#define MEDIUM_CONFIDENCE 0.5

#define MAX_PIECES 9 /* the confidence, and four per part */

static const char *confidence_words(double confidence)
{
    if (confidence >= HIGH_CONFIDENCE)
        return "high-confidence";
    return confidence >= MEDIUM_CONFIDENCE ? "medium-confidence" : "low-confidence (hints only)";
}

const char *jl_summary(const struct jl_profile_status *status, struct jl_arena *arena)
{
    const char *pieces[MAX_PIECES];
    size_t count = 0;
    pieces[count++] = confidence_words(status->confidence);
    if (status->given.cpu && status->cpu.given.bound) {
        pieces[count++] = " cpu=";
        pieces[count++] = jl_word_of(&jl_level_words, (int)status->cpu.intensity);
        pieces[count++] = "/";
        pieces[count++] = jl_word_of(&jl_cpu_bound_words, (int)status->cpu.bound);
    }
    if (status->gpu.intensity != JOULIE_LEVEL_NONE) {
        pieces[count++] = " gpu=";
        pieces[count++] = jl_word_of(&jl_level_words, (int)status->gpu.intensity);
        pieces[count++] = "/";
        pieces[count++] = jl_word_of(&jl_gpu_bound_words, (int)status->gpu.bound);
    }
    return jl_arena_join(arena, pieces, count);
}
