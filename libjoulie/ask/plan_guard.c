/* SPDX-License-Identifier: Apache-2.0 */

/* plan.guard: what becomes of a planned profile while pods need the node (joulie-control.md §4.9,
 * P3, P6). */

#include "ask/policy_rules.h"

struct guard_in {
    uint64_t has;
    const char *plan;
    int64_t sensitive_pods;
    const char *current_label;
    const char *current_profile;
    enum joulie_profile drain_caps;
};

enum { IN_PLAN, IN_SENSITIVE_PODS, IN_CURRENT_LABEL, IN_CURRENT_PROFILE, IN_DRAIN_CAPS };

static const struct jl_row in_rows[] = {
    [IN_PLAN] = JL_STRING(guard_in, plan, "plan", .flags = JL_REQUIRED, .doc = "Planned profile."),
    [IN_SENSITIVE_PODS] =
        JL_INTEGER(guard_in, sensitive_pods, "sensitivePods", .flags = JL_NOT_NEGATIVE,
                   .doc = "Pods on the node that need it; absent: they could not be counted."),
    [IN_CURRENT_LABEL] = JL_STRING(guard_in, current_label, "currentLabel",
                                   .doc = "Power-profile label of the node; rule set v0.0.2."),
    [IN_CURRENT_PROFILE] = JL_STRING(guard_in, current_profile, "currentProfile",
                                     .doc = "Profile of the node; rule set current."),
    [IN_DRAIN_CAPS] = JL_ENUM(guard_in, drain_caps, "drainCaps", &jl_profile_words,
                              .doc = "Whose caps a draining node has."),
};
static const struct jl_table in_table = JL_TABLE(guard_in, in_rows);

struct guard_out {
    uint64_t has;
    const char *profile;
    bool draining;
    enum joulie_node_state state;
    enum joulie_profile caps;
    const char *label;
    const char *policy_name;
};

enum { OUT_PROFILE, OUT_DRAINING, OUT_STATE, OUT_CAPS, OUT_LABEL, OUT_POLICY_NAME };

static const struct jl_row out_rows[] = {
    [OUT_PROFILE] = JL_STRING(guard_out, profile, "profile", .doc = "Profile that is written."),
    [OUT_DRAINING] =
        JL_BOOLEAN(guard_out, draining, "draining", .doc = "Whether the node is being emptied."),
    [OUT_STATE] =
        JL_ENUM(guard_out, state, "state", &jl_node_state_words, .doc = "State of the node."),
    [OUT_CAPS] = JL_ENUM(guard_out, caps, "caps", &jl_profile_words,
                         .doc = "Profile whose caps are written."),
    [OUT_LABEL] = JL_STRING(guard_out, label, "label", .doc = "Label of the node."),
    [OUT_POLICY_NAME] = JL_STRING(guard_out, policy_name, "policyName",
                                  .doc = "Provenance, when the guard sets it."),
};
static const struct jl_table out_table = JL_TABLE(guard_out, out_rows);

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
        .blockers = JL_HAS(in, IN_SENSITIVE_PODS) ? in->sensitive_pods : -1,
        .current_label = in->current_label,
        .current_profile = profile_of(in->current_profile),
        .drain_caps = JL_HAS(in, IN_DRAIN_CAPS) ? in->drain_caps : JOULIE_PROFILE_PERFORMANCE,
    };
    struct jl_guard_output decision;
    jl_guard(&guard, jl_ask_policy_rules(ask), &decision);

    const char *profile = jl_word_of(&jl_profile_words, (int)decision.profile);
    JL_PUT(out, OUT_PROFILE, profile, profile != NULL ? profile : "unknown");
    JL_PUT(out, OUT_DRAINING, draining, decision.is_draining);
    JL_PUT(out, OUT_STATE, state, decision.state);
    if (decision.caps != JOULIE_PROFILE_UNKNOWN)
        JL_PUT(out, OUT_CAPS, caps, decision.caps);
    if (decision.label != NULL)
        JL_PUT(out, OUT_LABEL, label, decision.label);
    if (decision.policy_name != NULL)
        JL_PUT(out, OUT_POLICY_NAME, policy_name, decision.policy_name);
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", "v0.0.2", NULL };

const struct jl_question jl_question_plan_guard = {
    .name = "plan.guard",
    .summary = "what becomes of a planned profile while pods need the node",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
