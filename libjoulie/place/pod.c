/* SPDX-License-Identifier: Apache-2.0 */

/* Class and sensitivities of a pod, from its annotations and the matching profile
 * (docs/rules/classification.md#matching-profiles). Called for every pod that is to be placed. */

#include "base/number.h"
#include "kinds/effective.h"
#include "place/place.h"

/* v0.1.x: the text as it stands; missing or empty is standard. */
static enum joulie_workload_class class_verbatim(const char *annotation)
{
    if (jl_is_empty(annotation) || jl_same(annotation, "standard"))
        return JOULIE_WORKLOAD_STANDARD;
    return jl_same(annotation, "performance") ? JOULIE_WORKLOAD_PERFORMANCE : JOULIE_WORKLOAD_OTHER;
}

/* Valid annotation, else profile, else `other` for an invalid annotation, else standard. */
static enum joulie_workload_class class_effective(const char *annotation,
                                                  const struct jl_profile_status *profile)
{
    const enum jl_class_text text = jl_class_text(annotation);
    if (text == JL_CLASS_TEXT_PERFORMANCE)
        return JOULIE_WORKLOAD_PERFORMANCE;
    if (text == JL_CLASS_TEXT_STANDARD)
        return JOULIE_WORKLOAD_STANDARD;
    if (profile != NULL && profile->criticality.class_ == JL_CRITICALITY_PERFORMANCE)
        return JOULIE_WORKLOAD_PERFORMANCE;
    if (profile != NULL && profile->criticality.class_ == JL_CRITICALITY_STANDARD)
        return JOULIE_WORKLOAD_STANDARD;
    return text == JL_CLASS_TEXT_INVALID ? JOULIE_WORKLOAD_OTHER : JOULIE_WORKLOAD_STANDARD;
}

static enum joulie_level sensitivity(const char *annotation, enum joulie_level of_profile)
{
    bool is_invalid = false;
    const enum joulie_level level = jl_sensitivity_text(annotation, &is_invalid);
    return level != JOULIE_LEVEL_UNKNOWN ? level : of_profile;
}

static void read_gpu(const struct jl_profile_part *gpu, struct joulie_work *out)
{
    out->gpu_bound = gpu->bound;
    if (!gpu->given.avg_utilization_pct)
        return;
    out->has |= JOULIE_WORK_HAS_GPU_UTIL;
    out->gpu_util = jl_unit(gpu->avg_utilization_pct / 100);
}

void jl_work_of_pod(const struct jl_pod *pod, const struct jl_workload_profile *profile,
                    enum joulie_place_rules rules, int64_t now_ms, struct joulie_work *out,
                    struct jl_demand_fault *fault)
{
    const char *class_annotation = jl_annotation(&pod->meta, JL_ANNOTATION_CLASS);
    *out = JOULIE_INIT(struct joulie_work);
    if (jl_place_is_ours(rules)) {
        const bool is_usable = profile != NULL && jl_profile_is_usable(profile, now_ms);
        const struct jl_profile_status *status = is_usable ? &profile->status : NULL;
        out->workload_class = class_effective(class_annotation, status);
        out->cpu_sensitivity =
            sensitivity(jl_annotation(&pod->meta, JL_ANNOTATION_CPU_SENSITIVITY),
                        is_usable ? status->cpu.cap_sensitivity : JOULIE_LEVEL_UNKNOWN);
        out->gpu_sensitivity =
            sensitivity(jl_annotation(&pod->meta, JL_ANNOTATION_GPU_SENSITIVITY),
                        is_usable ? status->gpu.cap_sensitivity : JOULIE_LEVEL_UNKNOWN);
        if (is_usable)
            read_gpu(&status->gpu, out);
    } else {
        out->workload_class = class_verbatim(class_annotation);
    }
    jl_work_read_demand(pod, rules, out, fault);
}

void jl_pod_invalid_annotations(const struct jl_pod *pod, struct jl_invalid_annotations *out)
{
    const char *class_annotation = jl_annotation(&pod->meta, JL_ANNOTATION_CLASS);
    out->class_ = jl_class_text(class_annotation) == JL_CLASS_TEXT_INVALID;
    jl_sensitivity_text(jl_annotation(&pod->meta, JL_ANNOTATION_CPU_SENSITIVITY),
                        &out->cpu_sensitivity);
    jl_sensitivity_text(jl_annotation(&pod->meta, JL_ANNOTATION_GPU_SENSITIVITY),
                        &out->gpu_sensitivity);
}
