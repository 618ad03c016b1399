/* SPDX-License-Identifier: Apache-2.0 */

/* Objects by kind, namespace and name, and the ring of their last changes. */

#include <stdio.h>
#include <string.h>

#include <joulie/error.h>

#include "apiserver/parts.h"
#include "base/memory.h"
#include "base/sort.h"

#define RING_EVENTS 65536
#define FIRST_VERSION 100 /* "0" has a meaning of its own */

/* The ring holds the changes of versions oldest to version; an object of any version between is
 * found by undoing changes from the present state. */
int jd_store_open(struct jd_store *store, const struct jd_kinds *kinds, size_t ring_events)
{
    *store = (struct jd_store){ .version = FIRST_VERSION,
                                .oldest = FIRST_VERSION + 1,
                                .ring_capacity = ring_events > 0 ? ring_events : RING_EVENTS };
    store->collections = jl_calloc(kinds->count, sizeof *store->collections);
    store->ring = jl_calloc(store->ring_capacity, sizeof *store->ring);
    if (!store->collections || !store->ring) {
        jd_store_close(store);
        return JOULIE_E_NOMEM;
    }
    store->collection_count = kinds->count;
    for (size_t i = 0; i < kinds->count; i++)
        store->collections[i].kind = &kinds->items[i];
    return 0;
}

static void clear_change(struct jd_store *store, struct jd_change *change)
{
    if (change->before)
        store->ring_bytes -= change->before->len;
    jd_object_release(change->before);
    jd_object_release(change->after);
    *change = (struct jd_change){ 0 };
}

static void clear_snapshot(struct jd_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->count; i++)
        jd_object_release(snapshot->objects[i]);
    jl_free(snapshot->objects);
    *snapshot = (struct jd_snapshot){ 0 };
}

static void close_collection(struct jd_collection *collection)
{
    for (size_t i = 0; i < collection->slot_count; i++) {
        jd_object_release(collection->slots[i].object);
        joulie_free(collection->slots[i].key);
    }
    jl_index_clear(&collection->by_key);
    jl_free(collection->slots);
    jl_free(collection->order);
    jl_free(collection->unused);
}

void jd_store_close(struct jd_store *store)
{
    for (size_t i = 0; i < JD_API_SNAPSHOTS; i++)
        clear_snapshot(&store->snapshots[i]);
    for (size_t i = 0; store->ring && i < store->ring_capacity; i++)
        clear_change(store, &store->ring[i]);
    for (size_t i = 0; i < store->collection_count; i++)
        close_collection(&store->collections[i]);
    jl_free(store->ring);
    jl_free(store->collections);
    *store = (struct jd_store){ 0 };
}

const char *jd_store_version(const struct jd_store *store)
{
    /* A text of the store, which is its owner's to write. */
    struct jd_store *own = (struct jd_store *)(uintptr_t)store;
    snprintf(own->version_text, sizeof own->version_text, "%llu",
             (unsigned long long)store->version);
    return own->version_text;
}

struct jd_collection *jd_store_of(const struct jd_store *store, const struct jd_kind *kind)
{
    return &store->collections[kind->index];
}

/* ---- collections ---- */

/*
 * A collection is a list of slots and an index from NAMESPACE/NAME to them. An object keeps its
 * slot as long as it lives; the order by name is made when a list asks for it.
 */

static char *new_key(const char *name_space, const char *name)
{
    struct jl_buffer key = { 0 };
    jd_put_format(&key, "%s/%s", name_space ? name_space : "", name); /* "/" is in no name */
    return jl_buffer_take(&key);
}

static struct jd_slot *find_slot(const struct jd_collection *collection, const char *name_space,
                                 const char *name)
{
    JL_CLEANUP(jl_freep) char *key = new_key(name_space, name);
    size_t slot;
    const bool is_there = key && jl_index_get(&collection->by_key, key, &slot);
    return is_there ? &collection->slots[slot] : NULL;
}

struct jd_object *jd_store_get(const struct jd_store *store, const struct jd_kind *kind,
                               const char *name_space, const char *name)
{
    const struct jd_slot *slot = find_slot(jd_store_of(store, kind), name_space, name);
    return slot ? slot->object : NULL;
}

static int take_slot(struct jd_collection *collection, size_t *out)
{
    if (collection->unused_count > 0) {
        *out = collection->unused[--collection->unused_count];
        return 0;
    }
    /* With every slot goes an entry in the list of unused ones, so that no removal can fail. */
    int rc = JL_GROW(&collection->slots, &collection->slot_capacity, collection->slot_count + 1);
    if (rc == 0)
        rc = JL_GROW(&collection->unused, &collection->unused_capacity, collection->slot_count + 1);
    if (rc < 0)
        return rc;
    *out = collection->slot_count++;
    return 0;
}

/* Either the object is in, with its key in the index, or nothing has changed. */
static int add_object(struct jd_collection *collection, struct jd_object *object)
{
    char *key = new_key(object->name_space, object->name);
    size_t slot;
    if (!key)
        return JOULIE_E_NOMEM;
    if (take_slot(collection, &slot) < 0) {
        joulie_free(key);
        return JOULIE_E_NOMEM;
    }
    collection->slots[slot] = (struct jd_slot){ 0 };
    if (jl_index_set(&collection->by_key, key, slot) < 0) {
        collection->unused[collection->unused_count++] = slot;
        joulie_free(key);
        return JOULIE_E_NOMEM;
    }
    collection->slots[slot] = (struct jd_slot){ jd_object_hold(object), key };
    collection->count++;
    collection->is_ordered = false;
    return 0;
}

/* Cannot fail: its entry in the list of unused slots was made with the slot. */
static void drop_slot(struct jd_collection *collection, struct jd_slot *slot)
{
    jl_index_remove(&collection->by_key, slot->key);
    jd_object_release(slot->object);
    joulie_free(slot->key);
    *slot = (struct jd_slot){ 0 };
    collection->unused[collection->unused_count++] = (size_t)(slot - collection->slots);
    collection->count--;
    collection->is_ordered = false;
}

static int compare_objects(const struct jd_object *a, const struct jd_object *b)
{
    const int spaces = jl_compare(a->name_space, b->name_space);
    return spaces != 0 ? spaces : jl_compare(a->name, b->name);
}

static int compare_slots(const void *a, const void *b, void *user)
{
    const struct jd_slot *slots = user;
    return compare_objects(slots[*(const size_t *)a].object, slots[*(const size_t *)b].object);
}

int jd_collection_order(struct jd_collection *collection)
{
    if (collection->is_ordered)
        return 0;
    int rc = JL_GROW(&collection->order, &collection->order_capacity, collection->count + 1);
    if (rc < 0)
        return rc;
    collection->order_count = 0;
    for (size_t i = 0; i < collection->slot_count; i++) {
        if (collection->slots[i].object)
            collection->order[collection->order_count++] = i;
    }
    rc = jl_sort(collection->order, collection->order_count, sizeof *collection->order,
                 compare_slots, collection->slots);
    collection->is_ordered = rc == 0;
    return rc;
}

struct jd_object *jd_collection_item(const struct jd_collection *collection, size_t index)
{
    return collection->slots[collection->order[index]].object;
}

/* ---- the ring ---- */

bool jd_store_has(const struct jd_store *store, uint64_t version)
{
    return version + 1 >= store->oldest;
}

const struct jd_change *jd_store_change(const struct jd_store *store, uint64_t version)
{
    return &store->ring[version % store->ring_capacity];
}

/* Watches that stand at it, and lists of its version, get 410 from now on. */
static void forget_oldest(struct jd_store *store)
{
    clear_change(store, &store->ring[store->oldest % store->ring_capacity]);
    store->oldest++;
}

/* The change that has the store's version now. */
static void push(struct jd_store *store, struct jd_object *before, struct jd_object *after,
                 bool is_deletion)
{
    if (store->version - store->oldest >= store->ring_capacity)
        forget_oldest(store);
    store->ring[store->version % store->ring_capacity] =
        (struct jd_change){ .version = store->version,
                            .kind = after->kind,
                            .before = before ? jd_object_hold(before) : NULL,
                            .after = jd_object_hold(after),
                            .is_deletion = is_deletion };
    if (before) {
        store->ring_bytes += before->len;
        store->ring_total += before->len;
    }
    while (store->ring_bytes > JD_API_RING_BYTES && store->oldest < store->version)
        forget_oldest(store);
}

/* The tree as an object of the next version. */
static struct jd_object *next_object(const struct jd_store *store, const struct jd_kind *kind,
                                     struct json_object *tree)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer version = { 0 };
    jl_put_u64(&version, store->version + 1);
    if (!version.is_failed)
        jd_tree_set(jd_tree_child(tree, "metadata"), "resourceVersion", version.data);
    return jd_object_new(kind, tree, store->version + 1);
}

/*
 * One version per write: the object is made with the next version before anything changes, so a
 * failure leaves store and ring as they were.
 */
int jd_store_set(struct jd_store *store, const struct jd_kind *kind, struct json_object *tree,
                 struct jd_object **out)
{
    struct jd_collection *collection = jd_store_of(store, kind);
    struct jd_object *object = next_object(store, kind, tree);
    if (!object)
        return JOULIE_E_NOMEM;
    struct jd_slot *slot = find_slot(collection, object->name_space, object->name);
    struct jd_object *before = slot ? slot->object : NULL;
    if (!slot && add_object(collection, object) < 0) {
        jd_object_release(object);
        return JOULIE_E_NOMEM;
    }
    store->version++;
    push(store, before, object, false);
    if (slot) {
        slot->object = jd_object_hold(object);
        jd_object_release(before);
    }
    *out = object;
    jd_object_release(object);
    return 0;
}

int jd_store_remove(struct jd_store *store, struct jd_object *object, struct jd_object **out)
{
    struct jd_collection *collection = jd_store_of(store, object->kind);
    JL_CLEANUP(jd_json_freep) struct json_object *tree = jd_object_tree(object);
    struct jd_object *last = tree ? next_object(store, object->kind, tree) : NULL;
    if (!last)
        return JOULIE_E_NOMEM;
    store->version++;
    push(store, object, last, true);
    drop_slot(collection, find_slot(collection, object->name_space, object->name));
    *out = last;
    jd_object_release(last); /* the ring holds it */
    return 0;
}

/* ---- snapshots ---- */

/*
 * A collection as it was at a version: of every object that was changed since, the state before its
 * first change. Lists with a token or an exact version ask for it page by page, so the last few are
 * kept.
 */
struct undo {              /* what an object was, by its key */
    struct jl_index index; /* into items */
    struct jd_slot *items; /* an object NULL = it was not there; borrowed from the ring */
    size_t count;
    size_t capacity;
};

static void undo_clear(struct undo *undo)
{
    for (size_t i = 0; i < undo->count; i++)
        joulie_free(undo->items[i].key);
    jl_free(undo->items);
    jl_index_clear(&undo->index);
}

/* The first change after the version shows what was before. */
static int undo_note(struct undo *undo, const struct jd_change *change)
{
    size_t found;
    char *key = new_key(change->after->name_space, change->after->name);
    if (!key)
        return JOULIE_E_NOMEM;
    if (jl_index_get(&undo->index, key, &found)) {
        joulie_free(key);
        return 0;
    }
    int rc = JL_GROW(&undo->items, &undo->capacity, undo->count + 1);
    if (rc == 0)
        rc = jl_index_set(&undo->index, key, undo->count);
    if (rc < 0) {
        joulie_free(key);
        return rc;
    }
    undo->items[undo->count++] = (struct jd_slot){ change->before, key };
    return 0;
}

static int undo_fill(struct undo *undo, const struct jd_store *store, const struct jd_kind *kind,
                     uint64_t version)
{
    int rc = 0;
    for (uint64_t at = version + 1; at <= store->version && rc == 0; at++) {
        const struct jd_change *change = jd_store_change(store, at);
        if (change->kind == kind)
            rc = undo_note(undo, change);
    }
    return rc;
}

static int compare_items(const void *a, const void *b, void *user)
{
    (void)user;
    return compare_objects(*(struct jd_object *const *)a, *(struct jd_object *const *)b);
}

/* What was not changed since, then what was, sorted together. */
static int fill_snapshot(struct jd_snapshot *snapshot, struct jd_collection *collection,
                         const struct undo *undo)
{
    snapshot->objects =
        jl_calloc(collection->order_count + undo->count + 1, sizeof *snapshot->objects);
    if (!snapshot->objects)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < collection->order_count; i++) {
        const struct jd_slot *slot = &collection->slots[collection->order[i]];
        size_t found;
        if (undo->count == 0 || !jl_index_get(&undo->index, slot->key, &found))
            snapshot->objects[snapshot->count++] = jd_object_hold(slot->object);
    }
    for (size_t i = 0; i < undo->count; i++) {
        if (undo->items[i].object)
            snapshot->objects[snapshot->count++] = jd_object_hold(undo->items[i].object);
    }
    return undo->count == 0 ? 0
                            : jl_sort(snapshot->objects, snapshot->count, sizeof *snapshot->objects,
                                      compare_items, NULL);
}

static int make_snapshot(struct jd_store *store, struct jd_snapshot *snapshot)
{
    struct jd_collection *collection = jd_store_of(store, snapshot->kind);
    struct undo undo = { 0 };
    int rc = jd_collection_order(collection);
    if (rc == 0)
        rc = undo_fill(&undo, store, snapshot->kind, snapshot->version);
    if (rc == 0)
        rc = fill_snapshot(snapshot, collection, &undo);
    undo_clear(&undo);
    return rc;
}

int jd_store_snapshot(struct jd_store *store, const struct jd_kind *kind, uint64_t version,
                      const struct jd_snapshot **out)
{
    struct jd_snapshot *victim = &store->snapshots[0];
    if (!jd_store_has(store, version) || version > store->version)
        return JOULIE_E_RANGE;
    for (size_t i = 0; i < JD_API_SNAPSHOTS; i++) {
        struct jd_snapshot *snapshot = &store->snapshots[i];
        if (snapshot->kind == kind && snapshot->version == version) {
            snapshot->used = ++store->clock;
            *out = snapshot;
            return 0;
        }
        if (snapshot->used < victim->used)
            victim = snapshot;
    }
    clear_snapshot(victim);
    *victim = (struct jd_snapshot){ .kind = kind, .version = version, .used = ++store->clock };
    const int rc = make_snapshot(store, victim);
    if (rc < 0)
        clear_snapshot(victim);
    else
        *out = victim;
    return rc;
}
