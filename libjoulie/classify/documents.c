/* SPDX-License-Identifier: Apache-2.0 */

/* A classification between documents: annotations, a window of measurements and a stored status go
 * into the struct of the rules, what they decide becomes a WorkloadProfile.status with its texts.
 * Called by the question classify. */

#include "base/error.h"
#include "base/time.h"
#include "classify/classify.h"
#include "classify/rules.h"
#include "kinds/effective.h"

_Static_assert((int)JL_CRITICALITY_PERFORMANCE == (int)JOULIE_WORKLOAD_PERFORMANCE &&
                   (int)JL_CRITICALITY_STANDARD == (int)JOULIE_WORKLOAD_STANDARD,
               "one list of classes");

/* ---- in ---- */

void jl_classify_put_annotations(const struct jl_map *annotations,
                                 struct joulie_classify_input *out)
{
    out->workload_class = jl_map_get(annotations, JL_ANNOTATION_CLASS);
    out->reschedulable = jl_map_get(annotations, JL_ANNOTATION_RESCHEDULABLE);
    out->cpu_sensitivity = jl_map_get(annotations, JL_ANNOTATION_CPU_SENSITIVITY);
    out->gpu_sensitivity = jl_map_get(annotations, JL_ANNOTATION_GPU_SENSITIVITY);
    out->sim_cpu_util_pct = jl_map_get(annotations, "sim.joulie.io/cpu-util-pct");
    out->sim_gpu_util_pct = jl_map_get(annotations, "sim.joulie.io/gpu-util-pct");
    out->sim_mem_pressure_pct = jl_map_get(annotations, "sim.joulie.io/memory-pressure-pct");
}

void jl_classify_put_metrics(const struct jl_classify_metrics *metrics,
                             struct joulie_classify_input *out)
{
    *out = metrics->window;
    out->struct_size = sizeof *out;
    out->kepler_used = metrics->kepler_used;
    out->gpu_dominant = metrics->gpu_dominant;
    out->has |= JOULIE_CLASSIFY_HAS_METRICS;
    if (metrics->given.kepler_used)
        out->has |= JOULIE_CLASSIFY_HAS_KEPLER_USED;
    if (metrics->given.gpu_dominant)
        out->has |= JOULIE_CLASSIFY_HAS_GPU_DOMINANT;
}

static struct jl_triple triple_of(const struct jl_profile_part *part)
{
    return (struct jl_triple){
        JL_GIVEN_OR(part, intensity, JOULIE_LEVEL_UNKNOWN),
        JL_GIVEN_OR(part, bound, JOULIE_BOUND_UNKNOWN),
        JL_GIVEN_OR(part, cap_sensitivity, JOULIE_LEVEL_UNKNOWN),
    };
}

/* A status that does not say how sure it was is none. */
void jl_classify_put_previous(const struct jl_profile_status *previous,
                              struct joulie_classify_input *out)
{
    static const struct jl_profile_part none = { 0 };
    if (!previous->given.confidence)
        return;
    const struct jl_triple cpu = triple_of(previous->given.cpu ? &previous->cpu : &none);
    const struct jl_triple gpu = triple_of(previous->given.gpu ? &previous->gpu : &none);
    out->has |= JOULIE_CLASSIFY_HAS_PREVIOUS;
    out->previous_confidence = previous->confidence;
    out->previous_cpu_intensity = cpu.intensity;
    out->previous_cpu_bound = cpu.bound;
    out->previous_cpu_sensitivity = cpu.sensitivity;
    out->previous_gpu_intensity = gpu.intensity;
    out->previous_gpu_bound = gpu.bound;
    out->previous_gpu_sensitivity = gpu.sensitivity;
}

/* ---- out ---- */

static void put_part(const struct jl_triple *triple, bool has_util, double util_pct,
                     struct jl_profile_part *out)
{
    JL_SET_IF(out, intensity, triple->intensity != JOULIE_LEVEL_UNKNOWN, triple->intensity);
    JL_SET_IF(out, bound, triple->bound != JOULIE_BOUND_UNKNOWN, triple->bound);
    JL_SET_IF(out, cap_sensitivity, triple->sensitivity != JOULIE_LEVEL_UNKNOWN,
              triple->sensitivity);
    JL_SET_IF(out, avg_utilization_pct, has_util, util_pct);
}

static void fill_status(const struct joulie_classify_output *decided, struct jl_profile_status *out)
{
    const struct jl_triple cpu = { decided->cpu_intensity, decided->cpu_bound,
                                   decided->cpu_sensitivity };
    const struct jl_triple gpu = { decided->gpu_intensity, decided->gpu_bound,
                                   decided->gpu_sensitivity };
    *out = (struct jl_profile_status){ 0 };
    JL_SET(out, confidence, decided->confidence);
    if (decided->workload_class != JOULIE_WORKLOAD_OTHER) {
        JL_SET(&out->criticality, class_, (enum jl_criticality)decided->workload_class);
        out->given.criticality = true;
    }
    if ((decided->has & JOULIE_CLASSIFY_OUT_RESCHEDULABLE) != 0) {
        JL_SET(&out->migratability, reschedulable, decided->reschedulable == 1);
        out->given.migratability = true;
    }
    put_part(&cpu, (decided->has & JOULIE_CLASSIFY_OUT_CPU_UTIL) != 0, decided->cpu_util_pct,
             &out->cpu);
    put_part(&gpu, (decided->has & JOULIE_CLASSIFY_OUT_GPU_UTIL) != 0, decided->gpu_util_pct,
             &out->gpu);
    if (out->cpu.has != 0)
        out->given.cpu = true;
    out->given.gpu = true;
}

static int fill_texts(const struct jl_decision *decision, const struct joulie_classify_input *in,
                      const int64_t *now_ms, struct jl_arena *arena, struct jl_classification *out)
{
    struct jl_reason reason;
    jl_classify_reason(decision, in, &reason);
    const char *reason_text = jl_arena_copy(arena, reason.text, reason.len);
    out->summary = jl_summary(&out->status, arena);
    if (!reason_text || !out->summary)
        return jl_arena_code(arena);
    JL_SET(&out->status, classification_reason, reason_text);

    if (now_ms) {
        char time[JL_TIME_TEXT];
        const char *last_updated = jl_arena_copy(arena, time, jl_format_time(*now_ms, time));
        if (!last_updated)
            return jl_arena_code(arena);
        JL_SET(&out->status, last_updated, last_updated);
    }
    return 0;
}

int jl_classify(const struct joulie_classify_input *in, const int64_t *now_ms,
                struct jl_arena *arena, struct jl_classification *out, struct joulie_error *err)
{
    struct jl_decision decision;
    int rc = jl_classify_decide(in, &decision, err);
    if (rc < 0)
        return rc;
    struct jl_classification result = { .class_text = decision.class_text,
                                        .flags = decision.out.flags };
    fill_status(&decision.out, &result.status);
    rc = fill_texts(&decision, in, now_ms, arena, &result);
    if (rc < 0)
        return jl_fail(err, rc, "", "no memory for the reason and the summary");
    *out = result;
    return 0;
}
