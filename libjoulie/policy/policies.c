/* SPDX-License-Identifier: Apache-2.0 */

/* The table of policies, made of the rows of policies.h, and how many nodes each wants at full
 * power (docs/rules/policy.md#policies). Called by plan.c, by the cluster model and by the question
 * `policy.hp`. */

#include "policy/policies.h"

#include <math.h>

#include "base/number.h"
#include "policy/policy.h"

static int64_t clamp_i64(int64_t value, int64_t low, int64_t high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

/* ---- how many: of so many nodes; what is out of 0..nodes is limited by the caller ---- */

static int64_t share_of(int64_t nodes, double frac)
{
    return (int64_t)jl_round_half_away((double)nodes * jl_unit(frac));
}

static int64_t each_family(const struct jl_policy_count *in, int64_t wanted)
{
    return wanted > in->families ? wanted : in->families;
}

/* A share of 0 is no node at all; the source gives each family one even then. */
static int64_t static_share(const struct jl_policy_count *in)
{
    const double frac = in->config->static_hp_frac;
    if (in->rules == JL_POLICY_CURRENT && frac <= 0)
        return 0;
    return each_family(in, share_of(in->nodes, frac));
}

/* Nodes that the demand needs, at most every node. */
static int64_t needed_for(double demand, int64_t per_node, int64_t nodes)
{
    const double needed = ceil(demand / (double)(per_node > 0 ? per_node : 1));
    return needed < (double)nodes ? (int64_t)needed : nodes;
}

static int64_t within_queue_bounds(const struct jl_policy_count *in, int64_t wanted)
{
    const struct jl_policy_config *config = in->config;
    const int64_t low = config->queue_hp_min > 0 ? config->queue_hp_min : 0;
    const int64_t high = config->queue_hp_max > 0 ? config->queue_hp_max : in->nodes;
    return clamp_i64(wanted, low, high > low ? high : low);
}

/* The floor below the nodes that the queue itself needs; the source knows no queue, only a
 * demand. */
static int64_t for_demand(const struct jl_policy_count *in)
{
    const struct jl_policy_config *config = in->config;
    const int64_t base = share_of(in->nodes, config->queue_hp_base_frac);
    if (in->rules == JL_POLICY_CURRENT)
        return within_queue_bounds(in, base);
    if (in->demand < 0) /* it could not be counted */
        return each_family(in, base);
    const int64_t needed = needed_for(in->demand, config->queue_perf_per_hp_node, in->nodes);
    return each_family(in, within_queue_bounds(in, base > needed ? base : needed));
}

/* ---- the rows ---- */

#define POLICY_ROW(type, word, name, how_many, which, reads, caps) \
    [JL_POLICY_##type] = { word, name, how_many, which, reads, caps },
static const struct jl_policy policies[] = { JL_POLICIES(POLICY_ROW) };

struct missing {
    const char *name;
    const char *text;
};

#define MISSING_ROW(type, word, name, text) [JL_POLICY_##type] = { name, text },
static const struct missing missing[] = { JL_POLICIES_TO_COME(MISSING_ROW) };

#define WORD_ROW(type, word, ...) { JL_POLICY_##type, word },
static const struct jl_word words[] = { JL_POLICIES(WORD_ROW) JL_POLICIES_TO_COME(WORD_ROW) };

const struct jl_words jl_policy_type_words = { words, JL_COUNT(words) };
/* Those that have a rule come first. */
const struct jl_words jl_policy_words = { words, JL_COUNT(policies) - 1 };

const struct jl_policy *jl_policy_of(enum jl_policy_type type)
{
    return type != JL_POLICY_TYPE_UNKNOWN && (size_t)type < JL_COUNT(policies) ? &policies[type]
                                                                               : NULL;
}

bool jl_policy_awaits(enum jl_policy_reads reads, const struct jl_demand *demand)
{
    return reads == JL_READS_WORK || (reads == JL_READS_QUEUE && demand->is_sensitive);
}

const char *jl_policy_missing(enum jl_policy_type type)
{
    if (jl_policy_of(type) != NULL)
        return NULL;
    const char *text = (size_t)type < JL_COUNT(missing) ? missing[type].text : NULL;
    return text != NULL ? text : "this build has no such policy";
}

bool jl_policy_has_name(const char *name)
{
    bool is_found = false;
    for (size_t i = 0; i < JL_COUNT(policies) && name != NULL; i++)
        is_found = is_found || jl_same(name, policies[i].name);
    for (size_t i = 0; i < JL_COUNT(missing) && name != NULL; i++)
        is_found = is_found || jl_same(name, missing[i].name);
    return is_found;
}

int64_t jl_policy_hp(const struct jl_policy_count *count)
{
    const int64_t wanted = jl_policy_of(count->config->type)->how_many(count);
    return clamp_i64(wanted, 0, count->nodes);
}

int64_t jl_plan_nodes(const struct jl_plan_input *in, struct jl_plan_state *state,
                      struct jl_plan_choice *out, void *scratch)
{
    const struct jl_policy_count count = {
        .config = in->config,
        .rules = in->rules,
        .nodes = (int64_t)in->count,
        .families = in->rules == JL_POLICY_V0_0_2 ? 0 : (int64_t)in->family_count,
        .demand = in->demand,
    };
    const struct jl_policy *policy = jl_policy_of(in->config->type);
    const int64_t wanted = policy->how_many != NULL ? jl_policy_hp(&count) : 0;
    return policy->which(in, wanted, state, out, scratch);
}
