/* SPDX-License-Identifier: Apache-2.0 */

/* Which nodes a policy leaves out, and why (docs/rules/policy.md#nodes-that-take-part). */

#include "kubernetes/selector.h"
#include "policy/policy.h"

static const struct jl_word exclusion_words[] = {
    { JL_EXCLUDED_UNSCHEDULABLE, "unschedulable" },
    { JL_EXCLUDED_RESERVED, "reserved" },
    { JL_EXCLUDED_SELECTOR, "selector" },
};

const struct jl_words jl_exclusion_words = JL_WORDS(exclusion_words);

enum jl_exclusion jl_node_exclusion(const struct jl_node *node, const char *reserved_label_key,
                                    const struct jl_selector *selector)
{
    if (node->spec.unschedulable)
        return JL_EXCLUDED_UNSCHEDULABLE;
    if (jl_same(jl_label(&node->meta, reserved_label_key), "true"))
        return JL_EXCLUDED_RESERVED;
    if (selector != NULL && !jl_selector_matches(selector, &node->meta.labels))
        return JL_EXCLUDED_SELECTOR;
    return JL_EXCLUDED_NOT;
}
