/* SPDX-License-Identifier: Apache-2.0 */

/* power_off_v1 in a model (docs/rules/policy.md#power_off_v1): records as the Nodes have them, the
 * rooms and the work that the decision goes by, and the record that each node should have. */

#include <joulie/error.h>

#include "base/memory.h"
#include "base/time.h"
#include "cluster/state.h"

/* ---- what is remembered of nodes that are on ---- */

static void note_use(struct node_power *power, bool has_work, int64_t now_ms)
{
    if (power->seen_ms == NEVER_MS)
        power->seen_ms = now_ms;
    if (has_work)
        power->empty_ms = NEVER_MS;
    else if (power->empty_ms == NEVER_MS || power->was_used)
        power->empty_ms = now_ms;
    power->was_used = false;
}

/* ---- the decision ---- */

struct fleet {
    struct cluster_node **members; /* by name */
    struct jl_power_node *nodes;
    struct jl_room *rooms;
    struct jl_power_choice *choices;
    size_t *order;
    size_t count;
};

static int open_fleet(struct joulie_cluster *cluster, struct fleet *fleet)
{
    struct jl_arena *arena = &cluster->step_arena;
    const size_t count = cluster->order.known_count;
    fleet->members = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    fleet->nodes = JL_NEW_ARRAY(arena, count, struct jl_power_node);
    fleet->rooms = JL_NEW_ARRAY(arena, count, struct jl_room);
    fleet->choices = JL_NEW_ARRAY(arena, count, struct jl_power_choice);
    fleet->order = JL_NEW_ARRAY(arena, count, size_t);
    return fleet->members != NULL && fleet->nodes != NULL && fleet->rooms != NULL &&
                   fleet->choices != NULL && fleet->order != NULL
               ? 0
               : JOULIE_E_NOMEM;
}

/* Confirmed or expected; what cannot be relied on is unknown. */
static enum jl_power_state state_now(const struct cluster_node *node)
{
    const struct node_power *power = &node->power;
    const enum jl_power_state state = power->has_next ? power->next.state : power->record.state;
    if (state == JL_POWER_ON)
        return power->report.readiness == JOULIE_READINESS_NOT_READY ? JL_POWER_UNKNOWN : state;
    return node->is_paused ? JL_POWER_UNKNOWN : state;
}

/* A policy that follows the queue makes a performance node of one that pods wait for, once it is
 * on. */
static bool is_eco(const struct joulie_cluster *cluster, const struct cluster_node *node)
{
    const enum joulie_profile profile = node->has_wanted ? node->guard.profile : node->past.profile;
    if (jl_cluster_reads(cluster) == JL_READS_QUEUE && jl_power_is_recorded(&node->power.record))
        return false;
    return profile == JOULIE_PROFILE_ECO;
}

static struct jl_power_node member_of(const struct joulie_cluster *cluster,
                                      const struct cluster_node *node)
{
    const struct node_power *power = &node->power;
    const struct jl_power_record *record = power->has_next ? &power->next : &power->record;
    const struct jl_power_report *report = &power->report;
    const bool is_on = record->state == JL_POWER_ON;
    const int64_t up_ms = report->has_since ? report->since_ms : power->seen_ms;
    return (struct jl_power_node){
        .state = state_now(node),
        .since_ms = is_on ? up_ms : record->since_ms,
        .empty_since_ms = power->empty_ms,
        .failures = record->failures,
        .is_eco = is_eco(cluster, node),
        .is_kept = power->has_next || node->is_paused,
    };
}

/* As it will be when it takes pods again: without our taint. */
static int open_room(struct joulie_cluster *cluster, const struct cluster_node *node,
                     struct jl_room *out)
{
    jl_cluster_room_of(cluster, node, out);
    if (!jl_power_is_recorded(&node->power.record))
        return 0;
    struct jl_node *view = JL_NEW(&cluster->step_arena, struct jl_node);
    if (view == NULL)
        return JOULIE_E_NOMEM;
    *view = node->value;
    out->node = view;
    return jl_power_foreign_taints(&node->value.spec.taints, &cluster->step_arena,
                                   &view->spec.taints);
}

/* Nodes in scope, and those that have to come back. */
static bool is_member(const struct cluster_node *node)
{
    return node->scope == SCOPE_MANAGED || jl_power_is_recorded(&node->power.record);
}

static int read_fleet(struct joulie_cluster *cluster, struct fleet *fleet)
{
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        struct cluster_node *node = cluster->order.known[i];
        const size_t at = fleet->count;
        if (!is_member(node))
            continue;
        fleet->members[at] = node;
        fleet->nodes[at] = member_of(cluster, node);
        if (open_room(cluster, node, &fleet->rooms[at]) < 0)
            return JOULIE_E_NOMEM;
        fleet->count++;
    }
    return jl_power_order(fleet->rooms, fleet->count, fleet->order);
}

static void settle_all(struct joulie_cluster *cluster, int64_t now_ms)
{
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        struct cluster_node *node = cluster->order.known[i];
        struct node_power *power = &node->power;
        const struct jl_power_case now = jl_cluster_power_case(cluster, node, now_ms);
        note_use(power, now.has_work, now_ms);
        power->is_given_up = false;
        power->has_next = !node->is_paused && !cluster->config.power_off.by_autoscaler &&
                          jl_power_settle(&now, &power->next);
    }
}

/* Of a record that a command left nothing becomes: nobody would run another one. */
static void give_up_all(struct joulie_cluster *cluster, const struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        struct node_power *power = &fleet->members[i]->power;
        power->is_given_up = fleet->choices[i].action == JL_POWER_SWITCH_OFF;
        power->next = power->record;
        power->next.reason = fleet->choices[i].reason;
        cluster->power.given_up += power->is_given_up;
    }
}

static void hold_all(struct joulie_cluster *cluster)
{
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        const struct cluster_node *node = cluster->order.known[i];
        struct node_power *power = &cluster->order.known[i]->power;
        const struct jl_hold_case now = {
            .config = &cluster->config.power_off,
            .record = &power->record,
            .readiness = power->report.readiness,
            .is_out = node->scope == SCOPE_OUT,
            .is_managed = node->scope == SCOPE_MANAGED,
            .is_given_up = power->is_given_up,
        };
        const enum jl_power_hold hold = jl_power_hold_after(&now);
        if (hold == power->record.hold || node->is_paused || node->is_machine)
            continue;
        if (!power->has_next && !power->is_given_up)
            power->next = power->record;
        power->next.hold = hold;
        power->has_next = true;
    }
}

static void follow_all(struct joulie_cluster *cluster, const struct fleet *fleet, int64_t now_ms)
{
    for (size_t i = 0; i < fleet->count; i++) {
        struct cluster_node *node = fleet->members[i];
        struct jl_power_case now = jl_cluster_power_case(cluster, node, now_ms);
        if (fleet->choices[i].action == JL_POWER_NOTHING)
            continue;
        if (node->power.has_next)
            now.record = node->power.next;
        jl_power_follow(&now, &fleet->choices[i], &node->power.next);
        node->power.has_next = true;
    }
}

/* Every pod that counts, whatever its class. */
static bool is_waiting(const struct joulie_cluster *cluster, const struct cluster_pod *pod)
{
    (void)cluster;
    return pod->is_counted;
}

/* How old work is, nobody says. */
static void read_recent_pod(const struct joulie_cluster *cluster, const struct cluster_pod *pod,
                            int64_t now_ms, struct jl_power_recent *out)
{
    if (!pod->is_counted)
        return;
    if (!pod->is_work) {
        jl_power_count_recent(&cluster->config.power_off, &pod->value, now_ms, out);
        return;
    }
    const struct jl_waiting_pod view = { .needs = pod->work.needs,
                                         .load = jl_cluster_load_of(cluster, pod) };
    jl_power_add_recent(out, &view);
}

static void read_recent_pods(const struct joulie_cluster *cluster, const struct cluster_pod *pod,
                             int64_t now_ms, struct jl_power_recent *out)
{
    for (; pod != NULL; pod = pod->next)
        read_recent_pod(cluster, pod, now_ms, out);
}

static void read_recent(const struct joulie_cluster *cluster, int64_t now_ms,
                        struct jl_power_recent *out)
{
    if (!(cluster->config.power_off.reserve_window_s > 0))
        return;
    read_recent_pods(cluster, cluster->unbound_pods, now_ms, out);
    for (size_t i = 0; i < cluster->order.known_count; i++)
        read_recent_pods(cluster, cluster->order.known[i]->pods, now_ms, out);
}

static int decide(struct joulie_cluster *cluster, int64_t now_ms)
{
    struct fleet fleet = { .count = 0 };
    struct jl_power_input input = { .config = &cluster->config.power_off, .now_ms = now_ms };
    if (open_fleet(cluster, &fleet) < 0 || read_fleet(cluster, &fleet) < 0 ||
        jl_cluster_read_waiting(cluster, now_ms, is_waiting, &input.waiting, &input.waiting_count) <
            0)
        return JOULIE_E_NOMEM;
    read_recent(cluster, now_ms, &input.recent);
    input.nodes = fleet.nodes;
    input.rooms = fleet.rooms;
    input.order = fleet.order;
    input.count = fleet.count;
    jl_power_decide(&input, fleet.choices);
    if (cluster->config.power_off.by_autoscaler)
        give_up_all(cluster, &fleet);
    else
        follow_all(cluster, &fleet, now_ms);
    return 0;
}

/* Without settings and records there is nothing to do; what was decided last is taken back once. */
int jl_cluster_decide_power(struct joulie_cluster *cluster, int64_t now_ms)
{
    struct power *power = &cluster->power;
    const bool is_used =
        cluster->config.power_off.enabled || power->recorded > 0 || power->held > 0;
    if (!is_used && !power->is_decided) {
        cluster->due &= ~(DUE_POWER | DUE_WAKE);
        return 0;
    }
    power->given_up = 0;
    settle_all(cluster, now_ms);
    if (is_used && decide(cluster, now_ms) < 0)
        return JOULIE_E_NOMEM;
    hold_all(cluster);
    power->is_decided = is_used;
    cluster->due &= ~(DUE_POWER | DUE_WAKE);
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        struct cluster_node *node = cluster->order.known[i];
        if (node->power.has_next)
            jl_cluster_changed(cluster, node, EVENT_RECORD);
        jl_cluster_give_command(cluster, node, now_ms);
    }
    return 0;
}
