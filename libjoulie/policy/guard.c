/* SPDX-License-Identifier: Apache-2.0 */

/* The guard: what a plan wants meets the work that runs on the node (docs/rules/policy.md#guard).
 */

#include "policy/policy.h"

const struct jl_words jl_node_state_words = JL_WORDS({
    { JOULIE_NODE_STATE_ACTIVE_PERFORMANCE, "ActivePerformance" },
    { JOULIE_NODE_STATE_DRAINING_PERFORMANCE, "DrainingPerformance" },
    { JOULIE_NODE_STATE_ACTIVE_ECO, "ActiveEco" },
    { JOULIE_NODE_STATE_WORD_UNKNOWN, "Unknown" },
});

#define LABEL_DRAINING "draining-performance" /* node label of v0.0.1-v0.0.3 */

enum joulie_node_state jl_state_of(enum joulie_profile profile, bool is_draining)
{
    if (is_draining)
        return JOULIE_NODE_STATE_DRAINING_PERFORMANCE;
    switch (profile) {
    case JOULIE_PROFILE_PERFORMANCE:
        return JOULIE_NODE_STATE_ACTIVE_PERFORMANCE;
    case JOULIE_PROFILE_ECO:
        return JOULIE_NODE_STATE_ACTIVE_ECO;
    case JOULIE_PROFILE_UNKNOWN:
        break;
    }
    return JOULIE_NODE_STATE_WORD_UNKNOWN;
}

/* A node that is what its profile says: caps and label follow. */
static void settle(enum joulie_profile profile, struct jl_guard_output *out)
{
    *out = (struct jl_guard_output){
        .profile = profile,
        .state = jl_state_of(profile, false),
        .caps = profile,
        .label = jl_word_of(&jl_profile_words, (int)profile),
    };
}

/* v0.0.1-v0.0.3: two phases, remembered in the node's label. */
static void label_guard(const struct jl_guard_input *in, struct jl_guard_output *out)
{
    const bool was_draining = jl_same(in->current_label, LABEL_DRAINING);
    const bool is_leaving =
        jl_same(in->current_label, "performance") && in->plan == JOULIE_PROFILE_ECO;
    settle(in->plan, out);
    if (in->blockers < 0 || (!was_draining && !is_leaving))
        return;
    if (in->blockers > 0) {
        *out = (struct jl_guard_output){
            .profile = JOULIE_PROFILE_PERFORMANCE,
            .is_draining = true,
            .state = JOULIE_NODE_STATE_DRAINING_PERFORMANCE,
            .caps = JOULIE_PROFILE_PERFORMANCE,
            .label = LABEL_DRAINING,
            .policy_name = "rule-swap-v1-draining",
        };
        return;
    }
    settle(JOULIE_PROFILE_ECO, out);
    if (was_draining)
        out->policy_name = "rule-swap-v1-drain-complete";
}

static void drain(enum joulie_profile caps, struct jl_guard_output *out)
{
    settle(JOULIE_PROFILE_ECO, out);
    out->is_draining = true;
    out->state = JOULIE_NODE_STATE_DRAINING_PERFORMANCE;
    out->caps = caps;
}

/* What cannot be counted is not taken away; a node without a profile yet gets the
 * harmless one. */
static void keep_current(const struct jl_guard_input *in, struct jl_guard_output *out)
{
    if (in->current_profile != JOULIE_PROFILE_ECO)
        settle(JOULIE_PROFILE_PERFORMANCE, out);
    else if (in->is_current_draining)
        drain(in->drain_caps, out);
    else
        settle(JOULIE_PROFILE_ECO, out);
}

void jl_guard(const struct jl_guard_input *in, enum jl_policy_rules rules,
              struct jl_guard_output *out)
{
    if (rules == JL_POLICY_V0_0_2)
        label_guard(in, out);
    else if (in->plan != JOULIE_PROFILE_ECO || in->blockers == 0)
        settle(in->plan, out);
    else if (in->blockers > 0)
        drain(rules == JL_POLICY_CURRENT ? in->drain_caps : JOULIE_PROFILE_ECO, out);
    else if (rules == JL_POLICY_CURRENT)
        keep_current(in, out);
    else
        settle(JOULIE_PROFILE_ECO, out); /* the source fails open */
}
