/* SPDX-License-Identifier: Apache-2.0 */

/* What a pod's annotations ask for (docs/rules/classification.md#annotations). */

#include "classify/rules.h"
#include "kinds/effective.h"

/* The class verbatim, "true" and nothing else, no sensitivities. */
static void read_source(const struct jl_classify_texts *texts, struct jl_hints *out)
{
    if (!jl_is_empty(texts->class_)) {
        out->class_annotation = texts->class_;
        out->class_ =
            (enum jl_criticality)jl_word_value(&jl_criticality_words, jl_text(texts->class_));
    }
    out->reschedulable = jl_same(texts->reschedulable, "true");
}

static enum jl_criticality class_of(enum jl_class_text text)
{
    switch (text) {
    case JL_CLASS_TEXT_PERFORMANCE:
        return JL_CRITICALITY_PERFORMANCE;
    case JL_CLASS_TEXT_STANDARD:
        return JL_CRITICALITY_STANDARD;
    case JL_CLASS_TEXT_UNSET:
    case JL_CLASS_TEXT_INVALID:
        break;
    }
    return JL_CRITICALITY_UNKNOWN;
}

void jl_hints_read(const struct jl_classify_texts *texts, enum jl_classify_rules rules,
                   struct jl_hints *out)
{
    *out = (struct jl_hints){ .reschedulable = -1 };
    if (rules == JL_CLASSIFY_V0_1_0) {
        read_source(texts, out);
        return;
    }

    out->class_annotation = texts->class_;
    const enum jl_class_text class_text = jl_class_text(out->class_annotation);
    out->class_ = class_of(class_text);

    bool is_bad_reschedulable = false;
    bool is_bad_cpu = false;
    bool is_bad_gpu = false;
    if (texts->reschedulable)
        out->reschedulable = jl_reschedulable_text(texts->reschedulable, &is_bad_reschedulable);
    if (texts->cpu_sensitivity)
        out->cpu_sensitivity = jl_sensitivity_text(texts->cpu_sensitivity, &is_bad_cpu);
    if (texts->gpu_sensitivity)
        out->gpu_sensitivity = jl_sensitivity_text(texts->gpu_sensitivity, &is_bad_gpu);
    out->ignored = (class_text == JL_CLASS_TEXT_INVALID ? (uint32_t)JL_IGNORED_CLASS : 0U) |
                   (is_bad_reschedulable ? (uint32_t)JL_IGNORED_RESCHEDULABLE : 0U) |
                   (is_bad_cpu ? (uint32_t)JL_IGNORED_CPU_SENSITIVITY : 0U) |
                   (is_bad_gpu ? (uint32_t)JL_IGNORED_GPU_SENSITIVITY : 0U);
}
