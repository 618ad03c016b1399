/* SPDX-License-Identifier: Apache-2.0 */

/* Structs into JSON text by their tables (docs/rules/documents.md#printing). */

#include "schema/encode.h"

#include <string.h>

#include "base/number.h"
#include "base/plain.h"
#include "base/time.h"
#include "schema/presence.h"

#define FIRST_BYTES 48 /* what a member with a bit takes, about: one allocation mostly does */

static void encode_object(struct jl_buffer *out, const struct jl_table *table, const void *object);

/* Where `more` bytes go; NULL when memory ran out. What is put through it ends without a NUL. */
static inline char *room(struct jl_buffer *out, size_t more)
{
    if (more < out->capacity - out->len && !out->is_failed)
        return out->data + out->len;
    return jl_buffer_room(out, more);
}

static inline void put_char(struct jl_buffer *out, char c)
{
    char *at = room(out, 1);
    if (at) {
        *at = c;
        out->len++;
    }
}

static void put_text(struct jl_buffer *out, const char *text)
{
    uint64_t beyond = 0;
    const size_t len = text ? strlen(text) : 0;
    char *at = room(out, len + 2);
    if (!at)
        return;
    if (len > 0 && jl_plain_bytes(text, len, &beyond) < len) {
        jl_put_json_string(out, text, len);
        return;
    }
    at[0] = '"';
    jl_copy_bytes(at + 1, text, len);
    at[len + 1] = '"';
    out->len += len + 2;
}

static void put_number(struct jl_buffer *out, double value)
{
    char *at = jl_is_finite(value) ? room(out, JL_DOUBLE_TEXT) : NULL;
    if (at)
        out->len += jl_format_double(value, at);
    else
        jl_put_double(out, value);
}

/* Raw text was checked when it came in; white space outside strings goes. */
static void put_raw(struct jl_buffer *out, const struct jl_raw *raw)
{
    bool is_in_string = false;
    size_t start = 0;
    for (size_t i = 0; i < raw->len; i++) {
        const char c = raw->text[i];
        if (is_in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                is_in_string = false;
        } else if (c == '"') {
            is_in_string = true;
        } else if (jl_is_space(c)) {
            jl_put(out, raw->text + start, i - start);
            start = i + 1;
        }
    }
    jl_put(out, raw->text + start, raw->len - start);
}

static void put_time(struct jl_buffer *out, int64_t ms)
{
    char text[JL_TIME_TEXT];
    jl_format_time(ms, text);
    put_text(out, text);
}

static void put_list(struct jl_buffer *out, const struct jl_row *row, const struct jl_list *list)
{
    put_char(out, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            put_char(out, ',');
        if (row->type == JL_TYPE_STRINGS)
            put_text(out, ((const char *const *)list->items)[i]);
        else if (row->type == JL_TYPE_NUMBERS)
            put_number(out, ((const double *)list->items)[i]);
        else
            encode_object(out, row->child, (const char *)list->items + i * row->child->size);
    }
    put_char(out, ']');
}

static void put_range(struct jl_buffer *out, const struct jl_range *range)
{
    if (range->is_pair)
        put_char(out, '[');
    jl_put_i64(out, range->least);
    if (!range->is_pair)
        return;
    put_char(out, ',');
    jl_put_i64(out, range->most);
    put_char(out, ']');
}

static void put_key(struct jl_buffer *out, const char *key, bool is_first)
{
    if (!is_first)
        put_char(out, ',');
    put_text(out, key);
    put_char(out, ':');
}

static void put_map(struct jl_buffer *out, const struct jl_map *map)
{
    put_char(out, '{');
    for (size_t i = 0; i < map->count; i++) {
        put_key(out, map->items[i].key, i == 0);
        put_text(out, map->items[i].value);
    }
    put_char(out, '}');
}

static void put_dict(struct jl_buffer *out, const struct jl_row *row, const struct jl_dict *dict)
{
    put_char(out, '{');
    for (size_t i = 0; i < dict->count; i++) {
        put_key(out, dict->keys[i], i == 0);
        encode_object(out, row->child, (const char *)dict->items + i * row->child->size);
    }
    put_char(out, '}');
}

/* In line with its loop: a table is mostly numbers and short texts. */
static inline __attribute__((always_inline)) void
encode_value(struct jl_buffer *out, const struct jl_row *row, const void *member)
{
    const char *word;
    switch (row->type) {
    case JL_TYPE_STRING:
    case JL_TYPE_QUANTITY:
        put_text(out, *(const char *const *)member);
        return;
    case JL_TYPE_NUMBER:
        put_number(out, *(const double *)member);
        return;
    case JL_TYPE_INTEGER:
        word = row->words ? jl_word_of(row->words, (int)*(const int64_t *)member) : NULL;
        if (word) {
            put_text(out, word);
            return;
        }
        if (row->is.as_string)
            put_char(out, '"');
        jl_put_i64(out, *(const int64_t *)member);
        if (row->is.as_string)
            put_char(out, '"');
        return;
    case JL_TYPE_BOOL:
        jl_put_string(out, *(const bool *)member ? "true" : "false");
        return;
    case JL_TYPE_ENUM:
        word = jl_word_of(row->words, *(const int *)member);
        put_text(out, word ? word : "unknown");
        return;
    case JL_TYPE_TIME:
        put_time(out, *(const int64_t *)member);
        return;
    case JL_TYPE_OBJECT:
    case JL_TYPE_WHOLE:
        encode_object(out, row->child, member);
        return;
    case JL_TYPE_LIST:
    case JL_TYPE_STRINGS:
    case JL_TYPE_NUMBERS:
        put_list(out, row, member);
        return;
    case JL_TYPE_MAP:
        put_map(out, member);
        return;
    case JL_TYPE_DICT:
        put_dict(out, row, member);
        return;
    case JL_TYPE_RAW:
        put_raw(out, member);
        return;
    case JL_TYPE_RANGE:
        put_range(out, member);
        return;
    }
}

/* ,"key": with the comma that every member but the first has. */
static void put_row_key(struct jl_buffer *out, const struct jl_row *row, bool is_first)
{
    const size_t comma = is_first ? 0 : 1;
    char *at = room(out, row->quoted_len + comma);
    if (!at)
        return;
    *at = ',';
    jl_copy_bytes(at + comma, row->quoted, row->quoted_len);
    out->len += row->quoted_len + comma;
}

static void encode_object(struct jl_buffer *out, const struct jl_table *table, const void *object)
{
    bool is_first = true;
    put_char(out, '{');
    for (uint64_t left = jl_rows_present(table, object); left != 0; left &= left - 1) {
        const struct jl_row *row = &table->rows[__builtin_ctzll(left)];
        put_row_key(out, row, is_first);
        encode_value(out, row, (const char *)object + row->offset);
        is_first = false;
    }
    if (table->extra_prefix) {
        const struct jl_extra *extra = jl_first_extra(table, object);
        for (; extra; extra = extra->next, is_first = false) {
            put_key(out, extra->key.ptr, is_first);
            put_raw(out, &extra->value);
        }
    }
    put_char(out, '}');
}

void jl_encode_value(struct jl_buffer *out, const struct jl_row *row, const void *member)
{
    encode_value(out, row, member);
}

void jl_encode(struct jl_buffer *out, const struct jl_table *table, const void *object)
{
    room(out, table->count * FIRST_BYTES);
    encode_object(out, table, object);
    jl_put(out, "", 0); /* the NUL */
}
