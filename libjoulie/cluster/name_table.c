/* SPDX-License-Identifier: Apache-2.0 */

/* A hash table from node names to numbers that is built at once. */

#include "cluster/name_table.h"

#include <string.h>

#include <joulie/error.h>

#include "base/memory.h"

#define SMALLEST_CAPACITY ((size_t)16)
#define WORD sizeof(uint64_t)

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

/* Eight bytes at a time; the last ones overlap with those before. */
static uint32_t hash_of(struct jl_text name)
{
    uint64_t hash = name.len;
    uint64_t word = 0;
    if (name.len < WORD) {
        if (name.len > 0)
            memcpy(&word, name.ptr, name.len);
    } else {
        for (size_t i = 0; i + WORD < name.len; i += WORD) {
            memcpy(&word, name.ptr + i, WORD);
            hash = mix(hash, word);
        }
        memcpy(&word, name.ptr + name.len - WORD, WORD);
    }
    hash = mix(mix(hash, word), 0);
    return (uint32_t)(hash ^ (hash >> 32));
}

int jl_name_table_init(struct jl_name_table *table, size_t count, size_t bytes)
{
    size_t capacity = SMALLEST_CAPACITY;
    *table = (struct jl_name_table){ 0 };
    if (count >= UINT32_MAX / 4 || bytes >= UINT32_MAX)
        return JOULIE_E_NOMEM;
    while (capacity < 2 * count)
        capacity *= 2;
    table->slots = jl_calloc(capacity, sizeof *table->slots);
    table->names = jl_calloc(bytes + 1, 1);
    table->capacity = capacity;
    table->room = bytes;
    if (table->slots != NULL && table->names != NULL)
        return 0;
    jl_name_table_clear(table);
    return JOULIE_E_NOMEM;
}

void jl_name_table_clear(struct jl_name_table *table)
{
    jl_free(table->slots);
    jl_free(table->names);
    *table = (struct jl_name_table){ 0 };
}

void jl_name_table_add(struct jl_name_table *table, const char *name, size_t value)
{
    const struct jl_text text = jl_text(name);
    const uint32_t hash = hash_of(text);
    size_t i = hash & (table->capacity - 1);
    while (table->slots[i].value != 0)
        i = (i + 1) & (table->capacity - 1);
    table->slots[i] = (struct jl_name_slot){ .hash = hash,
                                             .value = (uint32_t)value + 1,
                                             .at = (uint32_t)table->used,
                                             .len = (uint32_t)text.len };
    memcpy(table->names + table->used, text.ptr, text.len);
    table->used += text.len;
}

bool jl_name_table_find(const struct jl_name_table *table, struct jl_text name, size_t *out)
{
    if (table->capacity == 0)
        return false;
    const uint32_t hash = hash_of(name);
    for (size_t i = hash & (table->capacity - 1); table->slots[i].value != 0;
         i = (i + 1) & (table->capacity - 1)) {
        const struct jl_name_slot *slot = &table->slots[i];
        if (slot->hash != hash || slot->len != name.len ||
            memcmp(table->names + slot->at, name.ptr, name.len) != 0)
            continue;
        *out = slot->value - 1;
        return true;
    }
    return false;
}
