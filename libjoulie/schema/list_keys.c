/* SPDX-License-Identifier: Apache-2.0 */

/* Whether the items of a list with an identity have different keys, as an API server asks. */

#include "schema/list_keys.h"

#include "base/buffer.h"
#include "base/error.h"

static int check_object(struct jl_decode *decode, const struct jl_path *at,
                        const struct jl_table *table, const void *object);

/* The keys of an item as one text in the arena. Keys are strings and integers, and required. */
static const char *item_key(struct jl_arena *arena, const struct jl_table *table, const void *item)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        const void *member = (const char *)item + row->offset;
        if (!row->is.list_key)
            continue;
        if (row->type == JL_TYPE_INTEGER)
            jl_put_i64(&text, *(const int64_t *)member);
        else
            jl_put_string(&text, *(const char *const *)member);
        jl_put_char(&text, '\n');
    }
    return text.is_failed ? NULL : jl_arena_copy(arena, text.data, text.len);
}

bool jl_has_list_keys(const struct jl_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].is.list_key)
            return true;
    }
    return false;
}

static int check_keys(struct jl_decode *decode, const struct jl_path *at,
                      const struct jl_table *table, const struct jl_list *list,
                      struct jl_index *seen)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct jl_path item_at = { .up = at, .index = i };
        const char *key =
            item_key(decode->arena, table, (const char *)list->items + i * table->size);
        size_t first;
        if (key && jl_index_get(seen, key, &first))
            return jl_decode_fail(decode, JOULIE_E_CONFLICT, &item_at, SIZE_MAX,
                                  "item %zu has the same key", first);
        if (!key || jl_index_set(seen, key, i) != 0)
            return jl_fail_memory(decode->err);
    }
    return 0;
}

static int check_list(struct jl_decode *decode, const struct jl_path *at,
                      const struct jl_table *table, const struct jl_list *list)
{
    if (jl_has_list_keys(table)) {
        JL_CLEANUP(jl_index_clear) struct jl_index seen = { 0 };
        const int rc = check_keys(decode, at, table, list, &seen);
        if (rc < 0)
            return rc;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct jl_path item_at = { .up = at, .index = i };
        const int rc =
            check_object(decode, &item_at, table, (const char *)list->items + i * table->size);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int check_object(struct jl_decode *decode, const struct jl_path *at,
                        const struct jl_table *table, const void *object)
{
    const uint64_t has = *(const uint64_t *)object;
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        const void *member = (const char *)object + row->offset;
        const struct jl_path member_at = { .up = at, .key = jl_text(row->key) };
        int rc = 0;
        if (!(has >> i & 1))
            continue;
        if (row->type == JL_TYPE_OBJECT)
            rc = check_object(decode, &member_at, row->child, member);
        else if (row->type == JL_TYPE_LIST)
            rc = check_list(decode, &member_at, row->child, member);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int jl_check_list_keys(struct jl_decode *decode, const struct jl_table *table, const void *object)
{
    return check_object(decode, NULL, table, object);
}
