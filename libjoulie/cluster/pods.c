/* SPDX-License-Identifier: Apache-2.0 */

/* Pods by namespace and name: stored, bound to their node, linked to the profiles that may match
 * them. What they count for is in loads.c. */

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/state.h"

static struct cluster_pod **list_of(struct joulie_cluster *cluster, struct cluster_node *node)
{
    return node != NULL ? &node->pods : &cluster->unbound_pods;
}

static void pods_changed(struct joulie_cluster *cluster, struct cluster_node *node,
                         enum cluster_event event)
{
    jl_cluster_changed(cluster, node, event);
    if (node->is_by_pods)
        jl_cluster_changed(cluster, node, EVENT_ALLOCATION);
}

static void leave_node(struct joulie_cluster *cluster, struct cluster_pod *pod)
{
    struct cluster_node *node = pod->node;
    if (!pod->is_listed)
        return;
    jl_cluster_agent_moved(cluster, pod);
    if (pod->prev != NULL)
        pod->prev->next = pod->next;
    else
        *list_of(cluster, node) = pod->next;
    if (pod->next != NULL)
        pod->next->prev = pod->prev;
    pod->is_listed = false;
    pod->node = NULL;
    if (node == NULL)
        return;
    jl_cluster_hold(node, &pod->held, -1);
    pods_changed(cluster, node, EVENT_FREED);
    jl_cluster_node_release(cluster, node);
}

static void join_node(struct joulie_cluster *cluster, struct cluster_pod *pod,
                      struct cluster_node *node)
{
    struct cluster_pod **list = list_of(cluster, node);
    pod->node = node;
    pod->is_listed = true;
    pod->is_seen = false;
    pod->prev = NULL;
    pod->next = *list;
    if (pod->next != NULL)
        pod->next->prev = pod;
    *list = pod;
    if (node != NULL)
        jl_cluster_hold(node, &pod->held, 1);
}

void jl_cluster_pod_free(void *item)
{
    for (struct cluster_pod *pod = item; pod != NULL;) {
        struct cluster_pod *part = pod->part;
        jl_arena_clear(&pod->arena);
        jl_free(pod->usage);
        jl_cluster_item_free(pod);
        pod = part;
    }
}

/* Takes back what the pod and its further parts count for, and leaves their nodes. */
static void detach(struct joulie_cluster *cluster, struct cluster_pod *pod)
{
    for (; pod != NULL; pod = pod->part) {
        if (!pod->is_dirty)
            jl_cluster_uncount_pod(cluster, pod);
        jl_cluster_pod_clean(cluster, pod);
        jl_cluster_unlink_pod(&cluster->store.subjects, pod);
        leave_node(cluster, pod);
    }
}

static void drop(struct joulie_cluster *cluster, struct cluster_pod *pod)
{
    detach(cluster, pod);
    jl_index_remove(&cluster->store.pods, pod->key);
    jl_cluster_pod_free(pod);
}

static void drop_parts_after(struct joulie_cluster *cluster, struct cluster_pod *pod)
{
    detach(cluster, pod->part);
    jl_cluster_pod_free(pod->part);
    pod->part = NULL;
}

static struct cluster_pod *pod_of(struct joulie_cluster *cluster, const struct jl_meta *meta)
{
    return jl_cluster_find_or_make_in(&cluster->store.pods, meta->name_space, meta->name,
                                      sizeof(struct cluster_pod));
}

static bool is_less(const struct jl_place_load *now, const struct jl_place_load *before)
{
    return now->work < before->work || now->millicores < before->millicores ||
           now->micro_gpus < before->micro_gpus || now->bytes < before->bytes;
}

/* Takes the new value; on failure the pod is gone, which the next put repairs. */
static int store_pod(struct joulie_cluster *cluster, struct cluster_pod *pod,
                     const struct jl_pod *value, const struct work_facts *work)
{
    struct jl_arena arena = { 0 };
    struct jl_pod copy;
    struct jl_pod kept = *value;
    const char *node_name = value->spec.node_name;
    struct cluster_node *node = NULL;
    kept.status.given.conditions = false; /* they are many, and what they say of an agent is kept */
    kept.status.given.qos_class = false;  /* tiers of threads are decided elsewhere */
    kept.spec.given.priority_class = false;
    int rc = jl_cluster_copy(&jl_pod_table, &kept, &arena, &copy);
    if (rc < 0)
        return rc;
    if (!jl_is_empty(node_name)) {
        node = jl_cluster_node_of(cluster, node_name);
        rc = node != NULL ? 0 : JOULIE_E_NOMEM;
    }
    jl_cluster_pod_dirty(cluster, pod);
    jl_cluster_unlink_pod(&cluster->store.subjects, pod);
    jl_arena_clear(&pod->arena);
    pod->arena = arena;
    pod->value = copy;
    pod->is_work = work != NULL;
    if (work != NULL)
        pod->work = *work;
    const struct jl_place_load held = jl_cluster_load_of(cluster, pod);
    jl_cluster_agent_moved(cluster, pod);
    pod->agent = jl_agent_pod_of(&cluster->agents, value);
    jl_cluster_agent_moved(cluster, pod);
    if (pod->node != node || !pod->is_listed) {
        leave_node(cluster, pod);
        pod->held = held;
        join_node(cluster, pod, node);
    } else if (node != NULL) {
        if (is_less(&held, &pod->held))
            jl_cluster_changed(cluster, node, EVENT_FREED);
        jl_cluster_hold(node, &pod->held, -1);
        jl_cluster_hold(node, &held, 1);
        pod->held = held;
    }
    if (node != NULL)
        pods_changed(cluster, node, EVENT_PODS);
    if (rc == 0)
        rc = jl_cluster_link_pod(&cluster->store.subjects, pod);
    if (rc == 0 && jl_cluster_pod_profile(cluster, pod) == NULL) { /* at any time the same */
        jl_cluster_pod_clean(cluster, pod);
        jl_cluster_count_pod(cluster, pod, 0);
    }
    if (node == NULL && !pod->is_seen && (pod->is_dirty || jl_cluster_awaits(cluster, pod)))
        cluster->due |= DUE_QUEUE;
    if (node == NULL && !pod->is_seen && jl_cluster_wakes_for(cluster, pod))
        cluster->due |= DUE_WAKE;
    return rc;
}

int jl_cluster_put_pod(struct joulie_cluster *cluster, const struct jl_pod *value,
                       struct joulie_error *err)
{
    if (jl_is_empty(value->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "work needs a name");
    struct cluster_pod *pod = pod_of(cluster, &value->meta);
    if (pod == NULL)
        return jl_fail_memory(err);
    drop_parts_after(cluster, pod);
    if (store_pod(cluster, pod, value, NULL) < 0) {
        drop(cluster, pod);
        return jl_fail_memory(err);
    }
    return 0;
}

/* One part after the other; those that there were before and that are too many go. */
static int store_parts(struct joulie_cluster *cluster, struct cluster_pod *first,
                       const struct jl_pod *pod, const struct work_facts *work,
                       const char *const *node_names, size_t count)
{
    struct jl_pod value = *pod;
    struct cluster_pod *part = first;
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (node_names != NULL)
            JL_SET(&value.spec, node_name, node_names[i]);
        rc = store_pod(cluster, part, &value, work);
        if (rc < 0 || i + 1 == count)
            break;
        if (part->part == NULL)
            part->part = jl_calloc(1, sizeof *part);
        part = part->part;
        if (part == NULL)
            rc = JOULIE_E_NOMEM;
    }
    if (rc == 0)
        drop_parts_after(cluster, part);
    return rc;
}

int jl_cluster_store_work(struct joulie_cluster *cluster, const struct jl_pod *pod,
                          const struct work_facts *work, const char *const *node_names,
                          size_t count, struct joulie_error *err)
{
    if (jl_is_empty(pod->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "name", "work needs a name");
    struct cluster_pod *first = pod_of(cluster, &pod->meta);
    if (first == NULL)
        return jl_fail_memory(err);
    if (store_parts(cluster, first, pod, work, node_names, count) < 0) {
        drop(cluster, first);
        return jl_fail_memory(err);
    }
    return 0;
}

int jl_cluster_remove_pod(struct joulie_cluster *cluster, const char *name_space, const char *name)
{
    void *pod = NULL;
    const int rc = jl_cluster_find_in(&cluster->store.pods, name_space, name, &pod);
    if (pod != NULL)
        drop(cluster, pod);
    return rc;
}
