/* SPDX-License-Identifier: Apache-2.0 */

/* demand.class: what a pod asks of its node (docs/rules/policy.md#class). */

#include "ask/ask.h"
#include "ask/policy_rules.h"
#include "base/error.h"
#include "kinds/effective.h"

#define RECORD demand_in
#define MEMBERS                                                                         \
    OBJECT(pod, "pod", jl_pod, "The pod.", REQUIRED)                                    \
    LIST(profiles, "profiles", jl_workload_profile, "Profiles that may match the pod.") \
    TIME(now_ms, "now", "Instant of the decision; needed with profiles.")
#include "schema/record.h"

#define RECORD demand_out
#define MEMBERS                                                                                \
    ENUM(class_, "class", jl_demand_class, jl_demand_class_words, "Demand class.")             \
    BOOLEAN(sensitive, "sensitive", "Whether the pod counts as demand for performance nodes.") \
    STRING(profile, "profile", "Name of the profile that matched and passed the gate.")        \
    NUMBER(weight, "weight", "Weight of the pod in the demand.")
#include "schema/record.h"

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct demand_in *in = input;
    struct demand_out *out = output;
    const size_t count = in->profiles.count;
    const struct jl_workload_profile **profiles =
        JL_NEW_ARRAY(ask->arena, count, const struct jl_workload_profile *);
    if (profiles == NULL)
        return jl_fail_memory(ask->err);
    if (count > 0 && jl_is_current(ask) && !in->given.now_ms)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "now",
                           "profiles need the instant of the decision");
    for (size_t i = 0; i < count; i++)
        profiles[i] = JL_ITEM(in->profiles, jl_workload_profile, i);

    struct jl_demand demand;
    jl_demand_of_pod(&in->pod, jl_profile_match(&in->pod, profiles, count), in->now_ms,
                     jl_ask_policy_rules(ask), &demand);
    JL_SET(out, class_, demand.class_);
    JL_SET(out, sensitive, demand.is_sensitive);
    if (demand.profile != NULL)
        JL_SET(out, profile, demand.profile->meta.name);
    JL_SET(out, weight, demand.weight);
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", "v0.0.2", NULL };

const struct jl_question jl_question_demand_class = {
    .name = "demand.class",
    .summary = "what a pod asks of its node: performance, eco, either",
    .in = &demand_in_table,
    .out = &demand_out_table,
    .models = models,
    .answer = answer,
};
