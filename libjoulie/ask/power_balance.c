/* SPDX-License-Identifier: Apache-2.0 */

/* power.balance: one round of moving watts between nodes (linux-power.md §12.5). */

#include "ask/ask.h"
#include "base/error.h"
#include "power/balance.h"

struct balance_node {
    uint64_t has;
    const char *name;
    double cap_w;
    double used_w;
    bool new_job;
};

enum { NODE_NAME, NODE_CAP, NODE_USED, NODE_NEW_JOB };

static const struct jl_row node_rows[] = {
    [NODE_NAME] =
        JL_STRING(balance_node, name, "name", .flags = JL_REQUIRED, .doc = "Name of the node."),
    [NODE_CAP] = JL_NUMBER(balance_node, cap_w, "capW", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                           .doc = "Its cap, W."),
    [NODE_USED] = JL_NUMBER(balance_node, used_w, "usedW", .flags = JL_NOT_NEGATIVE,
                            .doc = "What it uses, W; absent: it keeps its cap."),
    [NODE_NEW_JOB] =
        JL_BOOLEAN(balance_node, new_job, "newJob", .doc = "Whether a job started a moment ago."),
};
static const struct jl_table node_table = JL_TABLE(balance_node, node_rows);

struct balance_in {
    uint64_t has;
    double budget_w;
    double min_w;
    double max_w;
    double decrease_pct;
    double increase_pct;
    double lower_pct;
    double upper_pct;
    struct jl_list nodes;
};

enum { IN_BUDGET, IN_MIN, IN_MAX, IN_DECREASE, IN_INCREASE, IN_LOWER, IN_UPPER, IN_NODES };

#define PERCENT .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = 100

static const struct jl_row in_rows[] = {
    [IN_BUDGET] = JL_NUMBER(balance_in, budget_w, "budgetW", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                            .doc = "Watts of all nodes together."),
    [IN_MIN] = JL_NUMBER(balance_in, min_w, "minW", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                         .doc = "Lowest cap of a node, W."),
    [IN_MAX] = JL_NUMBER(balance_in, max_w, "maxW", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                         .doc = "Highest cap of a node, W."),
    [IN_DECREASE] =
        JL_NUMBER(balance_in, decrease_pct, "decreaseRatePct", PERCENT,
                  .doc = "Most that a cap falls in a round, percent of max - min; default 50."),
    [IN_INCREASE] =
        JL_NUMBER(balance_in, increase_pct, "increaseRatePct", PERCENT,
                  .doc = "Most that a cap rises in a round, percent of max - min; default 20."),
    [IN_LOWER] = JL_NUMBER(balance_in, lower_pct, "lowerThresholdPct", PERCENT,
                           .doc = "Use below this percent of the cap lowers it; default 90."),
    [IN_UPPER] = JL_NUMBER(balance_in, upper_pct, "upperThresholdPct", PERCENT,
                           .doc = "Use above this percent of the cap raises it; default 95."),
    [IN_NODES] = JL_LIST(balance_in, nodes, "nodes", &node_table, .flags = JL_REQUIRED,
                         .doc = "Nodes under the budget."),
};
static const struct jl_table in_table = JL_TABLE(balance_in, in_rows);

struct balance_cap {
    uint64_t has;
    const char *name;
    double cap_w;
};

enum { CAP_NAME, CAP_WATTS };

static const struct jl_row cap_rows[] = {
    [CAP_NAME] = JL_STRING(balance_cap, name, "name", .doc = "Name of the node."),
    [CAP_WATTS] = JL_NUMBER(balance_cap, cap_w, "capW", .doc = "Its cap for the next round, W."),
};
static const struct jl_table cap_table = JL_TABLE(balance_cap, cap_rows);

struct balance_out {
    uint64_t has;
    struct jl_list nodes;
};

enum { OUT_NODES };

static const struct jl_row out_rows[] = {
    [OUT_NODES] =
        JL_LIST(balance_out, nodes, "nodes", &cap_table, .doc = "The nodes, in input order."),
};
static const struct jl_table out_table = JL_TABLE(balance_out, out_rows);

static struct jl_balance balance_of(const struct balance_in *in)
{
    struct jl_balance balance = { .budget_w = in->budget_w,
                                  .min_w = in->min_w,
                                  .max_w = in->max_w };
    jl_balance_defaults(&balance);
    if (JL_HAS(in, IN_DECREASE))
        balance.decrease_pct = in->decrease_pct;
    if (JL_HAS(in, IN_INCREASE))
        balance.increase_pct = in->increase_pct;
    if (JL_HAS(in, IN_LOWER))
        balance.lower_pct = in->lower_pct;
    if (JL_HAS(in, IN_UPPER))
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
                           JL_HAS(in, IN_UPPER) ? "upperThresholdPct" : "lowerThresholdPct",
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
            .has_used = JL_HAS(node, NODE_USED),
            .used_w = node->used_w,
            .has_new_job = node->new_job,
        };
    }
    if (jl_balance_round(&balance, nodes, count, caps_w) < 0)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        JL_PUT(&caps[i], CAP_NAME, name, JL_ITEM(in->nodes, balance_node, i)->name);
        JL_PUT(&caps[i], CAP_WATTS, cap_w, caps_w[i]);
    }
    JL_PUT(out, OUT_NODES, nodes, ((struct jl_list){ caps, count }));
    return 0;
}

const struct jl_question jl_question_power_balance = {
    .name = "power.balance",
    .summary = "one round of moving watts between nodes under a budget",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
