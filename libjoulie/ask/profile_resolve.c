/* SPDX-License-Identifier: Apache-2.0 */
/* profile.resolve: the TensorFusion profile that a Pod gets, and where each field comes from
 * (tensor-fusion.md §6.3, §8.12, §9). */
#include <string.h>

#include "ask/ask.h"
#include "base/error.h"
#include "kubernetes/names.h"
#include "kubernetes/quantity.h"
#include "tensor_fusion/resolve.h"

struct resolve_pod {
    uint64_t has;
    struct jl_map annotations;
    struct jl_map labels;
    const char *priority_class;
};

enum { POD_ANNOTATIONS, POD_LABELS, POD_PRIORITY_CLASS };

struct resolve_rule {
    uint64_t has;
    const char *name;
    const char *selector;
    struct jl_fusion_spec spec;
};

enum { RULE_NAME, RULE_SELECTOR, RULE_SPEC };

struct resolve_gpu {
    uint64_t has;
    const char *tflops;
    const char *vram;
};

enum { GPU_TFLOPS, GPU_VRAM };

struct resolve_pool {
    uint64_t has;
    const char *name;
    struct jl_fusion_spec spec;
    struct resolve_gpu gpu;
};

enum { POOL_NAME, POOL_SPEC, POOL_GPU };

struct resolve_quota {
    uint64_t has;
    struct jl_fusion_amounts requests;
    struct jl_fusion_amounts limits;
};

enum { QUOTA_REQUESTS, QUOTA_LIMITS };

struct resolve_input {
    uint64_t has;
    struct resolve_pod pod;
    struct jl_fusion_profile profile;
    struct jl_list rules;
    struct resolve_pool pool;
    struct resolve_quota quota;
    const char *prefix;
};

enum { IN_POD, IN_PROFILE, IN_RULES, IN_POOL, IN_QUOTA, IN_PREFIX };

struct resolve_answer {
    uint64_t has;
    bool is_enabled;
    struct jl_fusion_spec spec;
    struct jl_map sources;
    struct jl_list warnings;
    const char *priority_class;
    const char *joulie_class;
};

enum { OUT_ENABLED, OUT_SPEC, OUT_SOURCES, OUT_WARNINGS, OUT_PRIORITY_CLASS, OUT_JOULIE_CLASS };

static const struct jl_row pod_rows[] = {
    [POD_ANNOTATIONS] =
        JL_MAP(resolve_pod, annotations, "annotations", .doc = "Annotations of the Pod."),
    [POD_LABELS] = JL_MAP(resolve_pod, labels, "labels", .doc = "Labels of the Pod."),
    [POD_PRIORITY_CLASS] = JL_STRING(resolve_pod, priority_class, "priorityClassName",
                                     .doc = "PriorityClass that the Pod has."),
};
static const struct jl_table pod_table = JL_TABLE(resolve_pod, pod_rows);

static const struct jl_row rule_rows[] = {
    [RULE_NAME] = JL_STRING(resolve_rule, name, "name", .doc = "Name of the rule."),
    [RULE_SELECTOR] = JL_STRING(resolve_rule, selector, "selector",
                                .doc = "Label selector of the Pods; absent: all."),
    [RULE_SPEC] = JL_OBJECT(resolve_rule, spec, "spec", &jl_fusion_spec_table, .flags = JL_REQUIRED,
                            .doc = "Fields that the rule gives."),
};
static const struct jl_table rule_table = JL_TABLE(resolve_rule, rule_rows);

static const struct jl_row gpu_rows[] = {
    [GPU_TFLOPS] = JL_QUANTITY(resolve_gpu, tflops, "tflops", .flags = JL_NOT_NEGATIVE,
                               .doc = "FP16 TFLOPS of one GPU."),
    [GPU_VRAM] = JL_QUANTITY(resolve_gpu, vram, "vram", .flags = JL_NOT_NEGATIVE,
                             .doc = "VRAM of one GPU, bytes."),
};
static const struct jl_table gpu_table = JL_TABLE(resolve_gpu, gpu_rows);

static const struct jl_row pool_rows[] = {
    [POOL_NAME] = JL_STRING(resolve_pool, name, "name", .doc = "Name of the default pool."),
    [POOL_SPEC] = JL_OBJECT(resolve_pool, spec, "spec", &jl_fusion_spec_table,
                            .doc = "Defaults of the pool: qos is its defaultQoS, isLocalGPU its "
                                   "defaultUsingLocalGPU."),
    [POOL_GPU] = JL_OBJECT(resolve_pool, gpu, "gpu", &gpu_table,
                           .doc = "Capacity of one GPU; absent: the catalogue's."),
};
static const struct jl_table pool_table = JL_TABLE(resolve_pool, pool_rows);

/* The amounts of a quota need not be complete. */
static const struct jl_row amounts_rows[] = {
    [JL_FUSION_AMOUNT_TFLOPS] = JL_QUANTITY(jl_fusion_amounts, tflops, "tflops",
                                            .flags = JL_NOT_NEGATIVE, .doc = "FP16 TFLOPS."),
    [JL_FUSION_AMOUNT_VRAM] = JL_QUANTITY(jl_fusion_amounts, vram, "vram", .flags = JL_NOT_NEGATIVE,
                                          .doc = "VRAM, bytes."),
    [JL_FUSION_AMOUNT_COMPUTE] =
        JL_QUANTITY(jl_fusion_amounts, compute, "compute", .flags = JL_NOT_NEGATIVE,
                    .doc = "Percent of one GPU, instead of tflops."),
};
static const struct jl_table amounts_table = JL_TABLE(jl_fusion_amounts, amounts_rows);

static const struct jl_row quota_rows[] = {
    [QUOTA_REQUESTS] = JL_OBJECT(resolve_quota, requests, "requests", &amounts_table,
                                 .doc = "Default requests of the namespace."),
    [QUOTA_LIMITS] = JL_OBJECT(resolve_quota, limits, "limits", &amounts_table,
                               .doc = "Default limits of the namespace."),
};
static const struct jl_table quota_table = JL_TABLE(resolve_quota, quota_rows);

static const struct jl_row input_rows[] = {
    [IN_POD] = JL_OBJECT(resolve_input, pod, "pod", &pod_table, .flags = JL_REQUIRED,
                         .doc = "The Pod that asks for a GPU."),
    [IN_PROFILE] = JL_WHOLE(resolve_input, profile, "profile", &jl_fusion_profile_table, "spec",
                            .doc = "Its WorkloadProfile, whole or its spec."),
    [IN_RULES] = JL_LIST(resolve_input, rules, "poolRules", &rule_table,
                         .doc = "Rules of the pool; the first whose selector matches counts."),
    [IN_POOL] = JL_OBJECT(resolve_input, pool, "pool", &pool_table, .doc = "The default pool."),
    [IN_QUOTA] =
        JL_OBJECT(resolve_input, quota, "quota", &quota_table, .doc = "Quota of the namespace."),
    [IN_PREFIX] = JL_STRING(resolve_input, prefix, "prefix",
                            .doc = "Prefix of labels and annotations; tensor-fusion.ai/."),
};
static const struct jl_table input_table = JL_TABLE(resolve_input, input_rows);

static const struct jl_row warning_rows[] = {
    [JL_ADMISSION_REASON] =
        JL_STRING(jl_admission_warning, reason, "reason", .doc = "Word of the reason."),
    [JL_ADMISSION_WHERE] =
        JL_STRING(jl_admission_warning, where, "where", .doc = "Path from the document root."),
    [JL_ADMISSION_MESSAGE] =
        JL_STRING(jl_admission_warning, message, "message", .doc = "Free text."),
};
static const struct jl_table warning_table = JL_TABLE(jl_admission_warning, warning_rows);

static const struct jl_row answer_rows[] = {
    [OUT_ENABLED] = JL_BOOLEAN(resolve_answer, is_enabled, "enabled",
                               .doc = "Whether the Pod's label opts in."),
    [OUT_SPEC] = JL_OBJECT(resolve_answer, spec, "spec", &jl_fusion_spec_table,
                           .doc = "The profile that counts."),
    [OUT_SOURCES] = JL_MAP(resolve_answer, sources, "sources",
                           .doc = "Path of each field to annotation, profile, poolRule, pool, "
                                  "quota or builtin."),
    [OUT_WARNINGS] =
        JL_LIST(resolve_answer, warnings, "warnings", &warning_table, .doc = "Admission warnings."),
    [OUT_PRIORITY_CLASS] = JL_STRING(resolve_answer, priority_class, "priorityClassName",
                                     .doc = "PriorityClass to set; absent: leave it."),
    [OUT_JOULIE_CLASS] = JL_STRING(resolve_answer, joulie_class, "joulieClass",
                                   .doc = "Joulie's class; absent: the Pod says it itself."),
};
static const struct jl_table answer_table = JL_TABLE(resolve_answer, answer_rows);

/* 0 = absent. */
static double amount_of(const char *text)
{
    struct jl_quantity quantity;
    if (text == NULL || jl_parse_quantity(text, strlen(text), &quantity) < 0)
        return 0;
    return jl_quantity_to_double(&quantity);
}

/* "tensor-fusion.ai/" and "tensor-fusion.ai" are the same. */
static int read_domain(struct jl_ask *ask, const char *prefix, const char **out)
{
    struct jl_text text = jl_text(prefix);
    if (prefix == NULL) {
        *out = JL_FUSION_DOMAIN;
        return 0;
    }
    if (text.len > 0 && text.ptr[text.len - 1] == '/')
        text.len--;
    if (!jl_is_dns_subdomain(text))
        return jl_ask_fail(ask, JOULIE_E_PARSE, "prefix", "not a prefix of annotations");
    *out = jl_arena_copy(ask->arena, text.ptr, text.len);
    return *out != NULL ? 0 : jl_fail_memory(ask->err);
}

static int read_rules(struct jl_ask *ask, const struct jl_list *list, struct jl_profile_input *out)
{
    struct jl_pool_rule *rules = JL_NEW_ARRAY(ask->arena, list->count, struct jl_pool_rule);
    if (rules == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < list->count; i++) {
        const struct resolve_rule *rule = JL_ITEM(*list, resolve_rule, i);
        rules[i] = (struct jl_pool_rule){ rule->selector, &rule->spec };
    }
    out->rules = rules;
    out->rule_count = list->count;
    return 0;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct resolve_input *input = in;
    struct resolve_answer *result = out;
    struct jl_resolved_profile resolved;
    struct jl_fusion_spec quota = { 0 };
    struct jl_profile_input question = {
        .annotations = &input->pod.annotations,
        .labels = &input->pod.labels,
        .priority_class = input->pod.priority_class,
        .profile = JL_HAS(input, IN_PROFILE) ? &input->profile.spec : NULL,
        .pool = input->pool.name,
        .pool_spec = &input->pool.spec,
        .quota = &quota,
        .gpu_tflops = amount_of(input->pool.gpu.tflops),
        .gpu_vram_bytes = amount_of(input->pool.gpu.vram),
    };
    quota.resources.requests = input->quota.requests;
    quota.resources.limits = input->quota.limits;
    int rc = read_domain(ask, input->prefix, &question.domain);
    if (rc == 0)
        rc = read_rules(ask, &input->rules, &question);
    if (rc == 0)
        rc = jl_profile_resolve(&question, ask->arena, &resolved, ask->err);
    if (rc < 0)
        return rc;
    JL_PUT(result, OUT_ENABLED, is_enabled, resolved.is_enabled);
    JL_PUT(result, OUT_SPEC, spec, resolved.spec);
    JL_PUT(result, OUT_SOURCES, sources, resolved.sources);
    JL_PUT(result, OUT_WARNINGS, warnings, resolved.warnings);
    if (resolved.priority_class != NULL)
        JL_PUT(result, OUT_PRIORITY_CLASS, priority_class, resolved.priority_class);
    if (resolved.joulie_class != NULL)
        JL_PUT(result, OUT_JOULIE_CLASS, joulie_class, resolved.joulie_class);
    return 0;
}

const struct jl_question jl_question_profile_resolve = {
    .name = "profile.resolve",
    .summary = "Resolve the TensorFusion profile of a Pod from all its sources",
    .in = &input_table,
    .out = &answer_table,
    .answer = answer,
};
