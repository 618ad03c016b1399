/* SPDX-License-Identifier: Apache-2.0 */

/* power.balance: one round of moving watts between nodes (docs/rules/energy.md#balance). */

#include "ask/ask.h"
#include "base/error.h"
#include "power/balance.h"

#define RECORD balance_node
#define MEMBERS                                                                         \
    STRING(name, "name", "Name of the node.", REQUIRED)                                 \
    NUMBER(cap_w, "capW", "Its cap, W.", REQUIRED, NOT_NEGATIVE)                        \
    NUMBER(used_w, "usedW", "What it uses, W; absent: it keeps its cap.", NOT_NEGATIVE) \
    BOOLEAN(new_job, "newJob", "Whether a job started a moment ago.")
#include "schema/record.h"

#define PERCENT AT_LEAST(0), AT_MOST(100)

#define RECORD balance_in
#define MEMBERS                                                                            \
    NUMBER(budget_w, "budgetW", "Watts of all nodes together.", REQUIRED, NOT_NEGATIVE)    \
    NUMBER(min_w, "minW", "Lowest cap of a node, W.", REQUIRED, NOT_NEGATIVE)              \
    NUMBER(max_w, "maxW", "Highest cap of a node, W.", REQUIRED, NOT_NEGATIVE)             \
    NUMBER(decrease_pct, "decreaseRatePct",                                                \
           "Most that a cap falls in a round, percent of max - min; default 50.", PERCENT) \
    NUMBER(increase_pct, "increaseRatePct",                                                \
           "Most that a cap rises in a round, percent of max - min; default 20.", PERCENT) \
    NUMBER(lower_pct, "lowerThresholdPct",                                                 \
           "Use below this percent of the cap lowers it; default 90.", PERCENT)            \
    NUMBER(upper_pct, "upperThresholdPct",                                                 \
           "Use above this percent of the cap raises it; default 95.", PERCENT)            \
    LIST(nodes, "nodes", balance_node, "Nodes under the budget.", REQUIRED)
#include "schema/record.h"

#define RECORD balance_cap
#define MEMBERS                               \
    STRING(name, "name", "Name of the node.") \
    NUMBER(cap_w, "capW", "Its cap for the next round, W.")
#include "schema/record.h"

#define RECORD balance_out
#define MEMBERS LIST(nodes, "nodes", balance_cap, "The nodes, in input order.")
#include "schema/record.h"

static struct jl_balance balance_of(const struct balance_in *in)
{
    struct jl_balance balance = { .budget_w = in->budget_w,
                                  .min_w = in->min_w,
                                  .max_w = in->max_w };
    jl_balance_defaults(&balance);
    if (in->given.decrease_pct)
        balance.decrease_pct = in->decrease_pct;
    if (in->given.increase_pct)
        balance.increase_pct = in->increase_pct;
    if (in->given.lower_pct)
        balance.lower_pct = in->lower_pct;
    if (in->given.upper_pct)
        balance.upper_pct = in->upper_pct;
    return balance;
}

static int check(struct jl_ask *ask, const struct balance_in *in)
{
    if (in->max_w < in->min_w)
        return jl_ask_fail(ask, JOULIE_E_RANGE, "maxW", "the highest cap is below the lowest");
    const struct jl_balance balance = balance_of(in);
    if (balance.upper_pct < balance.lower_pct)
        return jl_ask_fail(ask, JOULIE_E_RANGE,
                           in->given.upper_pct ? "upperThresholdPct" : "lowerThresholdPct",
                           "the upper threshold is below the lower");
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct balance_in *in = input;
    struct balance_out *out = output;
    const size_t count = in->nodes.count;
    const struct jl_balance balance = balance_of(in);
    struct jl_balance_node *nodes = JL_NEW_ARRAY(ask->arena, count, struct jl_balance_node);
    struct balance_cap *caps = JL_NEW_ARRAY(ask->arena, count, struct balance_cap);
    double *caps_w = JL_NEW_ARRAY(ask->arena, count, double);
    const int rc = check(ask, in);
    if (rc < 0)
        return rc;
    if (nodes == NULL || caps == NULL || caps_w == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct balance_node *node = JL_ITEM(in->nodes, balance_node, i);
        nodes[i] = (struct jl_balance_node){
            .cap_w = node->cap_w,
            .has_used = node->given.used_w,
            .used_w = node->used_w,
            .has_new_job = node->new_job,
        };
    }
    if (jl_balance_round(&balance, nodes, count, caps_w) < 0)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        JL_SET(&caps[i], name, JL_ITEM(in->nodes, balance_node, i)->name);
        JL_SET(&caps[i], cap_w, caps_w[i]);
    }
    JL_SET(out, nodes, ((struct jl_list){ caps, count }));
    return 0;
}

const struct jl_question jl_question_power_balance = {
    .name = "power.balance",
    .summary = "one round of moving watts between nodes under a budget",
    .in = &balance_in_table,
    .out = &balance_out_table,
    .answer = answer,
};
