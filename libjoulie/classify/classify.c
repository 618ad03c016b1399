/* SPDX-License-Identifier: Apache-2.0 */

/* Puts the steps of rules.h together: what the rules decide, and a classification with its texts
 * (docs/rules/classification.md). Called by joulie_classify(), the cluster model and the question
 * classify. */

#include "classify/classify.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/number.h"
#include "base/time.h"
#include "classify/rules.h"
#include "kinds/effective.h"

void jl_classify_config_init(struct jl_classify_config *config)
{
    *config = (struct jl_classify_config){
        .rules = JL_CLASSIFY_CURRENT,
        .min_confidence = JL_CLASSIFY_MIN_CONFIDENCE,
        .hysteresis_pct = JL_CLASSIFY_HYSTERESIS_PCT,
    };
}

static int check(const struct jl_classify_input *in, struct joulie_error *err)
{
    if (!jl_is_finite(in->config.min_confidence))
        return jl_fail(err, JOULIE_E_RANGE, "config.minConfidence",
                       "config.minConfidence: not a finite number");
    if (!jl_is_finite(in->config.hysteresis_pct) || in->config.hysteresis_pct < 0)
        return jl_fail(err, JOULIE_E_RANGE, "config.hysteresisPct",
                       "config.hysteresisPct: not a number from 0 on");
    return in->metrics ? jl_metrics_check(in->metrics, in->config.rules, err) : 0;
}

/*
 * Fills metrics and signals; false = there is nothing to go by. A window whose signals are all 0
 * is as good as none; the source then still asks the simulator's annotations and takes those even
 * when they are all 0, current stops in both cases.
 */
static bool find_signals(const struct jl_classify_input *in, const struct jl_classify_texts *texts,
                         struct jl_evidence *out)
{
    const enum jl_classify_rules rules = in->config.rules;
    if (in->metrics) {
        out->metrics = in->metrics;
        jl_signals_derive(out->metrics, rules, &out->signals);
        if (!jl_signals_are_empty(&out->signals))
            return true;
        if (rules == JL_CLASSIFY_CURRENT)
            return false;
    }
    if (!in->config.sim_annotation_fallback ||
        !jl_metrics_from_annotations(texts, rules, &out->of_annotations))
        return false;
    out->metrics = &out->of_annotations;
    jl_signals_derive(out->metrics, rules, &out->signals);
    return rules == JL_CLASSIFY_V0_1_0 || !jl_signals_are_empty(&out->signals);
}

static void weigh(const struct jl_classify_input *in, const struct jl_classify_texts *texts,
                  struct jl_evidence *out)
{
    out->is_hints_only = !find_signals(in, texts, out);
    if (out->is_hints_only)
        return;
    jl_verdict_at(out->metrics, &out->signals, in->config.rules, &out->verdict);
    out->kept = jl_hysteresis(in, out->metrics, &out->signals, &out->verdict);
}

static void put_triple(const struct jl_triple *triple, struct jl_profile_part *out)
{
    JL_SET(out, intensity, triple->intensity);
    JL_SET(out, bound, triple->bound);
    JL_SET(out, cap_sensitivity, triple->sensitivity);
}

static void keep_previous(uint32_t kept, const struct jl_profile_status *previous,
                          struct jl_profile_status *out)
{
    if (kept & JL_KEPT_CPU_INTENSITY)
        out->cpu.intensity = previous->cpu.intensity;
    if (kept & JL_KEPT_CPU_BOUND) {
        out->cpu.bound = previous->cpu.bound;
        out->cpu.cap_sensitivity = previous->cpu.cap_sensitivity;
    }
    if (kept & JL_KEPT_GPU_INTENSITY)
        out->gpu.intensity = previous->gpu.intensity;
    if (kept & JL_KEPT_GPU_BOUND) {
        out->gpu.bound = previous->gpu.bound;
        out->gpu.cap_sensitivity = previous->gpu.cap_sensitivity;
    }
}

static void fill_hints_only(enum jl_classify_rules rules, struct jl_profile_status *out)
{
    put_triple(&(struct jl_triple){ JOULIE_LEVEL_MEDIUM, JOULIE_BOUND_MIXED, JOULIE_LEVEL_MEDIUM },
               &out->cpu);
    put_triple(&(struct jl_triple){ JOULIE_LEVEL_NONE, JOULIE_BOUND_NONE, JOULIE_LEVEL_NONE },
               &out->gpu);
    if (rules == JL_CLASSIFY_V0_1_0) {
        JL_SET(&out->cpu, avg_utilization_pct, 0);
        JL_SET(&out->gpu, avg_utilization_pct, 0);
    }
}

static void fill_from_rules(const struct jl_evidence *evidence,
                            const struct jl_profile_status *previous, struct jl_profile_status *out)
{
    const struct jl_signals *signals = &evidence->signals;
    if (signals->is_cpu_known) {
        put_triple(&evidence->verdict.cpu, &out->cpu);
        JL_SET(&out->cpu, avg_utilization_pct, signals->cpu_util_pct);
    }
    put_triple(&evidence->verdict.gpu, &out->gpu);
    if (signals->is_gpu_known)
        JL_SET(&out->gpu, avg_utilization_pct, signals->gpu_util_pct);
    keep_previous(evidence->kept, previous, out);
}

/* An annotation has the last word, also about a part of which nothing else is known. */
static void override_sensitivities(const struct jl_hints *hints, struct jl_profile_status *out)
{
    if (hints->cpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        JL_SET(&out->cpu, cap_sensitivity, hints->cpu_sensitivity);
    if (hints->gpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        JL_SET(&out->gpu, cap_sensitivity, hints->gpu_sensitivity);
}

static void fill_parts(const struct jl_classify_input *in, const struct jl_evidence *evidence,
                       const struct jl_hints *hints, struct jl_profile_status *out)
{
    if (evidence->is_hints_only)
        fill_hints_only(in->config.rules, out);
    else
        fill_from_rules(evidence, in->previous, out);
    override_sensitivities(hints, out);
    if (out->cpu.has)
        out->given.cpu = true;
    out->given.gpu = true;
}

static void fill_class(const struct jl_classify_input *in, struct jl_decision *out)
{
    const struct jl_hints *hints = &out->hints;
    const struct jl_evidence *evidence = &out->evidence;
    const struct jl_verdict *verdict = evidence->is_hints_only ? NULL : &evidence->verdict;
    out->class_text = jl_criticality_text(hints, &in->config, &evidence->signals, verdict);
    const int word = jl_word_value(&jl_criticality_words, jl_text(out->class_text));
    if (word != JL_CRITICALITY_UNKNOWN) {
        JL_SET(&out->status.criticality, class_, (enum jl_criticality)word);
        out->status.given.criticality = true;
    }
    if (hints->reschedulable >= 0) {
        JL_SET(&out->status.migratability, reschedulable, hints->reschedulable == 1);
        out->status.given.migratability = true;
    }
}

int jl_classify_decide(const struct jl_classify_input *in, const struct jl_classify_texts *texts,
                       struct jl_decision *out, struct joulie_error *err)
{
    const int rc = check(in, err);
    if (rc < 0)
        return rc;
    out->evidence.kept = 0; /* most of the rest is written by its rule, and large */
    out->status = (struct jl_profile_status){ 0 };
    jl_hints_read(texts, in->config.rules, &out->hints);
    weigh(in, texts, &out->evidence);
    fill_class(in, out);
    fill_parts(in, &out->evidence, &out->hints, &out->status);
    const struct jl_signals *signals = out->evidence.is_hints_only ? NULL : &out->evidence.signals;
    out->confidence = jl_confidence(&out->hints, signals, in->config.rules);
    JL_SET(&out->status, confidence, out->confidence);
    return 0;
}

void jl_classify_reason(const struct jl_decision *decision, const struct jl_classify_input *in,
                        struct jl_reason *out)
{
    const struct jl_evidence *evidence = &decision->evidence;
    const struct jl_hints *hints = &decision->hints;
    out->len = 0;
    if (evidence->is_hints_only) {
        jl_reason_hints_only(out);
    } else {
        jl_reason_rules(out, &evidence->signals, &evidence->verdict, in->config.rules);
        jl_reason_kept(out, evidence->kept, in->previous);
    }
    if (hints->cpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        jl_reason_sensitivity(out, "cpu", hints->cpu_sensitivity);
    if (hints->gpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        jl_reason_sensitivity(out, "gpu", hints->gpu_sensitivity);
    if (hints->ignored & JL_IGNORED_CLASS)
        jl_reason_ignored_class(out, hints->class_annotation);
}

/* ---- with its texts ---- */

static int fill_texts(const struct jl_classify_input *in, const struct jl_decision *decision,
                      struct jl_arena *arena, struct jl_classification *out)
{
    struct jl_reason reason;
    jl_classify_reason(decision, in, &reason);
    const char *reason_text = jl_arena_copy(arena, reason.text, reason.len);
    out->summary = jl_summary(&out->status, arena);
    if (!reason_text || !out->summary)
        return jl_arena_code(arena);
    JL_SET(&out->status, classification_reason, reason_text);

    if (in->has_now) {
        char time[JL_TIME_TEXT];
        const char *last_updated = jl_arena_copy(arena, time, jl_format_time(in->now_ms, time));
        if (!last_updated)
            return jl_arena_code(arena);
        JL_SET(&out->status, last_updated, last_updated);
    }
    return 0;
}

void jl_classify_texts_of(const struct jl_map *annotations, struct jl_classify_texts *out)
{
    *out = (struct jl_classify_texts){ 0 };
    if (!annotations)
        return;
    out->class_ = jl_map_get(annotations, JL_ANNOTATION_CLASS);
    out->reschedulable = jl_map_get(annotations, JL_ANNOTATION_RESCHEDULABLE);
    out->cpu_sensitivity = jl_map_get(annotations, JL_ANNOTATION_CPU_SENSITIVITY);
    out->gpu_sensitivity = jl_map_get(annotations, JL_ANNOTATION_GPU_SENSITIVITY);
    out->sim_cpu_util_pct = jl_map_get(annotations, "sim.joulie.io/cpu-util-pct");
    out->sim_gpu_util_pct = jl_map_get(annotations, "sim.joulie.io/gpu-util-pct");
    out->sim_mem_pressure_pct = jl_map_get(annotations, "sim.joulie.io/memory-pressure-pct");
}

int jl_classify(const struct jl_classify_input *in, struct jl_arena *arena,
                struct jl_classification *out, struct joulie_error *err)
{
    struct jl_classify_texts texts;
    struct jl_decision decision;
    jl_classify_texts_of(in->annotations, &texts);
    int rc = jl_classify_decide(in, &texts, &decision, err);
    if (rc < 0)
        return rc;
    struct jl_classification result = {
        .status = decision.status,
        .class_text = decision.class_text,
        .is_reliable = decision.confidence >= in->config.min_confidence,
        .is_hints_only = decision.evidence.is_hints_only,
        .ignored = decision.hints.ignored,
    };
    rc = fill_texts(in, &decision, arena, &result);
    if (rc < 0)
        return jl_fail(err, rc, "", "no memory for the reason and the summary");
    *out = result;
    return 0;
}

bool jl_classify_replaces(const struct jl_workload_profile *stored,
                          const struct jl_classification *fresh, int64_t now_ms)
{
    return !fresh->is_hints_only || !stored || !jl_profile_is_usable(stored, now_ms);
}
