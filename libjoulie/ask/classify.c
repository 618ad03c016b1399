/* SPDX-License-Identifier: Apache-2.0 */

/* classify: how much a workload uses and how a cap would hurt it (docs/rules/classification.md). */

#include "classify/classify.h"

#include "ask/ask.h"

/* config: the rule set and the switches of the classifier. */

#define RECORD classify_config
#define MEMBERS                                                                       \
    STRING(rules, "rules", "Rule set: current or v0.1.0.")                            \
    BOOLEAN(derive_class, "deriveClass",                                              \
            "Infer the class from the metrics when no annotation names it.")          \
    NUMBER(min_confidence, "minConfidence",                                           \
           "Confidence from which the answer is reliable; default 0.5.")              \
    NUMBER(hysteresis_pct, "hysteresisPct",                                           \
           "Points of utilisation that keep the previous value; default 5, 0 = off.", \
           NOT_NEGATIVE)                                                              \
    BOOLEAN(sim_annotation_fallback, "simAnnotationFallback",                         \
            "Without metrics, take the sim.joulie.io annotations.")
#include "schema/record.h"

#define RECORD classify_in
#define MEMBERS                                                                     \
    MAP(annotations, "annotations", "Annotations of the pod.")                      \
    MAP(labels, "labels", "Labels of the pod; no rule set takes a hint from them.") \
    OBJECT(metrics, "metrics", jl_classify_metrics,                                 \
           "What was measured; absent: classify from the hints.")                   \
    OBJECT(previous, "previous", jl_profile_status,                                 \
           "Status of the stored WorkloadProfile, for hysteresis.")                 \
    OBJECT(config, "config", classify_config, "Rule set and switches.")             \
    TIME(now_ms, "now", "Becomes lastUpdated.")
#include "schema/record.h"

/* criticality as text: rule set v0.1.0 copies what the annotation says, also a word that the kind
 * does not have. */

#define RECORD classify_class
#define MEMBERS STRING(class_, "class", "performance or standard.")
#include "schema/record.h"

#define RECORD classify_out
#define MEMBERS                                                                                    \
    OBJECT(criticality, "criticality", classify_class, "How critical the workload is.")            \
    OBJECT(migratability, "migratability", jl_profile_migratability,                               \
           "Whether the workload can move.")                                                       \
    OBJECT(cpu, "cpu", jl_profile_part, "How the workload uses the CPU.")                          \
    OBJECT_BY(gpu, "gpu", jl_profile_part, jl_profile_gpu_table, "How the workload uses the GPU.") \
    STRING(classification_reason, "classificationReason",                                          \
           "Why it was classified so, for a person.")                                              \
    NUMBER(confidence, "confidence", "Confidence in the classification, 0 to 1.")                  \
    STRING(last_updated, "lastUpdated", "now, when it was given.")                                 \
    STRING(summary, "summary", "The classification in a few words.")                               \
    BOOLEAN(is_reliable, "reliable", "Whether the confidence is at least minConfidence.")
#include "schema/record.h"

static int choose_rules(struct jl_ask *ask, const struct classify_config *config,
                        enum joulie_classify_rules *out)
{
    const char *word = ask->options.model;
    if (config->given.rules) {
        if (word && !jl_same(word, config->rules))
            return jl_ask_fail(ask, JOULIE_E_CONFLICT, "config.rules",
                               "config.rules and options.model differ");
        word = config->rules;
    }
    if (!word || jl_same(word, "current"))
        *out = JOULIE_CLASSIFY_RULES_CURRENT;
    else if (jl_same(word, "v0.1.0"))
        *out = JOULIE_CLASSIFY_RULES_V0_1_0;
    else
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "config.rules",
                           "classify has no rule set \"%.64s\"", word);
    return 0;
}

static int read_config(struct jl_ask *ask, const struct classify_config *config,
                       struct joulie_classify_input *out)
{
    out->derive_class = config->derive_class;
    out->use_sim_texts = config->sim_annotation_fallback;
    if (config->given.min_confidence)
        out->has |= JOULIE_CLASSIFY_HAS_MIN_CONFIDENCE;
    if (config->given.hysteresis_pct)
        out->has |= JOULIE_CLASSIFY_HAS_HYSTERESIS;
    out->min_confidence = config->min_confidence;
    out->hysteresis_pct = config->hysteresis_pct;
    return choose_rules(ask, config, &out->rules);
}

static void write_answer(const struct jl_classification *result, struct classify_out *out)
{
    const struct jl_profile_status *status = &result->status;
    JL_SET(&out->criticality, class_, result->class_text);
    out->given.criticality = true;
    JL_SET_IF(out, migratability, status->given.migratability, status->migratability);
    JL_SET_IF(out, cpu, status->given.cpu, status->cpu);
    JL_SET(out, gpu, status->gpu);
    JL_SET(out, classification_reason, status->classification_reason);
    JL_SET(out, confidence, status->confidence);
    JL_SET_IF(out, last_updated, status->given.last_updated, status->last_updated);
    JL_SET(out, summary, result->summary);
    JL_SET(out, is_reliable, (result->flags & JOULIE_CLASSIFY_RELIABLE) != 0);
}

static int answer_classify(struct jl_ask *ask, const struct classify_in *given,
                           struct classify_out *out)
{
    struct joulie_classify_input input = JOULIE_INIT(struct joulie_classify_input);
    struct jl_classification result;
    if (given->given.metrics)
        jl_classify_put_metrics(&given->metrics, &input);
    jl_classify_put_annotations(&given->annotations, &input);
    if (given->given.previous)
        jl_classify_put_previous(&given->previous, &input);
    int rc = read_config(ask, &given->config, &input);
    if (rc == 0)
        rc = jl_classify(&input, given->given.now_ms ? &given->now_ms : NULL, ask->arena, &result,
                         ask->err);
    if (rc < 0)
        return rc;
    write_answer(&result, out);
    if (input.rules == JOULIE_CLASSIFY_RULES_CURRENT)
        jl_ask_check_annotations(ask, "", &given->annotations);
    return 0;
}

JL_QUESTION(classify, "classify", "Classify a workload from its annotations and metrics",
            JL_MODELS("current", "v0.1.0"));
