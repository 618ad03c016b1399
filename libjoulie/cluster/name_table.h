/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From the name of a node to its place, for requests of thousands of names: slots and names are
 * close together in memory, where those of struct jl_index are spread over the heap. Built at once,
 * for names that do not change.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct jl_name_slot {
    uint32_t hash;
    uint32_t value; /* and 1; 0 = free */
    uint32_t at;    /* in the names */
    uint32_t len;
};

struct jl_name_table {
    struct jl_name_slot *slots;
    size_t capacity; /* a power of two */
    char *names;
    size_t used;
    size_t room;
};

/* Empty, with room for count names of so many bytes together. 0 or JOULIE_E_NOMEM. */
int jl_name_table_init(struct jl_name_table *table, size_t count, size_t bytes);
void jl_name_table_clear(struct jl_name_table *table);
/* A name that is not there yet, within the room. */
void jl_name_table_add(struct jl_name_table *table, const char *name, size_t value);
bool jl_name_table_find(const struct jl_name_table *table, struct jl_text name, size_t *out);
