/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The policies, one row each (docs/rules/policy.md#policies):
 *
 * - the name of its type;
 * - the word of policy.type and POLICY_TYPE;
 * - the name that is written into spec.policy.name of a NodeTwin;
 * - how many nodes run at full power: a function of policies.c, NULL = the clock decides;
 * - which nodes these are: a function of plan.c or queue.c;
 * - what it reads beside nodes and demand: enum jl_policy_reads;
 * - what is written for a profile: a function of caps.c.
 *
 * A new policy is a row at the end, and a function where none of those that there are will do.
 */

/* clang-format off */
#define JL_POLICIES(ROW) \
    ROW(STATIC, "static_partition", "static-partition-v1", static_share, jl_densest, JL_READS_NO_PODS, jl_profile_caps) \
    ROW(QUEUE, "queue_aware_v1", "queue-aware-v1", for_demand, jl_for_waiting, JL_READS_QUEUE, jl_profile_caps) \
    ROW(SWAP, "rule_swap_v1", "rule-swap-v1", NULL, jl_taking_turns, JL_READS_NO_PODS, jl_profile_caps) \
    ROW(EFFICIENCY, "efficiency_v1", "efficiency-v1", NULL, jl_every_node, JL_READS_WORK, jl_limited_caps) \
    /* one policy per line; the last line is this comment */

/* Words that this build has no rule for: type, word, name, and what whoever asks for it reads. */
#define JL_POLICIES_TO_COME(ROW) \
    ROW(BUDGET, "power_budget_v1", "power-budget-v1", "this build cannot split a power budget")
/* clang-format on */
