/* SPDX-License-Identifier: Apache-2.0 */

/* NodeHardware and NodeTwin: stored by object name, joined to nodes by spec.nodeName. */

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/state.h"

/* ---- NodeHardware ---- */

void jl_cluster_hardware_free(struct hardware_object *object)
{
    if (object == NULL)
        return;
    jl_arena_clear(&object->arena);
    jl_free(object->name);
    jl_free(object);
}

static void unlink_hardware(struct hardware_object *object)
{
    struct hardware_object **at = &object->node->hardware_objects;
    while (*at != object)
        at = &(*at)->next;
    *at = object->next;
}

/* Two objects may name one node: the lower object name speaks, whichever came first. */
static void link_hardware(struct hardware_object *object, struct cluster_node *node)
{
    struct hardware_object **at = &node->hardware_objects;
    while (*at != NULL && jl_compare((*at)->name, object->name) < 0)
        at = &(*at)->next;
    object->next = *at;
    object->node = node;
    *at = object;
}

static struct hardware_object *hardware_of(struct joulie_cluster *cluster, const char *name)
{
    struct hardware_object *object = jl_cluster_find(&cluster->store.hardware, name);
    if (object != NULL)
        return object;
    object = jl_calloc(1, sizeof *object);
    char *copy = jl_strdup(name);
    if (object == NULL || copy == NULL ||
        jl_cluster_insert(&cluster->store.hardware, copy, object) < 0) {
        jl_free(copy);
        jl_free(object);
        return NULL;
    }
    object->name = copy;
    return object;
}

static int drop_hardware(struct joulie_cluster *cluster, struct hardware_object *object)
{
    struct cluster_node *node = object->node;
    int rc = 0;
    jl_index_remove(&cluster->store.hardware, object->name);
    if (node != NULL) {
        unlink_hardware(object);
        rc = jl_cluster_node_facts_changed(cluster, node); /* compares with the object's texts */
        jl_cluster_node_release(cluster, node);
    }
    jl_cluster_hardware_free(object);
    return rc;
}

static int store_hardware(struct joulie_cluster *cluster, struct hardware_object *object,
                          struct cluster_node *node, const struct jl_node_hardware *value)
{
    struct jl_arena old = object->arena;
    struct jl_arena arena = { 0 };
    struct jl_node_hardware copy;
    struct cluster_node *before = object->node;
    int rc = jl_cluster_copy(&jl_node_hardware_table, value, &arena, &copy);
    if (rc < 0)
        return rc;
    object->arena = arena;
    object->value = copy;
    if (before != node) {
        if (before != NULL)
            unlink_hardware(object);
        link_hardware(object, node);
    }
    rc = jl_cluster_node_facts_changed(cluster, node);
    if (before != NULL && before != node) {
        const int other = jl_cluster_node_facts_changed(cluster, before);
        rc = rc < 0 ? rc : other;
        jl_cluster_node_release(cluster, before);
    }
    jl_arena_clear(&old);
    return rc;
}

int jl_cluster_put_hardware(struct joulie_cluster *cluster, const struct jl_node_hardware *value,
                            struct joulie_error *err)
{
    if (jl_is_empty(value->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "a NodeHardware needs a name");
    if (jl_is_empty(value->spec.node_name))
        return jl_fail(err, JOULIE_E_REQUIRED, "spec.nodeName", "a NodeHardware needs its node");
    struct cluster_node *node = jl_cluster_node_of(cluster, value->spec.node_name);
    struct hardware_object *object = node != NULL ? hardware_of(cluster, value->meta.name) : NULL;
    if (object != NULL && store_hardware(cluster, object, node, value) == 0)
        return 0;
    if (object != NULL && object->node == NULL)
        (void)drop_hardware(cluster, object);
    if (node != NULL)
        jl_cluster_node_release(cluster, node);
    return jl_fail_memory(err);
}

int jl_cluster_remove_hardware(struct joulie_cluster *cluster, const char *name)
{
    struct hardware_object *object = jl_cluster_find(&cluster->store.hardware, name);
    return object != NULL ? drop_hardware(cluster, object) : 0;
}

/* ---- NodeTwin ---- */

void jl_cluster_twin_free(struct twin_object *object)
{
    if (object == NULL)
        return;
    jl_arena_clear(&object->arena);
    jl_free(object->name);
    jl_free(object);
}

static void unlink_twin(struct joulie_cluster *cluster, struct twin_object *object)
{
    jl_cluster_changed(cluster, object->node, EVENT_NAMES);
    struct twin_object **at = &object->node->twins;
    while (*at != object)
        at = &(*at)->next;
    *at = object->next;
}

static void link_twin(struct joulie_cluster *cluster, struct twin_object *object,
                      struct cluster_node *node)
{
    jl_cluster_changed(cluster, node, EVENT_NAMES);
    struct twin_object **at = &node->twins;
    while (*at != NULL && jl_compare((*at)->name, object->name) < 0)
        at = &(*at)->next;
    object->next = *at;
    object->node = node;
    *at = object;
}

static struct twin_object *twin_of(struct joulie_cluster *cluster, const char *name)
{
    struct twin_object *object = jl_cluster_find(&cluster->store.twins, name);
    if (object != NULL)
        return object;
    object = jl_calloc(1, sizeof *object);
    char *copy = jl_strdup(name);
    if (object == NULL || copy == NULL ||
        jl_cluster_insert(&cluster->store.twins, copy, object) < 0) {
        jl_free(copy);
        jl_free(object);
        return NULL;
    }
    object->name = copy;
    return object;
}

static void drop_twin(struct joulie_cluster *cluster, struct twin_object *object)
{
    struct cluster_node *node = object->node;
    jl_index_remove(&cluster->store.twins, object->name);
    if (node != NULL) {
        unlink_twin(cluster, object);
        jl_cluster_node_twin_changed(cluster, node);
        jl_cluster_node_release(cluster, node);
    }
    jl_cluster_twin_free(object);
}

static int store_twin(struct joulie_cluster *cluster, struct twin_object *object,
                      struct cluster_node *node, const struct jl_node_twin *value)
{
    struct jl_arena arena = { 0 };
    struct jl_node_twin copy;
    struct cluster_node *before = object->node;
    const int rc = jl_cluster_copy(&jl_node_twin_table, value, &arena, &copy);
    if (rc < 0)
        return rc;
    jl_arena_clear(&object->arena);
    object->arena = arena;
    object->value = copy;
    if (before != node) {
        if (before != NULL)
            unlink_twin(cluster, object);
        link_twin(cluster, object, node);
    }
    jl_cluster_node_twin_changed(cluster, node);
    if (before != NULL && before != node) {
        jl_cluster_node_twin_changed(cluster, before);
        jl_cluster_node_release(cluster, before);
    }
    return 0;
}

int jl_cluster_store_twin(struct joulie_cluster *cluster, const struct jl_node_twin *value)
{
    struct cluster_node *node = jl_cluster_node_of(cluster, value->spec.node_name);
    struct twin_object *object = node != NULL ? twin_of(cluster, value->meta.name) : NULL;
    if (object != NULL && store_twin(cluster, object, node, value) == 0)
        return 0;
    if (object != NULL && object->node == NULL)
        drop_twin(cluster, object);
    if (node != NULL)
        jl_cluster_node_release(cluster, node);
    return JOULIE_E_NOMEM;
}

int jl_cluster_put_twin(struct joulie_cluster *cluster, const struct jl_node_twin *value,
                        struct joulie_error *err)
{
    if (jl_is_empty(value->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "a NodeTwin needs a name");
    if (jl_is_empty(value->spec.node_name))
        return jl_fail(err, JOULIE_E_REQUIRED, "spec.nodeName", "a NodeTwin needs its node");
    return jl_cluster_store_twin(cluster, value) == 0 ? 0 : jl_fail_memory(err);
}

int jl_cluster_remove_twin(struct joulie_cluster *cluster, const char *name)
{
    struct twin_object *object = jl_cluster_find(&cluster->store.twins, name);
    if (object != NULL)
        drop_twin(cluster, object);
    return 0;
}
