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
