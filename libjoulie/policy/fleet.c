/* SPDX-License-Identifier: Apache-2.0 */

/* The whole plan over objects, from scratch: the question `plan` answers with it, and tests
 * compare the cluster model with it. */

#include "policy/fleet.h"

#include <string.h>

#include <joulie/error.h>

#include "base/sort.h"
#include "kinds/effective.h"

/* Working columns; one entry per eligible node in name order unless said otherwise. */
struct fleet {
    struct jl_arena *arena;
    const struct jl_fleet_input *in;
    struct jl_fleet_output *out;
    const struct jl_fleet_node **nodes;
    struct jl_hardware *hardware;
    size_t count;
    struct jl_index by_name;        /* eligible nodes */
    struct bound_blocker *blockers; /* by node, namespace, name after sort_blockers */
    size_t blocker_count;
    struct jl_place_load *held;     /* by the pods of each node */
    struct jl_waiting_pod *waiting; /* pods on no node that the policy reads */
    size_t waiting_count;
    struct bound_job *jobs; /* of a policy that reads work; by node after sort_jobs */
    size_t job_count;
    struct jl_gpu_job *node_jobs; /* of one node */
};

struct bound_blocker {
    size_t node;
    struct jl_fleet_blocker blocker;
};

struct bound_job {
    size_t node;
    struct jl_gpu_job job;
};

static int by_node_name(const void *a, const void *b, void *user)
{
    const struct jl_fleet_node *const *left = a;
    const struct jl_fleet_node *const *right = b;
    (void)user;
    return jl_compare((*left)->node->meta.name, (*right)->node->meta.name);
}

static int by_place(const void *a, const void *b, void *user)
{
    const struct bound_blocker *left = a;
    const struct bound_blocker *right = b;
    (void)user;
    int order = JL_ORDER(left->node, right->node);
    if (order == 0)
        order = jl_compare(left->blocker.name_space, right->blocker.name_space);
    return order != 0 ? order : jl_compare(left->blocker.name, right->blocker.name);
}

static int by_node(const void *a, const void *b, void *user)
{
    const struct bound_job *const left = a;
    const struct bound_job *const right = b;
    (void)user;
    return JL_ORDER(left->node, right->node);
}

static const char *name_of(const struct jl_node *node)
{
    return node->meta.name != NULL ? node->meta.name : "";
}

/* Splits the nodes into eligible and excluded, both by name. */
static int select_eligible(struct fleet *fleet)
{
    const struct jl_fleet_input *in = fleet->in;
    struct jl_fleet_output *out = fleet->out;
    const struct jl_fleet_node **sorted =
        JL_NEW_ARRAY(fleet->arena, in->node_count, const struct jl_fleet_node *);
    out->excluded = JL_NEW_ARRAY(fleet->arena, in->node_count, struct jl_fleet_exclusion);
    if (sorted == NULL || out->excluded == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < in->node_count; i++)
        sorted[i] = &in->nodes[i];
    if (jl_sort(sorted, in->node_count, sizeof *sorted, by_node_name, NULL) < 0)
        return JOULIE_E_NOMEM;
    fleet->nodes = sorted;
    for (size_t i = 0; i < in->node_count; i++) {
        const struct jl_node *node = sorted[i]->node;
        const enum jl_exclusion why =
            jl_node_exclusion(node, in->config->reserved_label_key, in->selector);
        if (why != JL_EXCLUDED_NOT) {
            out->excluded[out->excluded_count++] =
                (struct jl_fleet_exclusion){ name_of(node), why };
            continue;
        }
        fleet->nodes[fleet->count] = sorted[i];
        if (jl_index_set(&fleet->by_name, name_of(node), fleet->count++) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

static int resolve_hardware(struct fleet *fleet)
{
    const enum jl_hardware_rules rules =
        fleet->in->rules == JL_POLICY_CURRENT ? JL_HARDWARE_CURRENT : JL_HARDWARE_PLAN_V0_1_1;
    fleet->hardware = JL_NEW_ARRAY(fleet->arena, fleet->count, struct jl_hardware);
    if (fleet->hardware == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < fleet->count; i++)
        jl_hardware_resolve_by(fleet->nodes[i]->hardware, fleet->nodes[i]->node,
                               &fleet->in->config->gpu_product_label_keys, rules,
                               &fleet->hardware[i]);
    return 0;
}

/* docs/rules/policy.md#what-counts: a pod counts on an eligible node or on none; the source counts
 * it wherever it is. */
static void count_demand(struct fleet *fleet, const struct jl_pod *pod,
                         const struct jl_demand *demand, bool is_here)
{
    const enum jl_policy_rules rules = fleet->in->rules;
    const bool is_relevant =
        rules != JL_POLICY_CURRENT || is_here || jl_is_empty(pod->spec.node_name);
    if (!is_relevant || !jl_pod_is_demand(pod, rules))
        return;
    fleet->out->demand_pods[demand->class_]++;
    if (demand->is_sensitive)
        fleet->out->demand += demand->weight;
}

/* docs/rules/policy.md#room: what it holds of its node, or that it waits for one. */
static void note_room(struct fleet *fleet, const struct jl_pod *pod, const struct jl_demand *demand,
                      bool is_here, size_t node)
{
    struct jl_waiting_pod view;
    if (!jl_pod_is_demand(pod, fleet->in->rules))
        return;
    jl_waiting_pod_init(pod, demand->profile, fleet->in->now_ms, &view);
    const enum jl_policy_reads reads = jl_policy_of(fleet->in->config->type)->reads;
    if (is_here) {
        jl_place_load_add(&fleet->held[node], &view.load, 1);
        if (reads == JL_READS_WORK && view.needs.gpu_count > 0) {
            struct bound_job *job = &fleet->jobs[fleet->job_count++];
            job->node = node;
            jl_gpu_job_init(&view.needs, fleet->in->config, &job->job);
        }
    } else if (jl_policy_awaits(reads, demand) && jl_is_empty(pod->spec.node_name)) {
        fleet->waiting[fleet->waiting_count++] = view;
    }
}

static int read_pods(struct fleet *fleet)
{
    const struct jl_fleet_input *in = fleet->in;
    fleet->blockers = JL_NEW_ARRAY(fleet->arena, in->pod_count, struct bound_blocker);
    fleet->held = JL_NEW_ARRAY(fleet->arena, fleet->count, struct jl_place_load);
    fleet->waiting = JL_NEW_ARRAY(fleet->arena, in->pod_count, struct jl_waiting_pod);
    fleet->jobs = JL_NEW_ARRAY(fleet->arena, in->pod_count, struct bound_job);
    fleet->node_jobs = JL_NEW_ARRAY(fleet->arena, in->pod_count, struct jl_gpu_job);
    if (fleet->blockers == NULL || fleet->held == NULL || fleet->waiting == NULL ||
        fleet->jobs == NULL || fleet->node_jobs == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < in->pod_count; i++) {
        const struct jl_pod *pod = &in->pods[i];
        const bool looks_at_profiles = in->rules == JL_POLICY_CURRENT;
        const struct jl_workload_profile *match =
            looks_at_profiles ? jl_profile_match(pod, in->profiles, in->profile_count) : NULL;
        struct jl_demand demand;
        size_t node = 0;
        jl_demand_of_pod(pod, match, in->now_ms, in->rules, &demand);
        const bool is_here = !jl_is_empty(pod->spec.node_name) &&
                             jl_index_get(&fleet->by_name, pod->spec.node_name, &node);
        count_demand(fleet, pod, &demand, is_here);
        note_room(fleet, pod, &demand, is_here, node);
        const enum jl_blocker_why why =
            is_here ? jl_pod_blocks(pod, &demand, in->rules) : JL_BLOCKER_NONE;
        if (why != JL_BLOCKER_NONE)
            fleet->blockers[fleet->blocker_count++] =
                (struct bound_blocker){ node, { pod->meta.name_space, pod->meta.name, why } };
    }
    if (jl_waiting_sort(fleet->waiting, fleet->waiting_count) < 0 ||
        jl_sort(fleet->jobs, fleet->job_count, sizeof *fleet->jobs, by_node, NULL) < 0)
        return JOULIE_E_NOMEM;
    return jl_sort(fleet->blockers, fleet->blocker_count, sizeof *fleet->blockers, by_place, NULL);
}

/* Hands each assignment its slice of the sorted blockers. */
static int deal_blockers(struct fleet *fleet)
{
    struct jl_fleet_blocker *blockers =
        JL_NEW_ARRAY(fleet->arena, fleet->blocker_count, struct jl_fleet_blocker);
    if (blockers == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < fleet->blocker_count; i++) {
        struct jl_fleet_assignment *assignment = &fleet->out->assignments[fleet->blockers[i].node];
        blockers[i] = fleet->blockers[i].blocker;
        if (assignment->blocker_count++ == 0)
            assignment->blockers = &blockers[i];
    }
    return 0;
}

/* Fills order with the eligible nodes as the policies walk them: by density, in v0.0.2 by name. */
static int walk_order(struct fleet *fleet, struct jl_density_rank *order)
{
    for (size_t i = 0; i < fleet->count; i++) {
        struct jl_density density;
        jl_density_of(&fleet->hardware[i], &density);
        order[i] = (struct jl_density_rank){ density.total, name_of(fleet->nodes[i]->node), i };
    }
    return fleet->in->rules == JL_POLICY_V0_0_2 ? 0 : jl_density_sort(order, fleet->count);
}

static int number_family(struct fleet *fleet, struct jl_index *families, size_t node, uint32_t *out)
{
    const char *name = jl_family_name(fleet->arena, &fleet->hardware[node],
                                      name_of(fleet->nodes[node]->node), fleet->in->rules);
    size_t number = families->count;
    if (name == NULL)
        return JOULIE_E_NOMEM;
    if (!jl_index_get(families, name, &number) && jl_index_set(families, name, number) < 0)
        return JOULIE_E_NOMEM;
    *out = (uint32_t)number;
    return 0;
}

static void open_room(const struct fleet *fleet, size_t node, struct jl_room *out)
{
    jl_room_open(fleet->nodes[node]->node, &fleet->hardware[node], &fleet->held[node], out);
}

static int choose(struct fleet *fleet, struct jl_index *families)
{
    struct jl_density_rank *order =
        JL_NEW_ARRAY(fleet->arena, fleet->count, struct jl_density_rank);
    struct jl_plan_node *nodes = JL_NEW_ARRAY(fleet->arena, fleet->count, struct jl_plan_node);
    struct jl_plan_choice *choices =
        JL_NEW_ARRAY(fleet->arena, fleet->count, struct jl_plan_choice);
    struct jl_room *rooms = JL_NEW_ARRAY(fleet->arena, fleet->count, struct jl_room);
    if (order == NULL || nodes == NULL || choices == NULL || rooms == NULL ||
        walk_order(fleet, order) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < fleet->count; i++) {
        const size_t node = order[i].index;
        const struct jl_node_past *past = &fleet->nodes[node]->past;
        nodes[i] = (struct jl_plan_node){
            .current = past->profile,
            .has_blocker = fleet->out->assignments[node].blocker_count > 0,
            .has_since = past->has_since,
            .since_ms = past->since_ms,
        };
        open_room(fleet, node, &rooms[i]);
        if (number_family(fleet, families, node, &nodes[i].family) < 0)
            return JOULIE_E_NOMEM;
    }
    const struct jl_plan_input plan = {
        .config = fleet->in->config,
        .rules = fleet->in->rules,
        .demand = fleet->out->demand,
        .nodes = nodes,
        .count = fleet->count,
        .family_count = (uint32_t)families->count,
        .now_ms = fleet->in->now_ms,
        .waiting = fleet->waiting,
        .waiting_count = fleet->waiting_count,
        .rooms = rooms,
    };
    void *scratch = jl_arena_alloc(fleet->arena, jl_plan_scratch_size(&plan));
    if (scratch == NULL)
        return JOULIE_E_NOMEM;
    fleet->out->state = fleet->in->state;
    fleet->out->hp = jl_plan_nodes(&plan, &fleet->out->state, choices, scratch);
    for (size_t i = 0; i < fleet->count; i++) {
        fleet->out->assignments[order[i].index].guard.profile = choices[i].profile;
        fleet->out->assignments[order[i].index].reason = choices[i].reason;
    }
    return 0;
}

/* docs/rules/policy.md#efficiency_v1; nodes come in their order, as jobs do. */
static int limit_gpus(struct fleet *fleet, size_t i, size_t *next_job)
{
    const struct jl_fleet_input *in = fleet->in;
    struct jl_fleet_assignment *assignment = &fleet->out->assignments[i];
    struct jl_gpu_limit of_work;
    struct jl_room room;
    size_t count = 0;
    for (; *next_job < fleet->job_count && fleet->jobs[*next_job].node == i; ++*next_job)
        fleet->node_jobs[count++] = fleet->jobs[*next_job].job;
    if (!(jl_node_allocatable_gpus(fleet->nodes[i]->node) > 0))
        return 0;
    const int rc = jl_gpu_limit_of_work(&fleet->hardware[i], fleet->node_jobs, count, &of_work);
    open_room(fleet, i, &room);
    jl_gpu_limit_now(&of_work, in->config,
                     jl_room_has_backlog(&room, fleet->waiting, fleet->waiting_count),
                     &fleet->nodes[i]->past.limit, in->now_ms, &assignment->limit);
    return rc;
}

/* Guard and caps of one node; its planned profile stands in guard.profile. */
static void settle(struct fleet *fleet, size_t i)
{
    const struct jl_fleet_input *in = fleet->in;
    const struct jl_fleet_node *node = fleet->nodes[i];
    struct jl_fleet_assignment *assignment = &fleet->out->assignments[i];
    const struct jl_guard_input guard = {
        .plan = assignment->guard.profile,
        .blockers = (int64_t)assignment->blocker_count,
        .current_label = jl_label(&node->node->meta, in->config->power_profile_label),
        .current_profile = node->past.profile,
        .is_current_draining = node->past.is_draining,
        .drain_caps = in->config->drain_caps,
    };
    jl_guard(&guard, in->rules, &assignment->guard);
    const struct jl_intent_input intent = {
        .config = in->config,
        .hardware = &fleet->hardware[i],
        .node = node->node,
        .allocatable_gpus = jl_node_allocatable_gpus(node->node),
        .caps = assignment->guard.caps,
        .gpu_limit_pct = assignment->limit.pct,
    };
    jl_policy_of(in->config->type)->caps(&intent, in->rules, &assignment->intents);
    jl_past_after(&node->past, assignment->guard.profile, assignment->guard.is_draining, in->now_ms,
                  &assignment->past);
    if (assignment->limit.reason != JL_LIMIT_NO_REASON)
        jl_limit_after(&node->past.limit, assignment->limit.pct, in->now_ms,
                       &assignment->past.limit);
}

static int plan(struct fleet *fleet, struct jl_index *families)
{
    if (select_eligible(fleet) < 0 || resolve_hardware(fleet) < 0 || read_pods(fleet) < 0)
        return JOULIE_E_NOMEM;
    struct jl_fleet_output *out = fleet->out;
    out->assignments = JL_NEW_ARRAY(fleet->arena, fleet->count, struct jl_fleet_assignment);
    out->assignment_count = fleet->count;
    if (out->assignments == NULL || deal_blockers(fleet) < 0 || choose(fleet, families) < 0)
        return JOULIE_E_NOMEM;
    const bool reads_work = jl_policy_of(fleet->in->config->type)->reads == JL_READS_WORK;
    size_t next_job = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        out->assignments[i].node_name = name_of(fleet->nodes[i]->node);
        if (reads_work && limit_gpus(fleet, i, &next_job) < 0)
            return JOULIE_E_NOMEM;
        settle(fleet, i);
    }
    return 0;
}

int jl_fleet_plan(struct jl_arena *arena, const struct jl_fleet_input *in,
                  struct jl_fleet_output *out)
{
    struct fleet fleet = { .arena = arena, .in = in, .out = out };
    struct jl_index families = { 0 };
    memset(out, 0, sizeof *out);
    const int rc = plan(&fleet, &families);
    jl_index_clear(&families);
    jl_index_clear(&fleet.by_name);
    return rc;
}
