/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The members of a map or dict while they are read: each key once, found fast when there are many.
 */

#include "schema/members.h"

#include <string.h>

#include <joulie/error.h>

#include "base/text.h"

#define FEW 16 /* are compared one by one */

bool jl_members_init(struct jl_members *members, struct jl_arena *arena, size_t capacity,
                     size_t item_size)
{
    *members = (struct jl_members){ .item_size = item_size };
    members->keys = JL_NEW_ARRAY(arena, capacity, const char *);
    members->is_null = JL_NEW_ARRAY(arena, capacity, bool);
    members->items = jl_arena_array(arena, capacity, item_size);
    return members->keys && members->is_null && members->items;
}

bool jl_members_find(const struct jl_members *members, const char *key, size_t *out)
{
    if (members->count > FEW)
        return jl_index_get(&members->places, key, out);
    for (size_t i = 0; i < members->count; i++) {
        if (jl_same(members->keys[i], key)) {
            *out = i;
            return true;
        }
    }
    return false;
}

int jl_members_add(struct jl_members *members, const char *key, size_t *out)
{
    const size_t place = members->count++;
    const size_t first = members->count == FEW + 1 ? 0 : place;
    members->keys[place] = key;
    *out = place;
    for (size_t i = first; members->count > FEW && i < members->count; i++) {
        if (jl_index_set(&members->places, members->keys[i], i) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

void jl_members_compact(struct jl_members *members)
{
    const size_t size = members->item_size;
    size_t kept = 0;
    for (size_t i = 0; i < members->count; i++) {
        if (members->is_null[i])
            continue;
        members->keys[kept] = members->keys[i];
        memmove(members->items + kept * size, members->items + i * size, size);
        kept++;
    }
    members->count = kept;
}

void jl_members_clear(struct jl_members *members)
{
    jl_index_clear(&members->places);
}
