/* SPDX-License-Identifier: Apache-2.0 */

/* How many nodes each policy wants at full power (docs/rules/policy.md#policies), its word and its
 * name. Called by plan.c and by the question `policy.hp`. */

#include <math.h>

#include "base/number.h"
#include "policy/policy.h"

static const struct jl_word type_words[] = {
    { JL_POLICY_STATIC, "static_partition" },
    { JL_POLICY_QUEUE, "queue_aware_v1" },
    { JL_POLICY_SWAP, "rule_swap_v1" },
    { JL_POLICY_BUDGET, "power_budget_v1" },
};

const struct jl_words jl_policy_type_words = JL_WORDS(type_words);

const char *jl_policy_name(enum jl_policy_type type)
{
    switch (type) {
    case JL_POLICY_QUEUE:
        return "queue-aware-v1";
    case JL_POLICY_SWAP:
        return "rule-swap-v1";
    case JL_POLICY_BUDGET:
        return "power-budget-v1";
    case JL_POLICY_STATIC:
    case JL_POLICY_TYPE_UNKNOWN:
        break;
    }
    return "static-partition-v1";
}

bool jl_policy_has_name(const char *name)
{
    for (size_t i = 0; i < JL_COUNT(type_words); i++) {
        if (jl_same(name, jl_policy_name((enum jl_policy_type)type_words[i].value)))
            return true;
    }
    return false;
}

static int64_t clamp_i64(int64_t value, int64_t low, int64_t high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

static int64_t share_of(int64_t nodes, double frac)
{
    const double share = jl_round_half_away((double)nodes * jl_clamp(frac, 0, 1));
    return clamp_i64((int64_t)share, 0, nodes);
}

/* Nodes that the demand needs, at most every node. */
static int64_t needed_for(double demand, int64_t per_node, int64_t nodes)
{
    const double needed = ceil(demand / (double)(per_node > 0 ? per_node : 1));
    return needed < (double)nodes ? (int64_t)needed : nodes;
}

static int64_t queue_hp(const struct jl_policy_config *config, int64_t nodes, double demand)
{
    const int64_t low = config->queue_hp_min > 0 ? config->queue_hp_min : 0;
    int64_t high = config->queue_hp_max > 0 ? config->queue_hp_max : nodes;
    if (high < low)
        high = low;
    const int64_t base = share_of(nodes, config->queue_hp_base_frac);
    const int64_t needed = needed_for(demand, config->queue_perf_per_hp_node, nodes);
    return clamp_i64(clamp_i64(base > needed ? base : needed, low, high), 0, nodes);
}

int64_t jl_policy_hp(const struct jl_policy_config *config, int64_t nodes, int64_t families,
                     double demand)
{
    int64_t hp = 0;
    if (config->type != JL_POLICY_QUEUE)
        hp = share_of(nodes, config->static_hp_frac);
    else if (demand < 0)
        hp = share_of(nodes, config->queue_hp_base_frac);
    else
        hp = queue_hp(config, nodes, demand);
    return clamp_i64(hp > families ? hp : families, 0, nodes);
}
