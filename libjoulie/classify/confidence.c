/* SPDX-License-Identifier: Apache-2.0 */

/* How sure a classification is. */

#include "base/number.h"
#include "classify/rules.h"

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
