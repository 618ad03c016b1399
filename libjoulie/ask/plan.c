/* SPDX-License-Identifier: Apache-2.0 */

/* plan: the profile and the caps of every node (docs/rules/policy.md#policies). */

#include <stdio.h>

#include "ask/policy_rules.h"
#include "base/error.h"
#include "kubernetes/selector.h"
#include "policy/fleet.h"

#define RECORD plan_node
#define MEMBERS                                                                  \
    OBJECT(node, "node", jl_node, "The Node.", REQUIRED)                         \
    WHOLE(hardware, "hardware", jl_node_hardware, "status", "Its NodeHardware.") \
    OBJECT(twin, "twin", jl_node_twin, "Its NodeTwin: what was decided before.")
#include "schema/record.h"

/* What one answer hands to the next question. */

#define RECORD plan_past
#define MEMBERS                                                                        \
    ENUM(profile, "profile", joulie_profile, jl_profile_words, "Profile of the node.") \
    BOOLEAN(draining, "draining", "Whether it was being emptied.")                     \
    INTEGER(since_ms, "sinceMs", "Last change of either, milliseconds since 1970.")    \
    NUMBER(gpu_cap_pct, "gpuCapPctOfMax", "GPU cap, percent of the GPU maximum.")      \
    INTEGER(gpu_cap_lowered_ms, "gpuCapLoweredMs",                                     \
            "When it last became lower, milliseconds since 1970.")
#include "schema/record.h"

#define RECORD plan_state
#define MEMBERS                                                         \
    INTEGER(hp, "performanceNodes", "Performance nodes.", NOT_NEGATIVE) \
    INTEGER(timer_ms, "scaleDownSinceMs",                               \
            "When fewer were first wanted, milliseconds since 1970.")   \
    DICT(nodes, "nodes", plan_past, "What each node was, by name.")
#include "schema/record.h"

#define RECORD plan_in
#define MEMBERS                                                                                    \
    OBJECT_BY(policy, "policy", jl_policy_config, jl_policy_config_table, "Settings.", REQUIRED)   \
    LIST(nodes, "nodes", plan_node, "Nodes with what is known of them.", REQUIRED)                 \
    LIST(pods, "pods", jl_pod, "Pods of the cluster.", REQUIRED)                                   \
    LIST(profiles, "profiles", jl_workload_profile, "Profiles of workloads.")                      \
    OBJECT(state, "state", plan_state, "The state of the previous answer; absent: no hysteresis.") \
    TIME(now_ms, "now", "Instant of the decision.", REQUIRED, ALWAYS)
#include "schema/record.h"

#define RECORD plan_demand
#define MEMBERS                                           \
    INTEGER(performance_only, "performanceOnly", "Pods.") \
    INTEGER(eco_only, "ecoOnly", "Pods.")                 \
    INTEGER(general, "general", "Pods.")                  \
    INTEGER(unknown, "unknown", "Pods.")                  \
    NUMBER(weighted, "weighted", "Weighted demand for performance nodes.")
#include "schema/record.h"

#define RECORD plan_blocker
#define MEMBERS                                              \
    STRING(name_space, "namespace", "Namespace of the pod.") \
    STRING(name, "name", "Name of the pod.")                 \
    ENUM(why, "why", jl_blocker_why, jl_blocker_words, "What keeps the node from eco caps.")
#include "schema/record.h"

#define RECORD plan_assignment
#define MEMBERS                                                                        \
    STRING(node_name, "nodeName", "Name of the node.")                                 \
    ENUM(profile, "profile", joulie_profile, jl_profile_words, "Desired profile.")     \
    BOOLEAN(draining, "draining", "Whether the node is being emptied.")                \
    ENUM(state, "state", joulie_node_state, jl_node_state_words, "State of the node.") \
    OBJECT(cpu, "cpu", jl_cpu_intent, "CPU caps.")                                     \
    OBJECT(gpu, "gpu", jl_gpu_intent, "GPU caps.")                                     \
    OBJECT(gpu_limit, "gpuLimit", jl_limit_report, "How its GPU cap comes about.")     \
    STRINGS(reasons, "reasons", "Why, for a person.")                                  \
    LIST(blockers, "blockers", plan_blocker, "Pods that keep the node from eco caps.")
#include "schema/record.h"

#define RECORD plan_exclusion
#define MEMBERS                                        \
    STRING(node_name, "nodeName", "Name of the node.") \
    ENUM(why, "why", jl_exclusion, jl_exclusion_words, "What takes it out of the plan.")
#include "schema/record.h"

#define RECORD plan_out
#define MEMBERS                                                                   \
    INTEGER(performance_nodes, "performanceNodes",                                \
            "Performance nodes of the policy, before the guard.")                 \
    OBJECT(demand, "demand", plan_demand, "Demand of the pods that count.")       \
    LIST(assignments, "assignments", plan_assignment, "Eligible nodes, by name.") \
    LIST(excluded, "excluded", plan_exclusion, "Other nodes, by name.")           \
    OBJECT(state, "state", plan_state, "To be handed to the next question.")
#include "schema/record.h"

/* The twin says what is stored; where it is silent, the state says what was decided. */
static void read_past(const struct plan_node *node, const struct plan_past *decided,
                      struct jl_node_past *out)
{
    jl_past_of_twin(node->given.twin ? &node->twin : NULL, out);
    if (decided == NULL)
        return;
    if (out->profile == JOULIE_PROFILE_UNKNOWN) {
        out->profile = decided->profile;
        out->is_draining = decided->draining;
    }
    const bool is_same = out->profile == decided->profile && out->is_draining == decided->draining;
    if (!out->has_since && is_same && decided->given.since_ms) {
        out->has_since = true;
        out->since_ms = decided->since_ms;
    }
    if (!node->given.twin)
        out->limit.pct = JL_GIVEN_OR(decided, gpu_cap_pct, out->limit.pct);
    if (!out->limit.has_lowered && decided->given.gpu_cap_lowered_ms) {
        out->limit.has_lowered = true;
        out->limit.lowered_ms = decided->gpu_cap_lowered_ms;
    }
}

/* Assignments and state are by node name: a name twice has no answer. */
static int check_names(struct jl_ask *ask, const struct jl_list *nodes)
{
    JL_CLEANUP(jl_index_clear) struct jl_index names = { 0 };
    int rc = 0;
    for (size_t i = 0; i < nodes->count && rc == 0; i++) {
        const char *name = JL_ITEM(*nodes, plan_node, i)->node.meta.name;
        if (name != NULL)
            rc = jl_ask_name_once(ask, &names, name, "nodes[%zu].node.metadata.name", i);
    }
    return rc;
}

static int read_nodes(struct jl_ask *ask, const struct plan_in *in, struct jl_index *decided,
                      struct jl_fleet_node **out)
{
    const struct plan_past *pasts = in->state.nodes.items;
    struct jl_fleet_node *nodes = JL_NEW_ARRAY(ask->arena, in->nodes.count, struct jl_fleet_node);
    if (nodes == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->state.nodes.count; i++) {
        if (jl_index_set(decided, in->state.nodes.keys[i], i) < 0)
            return jl_fail_memory(ask->err);
    }
    for (size_t i = 0; i < in->nodes.count; i++) {
        const struct plan_node *node = JL_ITEM(in->nodes, plan_node, i);
        size_t past = 0;
        const bool is_decided =
            node->node.meta.name != NULL && jl_index_get(decided, node->node.meta.name, &past);
        nodes[i].node = &node->node;
        nodes[i].hardware = node->given.hardware ? &node->hardware.status : NULL;
        read_past(node, is_decided ? &pasts[past] : NULL, &nodes[i].past);
    }
    *out = nodes;
    return 0;
}

static int read_selector(struct jl_ask *ask, const struct jl_policy_config *config,
                         const struct jl_selector **out)
{
    const struct jl_text text = jl_text(config->node_selector);
    const int rc = jl_parse_selector(ask->arena, text.ptr, text.len, out);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(ask->err);
    return rc < 0 ? jl_ask_fail(ask, rc, "policy.nodeSelector", "not a label selector") : 0;
}

static void put_state_head(const struct jl_plan_state *state, struct plan_state *out)
{
    JL_SET(out, hp, state->hp);
    JL_SET_IF(out, timer_ms, state->is_timing, state->timer_ms);
}

static int put_state(struct jl_ask *ask, const struct jl_fleet_output *fleet, struct plan_out *out)
{
    const size_t count = fleet->assignment_count;
    const char **names = JL_NEW_ARRAY(ask->arena, count, const char *);
    struct plan_past *pasts = JL_NEW_ARRAY(ask->arena, count, struct plan_past);
    if (names == NULL || pasts == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct jl_node_past *past = &fleet->assignments[i].past;
        names[i] = fleet->assignments[i].node_name;
        JL_SET(&pasts[i], profile, past->profile);
        JL_SET(&pasts[i], draining, past->is_draining);
        JL_SET_IF(&pasts[i], since_ms, past->has_since, past->since_ms);
        JL_SET_IF(&pasts[i], gpu_cap_pct, fleet->assignments[i].limit.reason != JL_LIMIT_NO_REASON,
                  past->limit.pct);
        JL_SET_IF(&pasts[i], gpu_cap_lowered_ms, past->limit.has_lowered, past->limit.lowered_ms);
    }
    put_state_head(&fleet->state, &out->state);
    JL_SET(&out->state, nodes, ((struct jl_dict){ names, pasts, count }));
    out->given.state = true;
    return 0;
}

static void put_demand(const struct jl_fleet_output *fleet, struct plan_out *out)
{
    struct plan_demand *demand = &out->demand;
    JL_SET(demand, performance_only, fleet->demand_pods[JL_DEMAND_PERFORMANCE]);
    JL_SET(demand, eco_only, fleet->demand_pods[JL_DEMAND_ECO]);
    JL_SET(demand, general, fleet->demand_pods[JL_DEMAND_GENERAL]);
    JL_SET(demand, unknown, fleet->demand_pods[JL_DEMAND_UNKNOWN]);
    JL_SET(demand, weighted, fleet->demand);
    out->given.demand = true;
}

#define MOST_REASONS 3

static int put_lists(struct jl_ask *ask, const struct jl_fleet_assignment *from,
                     struct plan_assignment *out)
{
    struct plan_blocker *blockers =
        JL_NEW_LIST(ask, out, blockers, from->blocker_count, struct plan_blocker);
    const char **reasons = JL_NEW_ARRAY(ask->arena, MOST_REASONS, const char *);
    if (blockers == NULL || reasons == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < from->blocker_count; i++) {
        JL_SET_IF(&blockers[i], name_space, from->blockers[i].name_space != NULL,
                  from->blockers[i].name_space);
        JL_SET_IF(&blockers[i], name, from->blockers[i].name != NULL, from->blockers[i].name);
        JL_SET(&blockers[i], why, from->blockers[i].why);
    }
    size_t reason_count = 0;
    reasons[reason_count++] = jl_plan_reason_text(from->reason);
    if (from->guard.is_draining)
        reasons[reason_count++] = "draining: pods on it would lose by eco caps";
    if (from->limit.reason != JL_LIMIT_NO_REASON)
        reasons[reason_count++] = jl_limit_text(from->limit.reason);
    JL_SET(out, reasons, ((struct jl_list){ reasons, reason_count }));
    return 0;
}

static int put_assignment(struct jl_ask *ask, const struct jl_fleet_assignment *from,
                          struct plan_assignment *out)
{
    JL_SET(out, node_name, from->node_name);
    JL_SET(out, profile, from->guard.profile);
    JL_SET(out, draining, from->guard.is_draining);
    JL_SET(out, state, from->guard.state);
    JL_SET_IF(out, cpu, from->intents.given.cpu, from->intents.cpu);
    JL_SET_IF(out, gpu, from->intents.given.gpu, from->intents.gpu);
    out->given.gpu_limit = from->limit.reason != JL_LIMIT_NO_REASON;
    jl_limit_report_of(&from->limit, &out->gpu_limit);
    return put_lists(ask, from, out);
}

static int put_nodes(struct jl_ask *ask, const struct jl_fleet_output *fleet, struct plan_out *out)
{
    struct plan_assignment *assignments =
        JL_NEW_LIST(ask, out, assignments, fleet->assignment_count, struct plan_assignment);
    struct plan_exclusion *excluded =
        JL_NEW_LIST(ask, out, excluded, fleet->excluded_count, struct plan_exclusion);
    if (assignments == NULL || excluded == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < fleet->assignment_count; i++) {
        const int rc = put_assignment(ask, &fleet->assignments[i], &assignments[i]);
        if (rc < 0)
            return rc;
    }
    for (size_t i = 0; i < fleet->excluded_count; i++) {
        JL_SET(&excluded[i], node_name, fleet->excluded[i].node_name);
        JL_SET(&excluded[i], why, fleet->excluded[i].why);
    }
    return 0;
}

static int read_fleet(struct jl_ask *ask, const struct plan_in *in,
                      const struct jl_policy_config *config, struct jl_fleet_input *out)
{
    struct jl_fleet_node *nodes = NULL;
    const struct jl_workload_profile *const *profiles = NULL;
    const struct jl_selector *selector = NULL;
    struct jl_index decided = { 0 };
    int rc = check_names(ask, &in->nodes);
    if (rc == 0)
        rc = read_nodes(ask, in, &decided, &nodes);
    jl_index_clear(&decided);
    if (rc == 0)
        rc = jl_ask_profiles(ask, &in->profiles, &profiles);
    if (rc == 0)
        rc = read_selector(ask, config, &selector);
    *out = (struct jl_fleet_input){
        .config = config,
        .rules = jl_ask_policy_rules(ask),
        .selector = selector,
        .nodes = nodes,
        .node_count = in->nodes.count,
        .pods = in->pods.items,
        .pod_count = in->pods.count,
        .profiles = profiles,
        .profile_count = in->profiles.count,
        .state = { .is_set = in->state.given.hp,
                   .hp = in->state.hp,
                   .is_timing = in->state.given.timer_ms,
                   .timer_ms = in->state.timer_ms },
        .now_ms = in->now_ms,
    };
    return rc;
}

static int answer_plan(struct jl_ask *ask, const struct plan_in *in, struct plan_out *out)
{
    struct jl_policy_config config;
    struct jl_fleet_input fleet;
    struct jl_fleet_output decision;
    int rc = jl_ask_policy(ask, &in->policy, &config);
    if (rc == 0)
        rc = read_fleet(ask, in, &config, &fleet);
    if (rc < 0)
        return rc;
    if (jl_fleet_plan(ask->arena, &fleet, &decision) < 0)
        return jl_fail_memory(ask->err);
    JL_SET(out, performance_nodes, decision.hp);
    put_demand(&decision, out);
    for (size_t i = 0; jl_is_current(ask) && i < in->pods.count; i++) {
        char where[48];
        snprintf(where, sizeof where, "pods[%zu].metadata", i);
        jl_ask_check_annotations(ask, where, &JL_ITEM(in->pods, jl_pod, i)->meta.annotations);
    }
    rc = put_nodes(ask, &decision, out);
    return rc == 0 ? put_state(ask, &decision, out) : rc;
}

JL_QUESTION(plan, "plan", "profile and caps of every node",
            JL_MODELS("current", "v0.1.1", "v0.0.2"), .flags = JL_SOURCE_UNCHECKED);
