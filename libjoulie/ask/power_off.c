/* SPDX-License-Identifier: Apache-2.0 */

/* policy.power-off: which nodes are switched off and which are woken
 * (docs/rules/policy.md#power_off_v1). */

#include "policy/power_off.h"

#include "ask/ask.h"
#include "base/error.h"
#include "base/map.h"
#include "base/sort.h"
#include "kinds/effective.h"
#include "kinds/node_hardware.h"
#include "policy/policy.h"

#define RECORD power_off_node
#define MEMBERS                                                                              \
    OBJECT(node, "node", jl_node, "The Node.", REQUIRED)                                     \
    WHOLE(hardware, "hardware", jl_node_hardware, "status", "Its NodeHardware.")             \
    ENUM(state, "state", jl_power_state, jl_power_state_words, "State.", REQUIRED)           \
    TIME(since_ms, "since", "Since when it is in this state.", REQUIRED)                     \
    TIME(empty_since_ms, "emptySince",                                                       \
         "Since when no pod is on it; absent: as long as it is in this state.")              \
    INTEGER(failures, "failures", "Actions for a timeout since it was on; 0.", NOT_NEGATIVE) \
    ENUM(profile, "profile", joulie_profile, jl_profile_words,                               \
         "Its profile: on eco nodes performance pods have no room.")
#include "schema/record.h"

#define RECORD policy_power_off_in
#define MEMBERS                                                                   \
    OBJECT(power_off, "powerOff", jl_power_off_config, "Settings.")               \
    LIST(nodes, "nodes", power_off_node, "Nodes that may be switched.", REQUIRED) \
    LIST(pods, "pods", jl_pod, "Pods of the cluster.", REQUIRED)                  \
    LIST(profiles, "profiles", jl_workload_profile, "Profiles of workloads.")     \
    TIME(now_ms, "now", "Instant of the decision.", REQUIRED)
#include "schema/record.h"

#define RECORD power_off_action
#define MEMBERS                                                                   \
    STRING(node_name, "nodeName", "Name of the node.")                            \
    ENUM(action, "action", jl_power_action, jl_power_action_words, "What to do.") \
    ENUM(reason, "reason", jl_power_reason, jl_power_reason_words, "Why.")
#include "schema/record.h"

#define RECORD policy_power_off_out
#define MEMBERS \
    LIST(actions, "actions", power_off_action, "By node name; the others stay as they are.")
#include "schema/record.h"

struct fleet {
    const struct power_off_node **sorted; /* by name */
    size_t count;
    struct jl_index by_name; /* places in sorted */
    struct jl_place_load *held;
    struct jl_power_node *nodes;
    struct jl_room *rooms;
    size_t *order;
    struct jl_waiting_pod *waiting;
    size_t waiting_count;
    struct jl_power_recent recent;
};

static const char *name_of(const struct power_off_node *node)
{
    return node->node.meta.name;
}

static int by_name(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(name_of(*(const struct power_off_node *const *)a),
                      name_of(*(const struct power_off_node *const *)b));
}

/* Actions are by name: a node without one, or a name twice, has no answer. */
static int sort_nodes(struct jl_ask *ask, const struct jl_list *nodes, struct fleet *fleet)
{
    JL_CLEANUP(jl_index_clear) struct jl_index names = { 0 };
    int rc = 0;
    for (size_t i = 0; i < nodes->count && rc == 0; i++) {
        fleet->sorted[i] = JL_ITEM(*nodes, power_off_node, i);
        if (name_of(fleet->sorted[i]) == NULL)
            return jl_ask_fail(ask, JOULIE_E_REQUIRED,
                               jl_ask_path(ask, "nodes[%zu].node.metadata.name", i),
                               "the node has no name");
        rc = jl_ask_name_once(ask, &names, name_of(fleet->sorted[i]),
                              "nodes[%zu].node.metadata.name", i);
    }
    if (rc < 0)
        return rc;
    if (jl_sort(fleet->sorted, fleet->count, sizeof *fleet->sorted, by_name, NULL) < 0)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < fleet->count; i++) {
        if (jl_index_set(&fleet->by_name, name_of(fleet->sorted[i]), i) < 0)
            return jl_fail_memory(ask->err);
    }
    return 0;
}

static void read_pod(struct fleet *fleet, const struct jl_power_off_config *config,
                     const struct jl_pod *pod, const struct jl_workload_profile *profile,
                     int64_t now_ms)
{
    struct jl_waiting_pod view;
    size_t node;
    if (!jl_pod_is_demand(pod, JL_POLICY_CURRENT))
        return;
    jl_power_count_recent(config, pod, now_ms, &fleet->recent);
    jl_waiting_pod_init(pod, profile, now_ms, &view);
    if (jl_is_empty(pod->spec.node_name))
        fleet->waiting[fleet->waiting_count++] = view;
    else if (jl_index_get(&fleet->by_name, pod->spec.node_name, &node))
        jl_place_load_add(&fleet->held[node], &view.load, 1);
}

static void open_node(struct fleet *fleet, size_t i)
{
    const struct power_off_node *node = fleet->sorted[i];
    struct jl_hardware hardware;
    fleet->nodes[i] = (struct jl_power_node){
        .state = node->state,
        .since_ms = node->since_ms,
        .empty_since_ms = JL_GIVEN_OR(node, empty_since_ms, node->since_ms),
        .failures = node->failures,
        .is_eco = node->profile == JOULIE_PROFILE_ECO,
    };
    jl_hardware_resolve(node->given.hardware ? &node->hardware.status : NULL, &node->node,
                        JL_HARDWARE_CURRENT, &hardware);
    jl_room_open(&node->node, &hardware, &fleet->held[i], &fleet->rooms[i]);
}

static int read_fleet(struct jl_ask *ask, const struct policy_power_off_in *in,
                      const struct jl_power_off_config *config, struct fleet *fleet)
{
    const struct jl_workload_profile *const *profiles = NULL;
    int rc = sort_nodes(ask, &in->nodes, fleet);
    if (rc == 0)
        rc = jl_ask_profiles(ask, &in->profiles, &profiles);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < in->pods.count; i++) {
        const struct jl_pod *pod = JL_ITEM(in->pods, jl_pod, i);
        read_pod(fleet, config, pod, jl_profile_match(pod, profiles, in->profiles.count),
                 in->now_ms);
    }
    for (size_t i = 0; i < fleet->count; i++)
        open_node(fleet, i);
    return jl_waiting_sort(fleet->waiting, fleet->waiting_count) < 0 ||
                   jl_power_order(fleet->rooms, fleet->count, fleet->order) < 0
               ? jl_fail_memory(ask->err)
               : 0;
}

static int put_actions(struct jl_ask *ask, const struct fleet *fleet,
                       const struct jl_power_choice *choices, struct policy_power_off_out *out)
{
    size_t count = 0;
    for (size_t i = 0; i < fleet->count; i++)
        count += choices[i].action != JL_POWER_NOTHING;
    struct power_off_action *actions =
        JL_NEW_LIST(ask, out, actions, count, struct power_off_action);
    if (actions == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < fleet->count; i++) {
        if (choices[i].action == JL_POWER_NOTHING)
            continue;
        JL_SET(actions, node_name, name_of(fleet->sorted[i]));
        JL_SET(actions, action, choices[i].action);
        JL_SET(actions, reason, choices[i].reason);
        actions++;
    }
    return 0;
}

static int decide(struct jl_ask *ask, const struct policy_power_off_in *in, struct fleet *fleet,
                  struct policy_power_off_out *out)
{
    struct jl_power_off_config config = in->power_off;
    struct jl_power_choice *choices =
        JL_NEW_ARRAY(ask->arena, fleet->count, struct jl_power_choice);
    jl_power_off_defaults(&config);
    const int rc = read_fleet(ask, in, &config, fleet);
    if (rc < 0)
        return rc;
    if (choices == NULL)
        return jl_fail_memory(ask->err);
    const struct jl_power_input input = {
        .config = &config,
        .nodes = fleet->nodes,
        .rooms = fleet->rooms,
        .order = fleet->order,
        .count = fleet->count,
        .waiting = fleet->waiting,
        .waiting_count = fleet->waiting_count,
        .recent = fleet->recent,
        .now_ms = in->now_ms,
    };
    jl_power_decide(&input, choices);
    return put_actions(ask, fleet, choices, out);
}

static int answer_policy_power_off(struct jl_ask *ask, const struct policy_power_off_in *in,
                                   struct policy_power_off_out *out)
{
    const size_t count = in->nodes.count;
    struct fleet fleet = {
        .sorted = JL_NEW_ARRAY(ask->arena, count, const struct power_off_node *),
        .count = count,
        .held = JL_NEW_ARRAY(ask->arena, count, struct jl_place_load),
        .nodes = JL_NEW_ARRAY(ask->arena, count, struct jl_power_node),
        .rooms = JL_NEW_ARRAY(ask->arena, count, struct jl_room),
        .order = JL_NEW_ARRAY(ask->arena, count, size_t),
        .waiting = JL_NEW_ARRAY(ask->arena, in->pods.count, struct jl_waiting_pod),
    };
    if (fleet.sorted == NULL || fleet.held == NULL || fleet.nodes == NULL || fleet.rooms == NULL ||
        fleet.order == NULL || fleet.waiting == NULL)
        return jl_fail_memory(ask->err);
    const int rc = decide(ask, in, &fleet, out);
    jl_index_clear(&fleet.by_name);
    return rc;
}

JL_QUESTION(policy_power_off, "policy.power-off",
            "which nodes are switched off, and which are woken");
