/* SPDX-License-Identifier: Apache-2.0 */

/* classify (cli.md §2, joulie-classifier.md). */

#include "classify/classify.h"

#include "ask/ask.h"

/* config: the rule set and the switches of joulie-classifier.md §2. */
struct classify_config {
    uint64_t has;
    const char *rules;
    bool derive_class;
    double min_confidence;
    double hysteresis_pct;
    bool sim_annotation_fallback;
};

enum {
    CONFIG_RULES,
    CONFIG_DERIVE_CLASS,
    CONFIG_MIN_CONFIDENCE,
    CONFIG_HYSTERESIS,
    CONFIG_SIM_FALLBACK
};

static const struct jl_row config_rows[] = {
    [CONFIG_RULES] =
        JL_STRING(classify_config, rules, "rules", .doc = "Rule set: current or v0.1.0."),
    [CONFIG_DERIVE_CLASS] =
        JL_BOOLEAN(classify_config, derive_class, "deriveClass",
                   .doc = "Infer the class from the metrics when no annotation names it."),
    [CONFIG_MIN_CONFIDENCE] =
        JL_NUMBER(classify_config, min_confidence, "minConfidence",
                  .doc = "Confidence from which the answer is reliable; default 0.5."),
    [CONFIG_HYSTERESIS] =
        JL_NUMBER(classify_config, hysteresis_pct, "hysteresisPct", .flags = JL_NOT_NEGATIVE,
                  .doc = "Points of utilisation that keep the previous value; default 5, 0 = off."),
    [CONFIG_SIM_FALLBACK] =
        JL_BOOLEAN(classify_config, sim_annotation_fallback, "simAnnotationFallback",
                   .doc = "Without metrics, take the sim.joulie.io annotations."),
};
static const struct jl_table config_table = JL_TABLE(classify_config, config_rows);

struct classify_in {
    uint64_t has;
    struct jl_map annotations;
    struct jl_map labels;
    struct jl_classify_metrics metrics;
    struct jl_profile_status previous;
    struct classify_config config;
    int64_t now_ms;
};

enum { IN_ANNOTATIONS, IN_LABELS, IN_METRICS, IN_PREVIOUS, IN_CONFIG, IN_NOW };

static const struct jl_row in_rows[] = {
    [IN_ANNOTATIONS] =
        JL_MAP(classify_in, annotations, "annotations", .doc = "Annotations of the pod."),
    [IN_LABELS] = JL_MAP(classify_in, labels, "labels",
                         .doc = "Labels of the pod; no rule set takes a hint from them."),
    [IN_METRICS] = JL_OBJECT(classify_in, metrics, "metrics", &jl_classify_metrics_table,
                             .doc = "What was measured; absent: classify from the hints."),
    [IN_PREVIOUS] = JL_OBJECT(classify_in, previous, "previous", &jl_profile_status_table,
                              .doc = "Status of the stored WorkloadProfile, for hysteresis."),
    [IN_CONFIG] =
        JL_OBJECT(classify_in, config, "config", &config_table, .doc = "Rule set and switches."),
    [IN_NOW] = JL_TIME(classify_in, now_ms, "now", .doc = "Becomes lastUpdated."),
};
static const struct jl_table in_table = JL_TABLE(classify_in, in_rows);

/* criticality as text: rule set v0.1.0 copies what the annotation says, also a word that the kind
 * does not have. */
struct classify_class {
    uint64_t has;
    const char *class_;
};

enum { CLASS_CLASS };

static const struct jl_row class_rows[] = {
    [CLASS_CLASS] = JL_STRING(classify_class, class_, "class", .doc = "performance or standard."),
};
static const struct jl_table class_table = JL_TABLE(classify_class, class_rows);

struct classify_out {
    uint64_t has;
    struct classify_class criticality;
    struct jl_profile_migratability migratability;
    struct jl_profile_part cpu;
    struct jl_profile_part gpu;
    const char *classification_reason;
    double confidence;
    const char *last_updated;
    const char *summary;
    bool is_reliable;
};

enum {
    OUT_CRITICALITY,
    OUT_MIGRATABILITY,
    OUT_CPU,
    OUT_GPU,
    OUT_REASON,
    OUT_CONFIDENCE,
    OUT_LAST_UPDATED,
    OUT_SUMMARY,
    OUT_RELIABLE,
};

static const struct jl_row out_rows[] = {
    [OUT_CRITICALITY] = JL_OBJECT(classify_out, criticality, "criticality", &class_table,
                                  .doc = "How critical the workload is."),
    [OUT_MIGRATABILITY] =
        JL_OBJECT(classify_out, migratability, "migratability", &jl_profile_migratability_table,
                  .doc = "Whether the workload can move."),
    [OUT_CPU] = JL_OBJECT(classify_out, cpu, "cpu", &jl_profile_cpu_table,
                          .doc = "How the workload uses the CPU."),
    [OUT_GPU] = JL_OBJECT(classify_out, gpu, "gpu", &jl_profile_gpu_table,
                          .doc = "How the workload uses the GPU."),
    [OUT_REASON] = JL_STRING(classify_out, classification_reason, "classificationReason",
                             .doc = "Why it was classified so, for a person."),
    [OUT_CONFIDENCE] = JL_NUMBER(classify_out, confidence, "confidence",
                                 .doc = "Confidence in the classification, 0 to 1."),
    [OUT_LAST_UPDATED] =
        JL_STRING(classify_out, last_updated, "lastUpdated", .doc = "now, when it was given."),
    [OUT_SUMMARY] =
        JL_STRING(classify_out, summary, "summary", .doc = "The classification in a few words."),
    [OUT_RELIABLE] = JL_BOOLEAN(classify_out, is_reliable, "reliable",
                                .doc = "Whether the confidence is at least minConfidence."),
};
static const struct jl_table out_table = JL_TABLE(classify_out, out_rows);

static const char *const models[] = { "current", "v0.1.0", NULL };

static int choose_rules(struct jl_ask *ask, const struct classify_config *config,
                        enum jl_classify_rules *out)
{
    const char *word = ask->options.model;
    if (JL_HAS(config, CONFIG_RULES)) {
        if (word && !jl_same(word, config->rules))
            return jl_ask_fail(ask, JOULIE_E_CONFLICT, "config.rules",
                               "config.rules and options.model differ");
        word = config->rules;
    }
    if (!word || jl_same(word, "current"))
        *out = JL_CLASSIFY_CURRENT;
    else if (jl_same(word, "v0.1.0"))
        *out = JL_CLASSIFY_V0_1_0;
    else
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "config.rules",
                           "classify has no rule set \"%.64s\"", word);
    return 0;
}

static int read_config(struct jl_ask *ask, const struct classify_config *config,
                       struct jl_classify_config *out)
{
    jl_classify_config_init(out);
    out->derive_class = config->derive_class;
    out->sim_annotation_fallback = config->sim_annotation_fallback;
    if (JL_HAS(config, CONFIG_MIN_CONFIDENCE))
        out->min_confidence = config->min_confidence;
    if (JL_HAS(config, CONFIG_HYSTERESIS))
        out->hysteresis_pct = config->hysteresis_pct;
    return choose_rules(ask, config, &out->rules);
}

static void write_answer(const struct jl_classification *result, struct classify_out *out)
{
    const struct jl_profile_status *status = &result->status;
    JL_PUT(&out->criticality, CLASS_CLASS, class_, result->class_text);
    JL_MARK(out, OUT_CRITICALITY);
    if (JL_HAS(status, JL_PROFILE_STATUS_MIGRATABILITY))
        JL_PUT(out, OUT_MIGRATABILITY, migratability, status->migratability);
    if (JL_HAS(status, JL_PROFILE_STATUS_CPU))
        JL_PUT(out, OUT_CPU, cpu, status->cpu);
    JL_PUT(out, OUT_GPU, gpu, status->gpu);
    JL_PUT(out, OUT_REASON, classification_reason, status->classification_reason);
    JL_PUT(out, OUT_CONFIDENCE, confidence, status->confidence);
    if (JL_HAS(status, JL_PROFILE_STATUS_LAST_UPDATED))
        JL_PUT(out, OUT_LAST_UPDATED, last_updated, status->last_updated);
    JL_PUT(out, OUT_SUMMARY, summary, result->summary);
    JL_PUT(out, OUT_RELIABLE, is_reliable, result->is_reliable);
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct classify_in *given = in;
    struct jl_classify_input input = {
        .annotations = &given->annotations,
        .metrics = JL_HAS(given, IN_METRICS) ? &given->metrics : NULL,
        .previous = JL_HAS(given, IN_PREVIOUS) ? &given->previous : NULL,
        .has_now = JL_HAS(given, IN_NOW) != 0,
        .now_ms = given->now_ms,
    };
    struct jl_classification result;
    int rc = read_config(ask, &given->config, &input.config);
    if (rc == 0)
        rc = jl_classify(&input, ask->arena, &result, ask->err);
    if (rc == 0)
        write_answer(&result, out);
    return rc;
}

const struct jl_question jl_question_classify = {
    .name = "classify",
    .summary = "Classify a workload from its annotations and metrics",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
