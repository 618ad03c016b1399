/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The canonical writer of thread profiles (docs/rules/threads.md#canonical-text): walks the tables
 * of kinds/thread_profile.h. Tables of the top level have headers, those inside them stand in line.
 */

#include "threads/profile_toml.h"

#include <string.h>

#include "base/json_string.h"
#include "base/number.h"
#include "base/sort.h"
#include "schema/json.h"
#include "schema/presence.h"

static void put_hex(struct jl_buffer *out, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    jl_put_string(out, "\\u00");
    jl_put_char(out, digits[byte >> 4]);
    jl_put_char(out, digits[byte & 15]);
}

static void put_string(struct jl_buffer *out, struct jl_text text)
{
    static const char plain[] = "\"\\\b\t\n\f\r";
    static const char letters[] = "\"\\btnfr";
    jl_put_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        const size_t escape = jl_text_find(jl_text(plain), text.ptr[i]);
        if (escape < sizeof plain - 1) {
            jl_put_char(out, '\\');
            jl_put_char(out, letters[escape]);
        } else if (byte < 0x20 || byte == 0x7F) {
            put_hex(out, byte);
        } else {
            jl_put_char(out, text.ptr[i]);
        }
    }
    jl_put_char(out, '"');
}

static void put_key(struct jl_buffer *out, struct jl_text key)
{
    bool is_bare = key.len > 0;
    for (size_t i = 0; i < key.len; i++) {
        const char c = jl_lower(key.ptr[i]);
        is_bare = is_bare && ((c >= 'a' && c <= 'z') || jl_is_digit(c) || c == '_' || c == '-');
    }
    if (is_bare)
        jl_put(out, key.ptr, key.len);
    else
        put_string(out, key);
    jl_put_string(out, " = ");
}

/* ", " before each item but the first; an inline table begins with "{ " instead. */
static void put_comma(struct jl_buffer *out, bool is_first)
{
    if (!is_first)
        jl_put_string(out, ", ");
}

/* A number that reads as a float. */
static void put_float(struct jl_buffer *out, double value)
{
    char text[JL_DOUBLE_TEXT];
    const size_t len = jl_format_double(value, text);
    const struct jl_text view = { text, len };
    jl_put(out, text, len);
    if (jl_text_find(view, '.') == len && jl_text_find(view, 'e') == len)
        jl_put_string(out, ".0");
}

/* ---- values of others, which are JSON ---- */

static void put_json(struct jl_buffer *out, struct jl_json *json);

static void put_json_text(struct jl_buffer *out, struct jl_text raw)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    char *room = jl_buffer_room(&text, raw.len + 1);
    if (room == NULL) {
        out->is_failed = true;
        return;
    }
    put_string(out, (struct jl_text){ room, jl_json_unescape(raw, room) });
}

static void put_json_object(struct jl_buffer *out, struct jl_json *json)
{
    bool more = jl_json_open(json) == 0;
    bool is_first = true;
    for (; more; is_first = false) {
        struct jl_json_string key = { 0 };
        if (jl_json_member(json, is_first, &key, &more) < 0 || !more)
            break;
        jl_put_string(out, is_first ? "{ " : ", ");
        if (!key.has_escapes) {
            put_key(out, key.raw);
        } else {
            put_json_text(out, key.raw);
            jl_put_string(out, " = ");
        }
        put_json(out, json);
    }
    jl_put_string(out, is_first ? "{}" : " }");
}

static void put_json_array(struct jl_buffer *out, struct jl_json *json)
{
    bool more = jl_json_open(json) == 0;
    jl_put_char(out, '[');
    for (bool is_first = true; more; is_first = false) {
        if (jl_json_item(json, is_first, &more) < 0 || !more)
            break;
        put_comma(out, is_first);
        put_json(out, json);
    }
    jl_put_char(out, ']');
}

/* The text was checked when it came in. */
static void put_json(struct jl_buffer *out, struct jl_json *json)
{
    struct jl_json_string string = { 0 };
    const enum jl_json_kind kind = jl_json_peek(json);
    const size_t start = json->pos;
    if (kind == JL_JSON_OBJECT) {
        put_json_object(out, json);
    } else if (kind == JL_JSON_ARRAY) {
        put_json_array(out, json);
    } else if (kind == JL_JSON_STRING && jl_json_string(json, &string) == 0) {
        put_json_text(out, string.raw);
    } else if (jl_json_skip(json) == 0) {
        jl_put(out, json->text + start, json->pos - start);
    }
}

static void put_extra(struct jl_buffer *out, const struct jl_extra *extra)
{
    struct jl_json json = { .text = extra->value.text, .len = extra->value.len };
    put_key(out, extra->key);
    put_json(out, &json);
}

/* ---- values of the tables ---- */

static void put_inline(struct jl_buffer *out, const struct jl_table *table, const void *object);

static int by_key(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(((const struct jl_pair *)a)->key, ((const struct jl_pair *)b)->key);
}

static void put_map(struct jl_buffer *out, const struct jl_map *map)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_pair *pairs = JL_NEW_ARRAY(&arena, map->count, struct jl_pair);
    struct jl_pair *scratch = JL_NEW_ARRAY(&arena, map->count, struct jl_pair);
    if (arena.is_failed) {
        out->is_failed = true;
        return;
    }
    memcpy(pairs, map->items, map->count * sizeof *pairs);
    jl_sort_with(pairs, map->count, sizeof *pairs, by_key, NULL, scratch);
    for (size_t i = 0; i < map->count; i++) {
        jl_put_string(out, i == 0 ? "{ " : ", ");
        put_key(out, jl_text(pairs[i].key));
        put_string(out, jl_text(pairs[i].value));
    }
    jl_put_string(out, " }");
}

static void put_strings(struct jl_buffer *out, const struct jl_list *list)
{
    jl_put_char(out, '[');
    for (size_t i = 0; i < list->count; i++) {
        put_comma(out, i == 0);
        put_string(out, jl_text(JL_STRING_ITEM(*list, i)));
    }
    jl_put_char(out, ']');
}

static void put_range(struct jl_buffer *out, const struct jl_range *range)
{
    if (range->is_pair)
        jl_put_char(out, '[');
    jl_put_i64(out, range->least);
    if (!range->is_pair)
        return;
    jl_put_string(out, ", ");
    jl_put_i64(out, range->most);
    jl_put_char(out, ']');
}

static void put_integer(struct jl_buffer *out, const struct jl_row *row, int64_t value)
{
    const char *word = row->words != NULL ? jl_word_of(row->words, (int)value) : NULL;
    if (word != NULL)
        put_string(out, jl_text(word));
    else
        jl_put_i64(out, value);
}

static void put_value(struct jl_buffer *out, const struct jl_row *row, const void *member)
{
    if (row->type == JL_TYPE_STRING)
        put_string(out, jl_text(*(const char *const *)member));
    else if (row->type == JL_TYPE_ENUM)
        put_string(out, jl_text(jl_word_of(row->words, *(const int *)member)));
    else if (row->type == JL_TYPE_BOOL)
        jl_put_string(out, *(const bool *)member ? "true" : "false");
    else if (row->type == JL_TYPE_INTEGER)
        put_integer(out, row, *(const int64_t *)member);
    else if (row->type == JL_TYPE_NUMBER)
        put_float(out, *(const double *)member);
    else if (row->type == JL_TYPE_RANGE)
        put_range(out, member);
    else if (row->type == JL_TYPE_STRINGS)
        put_strings(out, member);
    else if (row->type == JL_TYPE_MAP)
        put_map(out, member);
    else
        put_inline(out, row->child, member);
}

static void put_inline(struct jl_buffer *out, const struct jl_table *table, const void *object)
{
    bool is_first = true;
    for (uint64_t left = jl_rows_present(table, object); left != 0; left &= left - 1) {
        const struct jl_row *row = &table->rows[__builtin_ctzll(left)];
        jl_put_string(out, is_first ? "{ " : ", ");
        put_key(out, jl_text(row->key));
        put_value(out, row, (const char *)object + row->offset);
        is_first = false;
    }
    for (const struct jl_extra *extra = jl_first_extra(table, object); extra != NULL;
         extra = extra->next, is_first = false) {
        jl_put_string(out, is_first ? "{ " : ", ");
        put_extra(out, extra);
    }
    jl_put_string(out, is_first ? "{}" : " }");
}

/* Whether a member of the top level has a header of its own. */
static bool has_header(const struct jl_row *row)
{
    return row->type == JL_TYPE_OBJECT || row->type == JL_TYPE_LIST;
}

/* The lines of a table, without those that have a header if it is the top one. */
static void put_lines(struct jl_buffer *out, const struct jl_table *table, const void *object,
                      bool is_top)
{
    for (uint64_t left = jl_rows_present(table, object); left != 0; left &= left - 1) {
        const struct jl_row *row = &table->rows[__builtin_ctzll(left)];
        if (is_top && has_header(row))
            continue;
        put_key(out, jl_text(row->key));
        put_value(out, row, (const char *)object + row->offset);
        jl_put_char(out, '\n');
    }
    for (const struct jl_extra *extra = jl_first_extra(table, object); extra != NULL;
         extra = extra->next) {
        put_extra(out, extra);
        jl_put_char(out, '\n');
    }
}

static void put_header(struct jl_buffer *out, const struct jl_row *row)
{
    const bool is_list = row->type == JL_TYPE_LIST;
    jl_put_string(out, is_list ? "\n[[" : "\n[");
    jl_put_string(out, row->key);
    jl_put_string(out, is_list ? "]]\n" : "]\n");
}

void jl_profile_put_toml(struct jl_buffer *out, const struct jl_thread_profile *profile)
{
    const struct jl_table *table = &jl_thread_profile_table;
    put_lines(out, table, profile, true);
    for (uint64_t left = jl_rows_present(table, profile); left != 0; left &= left - 1) {
        const struct jl_row *row = &table->rows[__builtin_ctzll(left)];
        const char *member = (const char *)profile + row->offset;
        const struct jl_list *list = (const struct jl_list *)(const void *)member;
        if (!has_header(row))
            continue;
        const size_t count = row->type == JL_TYPE_LIST ? list->count : 1;
        for (size_t i = 0; i < count; i++) {
            put_header(out, row);
            put_lines(out, row->child,
                      row->type == JL_TYPE_LIST ? (const char *)list->items + i * row->child->size
                                                : member,
                      false);
        }
    }
}
