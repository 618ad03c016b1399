/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which nodes a node affinity admits and prefers, with the semantics of Kubernetes' scheduler
 * (docs/rules/tensor-fusion.md#node-affinity). Called by the question affinity.match.
 */

#include "tensor_fusion/affinity.h"

#include "base/number.h"
#include "kubernetes/names.h"
#include "kubernetes/quantity.h"

#define FIELD_NAME "metadata.name" /* the one field of a node that matchFields knows */

struct node {
    const char *name;
    const struct jl_map *labels;
};

typedef bool holds_fn(const struct jl_affinity_requirement *requirement, const struct node *node);

static bool has_value(const struct jl_affinity_requirement *requirement, const char *value)
{
    for (size_t i = 0; i < requirement->values.count; i++) {
        if (jl_same(JL_STRING_ITEM(requirement->values, i), value))
            return true;
    }
    return false;
}

static bool read_integer(const char *text, int64_t *out)
{
    const struct jl_text view = jl_text(text);
    const size_t plus = view.len > 1 && text[0] == '+' && jl_is_digit(text[1]);
    return jl_parse_i64(view.ptr + plus, view.len - plus, out) == 0;
}

/* Gt and Lt: both sides are base-10 integers of 64 bits. */
static bool compares(const struct jl_affinity_requirement *requirement, const char *label)
{
    int64_t bound = 0;
    int64_t value = 0;
    if (requirement->values.count != 1 || label == NULL || !read_integer(label, &value) ||
        !read_integer(JL_STRING_ITEM(requirement->values, 0), &bound))
        return false;
    return jl_same(requirement->op, "Gt") ? value > bound : value < bound;
}

/* What the scheduler makes a selector of: one value that no label can have spoils it. */
static bool is_readable(const struct jl_affinity_requirement *requirement)
{
    for (size_t i = 0; i < requirement->values.count; i++) {
        if (!jl_is_label_value(jl_text(JL_STRING_ITEM(requirement->values, i))))
            return false;
    }
    return jl_is_label_key(jl_text(requirement->key));
}

static bool label_holds(const struct jl_affinity_requirement *requirement, const struct node *node)
{
    const size_t count = requirement->values.count;
    if (!is_readable(requirement))
        return false;
    const char *label = jl_map_get(node->labels, requirement->key);
    if (jl_same(requirement->op, "In"))
        return label != NULL && has_value(requirement, label);
    if (jl_same(requirement->op, "NotIn"))
        return count > 0 && (label == NULL || !has_value(requirement, label));
    if (jl_same(requirement->op, "Exists"))
        return count == 0 && label != NULL;
    if (jl_same(requirement->op, "DoesNotExist"))
        return count == 0 && label == NULL;
    if (jl_same(requirement->op, "Gt") || jl_same(requirement->op, "Lt"))
        return compares(requirement, label);
    return false;
}

static bool field_holds(const struct jl_affinity_requirement *requirement, const struct node *node)
{
    if (!jl_same(requirement->key, FIELD_NAME) || requirement->values.count != 1)
        return false;
    if (jl_same(requirement->op, "In"))
        return has_value(requirement, node->name);
    return jl_same(requirement->op, "NotIn") && !has_value(requirement, node->name);
}

static bool all_hold(const struct jl_list *requirements, holds_fn *holds, const struct node *node)
{
    for (size_t i = 0; i < requirements->count; i++) {
        if (!holds(JL_ITEM(*requirements, jl_affinity_requirement, i), node))
            return false;
    }
    return true;
}

/* An empty term matches no node. */
static bool term_holds(const struct jl_affinity_term *term, const struct node *node)
{
    return term->expressions.count + term->fields.count > 0 &&
           all_hold(&term->expressions, label_holds, node) &&
           all_hold(&term->fields, field_holds, node);
}

bool jl_affinity_matches(const struct jl_profile_affinity *affinity, const char *node,
                         const struct jl_map *labels)
{
    const struct node view = { node, labels };
    if (!affinity->given.required)
        return true;
    for (size_t i = 0; i < affinity->required.terms.count; i++) {
        if (term_holds(JL_ITEM(affinity->required.terms, jl_affinity_term, i), &view))
            return true;
    }
    return false;
}

int64_t jl_affinity_weight(const struct jl_profile_affinity *affinity, const char *node,
                           const struct jl_map *labels)
{
    const struct node view = { node, labels };
    int64_t sum = 0;
    for (size_t i = 0; i < affinity->preferred.count; i++) {
        const struct jl_affinity_preference *item =
            JL_ITEM(affinity->preferred, jl_affinity_preference, i);
        if (item->weight <= 0 || !term_holds(&item->preference, &view))
            continue;
        sum = item->weight > INT64_MAX - sum ? INT64_MAX : sum + item->weight;
    }
    return sum;
}

int64_t jl_affinity_score(int64_t weight, int64_t largest)
{
    if (largest <= 0 || weight <= 0)
        return 0;
    return (int64_t)((jl_i128)JL_AFFINITY_SCORE_MAX * weight / largest);
}
