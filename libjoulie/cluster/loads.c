/* SPDX-License-Identifier: Apache-2.0 */

/* What pods count for: class, weight and blocking of each are added to its node once and taken back
 * when the pod changes (docs/rules/policy.md#demand). A pod whose profile's gate depends on the
 * time waits in a list for the step. */

#include <joulie/error.h>

#include "cluster/state.h"

static struct pod_load *load_of(struct joulie_cluster *cluster, struct cluster_pod *pod)
{
    return pod->node != NULL ? &pod->node->load : &cluster->unbound;
}

static void add_demand(struct pod_load *load, const struct cluster_pod *pod, int sign)
{
    load->pods[pod->demand.class_] += sign;
    if (pod->demand.is_sensitive)
        load->weight += sign * pod->demand.weight; /* halves: exact in any order */
}

/* Adds what the pod counts for, or takes it back with sign -1. */
static void add_to_load(struct joulie_cluster *cluster, struct cluster_pod *pod, int sign)
{
    struct cluster_node *node = pod->node;
    struct pod_load *load = load_of(cluster, pod);
    if (pod->is_counted)
        add_demand(load, pod, sign);
    if (pod->is_counted && node != NULL && node->scope == SCOPE_MANAGED)
        add_demand(&cluster->on_managed, pod, sign);
    if (pod->why != JL_BLOCKER_NONE) {
        load->blockers += sign;
        if (node != NULL)
            jl_cluster_changed(cluster, node, EVENT_BLOCKERS);
    }
    if (!pod->has_profile)
        return;
    load->profile_pods += sign; /* only of a pod on a node */
    jl_cluster_changed(cluster, node, EVENT_WORK);
}

void jl_cluster_load_moved(struct pod_load *on_managed, const struct cluster_node *node,
                           enum node_scope before)
{
    const int sign = (node->scope == SCOPE_MANAGED) - (before == SCOPE_MANAGED);
    for (size_t i = 0; i < JL_DEMAND_CLASSES; i++)
        on_managed->pods[i] += sign * node->load.pods[i];
    on_managed->weight += sign * node->load.weight;
}

void jl_cluster_uncount_pod(struct joulie_cluster *cluster, struct cluster_pod *pod)
{
    add_to_load(cluster, pod, -1);
    pod->is_counted = false;
    pod->has_profile = false;
    pod->why = JL_BLOCKER_NONE;
}

const struct jl_workload_profile *jl_cluster_pod_profile(const struct joulie_cluster *cluster,
                                                         const struct cluster_pod *pod)
{
    for (size_t i = 0; i < pod->link_count; i++) {
        if (pod->links[i].subject->profiles != NULL)
            return jl_cluster_profile_of(cluster, pod->links[i].subject);
    }
    return NULL;
}

void jl_cluster_count_pod(struct joulie_cluster *cluster, struct cluster_pod *pod, int64_t now_ms)
{
    jl_demand_of_pod(&pod->value, jl_cluster_pod_profile(cluster, pod), now_ms, JL_POLICY_CURRENT,
                     &pod->demand);
    if (pod->is_work && pod->demand.profile == NULL)
        pod->demand.weight = jl_demand_weight(pod->work.intensity);
    pod->is_counted = jl_pod_is_demand(&pod->value, JL_POLICY_CURRENT);
    pod->has_profile = pod->is_counted && pod->node != NULL && pod->demand.profile != NULL;
    pod->why = pod->node != NULL ? jl_pod_blocks(&pod->value, &pod->demand, JL_POLICY_CURRENT)
                                 : JL_BLOCKER_NONE;
    add_to_load(cluster, pod, 1);
}

void jl_cluster_pod_dirty(struct joulie_cluster *cluster, struct cluster_pod *pod)
{
    if (pod->is_dirty)
        return;
    jl_cluster_uncount_pod(cluster, pod);
    pod->is_dirty = true;
    pod->dirty_prev = NULL;
    pod->dirty_next = cluster->dirty_pods;
    if (pod->dirty_next != NULL)
        pod->dirty_next->dirty_prev = pod;
    cluster->dirty_pods = pod;
}

void jl_cluster_pod_clean(struct joulie_cluster *cluster, struct cluster_pod *pod)
{
    if (!pod->is_dirty)
        return;
    if (pod->dirty_prev != NULL)
        pod->dirty_prev->dirty_next = pod->dirty_next;
    else
        cluster->dirty_pods = pod->dirty_next;
    if (pod->dirty_next != NULL)
        pod->dirty_next->dirty_prev = pod->dirty_prev;
    pod->is_dirty = false;
}

void jl_cluster_count_pods(struct joulie_cluster *cluster, int64_t now_ms)
{
    while (cluster->dirty_pods != NULL) {
        struct cluster_pod *pod = cluster->dirty_pods;
        jl_cluster_pod_clean(cluster, pod);
        jl_cluster_count_pod(cluster, pod, now_ms);
    }
}
