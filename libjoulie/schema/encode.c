/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/encode.h"

#include <string.h>

#include "base/time.h"

static void encode_object(struct jl_buffer *out, const struct jl_table *table, const void *object);

static void put_text(struct jl_buffer *out, const char *text)
{
    jl_put_json_string(out, text ? text : "", text ? strlen(text) : 0);
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
    jl_put_char(out, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            jl_put_char(out, ',');
        if (row->type == JL_TYPE_STRINGS)
            put_text(out, ((const char *const *)list->items)[i]);
        else if (row->type == JL_TYPE_NUMBERS)
            jl_put_double(out, ((const double *)list->items)[i]);
        else
            encode_object(out, row->child, (const char *)list->items + i * row->child->size);
    }
    jl_put_char(out, ']');
}

static void put_key(struct jl_buffer *out, const char *key, bool is_first)
{
    if (!is_first)
        jl_put_char(out, ',');
    put_text(out, key);
    jl_put_char(out, ':');
}

static void put_map(struct jl_buffer *out, const struct jl_map *map)
{
    jl_put_char(out, '{');
    for (size_t i = 0; i < map->count; i++) {
        put_key(out, map->items[i].key, i == 0);
        put_text(out, map->items[i].value);
    }
    jl_put_char(out, '}');
}

static void put_dict(struct jl_buffer *out, const struct jl_row *row, const struct jl_dict *dict)
{
    jl_put_char(out, '{');
    for (size_t i = 0; i < dict->count; i++) {
        put_key(out, dict->keys[i], i == 0);
        encode_object(out, row->child, (const char *)dict->items + i * row->child->size);
    }
    jl_put_char(out, '}');
}

static void put_value(struct jl_buffer *out, const struct jl_row *row, const void *member)
{
    const char *word;
    switch (row->type) {
    case JL_TYPE_STRING:
        put_text(out, *(const char *const *)member);
        return;
    case JL_TYPE_NUMBER:
        jl_put_double(out, *(const double *)member);
        return;
    case JL_TYPE_INTEGER:
        if (row->flags & JL_PRINTED_STRING)
            jl_put_char(out, '"');
        jl_put_i64(out, *(const int64_t *)member);
        if (row->flags & JL_PRINTED_STRING)
            jl_put_char(out, '"');
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
    }
}

static void encode_object(struct jl_buffer *out, const struct jl_table *table, const void *object)
{
    const uint64_t has = *(const uint64_t *)object;
    bool is_first = true;
    jl_put_char(out, '{');
    for (size_t i = 0; i < table->count; i++) {
        if (!(has >> i & 1))
            continue;
        put_key(out, table->rows[i].key, is_first);
        put_value(out, &table->rows[i], (const char *)object + table->rows[i].offset);
        is_first = false;
    }
    jl_put_char(out, '}');
}

void jl_encode(struct jl_buffer *out, const struct jl_table *table, const void *object)
{
    encode_object(out, table, object);
}
