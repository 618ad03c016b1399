/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_classify(): the public door. */

#include <string.h>

#include <joulie/classify.h>

#include "base/error.h"
#include "base/sized.h"
#include "classify/rules.h"

#define INPUT_SIZE_0_1 sizeof(struct joulie_classify_input)
#define OUTPUT_SIZE_0_1 sizeof(struct joulie_classify_output)
#define METRIC_BITS (JOULIE_CLASSIFY_HAS_METRICS - 1)
#define KNOWN_BITS (JOULIE_CLASSIFY_HAS_PREVIOUS * 2 - 1)

_Static_assert(sizeof(struct joulie_classify_input) == 2 * 8 + 7 * 8 + 25 * 8 + 12 * 4,
               "no padding");
_Static_assert(sizeof(struct joulie_classify_output) == 3 * 8 + 3 * 8 + 3 * 8 + 8 * 4,
               "no padding");
_Static_assert(JOULIE_CLASSIFY_HAS_GPU_DOMINANT == UINT64_C(1) << JL_METRIC_GPU_DOMINANT,
               "one order of metrics");
_Static_assert(JOULIE_CLASSIFY_REASON_BYTES == JL_REASON_BYTES, "one limit of a reason");
_Static_assert((int)JL_CRITICALITY_PERFORMANCE == (int)JOULIE_WORKLOAD_PERFORMANCE &&
                   (int)JL_CRITICALITY_STANDARD == (int)JOULIE_WORKLOAD_STANDARD,
               "one list of classes");
_Static_assert((uint64_t)JL_IGNORED_GPU_SENSITIVITY << 2 ==
                       JOULIE_CLASSIFY_IGNORED_GPU_SENSITIVITY &&
                   (uint64_t)JL_KEPT_GPU_BOUND << 6 == JOULIE_CLASSIFY_KEPT_GPU_BOUND,
               "one order of flags");

/* ---- choices ---- */

static bool is_level(enum joulie_level level)
{
    return (unsigned)level <= JOULIE_LEVEL_NONE;
}

static bool is_bound(enum joulie_bound bound)
{
    return (unsigned)bound <= JOULIE_BOUND_NONE;
}

static bool is_flag(const struct joulie_classify_input *in, uint64_t bit, int32_t value)
{
    return (in->has & bit) == 0 || value == 0 || value == 1;
}

static int check_choices(const struct joulie_classify_input *in, struct joulie_error *err)
{
    if ((unsigned)in->rules > JOULIE_CLASSIFY_RULES_V0_1_0)
        return jl_fail(err, JOULIE_E_ENUM, "config.rules", "not a rule set of this build");
    if ((unsigned)in->derive_class > 1)
        return jl_fail(err, JOULIE_E_RANGE, "config.deriveClass", "neither 0 nor 1");
    if ((unsigned)in->use_sim_texts > 1)
        return jl_fail(err, JOULIE_E_RANGE, "config.simAnnotationFallback", "neither 0 nor 1");
    if (!is_flag(in, JOULIE_CLASSIFY_HAS_KEPLER_USED, in->kepler_used))
        return jl_fail(err, JOULIE_E_RANGE, "metrics.keplerUsed", "neither 0 nor 1");
    if (!is_flag(in, JOULIE_CLASSIFY_HAS_GPU_DOMINANT, in->gpu_dominant))
        return jl_fail(err, JOULIE_E_RANGE, "metrics.gpuDominant", "neither 0 nor 1");
    if (!is_level(in->previous_cpu_intensity) || !is_bound(in->previous_cpu_bound) ||
        !is_level(in->previous_cpu_sensitivity))
        return jl_fail(err, JOULIE_E_ENUM, "previous.cpu", "not a level or bound of this build");
    if (!is_level(in->previous_gpu_intensity) || !is_bound(in->previous_gpu_bound) ||
        !is_level(in->previous_gpu_sensitivity))
        return jl_fail(err, JOULIE_E_ENUM, "previous.gpu", "not a level or bound of this build");
    return 0;
}

/* ---- in ---- */

static struct jl_classify_metrics metrics_of(const struct joulie_classify_input *in)
{
    return (struct jl_classify_metrics){
        .has = in->has & METRIC_BITS,
        .cpu_util_pct = in->cpu_util_pct,
        .gpu_util_pct = in->gpu_util_pct,
        .mem_pressure_pct = in->mem_pressure_pct,
        .gpu_mem_util_pct = in->gpu_mem_util_pct,
        .cpu_energy_j = in->cpu_energy_j,
        .dram_energy_j = in->dram_energy_j,
        .gpu_energy_j = in->gpu_energy_j,
        .kepler_used = in->kepler_used == 1,
        .window_s = in->window_s,
        .coverage_frac = in->coverage_frac,
        .usage_cores = in->usage_cores,
        .request_cores = in->request_cores,
        .limit_cores = in->limit_cores,
        .node_cores = in->node_cores,
        .working_set_bytes = in->working_set_bytes,
        .limit_bytes = in->limit_bytes,
        .kepler_package_w = in->kepler_package_w,
        .kepler_dram_w = in->kepler_dram_w,
        .kepler_gpu_w = in->kepler_gpu_w,
        .gpu_max_w = in->gpu_max_w,
        .gpu_count = in->gpu_count,
        .cpu_bound_ratio = in->cpu_bound_ratio,
        .mem_bound_ratio = in->mem_bound_ratio,
        .gpu_dominant = in->gpu_dominant == 1,
    };
}

static void put_part(enum joulie_level intensity, enum joulie_bound bound,
                     enum joulie_level sensitivity, struct jl_profile_part *out)
{
    if (intensity != JOULIE_LEVEL_UNKNOWN)
        JL_SET(out, intensity, intensity);
    if (bound != JOULIE_BOUND_UNKNOWN)
        JL_SET(out, bound, bound);
    if (sensitivity != JOULIE_LEVEL_UNKNOWN)
        JL_SET(out, cap_sensitivity, sensitivity);
}

static void read_previous(const struct joulie_classify_input *in, struct jl_profile_status *out)
{
    JL_SET(out, confidence, in->previous_confidence);
    put_part(in->previous_cpu_intensity, in->previous_cpu_bound, in->previous_cpu_sensitivity,
             &out->cpu);
    put_part(in->previous_gpu_intensity, in->previous_gpu_bound, in->previous_gpu_sensitivity,
             &out->gpu);
    if (out->cpu.has != 0)
        out->given.cpu = true;
    if (out->gpu.has != 0)
        out->given.gpu = true;
}

static void read_config(const struct joulie_classify_input *in, struct jl_classify_config *out)
{
    jl_classify_config_init(out);
    if (in->rules == JOULIE_CLASSIFY_RULES_V0_1_0)
        out->rules = JL_CLASSIFY_V0_1_0;
    out->derive_class = in->derive_class != 0;
    out->sim_annotation_fallback = in->use_sim_texts != 0;
    if ((in->has & JOULIE_CLASSIFY_HAS_MIN_CONFIDENCE) != 0)
        out->min_confidence = in->min_confidence;
    if ((in->has & JOULIE_CLASSIFY_HAS_HYSTERESIS) != 0)
        out->hysteresis_pct = in->hysteresis_pct;
}

/* ---- out ---- */

static enum joulie_workload_class class_of(const struct jl_decision *decision)
{
    if (decision->status.given.criticality)
        return (enum joulie_workload_class)decision->status.criticality.class_;
    return JOULIE_WORKLOAD_OTHER;
}

static uint64_t flags_of(const struct jl_decision *decision, double min_confidence)
{
    uint64_t flags = (uint64_t)decision->hints.ignored << 2 | (uint64_t)decision->evidence.kept
                                                                  << 6;
    if (decision->confidence >= min_confidence)
        flags |= JOULIE_CLASSIFY_RELIABLE;
    if (decision->evidence.is_hints_only)
        flags |= JOULIE_CLASSIFY_HINTS_ONLY;
    return flags;
}

static void put_decision(const struct jl_decision *decision, struct joulie_classify_output *out)
{
    const struct jl_profile_status *status = &decision->status;
    out->confidence = decision->confidence;
    out->workload_class = class_of(decision);
    if (status->given.migratability) {
        out->has |= JOULIE_CLASSIFY_OUT_RESCHEDULABLE;
        out->reschedulable = status->migratability.reschedulable;
    }
    if (status->cpu.given.avg_utilization_pct) {
        out->has |= JOULIE_CLASSIFY_OUT_CPU_UTIL;
        out->cpu_util_pct = status->cpu.avg_utilization_pct;
    }
    if (status->gpu.given.avg_utilization_pct) {
        out->has |= JOULIE_CLASSIFY_OUT_GPU_UTIL;
        out->gpu_util_pct = status->gpu.avg_utilization_pct;
    }
    out->cpu_intensity = status->cpu.intensity;
    out->cpu_bound = status->cpu.bound;
    out->cpu_sensitivity = status->cpu.cap_sensitivity;
    out->gpu_intensity = status->gpu.intensity;
    out->gpu_bound = status->gpu.bound;
    out->gpu_sensitivity = status->gpu.cap_sensitivity;
}

/* ---- the call ---- */

struct request {
    const struct joulie_classify_input *in;
    struct joulie_classify_output *out;
    struct joulie_error *err;
};

/* The reason goes to our own room first: a caller's that is too small stays as it is. */
static int put_reason(const struct request *request, const struct jl_decision *decision,
                      const struct jl_classify_input *input, struct joulie_classify_output *out)
{
    struct jl_reason reason;
    out->reason = request->out->reason;
    out->reason_size = request->out->reason_size;
    if (out->reason == NULL)
        return 0;
    jl_classify_reason(decision, input, &reason);
    if (reason.len >= out->reason_size)
        return jl_fail(request->err, JOULIE_E_LIMIT, "reason", "the reason does not fit its room");
    memcpy(out->reason, reason.text, reason.len);
    out->reason[reason.len] = '\0';
    out->reason_len = reason.len;
    return 0;
}

static int classify(const struct request *request)
{
    const struct joulie_classify_input *in = request->in;
    const struct jl_classify_texts texts = {
        in->workload_class,   in->reschedulable,    in->cpu_sensitivity,      in->gpu_sensitivity,
        in->sim_cpu_util_pct, in->sim_gpu_util_pct, in->sim_mem_pressure_pct,
    };
    int rc = check_choices(in, request->err);
    if (rc < 0)
        return rc;
    const struct jl_classify_metrics metrics = metrics_of(in);
    struct jl_profile_status previous = { 0 };
    struct jl_classify_input input = { .annotations = NULL };
    struct jl_decision decision;
    read_config(in, &input.config);
    if ((in->has & (METRIC_BITS | JOULIE_CLASSIFY_HAS_METRICS)) != 0)
        input.metrics = &metrics;
    if ((in->has & JOULIE_CLASSIFY_HAS_PREVIOUS) != 0) {
        read_previous(in, &previous);
        input.previous = &previous;
    }
    struct joulie_classify_output result = { 0 };
    rc = jl_classify_decide(&input, &texts, &decision, request->err);
    if (rc == 0)
        rc = put_reason(request, &decision, &input, &result);
    if (rc < 0)
        return rc;
    put_decision(&decision, &result);
    result.flags = flags_of(&decision, input.config.min_confidence);
    jl_sized_write(request->out, &result, sizeof result);
    return JOULIE_OK;
}

static int fail_abi(struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_ABI, "",
                   "struct_size is impossible, or a field of a newer release is set");
}

static int open_door(const struct joulie_classify_input *in, struct joulie_classify_output *out,
                     struct joulie_error *err)
{
    struct joulie_classify_input ours; /* of a caller with another release */
    if (jl_sized_check(in, INPUT_SIZE_0_1) < 0 || jl_sized_check(out, OUTPUT_SIZE_0_1) < 0)
        return fail_abi(err);
    if (in->struct_size != sizeof ours) {
        if (jl_sized_read(&ours, sizeof ours, in) < 0)
            return fail_abi(err);
        in = &ours;
    }
    if ((in->has & ~KNOWN_BITS) != 0 || in->reserved != 0)
        return fail_abi(err);
    return classify(&(struct request){ in, out, err });
}

int joulie_classify(const struct joulie_classify_input *in, struct joulie_classify_output *out,
                    struct joulie_error *err)
{
    struct joulie_error full;
    full.struct_size = sizeof full; /* the rest is written by who fails */
    const int rc = open_door(in, out, &full);
    if (rc < 0)
        jl_error_export(&full, err);
    return rc;
}
