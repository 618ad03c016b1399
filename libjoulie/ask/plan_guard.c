/* SPDX-License-Identifier: Apache-2.0 */

/*
 * plan.guard: what becomes of a planned profile while pods need the node
 * (docs/rules/policy.md#guard).
 */

#include "ask/policy_rules.h"

#define RECORD guard_in
#define MEMBERS                                                                                \
    STRING(plan, "plan", "Planned profile.", REQUIRED)                                         \
    INTEGER(sensitive_pods, "sensitivePods",                                                   \
            "Pods on the node that need it; absent: they could not be counted.", NOT_NEGATIVE) \
    STRING(current_label, "currentLabel", "Power-profile label of the node; rule set v0.0.2.") \
    STRING(current_profile, "currentProfile", "Profile of the node; rule set current.")        \
    ENUM(drain_caps, "drainCaps", joulie_profile, jl_profile_words,                            \
         "Whose caps a draining node has.")
#include "schema/record.h"

#define RECORD guard_out
#define MEMBERS                                                                             \
    STRING(profile, "profile", "Profile that is written.")                                  \
    BOOLEAN(draining, "draining", "Whether the node is being emptied.")                     \
    ENUM(state, "state", joulie_node_state, jl_node_state_words, "State of the node.")      \
    ENUM(caps, "caps", joulie_profile, jl_profile_words, "Profile whose caps are written.") \
    STRING(label, "label", "Label of the node.")                                            \
    STRING(policy_name, "policyName", "Provenance, when the guard sets it.")
#include "schema/record.h"

static enum joulie_profile profile_of(const char *word)
{
    return (enum joulie_profile)jl_word_value(&jl_profile_words, jl_text_trim(jl_text(word)));
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct guard_in *in = input;
    struct guard_out *out = output;
    const struct jl_guard_input guard = {
        .plan = profile_of(in->plan),
        .blockers = in->given.sensitive_pods ? in->sensitive_pods : -1,
        .current_label = in->current_label,
        .current_profile = profile_of(in->current_profile),
        .drain_caps = in->given.drain_caps ? in->drain_caps : JOULIE_PROFILE_PERFORMANCE,
    };
    struct jl_guard_output decision;
    jl_guard(&guard, jl_ask_policy_rules(ask), &decision);

    const char *profile = jl_word_of(&jl_profile_words, (int)decision.profile);
    JL_SET(out, profile, profile != NULL ? profile : "unknown");
    JL_SET(out, draining, decision.is_draining);
    JL_SET(out, state, decision.state);
    if (decision.caps != JOULIE_PROFILE_UNKNOWN)
        JL_SET(out, caps, decision.caps);
    if (decision.label != NULL)
        JL_SET(out, label, decision.label);
    if (decision.policy_name != NULL)
        JL_SET(out, policy_name, decision.policy_name);
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", "v0.0.2", NULL };

const struct jl_question jl_question_plan_guard = {
    .name = "plan.guard",
    .summary = "what becomes of a planned profile while pods need the node",
    .in = &guard_in_table,
    .out = &guard_out_table,
    .models = models,
    .answer = answer,
};
