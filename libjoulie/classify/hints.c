/* SPDX-License-Identifier: Apache-2.0 */
#include "classify/rules.h"
#include "kinds/effective.h"

static const char *annotation(const struct jl_map *annotations, const char *key)
{
    return annotations ? jl_map_get(annotations, key) : NULL;
}

/* §1.1 as the code: the class verbatim, "true" and nothing else, no sensitivities. */
static void read_source(const struct jl_map *annotations, struct jl_hints *out)
{
    const char *class_annotation = annotation(annotations, JL_ANNOTATION_CLASS);
    if (!jl_is_empty(class_annotation)) {
        out->class_annotation = class_annotation;
        out->class_ =
            (enum jl_criticality)jl_word_value(&jl_criticality_words, jl_text(class_annotation));
    }
    out->reschedulable = jl_same(annotation(annotations, JL_ANNOTATION_RESCHEDULABLE), "true");
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

void jl_hints_read(const struct jl_map *annotations, enum jl_classify_rules rules,
                   struct jl_hints *out)
{
    *out = (struct jl_hints){ .reschedulable = -1 };
    if (rules == JL_CLASSIFY_V0_1_0) {
        read_source(annotations, out);
        return;
    }

    out->class_annotation = annotation(annotations, JL_ANNOTATION_CLASS);
    const enum jl_class_text class_text = jl_class_text(out->class_annotation);
    out->class_ = class_of(class_text);

    bool is_bad_reschedulable = false;
    bool is_bad_cpu = false;
    bool is_bad_gpu = false;
    out->reschedulable = jl_reschedulable_text(annotation(annotations, JL_ANNOTATION_RESCHEDULABLE),
                                               &is_bad_reschedulable);
    out->cpu_sensitivity =
        jl_sensitivity_text(annotation(annotations, JL_ANNOTATION_CPU_SENSITIVITY), &is_bad_cpu);
    out->gpu_sensitivity =
        jl_sensitivity_text(annotation(annotations, JL_ANNOTATION_GPU_SENSITIVITY), &is_bad_gpu);
    out->ignored = (class_text == JL_CLASS_TEXT_INVALID ? (uint32_t)JL_IGNORED_CLASS : 0U) |
                   (is_bad_reschedulable ? (uint32_t)JL_IGNORED_RESCHEDULABLE : 0U) |
                   (is_bad_cpu ? (uint32_t)JL_IGNORED_CPU_SENSITIVITY : 0U) |
                   (is_bad_gpu ? (uint32_t)JL_IGNORED_GPU_SENSITIVITY : 0U);
}
