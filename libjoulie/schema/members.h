/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The members of a map or a dict while they are read: each key once, in document order. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/map.h"

struct jl_members {
    const char **keys;
    bool *is_null; /* null = absent, but the member was given */
    char *items;   /* item_size bytes each */
    size_t item_size;
    size_t count;
    struct jl_index places; /* by key, once there are many */
};

/* Room in the arena; false = see jl_arena_code(). */
bool jl_members_init(struct jl_members *members, struct jl_arena *arena, size_t capacity,
                     size_t item_size);
bool jl_members_find(const struct jl_members *members, const char *key, size_t *out);
/* The place of a key that jl_members_find() did not find. 0 or JOULIE_E_NOMEM. */
int jl_members_add(struct jl_members *members, const char *key, size_t *out);
/* Takes the nulls out. */
void jl_members_compact(struct jl_members *members);
/* Releases the index; keys and items stay in the arena. */
void jl_members_clear(struct jl_members *members);
