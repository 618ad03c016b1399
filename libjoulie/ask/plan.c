/* SPDX-License-Identifier: Apache-2.0 */

/* plan: the profile and the caps of every node (joulie-control.md §4, §9; cli.md §2). */

#include "ask/policy_rules.h"
#include "base/error.h"
#include "kubernetes/selector.h"
#include "policy/fleet.h"

struct plan_node {
    uint64_t has;
    struct jl_node node;
    struct jl_node_hardware hardware;
    struct jl_node_twin twin;
};

enum { NODE_NODE, NODE_HARDWARE, NODE_TWIN };

static const struct jl_row node_rows[] = {
    [NODE_NODE] = JL_OBJECT(plan_node, node, "node", &jl_node_table, .flags = JL_REQUIRED,
                            .doc = "The Node."),
    [NODE_HARDWARE] = JL_WHOLE(plan_node, hardware, "hardware", &jl_node_hardware_table, "status",
                               .doc = "Its NodeHardware."),
    [NODE_TWIN] = JL_OBJECT(plan_node, twin, "twin", &jl_node_twin_table,
                            .doc = "Its NodeTwin: what was decided before."),
};
static const struct jl_table node_table = JL_TABLE(plan_node, node_rows);

/* What one answer hands to the next question. */
struct plan_past {
    uint64_t has;
    enum joulie_profile profile;
    bool draining;
    int64_t since_ms;
};

enum { PAST_PROFILE, PAST_DRAINING, PAST_SINCE };

static const struct jl_row past_rows[] = {
    [PAST_PROFILE] =
        JL_ENUM(plan_past, profile, "profile", &jl_profile_words, .doc = "Profile of the node."),
    [PAST_DRAINING] =
        JL_BOOLEAN(plan_past, draining, "draining", .doc = "Whether it was being emptied."),
    [PAST_SINCE] = JL_INTEGER(plan_past, since_ms, "sinceMs",
                              .doc = "Last change of either, milliseconds since 1970."),
};
static const struct jl_table past_table = JL_TABLE(plan_past, past_rows);

struct plan_state {
    uint64_t has;
    int64_t hp;
    int64_t timer_ms;
    struct jl_dict nodes; /* struct plan_past */
};

enum { STATE_HP, STATE_TIMER, STATE_NODES };

static const struct jl_row state_rows[] = {
    [STATE_HP] = JL_INTEGER(plan_state, hp, "performanceNodes", .flags = JL_NOT_NEGATIVE,
                            .doc = "Performance nodes."),
    [STATE_TIMER] = JL_INTEGER(plan_state, timer_ms, "scaleDownSinceMs",
                               .doc = "When fewer were first wanted, milliseconds since 1970."),
    [STATE_NODES] =
        JL_DICT(plan_state, nodes, "nodes", &past_table, .doc = "What each node was, by name."),
};
static const struct jl_table state_table = JL_TABLE(plan_state, state_rows);

struct plan_in {
    uint64_t has;
    struct jl_policy_config policy;
    struct jl_list nodes;    /* struct plan_node */
    struct jl_list pods;     /* struct jl_pod */
    struct jl_list profiles; /* struct jl_workload_profile */
    struct plan_state state;
    int64_t now_ms;
};

enum { IN_POLICY, IN_NODES, IN_PODS, IN_PROFILES, IN_STATE, IN_NOW };

static const struct jl_row in_rows[] = {
    [IN_POLICY] = JL_OBJECT(plan_in, policy, "policy", &jl_policy_table, .flags = JL_REQUIRED,
                            .doc = "Settings."),
    [IN_NODES] = JL_LIST(plan_in, nodes, "nodes", &node_table, .flags = JL_REQUIRED,
                         .doc = "Nodes with what is known of them."),
    [IN_PODS] = JL_LIST(plan_in, pods, "pods", &jl_pod_table, .flags = JL_REQUIRED,
                        .doc = "Pods of the cluster."),
    [IN_PROFILES] = JL_LIST(plan_in, profiles, "profiles", &jl_workload_profile_table,
                            .doc = "Profiles of workloads."),
    [IN_STATE] = JL_OBJECT(plan_in, state, "state", &state_table,
                           .doc = "The state of the previous answer; absent: no hysteresis."),
    [IN_NOW] =
        JL_TIME(plan_in, now_ms, "now", .flags = JL_REQUIRED, .doc = "Instant of the decision."),
};
static const struct jl_table in_table = JL_TABLE(plan_in, in_rows);

struct plan_demand {
    uint64_t has;
    int64_t performance_only;
    int64_t eco_only;
    int64_t general;
    int64_t unknown;
    double weighted;
};

enum { DEMAND_PERFORMANCE, DEMAND_ECO, DEMAND_GENERAL, DEMAND_UNKNOWN, DEMAND_WEIGHTED };

static const struct jl_row demand_rows[] = {
    [DEMAND_PERFORMANCE] =
        JL_INTEGER(plan_demand, performance_only, "performanceOnly", .doc = "Pods."),
    [DEMAND_ECO] = JL_INTEGER(plan_demand, eco_only, "ecoOnly", .doc = "Pods."),
    [DEMAND_GENERAL] = JL_INTEGER(plan_demand, general, "general", .doc = "Pods."),
    [DEMAND_UNKNOWN] = JL_INTEGER(plan_demand, unknown, "unknown", .doc = "Pods."),
    [DEMAND_WEIGHTED] = JL_NUMBER(plan_demand, weighted, "weighted",
                                  .doc = "Weighted demand for performance nodes."),
};
static const struct jl_table demand_table = JL_TABLE(plan_demand, demand_rows);

struct plan_blocker {
    uint64_t has;
    const char *name_space;
    const char *name;
    enum jl_blocker_why why;
};

enum { BLOCKER_NAMESPACE, BLOCKER_NAME, BLOCKER_WHY };

static const struct jl_row blocker_rows[] = {
    [BLOCKER_NAMESPACE] =
        JL_STRING(plan_blocker, name_space, "namespace", .doc = "Namespace of the pod."),
    [BLOCKER_NAME] = JL_STRING(plan_blocker, name, "name", .doc = "Name of the pod."),
    [BLOCKER_WHY] = JL_ENUM(plan_blocker, why, "why", &jl_blocker_words,
                            .doc = "What keeps the node from eco caps."),
};
static const struct jl_table blocker_table = JL_TABLE(plan_blocker, blocker_rows);

struct plan_assignment {
    uint64_t has;
    const char *node_name;
    enum joulie_profile profile;
    bool draining;
    enum joulie_node_state state;
    struct jl_cpu_intent cpu;
    struct jl_gpu_intent gpu;
    struct jl_list reasons;  /* strings */
    struct jl_list blockers; /* struct plan_blocker */
};

enum {
    ASSIGNMENT_NODE,
    ASSIGNMENT_PROFILE,
    ASSIGNMENT_DRAINING,
    ASSIGNMENT_STATE,
    ASSIGNMENT_CPU,
    ASSIGNMENT_GPU,
    ASSIGNMENT_REASONS,
    ASSIGNMENT_BLOCKERS,
};

static const struct jl_row assignment_rows[] = {
    [ASSIGNMENT_NODE] =
        JL_STRING(plan_assignment, node_name, "nodeName", .doc = "Name of the node."),
    [ASSIGNMENT_PROFILE] =
        JL_ENUM(plan_assignment, profile, "profile", &jl_profile_words, .doc = "Desired profile."),
    [ASSIGNMENT_DRAINING] = JL_BOOLEAN(plan_assignment, draining, "draining",
                                       .doc = "Whether the node is being emptied."),
    [ASSIGNMENT_STATE] =
        JL_ENUM(plan_assignment, state, "state", &jl_node_state_words, .doc = "State of the node."),
    [ASSIGNMENT_CPU] =
        JL_OBJECT(plan_assignment, cpu, "cpu", &jl_cpu_intent_table, .doc = "CPU caps."),
    [ASSIGNMENT_GPU] =
        JL_OBJECT(plan_assignment, gpu, "gpu", &jl_gpu_intent_table, .doc = "GPU caps."),
    [ASSIGNMENT_REASONS] =
        JL_STRINGS(plan_assignment, reasons, "reasons", .doc = "Why, for a person."),
    [ASSIGNMENT_BLOCKERS] = JL_LIST(plan_assignment, blockers, "blockers", &blocker_table,
                                    .doc = "Pods that keep the node from eco caps."),
};
static const struct jl_table assignment_table = JL_TABLE(plan_assignment, assignment_rows);

struct plan_exclusion {
    uint64_t has;
    const char *node_name;
    enum jl_exclusion why;
};

enum { EXCLUSION_NODE, EXCLUSION_WHY };

static const struct jl_row exclusion_rows[] = {
    [EXCLUSION_NODE] = JL_STRING(plan_exclusion, node_name, "nodeName", .doc = "Name of the node."),
    [EXCLUSION_WHY] = JL_ENUM(plan_exclusion, why, "why", &jl_exclusion_words,
                              .doc = "What takes it out of the plan."),
};
static const struct jl_table exclusion_table = JL_TABLE(plan_exclusion, exclusion_rows);

struct plan_out {
    uint64_t has;
    int64_t performance_nodes;
    struct plan_demand demand;
    struct jl_list assignments; /* struct plan_assignment */
    struct jl_list excluded;    /* struct plan_exclusion */
    struct plan_state state;
};

enum { OUT_PERFORMANCE_NODES, OUT_DEMAND, OUT_ASSIGNMENTS, OUT_EXCLUDED, OUT_STATE };

static const struct jl_row out_rows[] = {
    [OUT_PERFORMANCE_NODES] =
        JL_INTEGER(plan_out, performance_nodes, "performanceNodes",
                   .doc = "Performance nodes of the policy, before the guard."),
    [OUT_DEMAND] = JL_OBJECT(plan_out, demand, "demand", &demand_table,
                             .doc = "Demand of the pods that count."),
    [OUT_ASSIGNMENTS] = JL_LIST(plan_out, assignments, "assignments", &assignment_table,
                                .doc = "Eligible nodes, by name."),
    [OUT_EXCLUDED] =
        JL_LIST(plan_out, excluded, "excluded", &exclusion_table, .doc = "Other nodes, by name."),
    [OUT_STATE] = JL_OBJECT(plan_out, state, "state", &state_table,
                            .doc = "To be handed to the next question."),
};
static const struct jl_table out_table = JL_TABLE(plan_out, out_rows);

/* The twin says what is stored; where it is silent, the state says what was decided. */
static void read_past(const struct plan_node *node, const struct plan_past *decided,
                      struct jl_node_past *out)
{
    jl_past_of_twin(JL_HAS(node, NODE_TWIN) ? &node->twin : NULL, out);
    if (decided == NULL)
        return;
    if (out->profile == JOULIE_PROFILE_UNKNOWN) {
        out->profile = decided->profile;
        out->is_draining = decided->draining;
    }
    const bool is_same = out->profile == decided->profile && out->is_draining == decided->draining;
    if (!out->has_since && is_same && JL_HAS(decided, PAST_SINCE)) {
        out->has_since = true;
        out->since_ms = decided->since_ms;
    }
}

/* Assignments and state are by node name: a name twice has no answer. */
static int check_names(struct jl_ask *ask, const struct jl_list *nodes)
{
    JL_CLEANUP(jl_index_clear) struct jl_index names = { 0 };
    const struct jl_path list = { .key = jl_text("nodes") };
    int rc = 0;
    for (size_t i = 0; i < nodes->count && rc == 0; i++) {
        const char *name = JL_ITEM(*nodes, plan_node, i)->node.meta.name;
        const struct jl_path item = { .up = &list, .index = i };
        const struct jl_path node = { .up = &item, .key = jl_text("node") };
        const struct jl_path metadata = { .up = &node, .key = jl_text("metadata") };
        const struct jl_path at = { .up = &metadata, .key = jl_text("name") };
        if (name != NULL)
            rc = jl_ask_name_once(ask, &names, name, &at);
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
        nodes[i].hardware = JL_HAS(node, NODE_HARDWARE) ? &node->hardware.status : NULL;
        read_past(node, is_decided ? &pasts[past] : NULL, &nodes[i].past);
    }
    *out = nodes;
    return 0;
}

static int read_profiles(struct jl_ask *ask, const struct plan_in *in,
                         const struct jl_workload_profile ***out)
{
    const struct jl_workload_profile **profiles =
        JL_NEW_ARRAY(ask->arena, in->profiles.count, const struct jl_workload_profile *);
    if (profiles == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->profiles.count; i++)
        profiles[i] = JL_ITEM(in->profiles, jl_workload_profile, i);
    *out = profiles;
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
    JL_PUT(out, STATE_HP, hp, state->hp);
    if (state->is_timing)
        JL_PUT(out, STATE_TIMER, timer_ms, state->timer_ms);
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
        JL_PUT(&pasts[i], PAST_PROFILE, profile, past->profile);
        JL_PUT(&pasts[i], PAST_DRAINING, draining, past->is_draining);
        if (past->has_since)
            JL_PUT(&pasts[i], PAST_SINCE, since_ms, past->since_ms);
    }
    put_state_head(&fleet->state, &out->state);
    JL_PUT(&out->state, STATE_NODES, nodes, ((struct jl_dict){ names, pasts, count }));
    JL_MARK(out, OUT_STATE);
    return 0;
}

static void put_demand(const struct jl_fleet_output *fleet, struct plan_out *out)
{
    struct plan_demand *demand = &out->demand;
    JL_PUT(demand, DEMAND_PERFORMANCE, performance_only, fleet->demand_pods[JL_DEMAND_PERFORMANCE]);
    JL_PUT(demand, DEMAND_ECO, eco_only, fleet->demand_pods[JL_DEMAND_ECO]);
    JL_PUT(demand, DEMAND_GENERAL, general, fleet->demand_pods[JL_DEMAND_GENERAL]);
    JL_PUT(demand, DEMAND_UNKNOWN, unknown, fleet->demand_pods[JL_DEMAND_UNKNOWN]);
    JL_PUT(demand, DEMAND_WEIGHTED, weighted, fleet->demand);
    JL_MARK(out, OUT_DEMAND);
}

static int put_lists(struct jl_ask *ask, const struct jl_fleet_assignment *from,
                     struct plan_assignment *out)
{
    struct plan_blocker *blockers =
        JL_NEW_ARRAY(ask->arena, from->blocker_count, struct plan_blocker);
    const char **reasons = JL_NEW_ARRAY(ask->arena, 2, const char *);
    if (blockers == NULL || reasons == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < from->blocker_count; i++) {
        if (from->blockers[i].name_space != NULL)
            JL_PUT(&blockers[i], BLOCKER_NAMESPACE, name_space, from->blockers[i].name_space);
        if (from->blockers[i].name != NULL)
            JL_PUT(&blockers[i], BLOCKER_NAME, name, from->blockers[i].name);
        JL_PUT(&blockers[i], BLOCKER_WHY, why, from->blockers[i].why);
    }
    size_t reason_count = 0;
    reasons[reason_count++] = jl_plan_reason_text(from->reason);
    if (from->guard.is_draining)
        reasons[reason_count++] = "draining: pods on it would lose by eco caps";
    JL_PUT(out, ASSIGNMENT_REASONS, reasons, ((struct jl_list){ reasons, reason_count }));
    JL_PUT(out, ASSIGNMENT_BLOCKERS, blockers, ((struct jl_list){ blockers, from->blocker_count }));
    return 0;
}

static int put_assignment(struct jl_ask *ask, const struct jl_fleet_assignment *from,
                          struct plan_assignment *out)
{
    JL_PUT(out, ASSIGNMENT_NODE, node_name, from->node_name);
    JL_PUT(out, ASSIGNMENT_PROFILE, profile, from->guard.profile);
    JL_PUT(out, ASSIGNMENT_DRAINING, draining, from->guard.is_draining);
    JL_PUT(out, ASSIGNMENT_STATE, state, from->guard.state);
    if (from->intents.given.cpu)
        JL_PUT(out, ASSIGNMENT_CPU, cpu, from->intents.cpu);
    if (from->intents.given.gpu)
        JL_PUT(out, ASSIGNMENT_GPU, gpu, from->intents.gpu);
    return put_lists(ask, from, out);
}

static int put_nodes(struct jl_ask *ask, const struct jl_fleet_output *fleet, struct plan_out *out)
{
    struct plan_assignment *assignments =
        JL_NEW_ARRAY(ask->arena, fleet->assignment_count, struct plan_assignment);
    struct plan_exclusion *excluded =
        JL_NEW_ARRAY(ask->arena, fleet->excluded_count, struct plan_exclusion);
    if (assignments == NULL || excluded == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < fleet->assignment_count; i++) {
        const int rc = put_assignment(ask, &fleet->assignments[i], &assignments[i]);
        if (rc < 0)
            return rc;
    }
    for (size_t i = 0; i < fleet->excluded_count; i++) {
        JL_PUT(&excluded[i], EXCLUSION_NODE, node_name, fleet->excluded[i].node_name);
        JL_PUT(&excluded[i], EXCLUSION_WHY, why, fleet->excluded[i].why);
    }
    JL_PUT(out, OUT_ASSIGNMENTS, assignments,
           ((struct jl_list){ assignments, fleet->assignment_count }));
    JL_PUT(out, OUT_EXCLUDED, excluded, ((struct jl_list){ excluded, fleet->excluded_count }));
    return 0;
}

static int read_fleet(struct jl_ask *ask, const struct plan_in *in,
                      const struct jl_policy_config *config, struct jl_fleet_input *out)
{
    struct jl_fleet_node *nodes = NULL;
    const struct jl_workload_profile **profiles = NULL;
    const struct jl_selector *selector = NULL;
    struct jl_index decided = { 0 };
    int rc = check_names(ask, &in->nodes);
    if (rc == 0)
        rc = read_nodes(ask, in, &decided, &nodes);
    jl_index_clear(&decided);
    if (rc == 0)
        rc = read_profiles(ask, in, &profiles);
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
        .state = { .is_set = JL_HAS(&in->state, STATE_HP),
                   .hp = in->state.hp,
                   .is_timing = JL_HAS(&in->state, STATE_TIMER),
                   .timer_ms = in->state.timer_ms },
        .now_ms = in->now_ms,
    };
    return rc;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct plan_in *in = input;
    struct plan_out *out = output;
    struct jl_policy_config config;
    struct jl_fleet_input fleet;
    struct jl_fleet_output decision;
    if (!JL_HAS(in, IN_NOW)) /* unchecked input comes so far */
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "now",
                           "a plan needs the instant of the decision");
    int rc = jl_ask_policy(ask, &in->policy, &config);
    if (rc == 0)
        rc = read_fleet(ask, in, &config, &fleet);
    if (rc < 0)
        return rc;
    if (jl_fleet_plan(ask->arena, &fleet, &decision) < 0)
        return jl_fail_memory(ask->err);
    JL_PUT(out, OUT_PERFORMANCE_NODES, performance_nodes, decision.hp);
    put_demand(&decision, out);
    rc = put_nodes(ask, &decision, out);
    return rc == 0 ? put_state(ask, &decision, out) : rc;
}

static const char *const models[] = { "current", "v0.1.1", "v0.0.2", NULL };

const struct jl_question jl_question_plan = {
    .name = "plan",
    .summary = "profile and caps of every node",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .flags = JL_SOURCE_UNCHECKED,
    .answer = answer,
};
