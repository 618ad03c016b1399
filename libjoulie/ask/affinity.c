/* SPDX-License-Identifier: Apache-2.0 */
/* affinity.match: which nodes an affinity allows and prefers (tensor-fusion.md §2.3). */
#include "tensor_fusion/affinity.h"

#include "ask/ask.h"
#include "base/error.h"

struct match_node {
    uint64_t has;
    const char *name;
    struct jl_map labels;
};

enum { NODE_NAME, NODE_LABELS };

struct match_input {
    uint64_t has;
    struct jl_list nodes;
    struct jl_profile_affinity affinity;
};

enum { IN_NODES, IN_AFFINITY };

struct match_result {
    uint64_t has;
    const char *name;
    bool match;
    int64_t weight;
    int64_t score;
};

enum { RESULT_NAME, RESULT_MATCH, RESULT_WEIGHT, RESULT_SCORE };

struct match_answer {
    uint64_t has;
    struct jl_list nodes;
};

enum { OUT_NODES };

static const struct jl_row node_rows[] = {
    [NODE_NAME] = JL_STRING(match_node, name, "name", .flags = JL_REQUIRED, .doc = "Node."),
    [NODE_LABELS] = JL_MAP(match_node, labels, "labels", .doc = "Labels of the node."),
};
static const struct jl_table node_table = JL_TABLE(match_node, node_rows);

static const struct jl_row input_rows[] = {
    [IN_NODES] = JL_LIST(match_input, nodes, "nodes", &node_table, .flags = JL_REQUIRED,
                         .doc = "Nodes to choose among."),
    [IN_AFFINITY] = JL_OBJECT(match_input, affinity, "nodeAffinity", &jl_profile_affinity_table,
                              .flags = JL_REQUIRED, .doc = "Affinity as in a Pod."),
};
static const struct jl_table input_table = JL_TABLE(match_input, input_rows);

static const struct jl_row result_rows[] = {
    [RESULT_NAME] = JL_STRING(match_result, name, "name", .doc = "Node."),
    [RESULT_MATCH] =
        JL_BOOLEAN(match_result, match, "match", .doc = "Whether it passes the required part."),
    [RESULT_WEIGHT] = JL_INTEGER(match_result, weight, "weight",
                                 .doc = "Sum of the weights of the matching preferences."),
    [RESULT_SCORE] = JL_INTEGER(match_result, score, "score",
                                .doc = "Weight in percent of the largest of all nodes."),
};
static const struct jl_table result_table = JL_TABLE(match_result, result_rows);

static const struct jl_row answer_rows[] = {
    [OUT_NODES] = JL_LIST(match_answer, nodes, "nodes", &result_table, .doc = "In input order."),
};
static const struct jl_table answer_table = JL_TABLE(match_answer, answer_rows);

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct match_input *input = in;
    struct match_answer *result = out;
    const size_t count = input->nodes.count;
    struct match_result *items = JL_NEW_ARRAY(ask->arena, count, struct match_result);
    int64_t largest = 0;
    if (items == NULL && count > 0)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct match_node *node = JL_ITEM(input->nodes, match_node, i);
        const int64_t weight = jl_affinity_weight(&input->affinity, node->name, &node->labels);
        JL_PUT(&items[i], RESULT_NAME, name, node->name);
        JL_PUT(&items[i], RESULT_MATCH, match,
               jl_affinity_matches(&input->affinity, node->name, &node->labels));
        JL_PUT(&items[i], RESULT_WEIGHT, weight, weight);
        largest = weight > largest ? weight : largest;
    }
    for (size_t i = 0; i < count; i++)
        JL_PUT(&items[i], RESULT_SCORE, score, jl_affinity_score(items[i].weight, largest));
    JL_PUT(result, OUT_NODES, nodes, ((struct jl_list){ items, count }));
    return 0;
}

const struct jl_question jl_question_affinity_match = {
    .name = "affinity.match",
    .summary = "Match nodes against an affinity as the scheduler does",
    .in = &input_table,
    .out = &answer_table,
    .answer = answer,
};
