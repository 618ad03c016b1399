/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Merge patches as one walk over a table and two structs: changed members in the order of the table
 * or of the new map, behind them as null those that are gone. An object that turns out to have no
 * changes is taken back from the text. The cluster model makes the bodies of its actions with it.
 */

#include <string.h>

#include <joulie/error.h>

#include "schema/diff.h"
#include "schema/encode.h"
#include "schema/presence.h"

static void put_members(struct jl_buffer *out, const struct jl_table *table, const void *old,
                        const void *new);

/* No value ends with an opening brace: behind one the first member comes. */
static bool is_just_open(const struct jl_buffer *out)
{
    return !out->is_failed && out->len > 0 && out->data[out->len - 1] == '{';
}

static void put_key(struct jl_buffer *out, const char *key)
{
    if (!is_just_open(out))
        jl_put_char(out, ',');
    jl_put_json_string(out, key, strlen(key));
    jl_put_char(out, ':');
}

static void put_null(struct jl_buffer *out, const char *key)
{
    put_key(out, key);
    jl_put_string(out, "null");
}

/* Where the member began, for end_object(). */
static size_t begin_object(struct jl_buffer *out, const char *key)
{
    const size_t start = out->len;
    put_key(out, key);
    jl_put_char(out, '{');
    return start;
}

static void end_object(struct jl_buffer *out, size_t start)
{
    if (is_just_open(out))
        out->len = start;
    else
        jl_put_char(out, '}');
}

/* ---- equal values ---- */

static bool is_same_object(struct jl_buffer *out, const struct jl_table *table, const void *old,
                           const void *new)
{
    const size_t start = out->len;
    jl_put_char(out, '{');
    put_members(out, table, old, new);
    const bool is_same = is_just_open(out);
    out->len = start;
    return is_same;
}

static bool is_same_list(struct jl_buffer *out, const struct jl_row *row, const struct jl_list *old,
                         const struct jl_list *new)
{
    bool is_same = old->count == new->count;
    for (size_t i = 0; i < new->count &&is_same; i++) {
        if (row->type == JL_TYPE_STRINGS)
            is_same = jl_same(JL_STRING_ITEM(*old, i), JL_STRING_ITEM(*new, i));
        else if (row->type == JL_TYPE_NUMBERS)
            is_same = JL_NUMBER_ITEM(*old, i) == JL_NUMBER_ITEM(*new, i);
        else
            is_same =
                is_same_object(out, row->child, (const char *)old->items + i * row->child->size,
                               (const char *)new->items + i * row->child->size);
    }
    return is_same;
}

/* ---- members that both have ---- */

static void put_unless(bool is_same, struct jl_buffer *out, const struct jl_row *row,
                       const void *new)
{
    if (is_same)
        return;
    put_key(out, row->key);
    jl_encode_value(out, row, new);
}

static void put_map(struct jl_buffer *out, const char *key, const struct jl_map *old,
                    const struct jl_map *new)
{
    const size_t start = begin_object(out, key);
    for (size_t i = 0; i < new->count; i++) {
        const struct jl_pair *pair = &new->items[i];
        if (jl_same(jl_map_get(old, pair->key), pair->value))
            continue;
        put_key(out, pair->key);
        jl_put_json_string(out, pair->value, strlen(pair->value));
    }
    for (size_t i = 0; i < old->count; i++) {
        if (jl_map_get(new, old->items[i].key) == NULL)
            put_null(out, old->items[i].key);
    }
    end_object(out, start);
}

static const void *dict_item(const struct jl_dict *dict, const struct jl_table *child,
                             const char *key)
{
    for (size_t i = 0; i < dict->count; i++) {
        if (jl_same(dict->keys[i], key))
            return (const char *)dict->items + i * child->size;
    }
    return NULL;
}

static void put_dict(struct jl_buffer *out, const struct jl_row *row, const struct jl_dict *old,
                     const struct jl_dict *new)
{
    const size_t start = begin_object(out, row->key);
    for (size_t i = 0; i < new->count; i++) {
        const void *item = (const char *)new->items + i * row->child->size;
        const void *before = dict_item(old, row->child, new->keys[i]);
        if (before != NULL) {
            const size_t inner = begin_object(out, new->keys[i]);
            put_members(out, row->child, before, item);
            end_object(out, inner);
        } else {
            put_key(out, new->keys[i]);
            jl_encode(out, row->child, item);
        }
    }
    for (size_t i = 0; i < old->count; i++) {
        if (dict_item(new, row->child, old->keys[i]) == NULL)
            put_null(out, old->keys[i]);
    }
    end_object(out, start);
}

static int read_raw(const struct jl_raw *raw, struct json_object **out)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_decode decode = { .arena = &arena, .text = raw->text, .len = raw->len };
    const struct jl_raw whole = { .text = raw->text, .len = raw->len };
    return jl_tree_from_raw(&decode, &whole, NULL, out);
}

/* JSON of any shape has no table: only its text tells what changed. */
static void put_raw(struct jl_buffer *out, const char *key, const struct jl_raw *old,
                    const struct jl_raw *new)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *old_tree = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *new_tree = NULL;
    struct jl_diff diff = { 0 };
    if (read_raw(old, &old_tree) < 0 || read_raw(new, &new_tree) < 0 ||
        jl_diff(old_tree, new_tree, &diff) < 0) {
        out->is_failed = true;
        return;
    }
    if (diff.changed) {
        put_key(out, key);
        jl_tree_put(out, diff.patch);
    }
    jl_tree_clear(&diff.patch);
}

static bool is_same_range(const struct jl_range *a, const struct jl_range *b)
{
    return a->least == b->least && a->most == b->most && a->is_pair == b->is_pair;
}

static void put_member(struct jl_buffer *out, const struct jl_row *row, const void *old,
                       const void *new)
{
    switch (row->type) {
    case JL_TYPE_STRING:
    case JL_TYPE_QUANTITY:
        put_unless(jl_same(*(const char *const *)old, *(const char *const *)new), out, row, new);
        return;
    case JL_TYPE_NUMBER:
        put_unless(*(const double *)old == *(const double *)new, out, row, new);
        return;
    case JL_TYPE_INTEGER:
    case JL_TYPE_TIME:
        put_unless(*(const int64_t *)old == *(const int64_t *)new, out, row, new);
        return;
    case JL_TYPE_BOOL:
        put_unless(*(const bool *)old == *(const bool *)new, out, row, new);
        return;
    case JL_TYPE_ENUM:
        put_unless(*(const int *)old == *(const int *)new, out, row, new);
        return;
    case JL_TYPE_LIST:
    case JL_TYPE_STRINGS:
    case JL_TYPE_NUMBERS:
        put_unless(is_same_list(out, row, old, new), out, row, new);
        return;
    case JL_TYPE_OBJECT:
    case JL_TYPE_WHOLE: {
        const size_t start = begin_object(out, row->key);
        put_members(out, row->child, old, new);
        end_object(out, start);
        return;
    }
    case JL_TYPE_MAP:
        put_map(out, row->key, old, new);
        return;
    case JL_TYPE_DICT:
        put_dict(out, row, old, new);
        return;
    case JL_TYPE_RAW:
        put_raw(out, row->key, old, new);
        return;
    case JL_TYPE_RANGE:
        put_unless(is_same_range(old, new), out, row, new);
        return;
    }
}

static void put_members(struct jl_buffer *out, const struct jl_table *table, const void *old,
                        const void *new)
{
    const uint64_t before = jl_rows_present(table, old);
    const uint64_t after = jl_rows_present(table, new);
    for (uint64_t left = after; left != 0; left &= left - 1) {
        const struct jl_row *row = &table->rows[__builtin_ctzll(left)];
        const void *value = (const char *)new + row->offset;
        if ((before & left & -left) != 0)
            put_member(out, row, (const char *)old + row->offset, value);
        else
            put_unless(false, out, row, value);
    }
    for (uint64_t left = before & ~after; left != 0; left &= left - 1)
        put_null(out, table->rows[__builtin_ctzll(left)].key);
}

void jl_encode_patch(struct jl_buffer *out, const struct jl_table *table, const void *old,
                     const void *new)
{
    jl_put_char(out, '{');
    put_members(out, table, old, new);
    jl_put_char(out, '}');
}
