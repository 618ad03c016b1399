/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_classify(): puts the steps of rules.h together (docs/rules/classification.md). documents.c
 * has the same for documents. */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "classify/rules.h"

#define KNOWN_BITS (JOULIE_CLASSIFY_HAS_PREVIOUS * 2 - 1)

_Static_assert(sizeof(struct joulie_classify_input) == 2 * 8 + 7 * 8 + 25 * 8 + 12 * 4,
               "no padding");
_Static_assert(sizeof(struct joulie_classify_output) == 3 * 8 + 3 * 8 + 3 * 8 + 8 * 4,
               "no padding");
_Static_assert(JOULIE_CLASSIFY_REASON_BYTES == JL_REASON_BYTES, "one limit of a reason");

/* ---- what may come in ---- */

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

static double min_confidence_of(const struct joulie_classify_input *in)
{
    return JL_CLASSIFY_HAS(in, MIN_CONFIDENCE) ? in->min_confidence : JL_CLASSIFY_MIN_CONFIDENCE;
}

static bool has_window(const struct joulie_classify_input *in)
{
    return (in->has & (JL_CLASSIFY_METRIC_BITS | JOULIE_CLASSIFY_HAS_METRICS)) != 0;
}

static int check(const struct joulie_classify_input *in, struct joulie_error *err)
{
    if (!jl_is_finite(min_confidence_of(in)))
        return jl_fail(err, JOULIE_E_RANGE, "config.minConfidence",
                       "config.minConfidence: not a finite number");
    if (JL_CLASSIFY_HAS(in, HYSTERESIS) &&
        (!jl_is_finite(in->hysteresis_pct) || in->hysteresis_pct < 0))
        return jl_fail(err, JOULIE_E_RANGE, "config.hysteresisPct",
                       "config.hysteresisPct: not a number from 0 on");
    return jl_metrics_check(in, err);
}

/* ---- what the rules make of it ---- */

/*
 * Fills window and signals; false = there is nothing to go by. A window whose signals are all 0 is
 * as good as none; the source then still asks the simulator's annotations and takes those even when
 * they are all 0, current stops in both cases.
 */
static bool find_signals(const struct joulie_classify_input *in, struct jl_evidence *out)
{
    const bool is_source = jl_classify_is_source(in);
    if (has_window(in)) {
        out->window = in;
        jl_signals_derive(in, &out->signals);
        if (!jl_signals_are_empty(&out->signals))
            return true;
        if (!is_source)
            return false;
    }
    if (in->use_sim_texts != 1 || !jl_metrics_from_annotations(in, &out->of_annotations))
        return false;
    out->window = &out->of_annotations;
    jl_signals_derive(out->window, &out->signals);
    return is_source || !jl_signals_are_empty(&out->signals);
}

static void weigh(const struct joulie_classify_input *in, struct jl_evidence *out)
{
    out->kept = 0;
    out->is_hints_only = !find_signals(in, out);
    if (out->is_hints_only)
        return;
    jl_verdict_at(out->window, &out->signals, &out->verdict);
    out->kept = jl_hysteresis(in, out->window, &out->signals, &out->verdict);
}

/* ---- the parts ---- */

static void put_cpu(const struct jl_triple *cpu, struct joulie_classify_output *out)
{
    out->cpu_intensity = cpu->intensity;
    out->cpu_bound = cpu->bound;
    out->cpu_sensitivity = cpu->sensitivity;
}

static void put_gpu(const struct jl_triple *gpu, struct joulie_classify_output *out)
{
    out->gpu_intensity = gpu->intensity;
    out->gpu_bound = gpu->bound;
    out->gpu_sensitivity = gpu->sensitivity;
}

static void keep_previous(const struct joulie_classify_input *in, uint64_t kept,
                          struct joulie_classify_output *out)
{
    if (kept & JOULIE_CLASSIFY_KEPT_CPU_INTENSITY)
        out->cpu_intensity = in->previous_cpu_intensity;
    if (kept & JOULIE_CLASSIFY_KEPT_CPU_BOUND) {
        out->cpu_bound = in->previous_cpu_bound;
        out->cpu_sensitivity = in->previous_cpu_sensitivity;
    }
    if (kept & JOULIE_CLASSIFY_KEPT_GPU_INTENSITY)
        out->gpu_intensity = in->previous_gpu_intensity;
    if (kept & JOULIE_CLASSIFY_KEPT_GPU_BOUND) {
        out->gpu_bound = in->previous_gpu_bound;
        out->gpu_sensitivity = in->previous_gpu_sensitivity;
    }
}

static void fill_hints_only(const struct joulie_classify_input *in,
                            struct joulie_classify_output *out)
{
    put_cpu(&(struct jl_triple){ JOULIE_LEVEL_MEDIUM, JOULIE_BOUND_MIXED, JOULIE_LEVEL_MEDIUM },
            out);
    put_gpu(&(struct jl_triple){ JOULIE_LEVEL_NONE, JOULIE_BOUND_NONE, JOULIE_LEVEL_NONE }, out);
    if (jl_classify_is_source(in)) /* which says 0 of what it did not measure */
        out->has |= JOULIE_CLASSIFY_OUT_CPU_UTIL | JOULIE_CLASSIFY_OUT_GPU_UTIL;
}

static void fill_from_rules(const struct joulie_classify_input *in,
                            const struct jl_evidence *evidence, struct joulie_classify_output *out)
{
    const struct jl_signals *signals = &evidence->signals;
    if (signals->is_cpu_known) {
        put_cpu(&evidence->verdict.cpu, out);
        out->has |= JOULIE_CLASSIFY_OUT_CPU_UTIL;
        out->cpu_util_pct = signals->cpu_util_pct;
    }
    put_gpu(&evidence->verdict.gpu, out);
    if (signals->is_gpu_known) {
        out->has |= JOULIE_CLASSIFY_OUT_GPU_UTIL;
        out->gpu_util_pct = signals->gpu_util_pct;
    }
    keep_previous(in, evidence->kept, out);
}

/* An annotation has the last word, also about a part of which nothing else is known. */
static void override_sensitivities(const struct jl_hints *hints, struct joulie_classify_output *out)
{
    if (hints->cpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        out->cpu_sensitivity = hints->cpu_sensitivity;
    if (hints->gpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        out->gpu_sensitivity = hints->gpu_sensitivity;
}

/* ---- the decision ---- */

static void fill_class(const struct joulie_classify_input *in, struct jl_decision *out)
{
    const struct jl_hints *hints = &out->hints;
    const struct jl_evidence *evidence = &out->evidence;
    const struct jl_verdict *verdict = evidence->is_hints_only ? NULL : &evidence->verdict;
    out->class_text = jl_criticality_text(in, hints, &evidence->signals, verdict);
    const int word = jl_word_value(&jl_criticality_words, jl_text(out->class_text));
    out->out.workload_class =
        word != JL_CRITICALITY_UNKNOWN ? (enum joulie_workload_class)word : JOULIE_WORKLOAD_OTHER;
    if (hints->reschedulable >= 0) {
        out->out.has |= JOULIE_CLASSIFY_OUT_RESCHEDULABLE;
        out->out.reschedulable = hints->reschedulable;
    }
}

int jl_classify_decide(const struct joulie_classify_input *in, struct jl_decision *out,
                       struct joulie_error *err)
{
    const int rc = check(in, err);
    if (rc < 0)
        return rc;
    out->out = (struct joulie_classify_output){ 0 }; /* most of the rest is written by its rule */
    jl_hints_read(in, &out->hints);
    weigh(in, &out->evidence);
    fill_class(in, out);
    if (out->evidence.is_hints_only)
        fill_hints_only(in, &out->out);
    else
        fill_from_rules(in, &out->evidence, &out->out);
    override_sensitivities(&out->hints, &out->out);
    const struct jl_signals *signals = out->evidence.is_hints_only ? NULL : &out->evidence.signals;
    out->out.confidence = jl_confidence(in, &out->hints, signals);
    out->out.flags = out->hints.ignored | out->evidence.kept;
    if (out->out.confidence >= min_confidence_of(in))
        out->out.flags |= JOULIE_CLASSIFY_RELIABLE;
    if (out->evidence.is_hints_only)
        out->out.flags |= JOULIE_CLASSIFY_HINTS_ONLY;
    return 0;
}

void jl_classify_reason(const struct jl_decision *decision, const struct joulie_classify_input *in,
                        struct jl_reason *out)
{
    const struct jl_evidence *evidence = &decision->evidence;
    const struct jl_hints *hints = &decision->hints;
    out->len = 0;
    if (evidence->is_hints_only) {
        jl_reason_hints_only(out);
    } else {
        jl_reason_rules(out, &evidence->signals, &evidence->verdict, jl_classify_is_source(in));
        jl_reason_kept(out, evidence->kept, in);
    }
    if (hints->cpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        jl_reason_sensitivity(out, "cpu", hints->cpu_sensitivity);
    if (hints->gpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        jl_reason_sensitivity(out, "gpu", hints->gpu_sensitivity);
    if (hints->ignored & JOULIE_CLASSIFY_IGNORED_CLASS)
        jl_reason_ignored_class(out, hints->class_annotation);
}

/* ---- the exported function ---- */

/* The reason goes to our own room first: a caller's that is too small stays as it is. */
static int put_reason(const struct joulie_classify_input *in, const struct jl_decision *decision,
                      struct joulie_classify_output *out, struct joulie_error *err)
{
    struct jl_reason reason;
    if (out->reason == NULL)
        return 0;
    jl_classify_reason(decision, in, &reason);
    if (reason.len >= out->reason_size)
        return jl_fail(err, JOULIE_E_LIMIT, "reason", "the reason does not fit its room");
    memcpy(out->reason, reason.text, reason.len);
    out->reason[reason.len] = '\0';
    out->reason_len = reason.len;
    return 0;
}

static int classify(const struct joulie_classify_input *in, struct joulie_classify_output *out,
                    struct joulie_error *err)
{
    struct jl_decision decision;
    int rc = check_choices(in, err);
    if (rc == 0)
        rc = jl_classify_decide(in, &decision, err);
    if (rc < 0)
        return rc;
    struct joulie_classify_output *result = &decision.out;
    result->reason = out->reason;
    result->reason_size = out->reason_size;
    rc = put_reason(in, &decision, result, err);
    if (rc == 0)
        jl_sized_write(out, result, sizeof *result);
    return rc;
}

int joulie_classify(const struct joulie_classify_input *in, struct joulie_classify_output *out,
                    struct joulie_error *err)
{
    struct joulie_classify_input ours; /* of a caller with another release */
    if (jl_sized_check(in, sizeof *in) < 0 || jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (in->struct_size != sizeof ours) {
        if (jl_sized_read(&ours, sizeof ours, in) < 0)
            return jl_fail_abi(err, "");
        in = &ours;
    }
    if ((in->has & ~KNOWN_BITS) != 0 || in->reserved != 0)
        return jl_fail_abi(err, "");
    return classify(in, out, err);
}
