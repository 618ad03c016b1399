/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which nodes a node affinity admits and prefers, with the semantics of Kubernetes' scheduler
 * (docs/rules/tensor-fusion.md#node-affinity). Called by the question affinity.match.
 */

#include "tensor_fusion/affinity.h"

#include "base/number.h"
#include "kinds/requirement.h"
#include "kubernetes/quantity.h"

#define FIELD_NAME "metadata.name" /* the one field of a node that matchFields knows */

struct node {
    const char *name;
    const struct jl_map *labels;
};

typedef bool holds_fn(const struct jl_affinity_requirement *requirement, const struct node *node);

static bool label_holds(const struct jl_affinity_requirement *requirement, const struct node *node)
{
    return jl_requirement_holds(requirement->key, requirement->op, &requirement->values,
                                jl_map_get(node->labels, requirement->key));
}

static bool field_holds(const struct jl_affinity_requirement *requirement, const struct node *node)
{
    if (!jl_same(requirement->key, FIELD_NAME) || requirement->values.count != 1)
        return false;
    if (jl_same(requirement->op, "In"))
        return jl_has_text(&requirement->values, node->name);
    return jl_same(requirement->op, "NotIn") && !jl_has_text(&requirement->values, node->name);
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
