/* SPDX-License-Identifier: Apache-2.0 */

/* Which nodes a policy picks: density order, one node of each family first, nodes whose work needs
 * power before others, dwell time (docs/rules/policy.md#which-nodes). The question `plan` calls it
 * through fleet.c, a cluster model directly. */

#include <string.h>

#include "base/number.h"
#include "policy/policy.h"

#define LONGEST_S 1e12             /* keeps seconds times 1000 inside an int64_t */
#define SWAP_DEFAULT_S INT64_C(60) /* rule_swap_v1 without a usable interval */
#define MS_PER_S 1000

static int64_t ms_of(double seconds)
{
    return (int64_t)(jl_clamp(seconds, 0, LONGEST_S) * MS_PER_S);
}

static bool is_preferred(const struct jl_plan_node *node)
{
    return node->current == JOULIE_PROFILE_PERFORMANCE && node->has_blocker;
}

struct walk {
    const struct jl_plan_input *in;
    struct jl_plan_choice *out;
    unsigned char *is_seen; /* by family */
    bool has_preferred;     /* nodes that are performance now and have a blocker come first */
    int64_t left;           /* performance nodes still to be named */
};

static void take(struct walk *walk, size_t i, enum jl_plan_reason reason)
{
    walk->out[i].profile = JOULIE_PROFILE_PERFORMANCE;
    walk->out[i].reason = reason;
    walk->is_seen[walk->in->nodes[i].family] = 1;
    walk->left--;
}

/* One pass in density order over the preferred nodes or over the others. */
static void pass(struct walk *walk, bool is_for_preferred, bool is_for_families)
{
    const enum jl_plan_reason by_order =
        walk->in->rules == JL_POLICY_V0_0_2 ? JL_PLAN_NAME : JL_PLAN_RANK;
    for (size_t i = 0; i < walk->in->count && walk->left > 0; i++) {
        const struct jl_plan_node *node = &walk->in->nodes[i];
        if (walk->out[i].profile == JOULIE_PROFILE_PERFORMANCE)
            continue;
        if (walk->has_preferred && is_preferred(node) != is_for_preferred)
            continue;
        if (is_for_families && walk->is_seen[node->family])
            continue;
        const enum jl_plan_reason reason = is_for_families ? JL_PLAN_FAMILY : by_order;
        take(walk, i, walk->has_preferred && is_for_preferred ? JL_PLAN_BLOCKED_FIRST : reason);
    }
}

/* docs/rules/policy.md#which-nodes: the first of each family, then the rest; before v0.0.5 the
 * first hp nodes. */
static void select_nodes(struct walk *walk)
{
    const bool has_families = walk->in->rules != JL_POLICY_V0_0_2;
    for (int round = has_families ? 0 : 1; round < 2; round++) {
        if (walk->has_preferred)
            pass(walk, true, round == 0);
        pass(walk, false, round == 0);
    }
}

/* A node that only just changed does not go to eco yet, even beyond hp. */
static void keep_recent(const struct jl_plan_input *in, struct jl_plan_choice *out)
{
    const int64_t dwell_ms = ms_of(in->config->min_profile_dwell_s);
    for (size_t i = 0; i < in->count; i++) {
        const struct jl_plan_node *node = &in->nodes[i];
        if (out[i].profile == JOULIE_PROFILE_ECO && node->current == JOULIE_PROFILE_PERFORMANCE &&
            node->has_since && in->now_ms - node->since_ms < dwell_ms)
            out[i] = (struct jl_plan_choice){ JOULIE_PROFILE_PERFORMANCE, JL_PLAN_DWELL };
    }
}

/* ---- hysteresis: docs/rules/policy.md#hysteresis ---- */

int64_t jl_hysteresis_step(struct jl_plan_state *state, int64_t target, int64_t now_ms,
                           int64_t delay_ms)
{
    if (!state->is_set || target >= state->hp) {
        *state = (struct jl_plan_state){ .is_set = true, .hp = target };
        return target;
    }
    if (!state->is_timing) {
        state->is_timing = true;
        state->timer_ms = now_ms;
    }
    if (now_ms - state->timer_ms >= delay_ms)
        *state = (struct jl_plan_state){ .is_set = true, .hp = target };
    return state->hp;
}

/* ---- which nodes ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

int64_t jl_taking_turns(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                        struct jl_plan_choice *out, void *scratch)
{
    int64_t interval_s = (int64_t)jl_clamp(in->config->reconcile_interval_s, 0, LONGEST_S);
    if (interval_s <= 0)
        interval_s = SWAP_DEFAULT_S;
    const int64_t phase = floor_div(floor_div(in->now_ms, MS_PER_S), interval_s) & 1;
    int64_t hp = (int64_t)in->count;
    (void)wanted;
    (void)scratch;
    for (size_t i = 0; i < in->count; i++)
        out[i] = (struct jl_plan_choice){ JOULIE_PROFILE_PERFORMANCE, JL_PLAN_SWAP };
    if ((size_t)phase < in->count) {
        out[phase].profile = JOULIE_PROFILE_ECO;
        hp--;
    }
    *state = (struct jl_plan_state){ .is_set = true, .hp = hp };
    return hp;
}

size_t jl_plan_scratch_size(const struct jl_plan_input *in)
{
    return (size_t)in->family_count + 1;
}

static void name_nodes(const struct jl_plan_input *in, int64_t hp, bool has_preferred,
                       struct jl_plan_choice *out, void *scratch)
{
    for (size_t i = 0; i < in->count; i++)
        out[i] = (struct jl_plan_choice){ JOULIE_PROFILE_ECO, JL_PLAN_REST };
    memset(scratch, 0, jl_plan_scratch_size(in));
    struct walk walk = {
        .in = in, .out = out, .is_seen = scratch, .has_preferred = has_preferred, .left = hp
    };
    select_nodes(&walk);
}

int64_t jl_densest(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                   struct jl_plan_choice *out, void *scratch)
{
    *state = (struct jl_plan_state){ .is_set = true, .hp = wanted };
    name_nodes(in, wanted, false, out, scratch);
    return wanted;
}

/* A first call has no hysteresis, and the version words know none. */
int64_t jl_densest_held(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                        struct jl_plan_choice *out, void *scratch)
{
    if (in->rules != JL_POLICY_CURRENT || !state->is_set)
        return jl_densest(in, wanted, state, out, scratch);
    if (state->hp > (int64_t)in->count) /* nodes went away: as many as there are */
        state->hp = (int64_t)in->count;
    const int64_t hp =
        jl_hysteresis_step(state, wanted, in->now_ms, ms_of(in->config->queue_scale_down_delay_s));
    name_nodes(in, hp, true, out, scratch);
    keep_recent(in, out);
    return hp;
}

const char *jl_plan_reason_text(enum jl_plan_reason reason)
{
    switch (reason) {
    case JL_PLAN_BLOCKED_FIRST:
        return "performance: it is now, and pods on it need it";
    case JL_PLAN_FAMILY:
        return "performance: the densest node of its hardware family";
    case JL_PLAN_RANK:
        return "performance: next by compute density";
    case JL_PLAN_NAME:
        return "performance: next by name";
    case JL_PLAN_DWELL:
        return "performance: it changed too recently to go to eco";
    case JL_PLAN_REST:
        return "eco: the policy needs no further performance node";
    case JL_PLAN_SWAP:
        return "rule_swap_v1: the two first nodes take turns";
    case JL_PLAN_NO_REASON:
        break;
    }
    return "no reason recorded";
}
