/* SPDX-License-Identifier: Apache-2.0 */

/* The part of decode.c that reads lists, maps and dicts. */

#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "schema/read_values.h"

#define SMALLEST_STRING 2 /* bytes of "" and of {} */
#define SMALLEST_NUMBER 1
#define SMALLEST_MEMBER 4 /* "":0 */

typedef int read_item_fn(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                         void *item);

/*
 * Items of the array at the reader, or more. Broken text can ask for more room than there is: then
 * only what stands before the fault counts, which the reader proper meets and reports.
 */
static void *room_for_items(struct jl_walk *walk, size_t smallest, size_t item_size,
                            size_t *out_count)
{
    *out_count = jl_json_room(&walk->json, smallest);
    void *items =
        *out_count > 0 ? jl_arena_array(walk->decode->arena, *out_count, item_size) : NULL;
    if (items || *out_count == 0)
        return items;
    const size_t refused = *out_count;
    jl_json_count(&walk->json, out_count);
    return *out_count < refused ? jl_arena_array(walk->decode->arena, *out_count, item_size) : NULL;
}

/* Opens an array and makes room for its items. */
static int open_list(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                     size_t item_size, struct jl_list *out)
{
    if (jl_json_peek_here(&walk->json) != JL_JSON_ARRAY)
        return jl_walk_fail_type(walk, at, "an array");
    size_t count;
    out->items = room_for_items(
        walk, row->type == JL_TYPE_NUMBERS ? SMALLEST_NUMBER : SMALLEST_STRING, item_size, &count);
    out->count = 0;
    if (count > 0 && !out->items)
        return jl_walk_fail_arena(walk, at);
    const int rc = jl_json_open(&walk->json);
    return rc < 0 ? jl_walk_fail_json(walk, at, rc) : 0;
}

static int read_listed_string(struct jl_walk *walk, const struct jl_path *at,
                              const struct jl_row *row, const char **out)
{
    const char *text = NULL;
    int value = 0;
    const size_t start = walk->json.pos;
    int rc = jl_read_string(walk, at, &text);
    if (rc == 0 && row->words)
        rc = jl_check_word(walk, at, row, jl_text(text), start, &value);
    if (rc == 0)
        *out = text;
    return rc;
}

static int read_list_item(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                          void *item)
{
    if (row->type == JL_TYPE_LIST)
        return jl_walk_object(walk, at, row->child, item);
    if (row->type == JL_TYPE_STRINGS)
        return read_listed_string(walk, at, row, item);
    if (!row->is.as_int32)
        return jl_read_double(walk, at, row, item);
    int64_t integer = 0;
    const int rc = jl_read_integer(walk, at, row, &integer);
    *(double *)item = (double)integer;
    return rc;
}

static size_t list_item_size(const struct jl_row *row)
{
    if (row->type == JL_TYPE_LIST)
        return row->child->size;
    return row->type == JL_TYPE_STRINGS ? sizeof(const char *) : sizeof(double);
}

static int fail_range(struct jl_walk *walk, const struct jl_path *at, size_t start)
{
    return jl_walk_fail(walk, JOULIE_E_TYPE, at, start,
                        "an integer or an array of two was expected");
}

static int read_pair(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                     int64_t ends[2])
{
    const size_t start = walk->json.pos;
    size_t count = 0;
    bool more = true;
    int rc = jl_json_open(&walk->json);
    while (rc == 0) {
        rc = jl_json_item(&walk->json, count == 0, &more);
        if (rc < 0)
            return jl_walk_fail_json(walk, at, rc);
        if (!more)
            return count == 2 ? 0 : fail_range(walk, at, start);
        if (count == 2)
            return fail_range(walk, at, start);
        const struct jl_path item_at = { .up = at, .index = count };
        rc = jl_read_integer(walk, &item_at, row, &ends[count]);
        count++;
    }
    return rc;
}

int jl_read_range(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                  struct jl_range *out)
{
    int64_t ends[2] = { 0, 0 };
    const bool is_pair = jl_json_peek(&walk->json) == JL_JSON_ARRAY;
    const size_t start = walk->json.pos;
    int rc = is_pair ? read_pair(walk, at, row, ends) : jl_read_integer(walk, at, row, &ends[0]);
    if (rc == 0 && is_pair && ends[0] > ends[1])
        rc = jl_walk_fail(walk, JOULIE_E_RANGE, at, start, "the first number is above the second");
    if (rc == 0)
        *out = (struct jl_range){ ends[0], is_pair ? ends[1] : ends[0], is_pair };
    return rc;
}

int jl_read_list(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                 struct jl_list *out)
{
    const size_t size = list_item_size(row);
    int rc = open_list(walk, at, row, size, out);
    for (bool more = true; rc == 0;) {
        rc = jl_json_item(&walk->json, out->count == 0, &more);
        if (rc < 0)
            return jl_walk_fail_json(walk, at, rc);
        if (!more)
            return 0;
        const struct jl_path item_at = { .up = at, .index = out->count };
        const struct jl_json start = walk->json;
        rc = read_list_item(walk, &item_at, row, (char *)out->items + out->count * size);
        if (rc < 0 && jl_walk_goes_on(walk, &start, rc))
            rc = 0;
        out->count++;
    }
    return rc;
}

/* ---- the members of a map or dict while they are read: each key once, in document order ---- */

#define FEW 16 /* are compared one by one */

struct members {
    const char **keys;
    bool *is_null; /* null = absent, but the member was given */
    char *items;   /* item_size bytes each */
    size_t item_size;
    size_t count;
    struct jl_index places; /* by key, once there are many */
};

/* Room in the arena; false = see jl_arena_code(). */
static bool members_init(struct members *members, struct jl_arena *arena, size_t capacity,
                         size_t item_size)
{
    *members = (struct members){ .item_size = item_size };
    members->keys = JL_NEW_ARRAY(arena, capacity, const char *);
    members->is_null = JL_NEW_ARRAY(arena, capacity, bool);
    members->items = jl_arena_array(arena, capacity, item_size);
    return members->keys && members->is_null && members->items;
}

static bool members_find(const struct members *members, const char *key, size_t *out)
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

/* The place of a key that members_find() did not find. 0 or JOULIE_E_NOMEM. */
static int members_add(struct members *members, const char *key, size_t *out)
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

/* Takes the nulls out. */
static void members_compact(struct members *members)
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

static int read_map_value(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                          void *item)
{
    const char **out = item;
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    if (!row->is.scalars || kind == JL_JSON_STRING)
        return jl_read_string(walk, at, out);
    if (kind != JL_JSON_NUMBER && kind != JL_JSON_TRUE && kind != JL_JSON_FALSE)
        return jl_walk_fail_type(walk, at, "a string or a number");
    const size_t start = walk->json.pos;
    const int rc = jl_walk_skip(walk, at);
    if (rc < 0)
        return rc;
    *out = jl_walk_keep(walk, (struct jl_text){ walk->json.text + start, walk->json.pos - start });
    return *out ? 0 : jl_walk_fail_arena(walk, at);
}

/* The next member's key as text in the arena; *more false at the end of the object. */
static int read_key(struct jl_walk *walk, const struct jl_path *at, bool is_first, const char **key,
                    size_t *len, bool *more)
{
    struct jl_json_string string;
    int rc = jl_json_member(&walk->json, is_first, &string, more);
    if (rc < 0)
        return jl_walk_fail_json(walk, at, rc);
    if (!*more)
        return 0;
    if (!string.has_escapes) {
        *len = string.raw.len;
        *key = jl_walk_keep(walk, string.raw);
        return *key ? 0 : jl_walk_fail_arena(walk, at);
    }
    *key = jl_json_value(&string, walk->decode->arena, len, &rc);
    if (!*key && rc == JOULIE_E_PARSE)
        return jl_walk_fail(walk, rc, at, walk->json.pos, "a key may not hold \\u0000");
    return *key ? 0 : jl_walk_fail_arena(walk, at);
}

static int read_one_member(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                           struct members *members, read_item_fn *read_item)
{
    size_t place;
    const bool is_null = jl_json_peek(&walk->json) == JL_JSON_NULL;
    const bool is_known = members_find(members, at->key.ptr, &place);
    const struct jl_json start = walk->json;
    if (is_known && !(walk->decode->flags & JL_LENIENT)) {
        const int rc = jl_walk_fail_twice(walk, at, walk->json.pos);
        return jl_walk_goes_on(walk, &start, rc) ? 0 : rc;
    }
    if (!is_known && members_add(members, at->key.ptr, &place) < 0)
        return jl_fail_memory(walk->decode->err);
    members->is_null[place] = is_null;
    if (is_null)
        return jl_walk_skip(walk, at);
    void *item = members->items + place * members->item_size;
    if (is_known)
        memset(item, 0, members->item_size);
    const int rc = read_item(walk, at, row, item);
    if (rc == 0 || !jl_walk_goes_on(walk, &start, rc))
        return rc;
    members->is_null[place] = true;
    return 0;
}

static int read_each_member(struct jl_walk *walk, const struct jl_path *at,
                            const struct jl_row *row, struct members *members,
                            read_item_fn *read_item)
{
    int rc = jl_json_open(&walk->json);
    if (rc < 0)
        return jl_walk_fail_json(walk, at, rc);
    for (bool is_first = true;; is_first = false) {
        const char *key = NULL;
        size_t len = 0;
        bool more = false;
        rc = read_key(walk, at, is_first, &key, &len, &more);
        if (rc < 0 || !more)
            return rc;
        const struct jl_path member_at = { .up = at, .key = { key, len } };
        rc = read_one_member(walk, &member_at, row, members, read_item);
        if (rc < 0)
            return rc;
    }
}

static int read_members(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                        size_t item_size, read_item_fn *read_item, struct members *out)
{
    if (jl_json_peek(&walk->json) != JL_JSON_OBJECT)
        return jl_walk_fail_type(walk, at, "an object");
    if (!members_init(out, walk->decode->arena, jl_json_room(&walk->json, SMALLEST_MEMBER),
                      item_size))
        return jl_walk_fail_arena(walk, at);
    const int rc = read_each_member(walk, at, row, out, read_item);
    jl_index_clear(&out->places);
    members_compact(out);
    return rc;
}

int jl_read_map(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                struct jl_map *out)
{
    struct members members;
    const int rc = read_members(walk, at, row, sizeof(const char *), read_map_value, &members);
    if (rc < 0)
        return rc;
    const char *const *values = (const char *const *)(const void *)members.items;
    struct jl_pair *pairs = JL_NEW_ARRAY(walk->decode->arena, members.count, struct jl_pair);
    if (!pairs)
        return jl_walk_fail_arena(walk, at);
    for (size_t i = 0; i < members.count; i++)
        pairs[i] = (struct jl_pair){ members.keys[i], values[i] };
    *out = (struct jl_map){ pairs, members.count };
    return 0;
}

static int read_dict_value(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                           void *item)
{
    return jl_walk_object(walk, at, row->child, item);
}

int jl_read_dict(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                 struct jl_dict *out)
{
    struct members members;
    const int rc = read_members(walk, at, row, row->child->size, read_dict_value, &members);
    if (rc == 0)
        *out = (struct jl_dict){ members.keys, members.items, members.count };
    return rc;
}
