/* SPDX-License-Identifier: Apache-2.0 */

/* NodeHardware and NodeTwin: stored by object name, joined to nodes by spec.nodeName. Both go the
 * same way; what differs stands in of_kind. */

#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/state.h"

static int hardware_changed(struct joulie_cluster *cluster, struct cluster_node *node)
{
    return jl_cluster_node_facts_changed(cluster, node);
}

static int twin_changed(struct joulie_cluster *cluster, struct cluster_node *node)
{
    jl_cluster_node_twin_changed(cluster, node);
    return 0;
}

static const struct of_kind {
    const struct jl_table *table;
    size_t index;             /* offset in struct store */
    size_t list;              /* offset in struct cluster_node */
    enum cluster_event named; /* a name was taken or given back; EVENT_NONE = nobody asks */
    int (*changed)(struct joulie_cluster *cluster, struct cluster_node *node);
} of_kind[] = {
    [OBJECT_HARDWARE] = { &jl_node_hardware_table, offsetof(struct store, hardware),
                          offsetof(struct cluster_node, hardware_objects), EVENT_NONE,
                          hardware_changed },
    [OBJECT_TWIN] = { &jl_node_twin_table, offsetof(struct store, twins),
                      offsetof(struct cluster_node, twins), EVENT_NAMES, twin_changed },
};

static struct jl_index *index_of(struct joulie_cluster *cluster, enum object_kind kind)
{
    return (struct jl_index *)(void *)((char *)&cluster->store + of_kind[kind].index);
}

static struct node_object **list_of(struct cluster_node *node, enum object_kind kind)
{
    return (struct node_object **)(void *)((char *)node + of_kind[kind].list);
}

void jl_cluster_object_free(void *item)
{
    struct node_object *object = item;
    jl_arena_clear(&object->arena);
    jl_cluster_item_free(object);
}

static void leave_node(struct joulie_cluster *cluster, enum object_kind kind,
                       struct node_object *object)
{
    struct node_object **at = list_of(object->node, kind);
    jl_cluster_changed(cluster, object->node, of_kind[kind].named);
    while (*at != object)
        at = &(*at)->next;
    *at = object->next;
}

/* Two objects may name one node: the lower object name speaks, whichever came first. */
static void join_node(struct joulie_cluster *cluster, enum object_kind kind,
                      struct node_object *object, struct cluster_node *node)
{
    struct node_object **at = list_of(node, kind);
    jl_cluster_changed(cluster, node, of_kind[kind].named);
    while (*at != NULL && jl_compare((*at)->name, object->name) < 0)
        at = &(*at)->next;
    object->next = *at;
    object->node = node;
    object->has_node_name = jl_same(object->name, node->name);
    *at = object;
}

static int drop(struct joulie_cluster *cluster, enum object_kind kind, struct node_object *object)
{
    struct cluster_node *node = object->node;
    int rc = 0;
    jl_index_remove(index_of(cluster, kind), object->name);
    if (node != NULL) {
        leave_node(cluster, kind, object);
        rc = of_kind[kind].changed(cluster, node); /* compares with the object's texts */
        jl_cluster_node_release(cluster, node);
    }
    jl_cluster_object_free(object);
    return rc;
}

static int store(struct joulie_cluster *cluster, enum object_kind kind, struct node_object *object,
                 struct cluster_node *node, const void *value)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena old = object->arena; /* its texts are compared */
    struct cluster_node *before = object->node;
    union node_value copy;
    struct jl_arena arena = { 0 };
    int rc = jl_cluster_copy(of_kind[kind].table, value, &arena, &copy);
    if (rc < 0) {
        old = (struct jl_arena){ 0 };
        return rc;
    }
    object->arena = arena;
    memcpy(&object->value, &copy, of_kind[kind].table->size);
    if (before != node) {
        if (before != NULL)
            leave_node(cluster, kind, object);
        join_node(cluster, kind, object, node);
    }
    rc = of_kind[kind].changed(cluster, node);
    if (before != NULL && before != node) {
        const int other = of_kind[kind].changed(cluster, before);
        rc = rc < 0 ? rc : other;
        jl_cluster_node_release(cluster, before);
    }
    return rc;
}

static int put(struct joulie_cluster *cluster, enum object_kind kind, const char *name,
               const char *node_name, const void *value)
{
    struct cluster_node *node = jl_cluster_node_of(cluster, node_name);
    struct node_object *object = node != NULL
                                     ? jl_cluster_find_or_make(index_of(cluster, kind), name,
                                                               offsetof(struct node_object, value) +
                                                                   of_kind[kind].table->size)
                                     : NULL;
    if (object != NULL && store(cluster, kind, object, node, value) == 0)
        return 0;
    if (object != NULL && object->node == NULL)
        (void)drop(cluster, kind, object);
    if (node != NULL)
        jl_cluster_node_release(cluster, node);
    return JOULIE_E_NOMEM;
}

int jl_cluster_remove_object(struct joulie_cluster *cluster, enum object_kind kind,
                             const char *name)
{
    struct node_object *object = jl_cluster_find(index_of(cluster, kind), name);
    return object != NULL ? drop(cluster, kind, object) : 0;
}

int jl_cluster_store_twin(struct joulie_cluster *cluster, const struct jl_node_twin *value)
{
    return put(cluster, OBJECT_TWIN, value->meta.name, value->spec.node_name, value);
}

/* ---- a status where the old one stands ---- */

static bool is_slicing_same(const struct jl_slicing_advice *a, const struct jl_slicing_advice *b)
{
    return a->has == b->has && a->mode == b->mode && jl_same(a->slice_type, b->slice_type) &&
           a->slices_per_gpu == b->slices_per_gpu && a->total_slices == b->total_slices &&
           jl_same(a->reason, b->reason) &&
           a->estimated_utilization_gain == b->estimated_utilization_gain &&
           a->confidence == b->confidence;
}

/* The members that are there, but for the agent's. */
static uint64_t members_of(const struct jl_twin_status *status)
{
    struct jl_twin_status ours = { .has = status->has };
    ours.given.control = false;
    return ours.has;
}

static bool has_same_texts(const struct jl_twin_status *a, const struct jl_twin_status *b)
{
    return members_of(a) == members_of(b) && a->reschedule.count == 0 && b->reschedule.count == 0 &&
           a->conditions.count == 0 && b->conditions.count == 0 &&
           is_slicing_same(&a->slicing, &b->slicing);
}

/* Without a deadband what has not changed is equal. */
static bool is_renewal(const struct jl_twin_status *from, const struct jl_twin_status *to)
{
    static const struct jl_cluster_config no_deadband = { 0 };
    return jl_cluster_status_change(&no_deadband, from, to) == NULL;
}

bool jl_cluster_update_status(struct joulie_cluster *cluster, struct node_object *object,
                              const struct jl_twin_status *status)
{
    struct jl_twin_status *stored = &object->value.twin.status;
    if (!status->given.last_updated || strlen(status->last_updated) >= sizeof object->updated ||
        !has_same_texts(stored, status))
        return false;
    const struct jl_twin_status old = *stored;
    const bool is_renewed = is_renewal(&old, status);
    *stored = *status;
    stored->reschedule = old.reschedule;
    stored->slicing = old.slicing;
    stored->control = old.control;
    stored->given.control = old.given.control;
    memcpy(object->updated, status->last_updated, strlen(status->last_updated) + 1);
    stored->last_updated = object->updated;
    if (is_renewed)
        jl_cluster_node_twin_renewed(cluster, object->node);
    else
        jl_cluster_node_twin_changed(cluster, object->node);
    return true;
}

static int check_names(const char *name, const char *node_name, const char *kind,
                       struct joulie_error *err)
{
    if (jl_is_empty(name))
        return jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "a %s needs a name", kind);
    return jl_is_empty(node_name)
               ? jl_fail(err, JOULIE_E_REQUIRED, "spec.nodeName", "a %s needs its node", kind)
               : 0;
}

int jl_cluster_put_hardware(struct joulie_cluster *cluster, const struct jl_node_hardware *value,
                            struct joulie_error *err)
{
    const int rc = check_names(value->meta.name, value->spec.node_name, "NodeHardware", err);
    if (rc < 0)
        return rc;
    return put(cluster, OBJECT_HARDWARE, value->meta.name, value->spec.node_name, value) == 0
               ? 0
               : jl_fail_memory(err);
}

int jl_cluster_put_twin(struct joulie_cluster *cluster, const struct jl_node_twin *value,
                        struct joulie_error *err)
{
    const int rc = check_names(value->meta.name, value->spec.node_name, "NodeTwin", err);
    if (rc < 0)
        return rc;
    return jl_cluster_store_twin(cluster, value) == 0 ? 0 : jl_fail_memory(err);
}
