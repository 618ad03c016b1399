/* SPDX-License-Identifier: Apache-2.0 */

/* Lookup by name: the maps of small objects by search, an index over many names by hashing. */

#include "base/map.h"

#include <string.h>

#include <joulie/error.h>

#include "base/memory.h"
#include "base/text.h"

#define SMALLEST_CAPACITY ((size_t)16)

/* In the place of a removed name: probing goes on, a later set may take the slot. */
static const char removed_name[] = "";

const char *jl_map_get(const struct jl_map *map, const char *key)
{
    for (size_t i = 0; i < map->count; i++) {
        if (jl_same(map->items[i].key, key))
            return map->items[i].value;
    }
    return NULL;
}

static uint64_t hash_of(const char *name)
{
    const uint64_t hash = jl_hash(name, strlen(name));
    return hash ^ (hash >> 32); /* FNV mixes its low bits poorly */
}

static bool is_live(const struct jl_index_slot *slot)
{
    return slot->name != NULL && slot->name != removed_name;
}

static struct jl_index_slot *find(const struct jl_index *index, const char *name, uint64_t hash)
{
    if (index->capacity == 0)
        return NULL;
    const size_t mask = index->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct jl_index_slot *slot = &index->slots[i];
        if (slot->name == NULL)
            return NULL;
        if (is_live(slot) && slot->hash == hash && strcmp(slot->name, name) == 0)
            return slot;
    }
}

static struct jl_index_slot *first_unused(struct jl_index_slot *slots, size_t capacity,
                                          uint64_t hash)
{
    const size_t mask = capacity - 1;
    size_t i = (size_t)hash & mask;
    while (is_live(&slots[i]))
        i = (i + 1) & mask;
    return &slots[i];
}

/* Moves the live names into a table that is at most half full. */
static int rebuild(struct jl_index *index)
{
    size_t capacity = SMALLEST_CAPACITY;
    while (capacity / 2 <= index->count)
        capacity *= 2;
    struct jl_index_slot *slots = jl_calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < index->capacity; i++) {
        if (is_live(&index->slots[i]))
            *first_unused(slots, capacity, index->slots[i].hash) = index->slots[i];
    }
    jl_free(index->slots);
    index->slots = slots;
    index->capacity = capacity;
    index->filled = index->count;
    return 0;
}

int jl_index_set(struct jl_index *index, const char *name, size_t value)
{
    const uint64_t hash = hash_of(name);
    struct jl_index_slot *slot = find(index, name, hash);
    if (slot != NULL) {
        slot->name = name;
        slot->value = value;
        return 0;
    }
    if (index->filled >= index->capacity / 4 * 3) {
        const int rc = rebuild(index);
        if (rc < 0)
            return rc;
    }
    slot = first_unused(index->slots, index->capacity, hash);
    if (slot->name == NULL)
        index->filled++;
    *slot = (struct jl_index_slot){ .name = name, .hash = hash, .value = value };
    index->count++;
    return 0;
}

bool jl_index_get(const struct jl_index *index, const char *name, size_t *out)
{
    const struct jl_index_slot *slot = find(index, name, hash_of(name));
    if (slot == NULL)
        return false;
    *out = slot->value;
    return true;
}

bool jl_index_remove(struct jl_index *index, const char *name)
{
    struct jl_index_slot *slot = find(index, name, hash_of(name));
    if (slot == NULL)
        return false;
    slot->name = removed_name;
    index->count--;
    return true;
}

void jl_index_clear(struct jl_index *index)
{
    jl_free(index->slots);
    *index = (struct jl_index){ 0 };
}
