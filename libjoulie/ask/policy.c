/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Single rules of the policies: what a pod asks of its node, the order of nodes, how many stay
 * uncapped, and what pods hold back (docs/rules/policy.md).
 */

#include "policy/policy.h"

#include "ask/ask.h"
#include "ask/policy_rules.h"
#include "base/error.h"
#include "kinds/effective.h"

/* The policy of a question, with its defaults (docs/rules/policy.md#settings). */

int jl_ask_policy(struct jl_ask *ask, const struct jl_policy_config *given,
                  struct jl_policy_config *out)
{
    *out = *given;
    jl_policy_defaults(out, jl_ask_policy_rules(ask));
    const char *missing = jl_policy_missing(out->type);
    return missing != NULL ? jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "policy.type", "%s", missing)
                           : 0;
}

/* demand.class: what a pod asks of its node (docs/rules/policy.md#class). */

#define RECORD demand_class_in
#define MEMBERS                                                                         \
    OBJECT(pod, "pod", jl_pod, "The pod.", REQUIRED)                                    \
    LIST(profiles, "profiles", jl_workload_profile, "Profiles that may match the pod.") \
    TIME(now_ms, "now", "Instant of the decision; needed with profiles.")
#include "schema/record.h"

#define RECORD demand_class_out
#define MEMBERS                                                                                \
    ENUM(class_, "class", jl_demand_class, jl_demand_class_words, "Demand class.")             \
    BOOLEAN(sensitive, "sensitive", "Whether the pod counts as demand for performance nodes.") \
    STRING(profile, "profile", "Name of the profile that matched and passed the gate.")        \
    NUMBER(weight, "weight", "Weight of the pod in the demand.")
#include "schema/record.h"

static int answer_demand_class(struct jl_ask *ask, const struct demand_class_in *in,
                               struct demand_class_out *out)
{
    const size_t count = in->profiles.count;
    const struct jl_workload_profile *const *profiles = NULL;
    const int rc = jl_ask_profiles(ask, &in->profiles, &profiles);
    if (rc < 0)
        return rc;
    if (count > 0 && jl_is_current(ask) && !in->given.now_ms)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "now",
                           "profiles need the instant of the decision");
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

JL_QUESTION(demand_class, "demand.class", "what a pod asks of its node: performance, eco, either",
            JL_MODELS("current", "v0.1.1", "v0.0.2"));

/* density: the order in which policies take nodes (docs/rules/policy.md#density). */

#define RECORD density_node
#define MEMBERS                                         \
    STRING(name, "name", "Name of the node.", REQUIRED) \
    WHOLE(hardware, "hardware", jl_node_hardware, "status", "NodeHardware or its status.")
#include "schema/record.h"

#define RECORD density_in
#define MEMBERS LIST(nodes, "nodes", density_node, "Nodes to be ordered.", REQUIRED)
#include "schema/record.h"

#define RECORD density_entry
#define MEMBERS                                                      \
    STRING(name, "name", "Name of the node.")                        \
    NUMBER(cpu, "cpu", "Part of its CPUs, in units of the catalog.") \
    NUMBER(gpu, "gpu", "Part of its GPUs, in units of the catalog.") \
    NUMBER(total, "total", "Sum, which makes the order.")            \
    NUMBER(cpu_normalized, "cpuNormalized",                          \
           "Part of its CPUs by socket, which the order does not use.")
#include "schema/record.h"

#define RECORD density_out
#define MEMBERS                                      \
    STRINGS(order, "order", "Names, densest first.") \
    LIST(densities, "densities", density_entry, "Densities in that order.")
#include "schema/record.h"

static void measure(const struct density_node *node, struct jl_density *out)
{
    const bool is_given = node->given.hardware;
    struct jl_hardware hardware;
    jl_hardware_resolve(is_given ? &node->hardware.status : NULL, NULL, JL_HARDWARE_CURRENT,
                        &hardware);
    jl_density_of(&hardware, out);
}

static void put_entry(const char *name, const struct jl_density *density, struct density_entry *out)
{
    JL_SET(out, name, name);
    JL_SET(out, cpu, density->cpu);
    JL_SET(out, gpu, density->gpu);
    JL_SET(out, total, density->total);
    JL_SET(out, cpu_normalized, density->cpu_normalized);
}

static int answer_density(struct jl_ask *ask, const struct density_in *in, struct density_out *out)
{
    const size_t count = in->nodes.count;
    struct jl_density_rank *ranks = JL_NEW_ARRAY(ask->arena, count, struct jl_density_rank);
    struct jl_density *densities = JL_NEW_ARRAY(ask->arena, count, struct jl_density);
    struct density_entry *entries = JL_NEW_LIST(ask, out, densities, count, struct density_entry);
    const char **order = JL_NEW_LIST(ask, out, order, count, const char *);
    if (ranks == NULL || densities == NULL || entries == NULL || order == NULL)
        return jl_fail_memory(ask->err);

    for (size_t i = 0; i < count; i++) {
        const struct density_node *node = JL_ITEM(in->nodes, density_node, i);
        measure(node, &densities[i]);
        ranks[i] = (struct jl_density_rank){ densities[i].total, node->name, i };
    }
    if (jl_density_sort(ranks, count) < 0)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        order[i] = ranks[i].name;
        put_entry(ranks[i].name, &densities[ranks[i].index], &entries[i]);
    }
    return 0;
}

JL_QUESTION(density, "density", "compute density of nodes, the order in which policies take them");

/* policy.hp: how many performance nodes a policy wants (docs/rules/policy.md#policies). */

#define RECORD policy_hp_in
#define MEMBERS                                                                                  \
    OBJECT_BY(policy, "policy", jl_policy_config, jl_policy_config_table, "Settings.", REQUIRED) \
    INTEGER(nodes, "nodes", "Eligible nodes.", REQUIRED, NOT_NEGATIVE)                           \
    INTEGER(families, "families", "Distinct hardware families among them; 0: no family floor.",  \
            NOT_NEGATIVE)                                                                        \
    NUMBER(demand, "demand", "Pods or weighted demand; absent: it could not be counted.",        \
           NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD policy_hp_out
#define MEMBERS INTEGER(performance_nodes, "performanceNodes", "Nodes that run at full power.")
#include "schema/record.h"

static int answer_policy_hp(struct jl_ask *ask, const struct policy_hp_in *in,
                            struct policy_hp_out *out)
{
    struct jl_policy_config config;
    const int rc = jl_ask_policy(ask, &in->policy, &config);
    if (rc < 0)
        return rc;
    const struct jl_policy *policy = jl_policy_of(config.type);
    if (policy->how_many == NULL)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "policy.type",
                           "%s counts by the clock: ask plan", policy->word);
    const struct jl_policy_count count = {
        .config = &config,
        .rules = jl_ask_policy_rules(ask),
        .nodes = in->nodes,
        .families = in->families,
        .demand = JL_GIVEN_OR(in, demand, -1),
    };
    JL_SET(out, performance_nodes, jl_policy_hp(&count));
    return 0;
}

JL_QUESTION(policy_hp, "policy.hp", "how many performance nodes a policy wants",
            JL_MODELS("current", "v0.1.1", "v0.0.2"));

/*
 * policy.hysteresis: performance nodes over a series of targets (docs/rules/policy.md#hysteresis).
 */

#define MS_PER_S 1000
#define LONGEST_S 1e12 /* keeps milliseconds inside an int64_t */

#define RECORD hysteresis_call
#define MEMBERS                                                                                 \
    NUMBER(t_s, "t", "Instant of the call, seconds.", REQUIRED, BETWEEN(-LONGEST_S, LONGEST_S)) \
    INTEGER(target, "target", "Performance nodes that the policy wants.", REQUIRED)
#include "schema/record.h"

#define RECORD policy_hysteresis_in
#define MEMBERS                                                                             \
    NUMBER(delay_s, "scaleDownDelayS", "Seconds of lower targets before they count; 300.",  \
           NOT_NEGATIVE, AT_MOST(LONGEST_S))                                                \
    LIST(calls, "calls", hysteresis_call, "Targets in order; the first call has no state.", \
         REQUIRED)
#include "schema/record.h"

#define RECORD policy_hysteresis_out
#define MEMBERS NUMBERS(hp, "hp", "Performance nodes after each call.")
#include "schema/record.h"

static int answer_policy_hysteresis(struct jl_ask *ask, const struct policy_hysteresis_in *in,
                                    struct policy_hysteresis_out *out)
{
    struct jl_policy_config defaults = { 0 };
    jl_policy_defaults(&defaults, JL_POLICY_CURRENT);
    const double delay_s = JL_GIVEN_OR(in, delay_s, defaults.queue_scale_down_delay_s);
    struct jl_plan_state state = { 0 };
    double *hp = JL_NEW_LIST(ask, out, hp, in->calls.count, double);
    if (hp == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->calls.count; i++) {
        const struct hysteresis_call *call = JL_ITEM(in->calls, hysteresis_call, i);
        hp[i] = (double)jl_hysteresis_step(&state, call->target, (int64_t)(call->t_s * MS_PER_S),
                                           (int64_t)(delay_s * MS_PER_S));
    }
    return 0;
}

JL_QUESTION(policy_hysteresis, "policy.hysteresis", "performance nodes over a series of targets");

/*
 * plan.guard: what becomes of a planned profile while pods need the node
 * (docs/rules/policy.md#guard).
 */

#define RECORD plan_guard_in
#define MEMBERS                                                                                \
    STRING(plan, "plan", "Planned profile.", REQUIRED)                                         \
    INTEGER(sensitive_pods, "sensitivePods",                                                   \
            "Pods on the node that need it; absent: they could not be counted.", NOT_NEGATIVE) \
    STRING(current_label, "currentLabel", "Power-profile label of the node; rule set v0.0.2.") \
    STRING(current_profile, "currentProfile", "Profile of the node; rule set current.")        \
    ENUM(drain_caps, "drainCaps", joulie_profile, jl_profile_words,                            \
         "Whose caps a draining node has.")
#include "schema/record.h"

#define RECORD plan_guard_out
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

static int answer_plan_guard(struct jl_ask *ask, const struct plan_guard_in *in,
                             struct plan_guard_out *out)
{
    const struct jl_guard_input guard = {
        .plan = profile_of(in->plan),
        .blockers = JL_GIVEN_OR(in, sensitive_pods, -1),
        .current_label = in->current_label,
        .current_profile = profile_of(in->current_profile),
        .drain_caps = JL_GIVEN_OR(in, drain_caps, JOULIE_PROFILE_PERFORMANCE),
    };
    struct jl_guard_output decision;
    jl_guard(&guard, jl_ask_policy_rules(ask), &decision);

    const char *profile = jl_word_of(&jl_profile_words, (int)decision.profile);
    JL_SET(out, profile, profile != NULL ? profile : "unknown");
    JL_SET(out, draining, decision.is_draining);
    JL_SET(out, state, decision.state);
    JL_SET_IF(out, caps, decision.caps != JOULIE_PROFILE_UNKNOWN, decision.caps);
    JL_SET_IF(out, label, decision.label != NULL, decision.label);
    JL_SET_IF(out, policy_name, decision.policy_name != NULL, decision.policy_name);
    return 0;
}

JL_QUESTION(plan_guard, "plan.guard", "what becomes of a planned profile while pods need the node",
            JL_MODELS("current", "v0.1.1", "v0.0.2"));

/*
 * policy.gpu-limit: the GPU cap of a node by the work on it (docs/rules/policy.md#efficiency_v1).
 */

/* The words that a profile has for the work on a GPU. */
#define RECORD gpu_limit_work
#define MEMBERS                                                                                    \
    NUMBER(gpus, "gpus", "GPUs that it has.", REQUIRED, OVER(0))                                   \
    ENUM(bound, "bound", joulie_bound, jl_gpu_bound_words, "What limits it; absent: not known.")   \
    NUMBER(util_pct, "avgUtilizationPct", "Utilisation of its GPUs, in percent.", BETWEEN(0, 100)) \
    ENUM(class_, "class", jl_criticality, jl_criticality_words, "How critical it is; standard.")   \
    ENUM(sensitivity, "capSensitivity", joulie_level, jl_level_none_words,                         \
         "How much a GPU cap slows it.")
#include "schema/record.h"

#define RECORD policy_gpu_limit_in
#define MEMBERS                                                                                   \
    OBJECT_BY(policy, "policy", jl_policy_config, jl_policy_config_table, "Settings.")            \
    WHOLE(hardware, "hardware", jl_node_hardware, "status", "NodeHardware or its status.",        \
          REQUIRED)                                                                               \
    LIST(work, "work", gpu_limit_work, "The pods on its GPUs.", REQUIRED)                         \
    BOOLEAN(backlog, "backlog", "Whether pods wait that could run on the node if it were empty.") \
    NUMBER(cap_pct, "capPctOfMax", "The cap that it has, percent of the GPU maximum; 100.",       \
           BETWEEN(0, 100))                                                                       \
    INTEGER(lowered_ms, "capLoweredMs", "When it last became lower, milliseconds since 1970.")    \
    TIME(now_ms, "now", "Instant of the decision; needed with capLoweredMs.")
#include "schema/record.h"

#define RECORD policy_gpu_limit_out
#define MEMBERS                                                           \
    NUMBER(cap_pct, "capPctOfMax", "The cap that is written; 100: none.") \
    OBJECT(limit, "gpuLimit", jl_limit_report, "How it comes about.")
#include "schema/record.h"

static void read_limited_work(const struct gpu_limit_work *in,
                              const struct jl_policy_config *config, struct jl_gpu_job *out)
{
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    work.gpu_count = in->gpus;
    work.gpu_bound = in->bound;
    work.gpu_sensitivity = in->sensitivity;
    work.workload_class = in->class_ == JL_CRITICALITY_PERFORMANCE ? JOULIE_WORKLOAD_PERFORMANCE
                                                                   : JOULIE_WORKLOAD_STANDARD;
    if (in->given.util_pct) {
        work.has |= JOULIE_WORK_HAS_GPU_UTIL;
        work.gpu_util = in->util_pct / 100;
    }
    jl_gpu_job_init(&work, config, out);
}

static int answer_policy_gpu_limit(struct jl_ask *ask, const struct policy_gpu_limit_in *in,
                                   struct policy_gpu_limit_out *out)
{
    const size_t count = in->work.count;
    struct jl_gpu_job *jobs = JL_NEW_ARRAY(ask->arena, count, struct jl_gpu_job);
    struct jl_policy_config config = in->policy;
    struct jl_hardware hardware;
    struct jl_gpu_limit of_work;
    struct jl_gpu_limit limit;
    jl_policy_defaults(&config, JL_POLICY_CURRENT);
    if (in->given.lowered_ms && !in->given.now_ms)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "now", "capLoweredMs needs the instant");
    if (jobs == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++)
        read_limited_work(JL_ITEM(in->work, gpu_limit_work, i), &config, &jobs[i]);
    jl_hardware_resolve(&in->hardware.status, NULL, JL_HARDWARE_CURRENT, &hardware);
    if (jl_gpu_limit_of_work(&hardware, jobs, count, &of_work) < 0)
        return jl_fail_memory(ask->err);
    const struct jl_limit_past past = { JL_GIVEN_OR(in, cap_pct, JL_NO_CAP_PCT),
                                        in->given.lowered_ms, in->lowered_ms };
    jl_gpu_limit_now(&of_work, &config, in->backlog, &past, in->now_ms, &limit);
    JL_SET(out, cap_pct, limit.pct);
    jl_limit_report_of(&limit, &out->limit);
    out->given.limit = true;
    return 0;
}

JL_QUESTION(policy_gpu_limit, "policy.gpu-limit", "the GPU cap of a node by the work on it");
