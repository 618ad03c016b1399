/* SPDX-License-Identifier: Apache-2.0 */
/* profile.resolve: the TensorFusion profile that a Pod gets, and where each field comes from
 * (docs/rules/tensor-fusion.md#precedence). */
#include <string.h>

#include "ask/ask.h"
#include "base/error.h"
#include "kubernetes/names.h"
#include "kubernetes/quantity.h"
#include "tensor_fusion/resolve.h"

#define RECORD resolve_pod
#define MEMBERS                                                \
    MAP(annotations, "annotations", "Annotations of the Pod.") \
    MAP(labels, "labels", "Labels of the Pod.")                \
    STRING(priority_class, "priorityClassName", "PriorityClass that the Pod has.")
#include "schema/record.h"

#define RECORD resolve_rule
#define MEMBERS                                                              \
    STRING(name, "name", "Name of the rule.")                                \
    STRING(selector, "selector", "Label selector of the Pods; absent: all.") \
    OBJECT(spec, "spec", jl_fusion_spec, "Fields that the rule gives.", REQUIRED)
#include "schema/record.h"

#define RECORD resolve_gpu
#define MEMBERS                                                         \
    QUANTITY(tflops, "tflops", "FP16 TFLOPS of one GPU.", NOT_NEGATIVE) \
    QUANTITY(vram, "vram", "VRAM of one GPU, bytes.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD resolve_pool
#define MEMBERS                                                                                 \
    STRING(name, "name", "Name of the default pool.")                                           \
    OBJECT(spec, "spec", jl_fusion_spec,                                                        \
           "Defaults of the pool: qos is its defaultQoS, isLocalGPU its defaultUsingLocalGPU.") \
    OBJECT(gpu, "gpu", resolve_gpu, "Capacity of one GPU; absent: the catalogue's.")
#include "schema/record.h"

/* The amounts of a quota need not be complete. */
#define RECORD quota_amounts
#define TABLE_OF jl_fusion_amounts
#define MEMBERS                                              \
    QUANTITY(tflops, "tflops", "FP16 TFLOPS.", NOT_NEGATIVE) \
    QUANTITY(vram, "vram", "VRAM, bytes.", NOT_NEGATIVE)     \
    QUANTITY(compute, "compute", "Percent of one GPU, instead of tflops.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD resolve_quota
#define MEMBERS                                                             \
    OBJECT_BY(requests, "requests", jl_fusion_amounts, quota_amounts_table, \
              "Default requests of the namespace.")                         \
    OBJECT_BY(limits, "limits", jl_fusion_amounts, quota_amounts_table,     \
              "Default limits of the namespace.")
#include "schema/record.h"

#define RECORD profile_resolve_in
#define MEMBERS                                                               \
    OBJECT(pod, "pod", resolve_pod, "The Pod that asks for a GPU.", REQUIRED) \
    WHOLE(profile, "profile", jl_fusion_profile, "spec",                      \
          "Its WorkloadProfile, whole or its spec.")                          \
    LIST(rules, "poolRules", resolve_rule,                                    \
         "Rules of the pool; the first whose selector matches counts.")       \
    OBJECT(pool, "pool", resolve_pool, "The default pool.")                   \
    OBJECT(quota, "quota", resolve_quota, "Quota of the namespace.")          \
    STRING(prefix, "prefix", "Prefix of labels and annotations; tensor-fusion.ai/.")
#include "schema/record.h"

#define RECORD profile_resolve_out
#define MEMBERS                                                                            \
    BOOLEAN(is_enabled, "enabled", "Whether the Pod's label opts in.")                     \
    OBJECT(spec, "spec", jl_fusion_spec, "The profile that counts.")                       \
    MAP(sources, "sources",                                                                \
        "Path of each field to annotation, profile, poolRule, pool, quota or builtin.")    \
    LIST(warnings, "warnings", jl_admission_warning, "Admission warnings.")                \
    STRING(priority_class, "priorityClassName", "PriorityClass to set; absent: leave it.") \
    STRING(joulie_class, "joulieClass", "Joulie's class; absent: the Pod says it itself.")
#include "schema/record.h"

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

static int answer_profile_resolve(struct jl_ask *ask, const struct profile_resolve_in *input,
                                  struct profile_resolve_out *result)
{
    struct jl_resolved_profile resolved;
    struct jl_fusion_spec quota = { 0 };
    struct jl_profile_input question = {
        .annotations = &input->pod.annotations,
        .labels = &input->pod.labels,
        .priority_class = input->pod.priority_class,
        .profile = input->given.profile ? &input->profile.spec : NULL,
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
    JL_SET(result, is_enabled, resolved.is_enabled);
    JL_SET(result, spec, resolved.spec);
    JL_SET(result, sources, resolved.sources);
    JL_SET(result, warnings, resolved.warnings);
    JL_SET_IF(result, priority_class, resolved.priority_class != NULL, resolved.priority_class);
    JL_SET_IF(result, joulie_class, resolved.joulie_class != NULL, resolved.joulie_class);
    return 0;
}

JL_QUESTION(profile_resolve, "profile.resolve",
            "Resolve the TensorFusion profile of a Pod from all its sources");
