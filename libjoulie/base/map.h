/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* String maps as they stand in documents (labels, annotations, requests), and an index by name. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jl_pair {
    const char *key;
    const char *value;
};

struct jl_map {
    const struct jl_pair *items;
    size_t count;
};

const char *jl_map_get(const struct jl_map *map, const char *key); /* NULL = absent */

/* Hash index from a name to a number. Names are borrowed and must outlive the index. */
struct jl_index_slot {
    const char *name;
    uint64_t hash;
    size_t value;
};

struct jl_index {
    struct jl_index_slot *slots;
    size_t capacity; /* a power of two */
    size_t count;
    size_t filled; /* live and removed slots */
};

/* Replaces an older value. 0 or JOULIE_E_NOMEM. */
int jl_index_set(struct jl_index *index, const char *name, size_t value);
bool jl_index_get(const struct jl_index *index, const char *name, size_t *out);
bool jl_index_remove(struct jl_index *index, const char *name);
void jl_index_clear(struct jl_index *index);
