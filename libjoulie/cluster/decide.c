/* SPDX-License-Identifier: Apache-2.0 */

/* Demand, plan, guard, caps: the spec that every managed node should have, by docs/rules/policy.md.
 * The step calls it once all pods are counted. */

#include <joulie/error.h>

#include "cluster/state.h"

/* Pods on managed nodes and pods on no node (docs/rules/policy.md#what-counts). */
static void sum_demand(struct joulie_cluster *cluster)
{
    const struct pod_load *bound = &cluster->on_managed;
    const struct pod_load *unbound = &cluster->unbound;
    for (size_t i = 0; i < JL_DEMAND_CLASSES; i++)
        cluster->plan.demand.pods[i] = bound->pods[i] + unbound->pods[i];
    cluster->plan.demand.weighted = bound->weight + unbound->weight;
}

/* An operator that was started anew goes on from the profiles that stand in the twins: only their
 * first one has no hysteresis. */
static void resume(struct joulie_cluster *cluster)
{
    int64_t hp = 0;
    for (size_t i = 0; i < cluster->plan.count; i++)
        hp += cluster->plan.nodes[i].current == JOULIE_PROFILE_PERFORMANCE;
    if (hp > 0)
        cluster->plan.state = (struct jl_plan_state){ .is_set = true, .hp = hp };
}

/* ---- work that waits: docs/rules/policy.md#room ---- */

bool jl_cluster_awaits(const struct joulie_cluster *cluster, const struct cluster_pod *pod)
{
    return pod->is_counted && jl_policy_awaits(jl_cluster_reads(cluster), &pod->demand);
}

static void read_waiting_pod(const struct joulie_cluster *cluster, const struct cluster_pod *pod,
                             int64_t now_ms, struct jl_waiting_pod *out)
{
    jl_waiting_pod_init(&pod->value, pod->demand.profile, now_ms, out);
    if (!pod->is_work)
        return;
    out->needs = pod->work.needs;
    out->load = jl_cluster_load_of(cluster, pod);
}

int jl_cluster_read_waiting(struct joulie_cluster *cluster, int64_t now_ms,
                            bool (*is_awaited)(const struct joulie_cluster *cluster,
                                               const struct cluster_pod *pod),
                            const struct jl_waiting_pod **out, size_t *out_count)
{
    struct cluster_pod *pod = cluster->unbound_pods;
    size_t count = 0;
    for (; pod != NULL; pod = pod->next) {
        count += is_awaited(cluster, pod);
        pod->is_seen = true;
    }
    *out_count = 0;
    if (count == 0)
        return 0;
    struct jl_arena *arena = &cluster->step_arena;
    struct jl_waiting_pod *waiting = JL_NEW_ARRAY(arena, count, struct jl_waiting_pod);
    if (waiting == NULL)
        return JOULIE_E_NOMEM;
    count = 0;
    for (pod = cluster->unbound_pods; pod != NULL; pod = pod->next) {
        if (is_awaited(cluster, pod))
            read_waiting_pod(cluster, pod, now_ms, &waiting[count++]);
    }
    *out = waiting;
    *out_count = count;
    return jl_waiting_sort(waiting, count);
}

static int open_rooms(struct joulie_cluster *cluster, struct jl_plan_input *out)
{
    if (out->waiting_count == 0 || jl_cluster_reads(cluster) != JL_READS_QUEUE)
        return 0;
    out->rooms = JL_NEW_ARRAY(&cluster->step_arena, cluster->plan.count, struct jl_room);
    if (out->rooms == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->plan.count; i++)
        jl_cluster_room_of(cluster, cluster->plan.managed[i], &out->rooms[i]);
    return 0;
}

static int plan(struct joulie_cluster *cluster, int64_t now_ms)
{
    if (!cluster->plan.state.is_set)
        resume(cluster);
    struct jl_plan_input input = {
        .config = &cluster->config.policy,
        .rules = JL_POLICY_CURRENT,
        .demand = cluster->plan.demand.weighted,
        .nodes = cluster->plan.nodes,
        .count = cluster->plan.count,
        .family_count = cluster->plan.family_count,
        .now_ms = now_ms,
    };
    if (jl_cluster_read_waiting(cluster, now_ms, jl_cluster_awaits, &input.waiting,
                                &input.waiting_count) < 0 ||
        open_rooms(cluster, &input) < 0)
        return JOULIE_E_NOMEM;
    cluster->plan.demand.hp =
        jl_plan_nodes(&input, &cluster->plan.state, cluster->plan.choices, cluster->plan.scratch);
    if (jl_cluster_reads(cluster) != JL_READS_WORK)
        return 0;
    return jl_cluster_limit_gpus(cluster, input.waiting, input.waiting_count, now_ms);
}

bool jl_cluster_same_spec(const struct jl_twin_spec *a, const struct jl_twin_spec *b)
{
    const struct jl_gpu_power_cap *left = &a->gpu.power_cap;
    const struct jl_gpu_power_cap *right = &b->gpu.power_cap;
    return a->profile == b->profile && a->scheduling.draining == b->scheduling.draining &&
           jl_same(a->policy.name, b->policy.name) && jl_same(a->node_name, b->node_name) &&
           a->cpu.has == b->cpu.has && a->cpu.cap_w == b->cpu.cap_w &&
           a->cpu.cap_pct == b->cpu.cap_pct && left->has == right->has &&
           left->scope == right->scope && left->cap_w == right->cap_w &&
           left->cap_pct == right->cap_pct;
}

void jl_cluster_want(struct joulie_cluster *cluster, struct cluster_node *node,
                     const struct jl_guard_output *guard)
{
    const bool is_same =
        node->has_wanted && (node->due & DUE_CAPS) == 0 && node->guard.profile == guard->profile &&
        node->guard.is_draining == guard->is_draining && node->guard.caps == guard->caps;
    node->guard = *guard;
    if (is_same)
        return;
    const struct jl_policy *policy = jl_policy_of(cluster->config.policy.type);
    const struct jl_intent_input intent = {
        .config = &cluster->config.policy,
        .hardware = &node->hardware,
        .node = &node->value,
        .allocatable_gpus = node->allocatable_gpus,
        .caps = guard->caps,
        .gpu_limit_pct = node->scope == SCOPE_MANAGED ? node->limit.pct : JL_NO_CAP_PCT,
    };
    struct jl_twin_spec *wanted = &node->wanted;
    *wanted = (struct jl_twin_spec){ 0 };
    JL_SET(wanted, node_name, node->name);
    JL_SET(wanted, profile, guard->profile);
    policy->caps(&intent, JL_POLICY_CURRENT, wanted);
    JL_SET(&wanted->policy, name, policy->name);
    wanted->given.policy = true;
    JL_SET(&wanted->scheduling, draining, guard->is_draining);
    wanted->given.scheduling = true;
    node->has_wanted = true;
    node->due &= ~DUE_CAPS;
    jl_cluster_changed(cluster, node, EVENT_DECISION);
}

static void decide_node(struct joulie_cluster *cluster, struct cluster_node *node,
                        const struct jl_plan_choice *choice)
{
    const struct jl_guard_input input = {
        .plan = choice->profile,
        .blockers = node->load.blockers,
        .current_profile = node->past.profile,
        .is_current_draining = node->past.is_draining,
        .drain_caps = cluster->config.policy.drain_caps,
    };
    struct jl_guard_output guard;
    jl_guard(&input, JL_POLICY_CURRENT, &guard);
    node->reason = choice->reason;
    jl_cluster_want(cluster, node, &guard);
}

/* Nodes that are decided for the first time are not in any cache. */
static void look_ahead(const struct joulie_cluster *cluster, size_t i)
{
    if (i + AHEAD >= cluster->plan.count ||
        cluster->plan.decided[i + AHEAD].reason != JL_PLAN_NO_REASON)
        return;
    const struct cluster_node *node = cluster->plan.managed[i + AHEAD];
    jl_cluster_prefetch(node, offsetof(struct cluster_node, reading));
    jl_cluster_prefetch(&node->hardware, offsetof(struct cluster_node, status) -
                                             offsetof(struct cluster_node, hardware));
}

/* Only where the plan, or what the guard looks at, is another than in the last step. */
int jl_cluster_decide(struct joulie_cluster *cluster, int64_t now_ms)
{
    sum_demand(cluster);
    if (plan(cluster, now_ms) < 0)
        return JOULIE_E_NOMEM;
    cluster->due &= ~DUE_QUEUE;
    for (size_t i = 0; i < cluster->plan.count; i++) {
        const struct jl_plan_choice *choice = &cluster->plan.choices[i];
        struct jl_plan_choice *decided = &cluster->plan.decided[i];
        look_ahead(cluster, i);
        if (decided->profile == choice->profile && decided->reason == choice->reason)
            continue;
        decide_node(cluster, cluster->plan.managed[i], choice);
        *decided = *choice;
    }
    return 0;
}
