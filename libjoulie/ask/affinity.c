/* SPDX-License-Identifier: Apache-2.0 */

/*
 * affinity.match: which nodes an affinity allows and prefers
 * (docs/rules/tensor-fusion.md#node-affinity).
 */
#include "tensor_fusion/affinity.h"

#include "ask/ask.h"
#include "base/error.h"

#define RECORD match_node
#define MEMBERS                             \
    STRING(name, "name", "Node.", REQUIRED) \
    MAP(labels, "labels", "Labels of the node.")
#include "schema/record.h"

#define RECORD affinity_match_in
#define MEMBERS                                                          \
    LIST(nodes, "nodes", match_node, "Nodes to choose among.", REQUIRED) \
    OBJECT(affinity, "nodeAffinity", jl_profile_affinity, "Affinity as in a Pod.", REQUIRED)
#include "schema/record.h"

#define RECORD match_result
#define MEMBERS                                                                  \
    STRING(name, "name", "Node.")                                                \
    BOOLEAN(match, "match", "Whether it passes the required part.")              \
    INTEGER(weight, "weight", "Sum of the weights of the matching preferences.") \
    INTEGER(score, "score", "Weight in percent of the largest of all nodes.")
#include "schema/record.h"

#define RECORD affinity_match_out
#define MEMBERS LIST(nodes, "nodes", match_result, "In input order.")
#include "schema/record.h"

static int answer_affinity_match(struct jl_ask *ask, const struct affinity_match_in *input,
                                 struct affinity_match_out *result)
{
    const size_t count = input->nodes.count;
    struct match_result *items = JL_NEW_LIST(ask, result, nodes, count, struct match_result);
    int64_t largest = 0;
    if (items == NULL && count > 0)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct match_node *node = JL_ITEM(input->nodes, match_node, i);
        const int64_t weight = jl_affinity_weight(&input->affinity, node->name, &node->labels);
        JL_SET(&items[i], name, node->name);
        JL_SET(&items[i], match, jl_affinity_matches(&input->affinity, node->name, &node->labels));
        JL_SET(&items[i], weight, weight);
        largest = weight > largest ? weight : largest;
    }
    for (size_t i = 0; i < count; i++)
        JL_SET(&items[i], score, jl_affinity_score(items[i].weight, largest));
    return 0;
}

JL_QUESTION(affinity_match, "affinity.match",
            "Match nodes against an affinity as the scheduler does");
