/* SPDX-License-Identifier: Apache-2.0 */

/* Pods: each one's class, weight and blocking is counted into its node once and taken back when it
 * changes (docs/rules/policy.md#demand). */

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/parts.h"

static struct pod_load *load_of(struct jl_cluster *cluster, struct cluster_pod *pod)
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
static void add_to_load(struct jl_cluster *cluster, struct cluster_pod *pod, int sign)
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
            jl_cluster_plan_changed(cluster, node);
    }
    if (!pod->has_profile)
        return;
    load->profile_pods += sign; /* only of a pod on a node */
    node->is_advice_due = true;
    jl_cluster_wake(cluster, node);
}

void jl_cluster_load_moved(struct jl_cluster *cluster, const struct cluster_node *node,
                           enum node_scope before)
{
    const int sign = (node->scope == SCOPE_MANAGED) - (before == SCOPE_MANAGED);
    for (size_t i = 0; i < JL_DEMAND_CLASSES; i++)
        cluster->on_managed.pods[i] += sign * node->load.pods[i];
    cluster->on_managed.weight += sign * node->load.weight;
}

static void uncount(struct jl_cluster *cluster, struct cluster_pod *pod)
{
    add_to_load(cluster, pod, -1);
    pod->is_counted = false;
    pod->has_profile = false;
    pod->why = JL_BLOCKER_NONE;
}

/* As jl_cluster_match(), without looking for what the pod is joined to: the first hit wins. */
static const struct jl_workload_profile *profile_of(const struct cluster_pod *pod)
{
    for (size_t i = 0; i < pod->link_count; i++) {
        if (pod->links[i].subject->profiles != NULL)
            return &pod->links[i].subject->profiles->value;
    }
    return NULL;
}

static void count(struct jl_cluster *cluster, struct cluster_pod *pod, int64_t now_ms)
{
    jl_demand_of_pod(&pod->value, profile_of(pod), now_ms, JL_POLICY_CURRENT, &pod->demand);
    if (pod->is_work && pod->demand.profile == NULL)
        pod->demand.weight = jl_demand_weight(pod->work.intensity);
    pod->is_counted = jl_pod_is_demand(&pod->value, JL_POLICY_CURRENT);
    pod->has_profile = pod->is_counted && pod->node != NULL && pod->demand.profile != NULL;
    pod->why = pod->node != NULL ? jl_pod_blocks(&pod->value, &pod->demand, JL_POLICY_CURRENT)
                                 : JL_BLOCKER_NONE;
    add_to_load(cluster, pod, 1);
}

void jl_cluster_pod_dirty(struct jl_cluster *cluster, struct cluster_pod *pod)
{
    if (pod->is_dirty)
        return;
    uncount(cluster, pod);
    pod->is_dirty = true;
    pod->dirty_prev = NULL;
    pod->dirty_next = cluster->dirty_pods;
    if (pod->dirty_next != NULL)
        pod->dirty_next->dirty_prev = pod;
    cluster->dirty_pods = pod;
}

static void leave_dirty(struct jl_cluster *cluster, struct cluster_pod *pod)
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

void jl_cluster_count_pods(struct jl_cluster *cluster, int64_t now_ms)
{
    while (cluster->dirty_pods != NULL) {
        struct cluster_pod *pod = cluster->dirty_pods;
        leave_dirty(cluster, pod);
        count(cluster, pod, now_ms);
    }
}

static void leave_node(struct jl_cluster *cluster, struct cluster_pod *pod)
{
    struct cluster_node *node = pod->node;
    if (node == NULL)
        return;
    if (pod->prev != NULL)
        pod->prev->next = pod->next;
    else
        node->pods = pod->next;
    if (pod->next != NULL)
        pod->next->prev = pod->prev;
    pod->node = NULL;
    jl_cluster_ledger_changed(cluster, node);
    jl_cluster_node_release(cluster, node);
}

static void join_node(struct cluster_pod *pod, struct cluster_node *node)
{
    pod->node = node;
    if (node == NULL)
        return;
    pod->prev = NULL;
    pod->next = node->pods;
    if (pod->next != NULL)
        pod->next->prev = pod;
    node->pods = pod;
}

void jl_cluster_pod_free(struct cluster_pod *pod)
{
    if (pod == NULL)
        return;
    jl_arena_clear(&pod->arena);
    jl_free(pod->key);
    jl_free(pod);
}

static void drop(struct jl_cluster *cluster, struct cluster_pod *pod)
{
    if (!pod->is_dirty)
        uncount(cluster, pod);
    leave_dirty(cluster, pod);
    jl_cluster_unlink_pod(cluster, pod);
    leave_node(cluster, pod);
    jl_index_remove(&cluster->pods, pod->key);
    jl_cluster_pod_free(pod);
}

static struct cluster_pod *pod_of(struct jl_cluster *cluster, const char *name_space,
                                  const char *name)
{
    struct jl_arena scratch = { .first = SCRATCH_BYTES };
    const char *key = jl_cluster_key(&scratch, name_space, name, (struct jl_text){ 0 });
    struct cluster_pod *pod = key != NULL ? jl_cluster_find(&cluster->pods, key) : NULL;
    if (pod == NULL && key != NULL) {
        pod = jl_calloc(1, sizeof *pod);
        char *copy = jl_strdup(key);
        if (pod != NULL && copy != NULL && jl_cluster_insert(&cluster->pods, copy, pod) == 0) {
            pod->key = copy;
        } else {
            jl_free(copy);
            jl_free(pod);
            pod = NULL;
        }
    }
    jl_arena_clear(&scratch);
    return pod;
}

/* Takes the new value; on failure the pod is gone, which the next put repairs. */
static int store_pod(struct jl_cluster *cluster, struct cluster_pod *pod,
                     const struct jl_pod *value, const struct jl_cluster_work *work)
{
    struct jl_arena arena = { 0 };
    struct jl_pod copy;
    const char *node_name = value->spec.node_name;
    struct cluster_node *node = NULL;
    int rc = jl_cluster_copy(&jl_pod_table, value, &arena, &copy);
    if (rc < 0)
        return rc;
    if (!jl_is_empty(node_name)) {
        node = jl_cluster_node_of(cluster, node_name);
        rc = node != NULL ? 0 : JOULIE_E_NOMEM;
    }
    jl_cluster_pod_dirty(cluster, pod);
    jl_cluster_unlink_pod(cluster, pod);
    jl_arena_clear(&pod->arena);
    pod->arena = arena;
    pod->value = copy;
    pod->is_work = work != NULL;
    if (work != NULL)
        pod->work = *work;
    if (pod->node != node) {
        leave_node(cluster, pod);
        join_node(pod, node);
    }
    if (node != NULL)
        jl_cluster_ledger_changed(cluster, node);
    if (rc == 0)
        rc = jl_cluster_link_pod(cluster, pod);
    if (rc == 0 && profile_of(pod) == NULL) { /* at any time the same */
        leave_dirty(cluster, pod);
        count(cluster, pod, 0);
    }
    return rc;
}

static int put(struct jl_cluster *cluster, const struct jl_pod *value,
               const struct jl_cluster_work *work, struct joulie_error *err)
{
    if (jl_is_empty(value->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, work != NULL ? "name" : "metadata.name",
                       "work needs a name");
    struct cluster_pod *pod = pod_of(cluster, value->meta.name_space, value->meta.name);
    if (pod == NULL)
        return jl_fail_memory(err);
    if (store_pod(cluster, pod, value, work) < 0) {
        drop(cluster, pod);
        return jl_fail_memory(err);
    }
    return 0;
}

int jl_cluster_put_pod(struct jl_cluster *cluster, const struct jl_pod *value,
                       struct joulie_error *err)
{
    return put(cluster, value, NULL, err);
}

int jl_cluster_put_work(struct jl_cluster *cluster, const struct jl_pod *pod,
                        const struct jl_cluster_work *work, struct joulie_error *err)
{
    return put(cluster, pod, work, err);
}

int jl_cluster_remove_pod(struct jl_cluster *cluster, const char *name_space, const char *name)
{
    struct jl_arena scratch = { .first = SCRATCH_BYTES };
    const char *key = jl_cluster_key(&scratch, name_space, name, (struct jl_text){ 0 });
    struct cluster_pod *pod = key != NULL ? jl_cluster_find(&cluster->pods, key) : NULL;
    if (pod != NULL)
        drop(cluster, pod);
    jl_arena_clear(&scratch);
    return key != NULL ? 0 : JOULIE_E_NOMEM;
}
