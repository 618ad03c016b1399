/* SPDX-License-Identifier: Apache-2.0 */

/* policy.hp: how many performance nodes a policy wants (joulie-control.md §4.7). */

#include "ask/policy_rules.h"

struct hp_in {
    uint64_t has;
    struct jl_policy_config policy;
    int64_t nodes;
    int64_t families;
    double demand;
};

enum { IN_POLICY, IN_NODES, IN_FAMILIES, IN_DEMAND };

static const struct jl_row in_rows[] = {
    [IN_POLICY] = JL_OBJECT(hp_in, policy, "policy", &jl_policy_table, .flags = JL_REQUIRED,
                            .doc = "Settings."),
    [IN_NODES] = JL_INTEGER(hp_in, nodes, "nodes", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                            .doc = "Eligible nodes."),
    [IN_FAMILIES] = JL_INTEGER(hp_in, families, "families", .flags = JL_NOT_NEGATIVE,
                               .doc = "Distinct hardware families among them; 0: no family floor."),
    [IN_DEMAND] = JL_NUMBER(hp_in, demand, "demand", .flags = JL_NOT_NEGATIVE,
                            .doc = "Pods or weighted demand; absent: it could not be counted."),
};
static const struct jl_table in_table = JL_TABLE(hp_in, in_rows);

struct hp_out {
    uint64_t has;
    int64_t performance_nodes;
};

enum { OUT_NODES };

static const struct jl_row out_rows[] = {
    [OUT_NODES] = JL_INTEGER(hp_out, performance_nodes, "performanceNodes",
                             .doc = "Nodes that run at full power."),
};
static const struct jl_table out_table = JL_TABLE(hp_out, out_rows);

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct hp_in *in = input;
    struct hp_out *out = output;
    struct jl_policy_config config;
    const int rc = jl_ask_policy(ask, &in->policy, &config);
    if (rc < 0)
        return rc;
    if (config.type == JL_POLICY_SWAP)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "policy.type",
                           "rule_swap_v1 counts by the clock: ask plan");
    const double demand = JL_HAS(in, IN_DEMAND) ? in->demand : -1;
    JL_PUT(out, OUT_NODES, performance_nodes,
           jl_policy_hp(&config, in->nodes, in->families, demand));
    return 0;
}

const struct jl_question jl_question_policy_hp = {
    .name = "policy.hp",
    .summary = "how many performance nodes a policy wants",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
