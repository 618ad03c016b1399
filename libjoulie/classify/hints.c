/* SPDX-License-Identifier: Apache-2.0 */

/* What a pod's annotations ask for (docs/rules/classification.md#annotations). */

#include "classify/rules.h"
#include "kinds/effective.h"

/* The class verbatim, "true" and nothing else, no sensitivities. */
static void read_source(const struct joulie_classify_input *in, struct jl_hints *out)
{
    if (!jl_is_empty(in->workload_class)) {
        out->class_annotation = in->workload_class;
        out->class_ =
            (enum jl_criticality)jl_word_value(&jl_criticality_words, jl_text(in->workload_class));
    }
    out->reschedulable = jl_same(in->reschedulable, "true");
}

/* Others are unknown. */
static const enum jl_criticality classes[JL_CLASS_TEXT_INVALID + 1] = {
    [JL_CLASS_TEXT_PERFORMANCE] = JL_CRITICALITY_PERFORMANCE,
    [JL_CLASS_TEXT_STANDARD] = JL_CRITICALITY_STANDARD,
};

void jl_hints_read(const struct joulie_classify_input *in, struct jl_hints *out)
{
    *out = (struct jl_hints){ .reschedulable = -1 };
    if (jl_classify_is_source(in)) {
        read_source(in, out);
        return;
    }

    out->class_annotation = in->workload_class;
    const enum jl_class_text class_text = jl_class_text(out->class_annotation);
    out->class_ = classes[class_text];

    bool is_bad_reschedulable = false;
    bool is_bad_cpu = false;
    bool is_bad_gpu = false;
    if (in->reschedulable)
        out->reschedulable = jl_reschedulable_text(in->reschedulable, &is_bad_reschedulable);
    if (in->cpu_sensitivity)
        out->cpu_sensitivity = jl_sensitivity_text(in->cpu_sensitivity, &is_bad_cpu);
    if (in->gpu_sensitivity)
        out->gpu_sensitivity = jl_sensitivity_text(in->gpu_sensitivity, &is_bad_gpu);
    out->ignored = (class_text == JL_CLASS_TEXT_INVALID ? JOULIE_CLASSIFY_IGNORED_CLASS : 0) |
                   (is_bad_reschedulable ? JOULIE_CLASSIFY_IGNORED_RESCHEDULABLE : 0) |
                   (is_bad_cpu ? JOULIE_CLASSIFY_IGNORED_CPU_SENSITIVITY : 0) |
                   (is_bad_gpu ? JOULIE_CLASSIFY_IGNORED_GPU_SENSITIVITY : 0);
}
