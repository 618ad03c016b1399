/* SPDX-License-Identifier: Apache-2.0 */

/* Which nodes a policy picks: density order, one node of each family first, dwell time
 * (docs/rules/policy.md#which-nodes). The question `plan` calls it through fleet.c, a cluster model
 * directly. */

#include <string.h>

#include "base/number.h"
#include "policy/policy.h"

#define LONGEST_S 1e12             /* keeps seconds times 1000 inside an int64_t */
#define SWAP_DEFAULT_S INT64_C(60) /* rule_swap_v1 without a usable interval */
#define MS_PER_S 1000

int64_t jl_seconds_ms(double seconds)
{
    return (int64_t)(jl_clamp(seconds, 0, LONGEST_S) * MS_PER_S);
}

struct walk {
    const struct jl_plan_input *in;
    struct jl_plan_choice *out;
    unsigned char *is_seen; /* by family */
    int64_t left;           /* performance nodes still to be named */
};

static void take(struct walk *walk, size_t i, enum jl_plan_reason reason)
{
    walk->out[i].profile = JOULIE_PROFILE_PERFORMANCE;
    walk->out[i].reason = reason;
    walk->is_seen[walk->in->nodes[i].family] = 1;
    walk->left--;
}

/* One pass in density order. */
static void pass(struct walk *walk, bool is_for_families)
{
    const enum jl_plan_reason by_order =
        walk->in->rules == JL_POLICY_V0_0_2 ? JL_PLAN_NAME : JL_PLAN_RANK;
    for (size_t i = 0; i < walk->in->count && walk->left > 0; i++) {
        const bool is_seen = walk->is_seen[walk->in->nodes[i].family];
        if (walk->out[i].profile == JOULIE_PROFILE_PERFORMANCE || (is_for_families && is_seen))
            continue;
        take(walk, i, is_for_families ? JL_PLAN_FAMILY : by_order);
    }
}

/* docs/rules/policy.md#which-nodes: the first of each family, then the rest; before v0.0.5 the
 * first hp nodes. */
static void select_nodes(struct walk *walk)
{
    if (walk->in->rules != JL_POLICY_V0_0_2)
        pass(walk, true);
    pass(walk, false);
}

/* A node that only just changed does not go to eco yet, even beyond hp. */
void jl_keep_recent(const struct jl_plan_input *in, struct jl_plan_choice *out)
{
    const int64_t dwell_ms = jl_seconds_ms(in->config->min_profile_dwell_s);
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

int64_t jl_every_node(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                      struct jl_plan_choice *out, void *scratch)
{
    (void)wanted;
    (void)scratch;
    for (size_t i = 0; i < in->count; i++)
        out[i] = (struct jl_plan_choice){ JOULIE_PROFILE_PERFORMANCE, JL_PLAN_EVERY };
    *state = (struct jl_plan_state){ .is_set = true, .hp = (int64_t)in->count };
    return state->hp;
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

int64_t jl_densest(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                   struct jl_plan_choice *out, void *scratch)
{
    *state = (struct jl_plan_state){ .is_set = true, .hp = wanted };
    for (size_t i = 0; i < in->count; i++)
        out[i] = (struct jl_plan_choice){ JOULIE_PROFILE_ECO, JL_PLAN_REST };
    memset(scratch, 0, jl_plan_scratch_size(in));
    struct walk walk = { .in = in, .out = out, .is_seen = scratch, .left = wanted };
    select_nodes(&walk);
    return wanted;
}

const char *jl_plan_reason_text(enum jl_plan_reason reason)
{
    switch (reason) {
    case JL_PLAN_WORKING:
        return "performance: pods on it need it";
    case JL_PLAN_RESERVED:
        return "performance: it has room for pods that wait for it";
    case JL_PLAN_PROMOTED:
        return "performance: the cheapest node with room for pods that wait";
    case JL_PLAN_KEPT:
        return "performance: fewer are needed, but not for long enough yet";
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
    case JL_PLAN_EVERY:
        return "performance: every node is, only caps of GPUs vary";
    case JL_PLAN_NO_REASON:
        break;
    }
    return "no reason recorded";
}
