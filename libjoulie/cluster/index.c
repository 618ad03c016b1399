/* SPDX-License-Identifier: Apache-2.0 */

/* Maps from names to pointers, and copies of objects in arenas of their own. */

#include <joulie/error.h>

#include "base/memory.h"
#include "cluster/state.h"
#include "schema/copy.h"

void *jl_cluster_find(const struct jl_index *index, const char *name)
{
    size_t value = 0;
    return name != NULL && jl_index_get(index, name, &value) ? (void *)(uintptr_t)value : NULL;
}

void *jl_cluster_slot(const struct jl_index *index, size_t i)
{
    const struct jl_index_slot *slot = &index->slots[i];
    return slot->name != NULL && *slot->name != '\0' ? (void *)(uintptr_t)slot->value : NULL;
}

int jl_cluster_insert(struct jl_index *index, const char *name, void *item)
{
    return jl_index_set(index, name, (size_t)(uintptr_t)item);
}

/* What all stored items begin with. */
struct named {
    char *name;
};

void *jl_cluster_find_or_make(struct jl_index *index, const char *name, size_t size)
{
    struct named *item = jl_cluster_find(index, name);
    if (item != NULL)
        return item;
    item = jl_calloc(1, size);
    char *copy = jl_strdup(name);
    if (item == NULL || copy == NULL || jl_cluster_insert(index, copy, item) < 0) {
        jl_free(copy);
        jl_free(item);
        return NULL;
    }
    item->name = copy;
    return item;
}

void jl_cluster_item_free(void *item)
{
    struct named *named = item;
    jl_free(named->name);
    jl_free(named);
}

const char *jl_cluster_key(struct jl_arena *arena, const char *a, const char *b, struct jl_text c)
{
    const char *last = jl_arena_copy(arena, c.ptr != NULL ? c.ptr : "", c.len);
    return last != NULL ? JL_JOIN(arena, a != NULL ? a : "", "/", b != NULL ? b : "",
                                  c.ptr != NULL ? "/" : "", last)
                        : NULL;
}

void *jl_cluster_find_or_make_in(struct jl_index *index, const char *name_space, const char *name,
                                 size_t size)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { .first = SCRATCH_BYTES };
    const char *key = jl_cluster_key(&scratch, name_space, name, (struct jl_text){ 0 });
    return key != NULL ? jl_cluster_find_or_make(index, key, size) : NULL;
}

int jl_cluster_find_in(const struct jl_index *index, const char *name_space, const char *name,
                       void **out)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { .first = SCRATCH_BYTES };
    const char *key = jl_cluster_key(&scratch, name_space, name, (struct jl_text){ 0 });
    *out = key != NULL ? jl_cluster_find(index, key) : NULL;
    return key != NULL ? 0 : JOULIE_E_NOMEM;
}

int jl_cluster_copy_map(struct jl_arena *arena, const struct jl_map *from, const char *key,
                        const char *value, struct jl_map *out)
{
    struct jl_pair *pairs = JL_NEW_ARRAY(arena, from->count + 1, struct jl_pair);
    size_t count = 0;
    if (pairs == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < from->count; i++) {
        if (!jl_same(from->items[i].key, key))
            pairs[count++] = from->items[i];
    }
    if (value != NULL)
        pairs[count++] = (struct jl_pair){ key, value };
    *out = (struct jl_map){ pairs, count };
    return 0;
}

int jl_cluster_copy(const struct jl_table *table, const void *from, struct jl_arena *out_arena,
                    void *out)
{
    struct jl_arena arena = { .first = jl_copy_size(table, from) };
    const int rc = jl_copy(&arena, table, from, out);
    if (rc < 0)
        jl_arena_clear(&arena);
    else
        *out_arena = arena;
    return rc;
}
