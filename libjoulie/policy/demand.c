/* SPDX-License-Identifier: Apache-2.0 */

/* What a pod asks of a policy: its class, its weight, and whether it keeps a node from saving
 * power (docs/rules/policy.md#demand). Called once per pod that changed. */

#include "kinds/effective.h"
#include "policy/policy.h"

/* Marks profiles of the v0.1.0 classifier, which wrote false for every pod without a word. */
#define LABEL_CLASSIFIER_POD "joulie.io/pod-name"
#define ANNOTATION_MIRROR "kubernetes.io/config.mirror"

#define WEIGHT_HIGH 1.5 /* halves: sums are exact in any order */
#define WEIGHT_MEDIUM 1.0
#define WEIGHT_LOW 0.5

const struct jl_words jl_demand_class_words = JL_WORDS({
    { JL_DEMAND_PERFORMANCE, "performance-only" },
    { JL_DEMAND_ECO, "eco-only" },
    { JL_DEMAND_GENERAL, "general" },
    { JL_DEMAND_UNKNOWN, "unknown" },
});

const struct jl_words jl_blocker_words = JL_WORDS({
    { JL_BLOCKER_SENSITIVE, "performance-sensitive" },
    { JL_BLOCKER_NOT_RESCHEDULABLE, "not-reschedulable" },
});

/* Which profiles of a node a pod accepts. */
enum {
    MASK_PERFORMANCE = 1,
    MASK_ECO = 2,
    MASK_BOTH = MASK_PERFORMANCE | MASK_ECO,
    MASK_UNREADABLE = -1
};

static int value_mask(const char *value)
{
    const struct jl_text text = jl_text_trim(jl_text(value));
    if (jl_text_is(text, "performance") || jl_text_is(text, "draining-performance"))
        return MASK_PERFORMANCE;
    return jl_text_is(text, "eco") ? MASK_ECO : 0;
}

static int values_mask(const struct jl_list *values)
{
    int mask = 0;
    for (size_t i = 0; i < values->count; i++)
        mask |= value_mask(JL_STRING_ITEM(*values, i));
    return mask;
}

static int expression_mask(const struct jl_node_expression *expression, int mask)
{
    if (jl_same(expression->op, "In"))
        return mask & values_mask(&expression->values);
    if (jl_same(expression->op, "NotIn"))
        return mask & ~values_mask(&expression->values);
    if (jl_same(expression->op, "Exists"))
        return mask;
    if (jl_same(expression->op, "DoesNotExist"))
        return 0;
    return MASK_UNREADABLE;
}

static int term_mask(const struct jl_node_term *term, int mask)
{
    for (size_t i = 0; i < term->expressions.count && mask != MASK_UNREADABLE; i++) {
        const struct jl_node_expression *expression =
            JL_ITEM(term->expressions, jl_node_expression, i);
        if (jl_same(expression->key, JL_LABEL_POWER_PROFILE))
            mask = expression_mask(expression, mask);
    }
    return mask;
}

/* The required node affinity, or NULL. */
static const struct jl_required_affinity *required_of(const struct jl_pod *pod)
{
    const struct jl_affinity *affinity = &pod->spec.affinity;
    if (!pod->spec.given.affinity || !affinity->given.node || !affinity->node.given.required)
        return NULL;
    return &affinity->node.required;
}

/* The mask of docs/rules/policy.md#class: terms are ORed, expressions of a term ANDed. */
static int pod_mask(const struct jl_pod *pod)
{
    const char *selected = jl_map_get(&pod->spec.node_selector, JL_LABEL_POWER_PROFILE);
    int base = MASK_BOTH;
    if (selected != NULL)
        base = value_mask(selected);
    const struct jl_required_affinity *required = required_of(pod);
    if (base == 0 || required == NULL)
        return base;
    int mask = 0;
    for (size_t i = 0; i < required->terms.count; i++) {
        const int accepted = term_mask(JL_ITEM(required->terms, jl_node_term, i), base);
        if (accepted == MASK_UNREADABLE)
            return MASK_UNREADABLE;
        mask |= accepted;
    }
    return mask;
}

static enum jl_demand_class mask_class(const struct jl_pod *pod)
{
    switch (pod_mask(pod)) {
    case MASK_PERFORMANCE:
        return JL_DEMAND_PERFORMANCE;
    case MASK_ECO:
        return JL_DEMAND_ECO;
    case MASK_BOTH:
        return JL_DEMAND_GENERAL;
    default:
        return JL_DEMAND_UNKNOWN;
    }
}

static bool has_value(const struct jl_list *values, const char *word)
{
    for (size_t i = 0; i < values->count; i++) {
        if (jl_same(JL_STRING_ITEM(*values, i), word))
            return true;
    }
    return false;
}

static bool keeps_off_eco(const struct jl_node_expression *expression)
{
    if (jl_same(expression->op, "NotIn"))
        return has_value(&expression->values, "eco");
    return jl_same(expression->op, "In") && expression->values.count > 0 &&
           !has_value(&expression->values, "eco");
}

static bool asks_for_eco(const struct jl_node_expression *expression)
{
    return jl_same(expression->op, "In") && has_value(&expression->values, "eco") &&
           !has_value(&expression->values, "performance");
}

/* v0.1.1: any expression of any term decides alone. */
static bool any_expression(const struct jl_pod *pod,
                           bool (*holds)(const struct jl_node_expression *))
{
    const struct jl_required_affinity *required = required_of(pod);
    for (size_t t = 0; required != NULL && t < required->terms.count; t++) {
        const struct jl_list *expressions = &JL_ITEM(required->terms, jl_node_term, t)->expressions;
        for (size_t i = 0; i < expressions->count; i++) {
            const struct jl_node_expression *expression =
                JL_ITEM(*expressions, jl_node_expression, i);
            if (jl_same(expression->key, JL_LABEL_POWER_PROFILE) && holds(expression))
                return true;
        }
    }
    return false;
}

static enum jl_demand_class any_term_class(const struct jl_pod *pod)
{
    const char *annotation = jl_annotation(&pod->meta, JL_ANNOTATION_CLASS);
    const char *selected = jl_map_get(&pod->spec.node_selector, JL_LABEL_POWER_PROFILE);
    const struct jl_text selector = jl_text_trim(jl_text(selected));
    if (jl_text_is(jl_text_trim(jl_text(annotation)), "performance") ||
        jl_text_is(selector, "performance") || any_expression(pod, keeps_off_eco))
        return JL_DEMAND_PERFORMANCE;
    if (jl_text_is(selector, "eco") || any_expression(pod, asks_for_eco))
        return JL_DEMAND_ECO;
    return JL_DEMAND_GENERAL;
}

static int level_rank(enum joulie_level level)
{
    switch (level) {
    case JOULIE_LEVEL_HIGH:
        return 4;
    case JOULIE_LEVEL_MEDIUM:
        return 3;
    case JOULIE_LEVEL_LOW:
        return 2;
    case JOULIE_LEVEL_NONE:
        return 1;
    case JOULIE_LEVEL_UNKNOWN:
        break;
    }
    return 0;
}

double jl_demand_weight(enum joulie_level intensity)
{
    switch (intensity) {
    case JOULIE_LEVEL_HIGH:
        return WEIGHT_HIGH;
    case JOULIE_LEVEL_LOW:
        return WEIGHT_LOW;
    case JOULIE_LEVEL_MEDIUM:
    case JOULIE_LEVEL_NONE:
    case JOULIE_LEVEL_UNKNOWN:
        break;
    }
    return WEIGHT_MEDIUM;
}

/* The higher of both intensities; a profile that names none weighs like no profile. */
static double profile_weight(const struct jl_workload_profile *profile)
{
    const enum joulie_level cpu = profile->status.cpu.intensity;
    const enum joulie_level gpu = profile->status.gpu.intensity;
    return jl_demand_weight(level_rank(cpu) >= level_rank(gpu) ? cpu : gpu);
}

/* docs/rules/policy.md#class: annotation, else profile, else constraints. */
static enum jl_demand_class current_class(const struct jl_pod *pod,
                                          const struct jl_workload_profile *profile)
{
    const enum jl_class_text text = jl_class_text(jl_annotation(&pod->meta, JL_ANNOTATION_CLASS));
    const bool is_profile_performance =
        profile != NULL && profile->status.criticality.class_ == JL_CRITICALITY_PERFORMANCE;
    if (text == JL_CLASS_TEXT_PERFORMANCE ||
        (text != JL_CLASS_TEXT_STANDARD && is_profile_performance))
        return JL_DEMAND_PERFORMANCE;
    return mask_class(pod);
}

void jl_demand_of_pod(const struct jl_pod *pod, const struct jl_workload_profile *match,
                      int64_t now_ms, enum jl_policy_rules rules, struct jl_demand *out)
{
    *out = (struct jl_demand){ .weight = WEIGHT_MEDIUM };
    switch (rules) {
    case JL_POLICY_V0_0_2:
        out->class_ = mask_class(pod);
        break;
    case JL_POLICY_V0_1_1:
        out->class_ = any_term_class(pod);
        break;
    case JL_POLICY_CURRENT:
        if (match != NULL && jl_profile_is_usable(match, now_ms)) {
            out->profile = match;
            out->weight = profile_weight(match);
        }
        out->class_ = current_class(pod, out->profile);
        break;
    }
    out->is_sensitive = out->class_ == JL_DEMAND_PERFORMANCE || out->class_ == JL_DEMAND_UNKNOWN;
}

static bool is_in_phase(const struct jl_pod *pod, const char *phase)
{
    return jl_same(pod->status.phase, phase);
}

static bool is_over(const struct jl_pod *pod)
{
    return !jl_is_empty(pod->meta.deletion_timestamp) || is_in_phase(pod, "Succeeded") ||
           is_in_phase(pod, "Failed");
}

/* DaemonSet and mirror pods stay with their node whatever the plan says. */
static bool belongs_to_node(const struct jl_pod *pod)
{
    for (size_t i = 0; i < pod->meta.owners.count; i++) {
        if (jl_same(JL_ITEM(pod->meta.owners, jl_owner, i)->kind, "DaemonSet"))
            return true;
    }
    return jl_annotation(&pod->meta, ANNOTATION_MIRROR) != NULL;
}

bool jl_pod_is_demand(const struct jl_pod *pod, enum jl_policy_rules rules)
{
    if (is_over(pod))
        return false;
    switch (rules) {
    case JL_POLICY_CURRENT:
        return !belongs_to_node(pod);
    case JL_POLICY_V0_1_1:
        return !is_in_phase(pod, "Pending");
    case JL_POLICY_V0_0_2:
        break;
    }
    return true;
}

/* 1 true, 0 false, -1 not said: the annotation, else the usable profile (a v0.1.0 classifier's
 * false is not said). */
static int reschedulable(const struct jl_pod *pod, const struct jl_demand *demand)
{
    bool is_invalid = false;
    const char *annotation = jl_annotation(&pod->meta, JL_ANNOTATION_RESCHEDULABLE);
    const int said = jl_reschedulable_text(annotation, &is_invalid);
    const struct jl_workload_profile *profile = demand->profile;
    if (said >= 0 || profile == NULL || !profile->status.migratability.given.reschedulable)
        return said;
    if (profile->status.migratability.reschedulable)
        return 1;
    return jl_label(&profile->meta, LABEL_CLASSIFIER_POD) != NULL ? -1 : 0;
}

enum jl_blocker_why jl_pod_blocks(const struct jl_pod *pod, const struct jl_demand *demand,
                                  enum jl_policy_rules rules)
{
    if (!jl_pod_is_demand(pod, rules))
        return JL_BLOCKER_NONE;
    if (demand->is_sensitive)
        return JL_BLOCKER_SENSITIVE;
    if (rules == JL_POLICY_CURRENT && reschedulable(pod, demand) == 0)
        return JL_BLOCKER_NOT_RESCHEDULABLE;
    return JL_BLOCKER_NONE;
}
