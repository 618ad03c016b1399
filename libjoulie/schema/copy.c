/* SPDX-License-Identifier: Apache-2.0 */

/* Copies a struct by its table into another arena, with all that it points to. */

#include "schema/copy.h"

#include <string.h>

#include "schema/presence.h"

#define ALIGNMENT _Alignof(max_align_t)

/* One walk serves both jobs: without an arena it only counts. */
struct walk {
    struct jl_arena *arena; /* NULL = count */
    size_t bytes;
    bool is_failed;
};

static void *room(struct walk *walk, size_t size)
{
    walk->bytes += size > 0 ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    if (walk->arena == NULL || walk->is_failed)
        return NULL;
    void *memory = jl_arena_alloc(walk->arena, size);
    walk->is_failed = memory == NULL;
    return memory;
}

static char *copy_bytes(struct walk *walk, const char *bytes, size_t len)
{
    char *copy = room(walk, len + 1);
    if (copy != NULL)
        memcpy(copy, bytes, len);
    return copy;
}

static const char *copy_text(struct walk *walk, const char *text)
{
    return text != NULL ? copy_bytes(walk, text, strlen(text)) : NULL;
}

static void copy_object(struct walk *walk, const struct jl_table *table, const void *from,
                        void *to);

static void copy_strings(struct walk *walk, const struct jl_list *from, struct jl_list *to)
{
    const char **items = room(walk, from->count * sizeof *items);
    for (size_t i = 0; i < from->count; i++) {
        const char *text = copy_text(walk, JL_STRING_ITEM(*from, i));
        if (items != NULL)
            items[i] = text;
    }
    *to = (struct jl_list){ items, from->count };
}

static void copy_items(struct walk *walk, const struct jl_table *table, const void *from,
                       size_t count, void **to)
{
    char *items = room(walk, count * table->size);
    *to = items;
    for (size_t i = 0; i < count; i++)
        copy_object(walk, table, (const char *)from + i * table->size,
                    items != NULL ? items + i * table->size : NULL);
}

static void copy_map(struct walk *walk, const struct jl_map *from, struct jl_map *to)
{
    struct jl_pair *items = room(walk, from->count * sizeof *items);
    for (size_t i = 0; i < from->count; i++) {
        const struct jl_pair pair = { copy_text(walk, from->items[i].key),
                                      copy_text(walk, from->items[i].value) };
        if (items != NULL)
            items[i] = pair;
    }
    *to = (struct jl_map){ items, from->count };
}

static void copy_dict(struct walk *walk, const struct jl_table *table, const struct jl_dict *from,
                      struct jl_dict *to)
{
    const char **keys = room(walk, from->count * sizeof *keys);
    for (size_t i = 0; i < from->count; i++) {
        const char *key = copy_text(walk, from->keys[i]);
        if (keys != NULL)
            keys[i] = key;
    }
    to->keys = keys;
    to->count = from->count;
    copy_items(walk, table, from->items, from->count, &to->items);
}

static void copy_numbers(struct walk *walk, const struct jl_list *from, struct jl_list *to)
{
    double *items = room(walk, from->count * sizeof *items);
    if (items != NULL && from->count > 0)
        memcpy(items, from->items, from->count * sizeof *items);
    *to = (struct jl_list){ items, from->count };
}

static void copy_raw(struct walk *walk, const struct jl_raw *from, struct jl_raw *to)
{
    *to = (struct jl_raw){ copy_bytes(walk, from->text, from->len), from->len, from->offset };
}

/* A place for what a counting walk would have written. */
union scrap {
    struct jl_list list;
    struct jl_map map;
    struct jl_dict dict;
    struct jl_raw raw;
};

static void copy_member(struct walk *walk, const struct jl_row *row, const void *from, void *to)
{
    union scrap scrap;
    void *target = to != NULL ? to : &scrap;
    switch (row->type) {
    case JL_TYPE_STRING:
    case JL_TYPE_QUANTITY: {
        const char *text = copy_text(walk, *(const char *const *)from);
        if (to != NULL)
            *(const char **)to = text;
        return;
    }
    case JL_TYPE_NUMBER:
    case JL_TYPE_INTEGER:
    case JL_TYPE_TIME:
        if (to != NULL)
            memcpy(to, from, sizeof(int64_t));
        return;
    case JL_TYPE_BOOL:
        if (to != NULL)
            memcpy(to, from, sizeof(bool));
        return;
    case JL_TYPE_ENUM:
        if (to != NULL)
            memcpy(to, from, sizeof(int));
        return;
    case JL_TYPE_OBJECT:
    case JL_TYPE_WHOLE:
        copy_object(walk, row->child, from, to);
        return;
    case JL_TYPE_LIST: {
        const struct jl_list *list = from;
        struct jl_list *copy = target;
        copy->count = list->count;
        copy_items(walk, row->child, list->items, list->count, &copy->items);
        return;
    }
    case JL_TYPE_STRINGS:
        copy_strings(walk, from, target);
        return;
    case JL_TYPE_NUMBERS:
        copy_numbers(walk, from, target);
        return;
    case JL_TYPE_MAP:
        copy_map(walk, from, target);
        return;
    case JL_TYPE_DICT:
        copy_dict(walk, row->child, from, target);
        return;
    case JL_TYPE_RAW:
        copy_raw(walk, from, target);
        return;
    case JL_TYPE_RANGE:
        if (to != NULL)
            memcpy(to, from, sizeof(struct jl_range));
        return;
    }
}

static void copy_object(struct walk *walk, const struct jl_table *table, const void *from, void *to)
{
    const uint64_t has = *(const uint64_t *)from;
    if (to != NULL) {
        memset(to, 0, table->size);
        memcpy(to, &has, sizeof has);
    }
    for (uint64_t bits = has; bits != 0; bits &= bits - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(bits);
        if (bit >= table->count)
            continue;
        const struct jl_row *row = &table->rows[bit];
        copy_member(walk, row, (const char *)from + row->offset,
                    to != NULL ? (char *)to + row->offset : NULL);
    }
}

int jl_copy(struct jl_arena *arena, const struct jl_table *table, const void *from, void *to)
{
    struct walk walk = { .arena = arena };
    copy_object(&walk, table, from, to);
    return walk.is_failed ? jl_arena_code(arena) : 0;
}

void jl_copy_given(const struct jl_table *table, const void *from, void *to)
{
    for (uint64_t left = jl_rows_present(table, from); left != 0; left &= left - 1) {
        const struct jl_row *row = &table->rows[__builtin_ctzll(left)];
        memcpy((char *)to + row->offset, (const char *)from + row->offset, jl_member_size(row));
    }
}

size_t jl_copy_size(const struct jl_table *table, const void *from)
{
    struct walk walk = { 0 };
    copy_object(&walk, table, from, NULL);
    return walk.bytes;
}

size_t jl_member_size(const struct jl_row *row)
{
    switch (row->type) {
    case JL_TYPE_STRING:
    case JL_TYPE_QUANTITY:
        return sizeof(const char *);
    case JL_TYPE_NUMBER:
        return sizeof(double);
    case JL_TYPE_INTEGER:
    case JL_TYPE_TIME:
        return sizeof(int64_t);
    case JL_TYPE_BOOL:
        return sizeof(bool);
    case JL_TYPE_ENUM:
        return sizeof(int);
    case JL_TYPE_OBJECT:
    case JL_TYPE_WHOLE:
        return row->child->size;
    case JL_TYPE_LIST:
    case JL_TYPE_STRINGS:
    case JL_TYPE_NUMBERS:
        return sizeof(struct jl_list);
    case JL_TYPE_MAP:
        return sizeof(struct jl_map);
    case JL_TYPE_DICT:
        return sizeof(struct jl_dict);
    case JL_TYPE_RAW:
        return sizeof(struct jl_raw);
    case JL_TYPE_RANGE:
        return sizeof(struct jl_range);
    }
    return 0;
}
