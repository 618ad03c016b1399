/* SPDX-License-Identifier: Apache-2.0 */

/* Pods: each one's class, weight and blocking is counted into its node once and taken back when it
 * changes (P1-P3, P7). */

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/parts.h"

static struct pod_load *load_of(struct jl_cluster *cluster, struct cluster_pod *pod)
{
    return pod->node != NULL ? &pod->node->load : &cluster->unbound;
}

/* Adds what the pod counts for, or takes it back with sign -1. */
static void add_to_load(struct jl_cluster *cluster, struct cluster_pod *pod, int sign)
{
    struct pod_load *load = load_of(cluster, pod);
    if (pod->is_counted) {
        load->pods[pod->demand.class_] += sign;
        if (pod->demand.is_sensitive)
            load->weight += sign * pod->demand.weight; /* halves: exact in any order */
    }
    if (pod->why != JL_BLOCKER_NONE)
        load->blockers += sign;
    if (pod->has_profile)
        load->profile_pods += sign;
    if (pod->node != NULL && pod->has_profile)
        pod->node->is_advice_due = true;
}

static void uncount(struct jl_cluster *cluster, struct cluster_pod *pod)
{
    add_to_load(cluster, pod, -1);
    pod->is_counted = false;
    pod->has_profile = false;
    pod->why = JL_BLOCKER_NONE;
}

static void count(struct jl_cluster *cluster, struct cluster_pod *pod, int64_t now_ms)
{
    jl_demand_of_pod(&pod->value, jl_cluster_match(cluster, &pod->value), now_ms, JL_POLICY_CURRENT,
                     &pod->demand);
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
                     const struct jl_pod *value)
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
    if (pod->node != node) {
        leave_node(cluster, pod);
        join_node(pod, node);
    }
    return rc < 0 ? rc : jl_cluster_link_pod(cluster, pod);
}

int jl_cluster_put_pod(struct jl_cluster *cluster, const struct jl_pod *value,
                       struct joulie_error *err)
{
    if (jl_is_empty(value->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "a Pod needs a name");
    struct cluster_pod *pod = pod_of(cluster, value->meta.name_space, value->meta.name);
    if (pod == NULL)
        return jl_fail_memory(err);
    if (store_pod(cluster, pod, value) < 0) {
        drop(cluster, pod);
        return jl_fail_memory(err);
    }
    return 0;
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
