/* SPDX-License-Identifier: Apache-2.0 */

/* demand.class: what a pod asks of its node (joulie-control.md §4.6, P1, P2). */

#include "ask/ask.h"
#include "ask/policy_rules.h"
#include "base/error.h"
#include "kinds/effective.h"

struct demand_in {
    uint64_t has;
    struct jl_pod pod;
    struct jl_list profiles; /* struct jl_workload_profile */
    int64_t now_ms;
};

enum { IN_POD, IN_PROFILES, IN_NOW };

static const struct jl_row in_rows[] = {
    [IN_POD] =
        JL_OBJECT(demand_in, pod, "pod", &jl_pod_table, .flags = JL_REQUIRED, .doc = "The pod."),
    [IN_PROFILES] = JL_LIST(demand_in, profiles, "profiles", &jl_workload_profile_table,
                            .doc = "Profiles that may match the pod."),
    [IN_NOW] =
        JL_TIME(demand_in, now_ms, "now", .doc = "Instant of the decision; needed with profiles."),
};
static const struct jl_table in_table = JL_TABLE(demand_in, in_rows);

struct demand_out {
    uint64_t has;
    enum jl_demand_class class_;
    bool sensitive;
    const char *profile;
    double weight;
};

enum { OUT_CLASS, OUT_SENSITIVE, OUT_PROFILE, OUT_WEIGHT };

static const struct jl_row out_rows[] = {
    [OUT_CLASS] =
        JL_ENUM(demand_out, class_, "class", &jl_demand_class_words, .doc = "Demand class."),
    [OUT_SENSITIVE] = JL_BOOLEAN(demand_out, sensitive, "sensitive",
                                 .doc = "Whether the pod counts as demand for performance nodes."),
    [OUT_PROFILE] = JL_STRING(demand_out, profile, "profile",
                              .doc = "Name of the profile that matched and passed the gate."),
    [OUT_WEIGHT] =
        JL_NUMBER(demand_out, weight, "weight", .doc = "Weight of the pod in the demand."),
};
static const struct jl_table out_table = JL_TABLE(demand_out, out_rows);

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct demand_in *in = input;
    struct demand_out *out = output;
    const size_t count = in->profiles.count;
    const struct jl_workload_profile **profiles =
        JL_NEW_ARRAY(ask->arena, count, const struct jl_workload_profile *);
    if (profiles == NULL)
        return jl_fail_memory(ask->err);
    if (count > 0 && jl_is_current(ask) && !JL_HAS(in, IN_NOW))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "now",
                           "profiles need the instant of the decision");
    for (size_t i = 0; i < count; i++)
        profiles[i] = JL_ITEM(in->profiles, jl_workload_profile, i);

    struct jl_demand demand;
    jl_demand_of_pod(&in->pod, jl_profile_match(&in->pod, profiles, count), in->now_ms,
                     jl_ask_policy_rules(ask), &demand);
    JL_PUT(out, OUT_CLASS, class_, demand.class_);
    JL_PUT(out, OUT_SENSITIVE, sensitive, demand.is_sensitive);
    if (demand.profile != NULL)
        JL_PUT(out, OUT_PROFILE, profile, demand.profile->meta.name);
    JL_PUT(out, OUT_WEIGHT, weight, demand.weight);
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", "v0.0.2", NULL };

const struct jl_question jl_question_demand_class = {
    .name = "demand.class",
    .summary = "what a pod asks of its node: performance, eco, either",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
