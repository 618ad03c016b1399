/* SPDX-License-Identifier: Apache-2.0 */

/* policy.hp: how many performance nodes a policy wants (docs/rules/policy.md#policies). */

#include "ask/policy_rules.h"

#define RECORD hp_in
#define MEMBERS                                                                                 \
    OBJECT_BY(policy, "policy", jl_policy_config, jl_policy_table, "Settings.", REQUIRED)       \
    INTEGER(nodes, "nodes", "Eligible nodes.", REQUIRED, NOT_NEGATIVE)                          \
    INTEGER(families, "families", "Distinct hardware families among them; 0: no family floor.", \
            NOT_NEGATIVE)                                                                       \
    NUMBER(demand, "demand", "Pods or weighted demand; absent: it could not be counted.",       \
           NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD hp_out
#define MEMBERS INTEGER(performance_nodes, "performanceNodes", "Nodes that run at full power.")
#include "schema/record.h"

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct hp_in *in = input;
    struct hp_out *out = output;
    struct jl_policy_config config;
    const int rc = jl_ask_policy(ask, &in->policy, &config);
    if (rc < 0)
        return rc;
    const struct jl_policy *policy = jl_policy_of(config.type);
    if (policy->how_many == NULL)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "policy.type",
                           "%s counts by the clock: ask plan", policy->word);
    const double demand = in->given.demand ? in->demand : -1;
    JL_SET(out, performance_nodes, jl_policy_hp(&config, in->nodes, in->families, demand));
    return 0;
}

const struct jl_question jl_question_policy_hp = {
    .name = "policy.hp",
    .summary = "how many performance nodes a policy wants",
    .in = &hp_in_table,
    .out = &hp_out_table,
    .answer = answer,
};
