/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/decode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/plain.h"
#include "base/quantity.h"
#include "base/time.h"
#include "schema/json.h"
#include "schema/json_scan.h"
#include "schema/members.h"

/* Strings share pieces of the arena of half the text that is left, within these bounds. */
#define SMALLEST_PIECE 64
#define LARGEST_PIECE 4096

/* One decode in progress: the caller's request and the reader. */
struct walk {
    struct jl_decode *decode;
    struct jl_json json;
    size_t base;      /* offset of json.text in decode->text */
    char *piece;      /* of the arena, for the next strings */
    size_t piece_len; /* bytes that are left of it */
};

/* out is zeroed. */
static int decode_object(struct walk *walk, const struct jl_path *at, const struct jl_table *table,
                         void *out);

int jl_decode_fail_list(struct jl_decode *decode, int code, const struct jl_path *at, size_t offset,
                        const char *format, va_list arguments)
{
    char where[JL_PATH_TEXT];
    if (!decode->err)
        return code;

    jl_path_print(at, where);
    jl_fail_list(decode->err, code, where, format, arguments);
    if (offset != SIZE_MAX)
        jl_line_of(decode->text, decode->len, decode->lines, offset, &decode->err->line,
                   &decode->err->column);
    return code;
}

int jl_decode_fail(struct jl_decode *decode, int code, const struct jl_path *at, size_t offset,
                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    jl_decode_fail_list(decode, code, at, offset, format, arguments);
    va_end(arguments);
    return code;
}

/* The reader's own failure: a number has a path, grammar only a line. */
static int fail_json(struct walk *walk, const struct jl_path *at, int code)
{
    struct jl_decode *decode = walk->decode;
    const size_t offset = walk->base + walk->json.pos;
    if (code == JOULIE_E_RANGE && at)
        return jl_decode_fail(decode, code, at, offset, "%s", walk->json.problem);

    jl_decode_fail(decode, code, NULL, offset, "%s", walk->json.problem);
    if (decode->err)
        snprintf(decode->err->where, sizeof decode->err->where, "line %u",
                 (unsigned)decode->err->line);
    return code;
}

static int fail_at(struct walk *walk, int code, const struct jl_path *at, size_t pos,
                   const char *message)
{
    return jl_decode_fail(walk->decode, code, at, walk->base + pos, "%s", message);
}

static int fail_arena(struct walk *walk, const struct jl_path *at)
{
    const int code = jl_arena_code(walk->decode->arena);
    return fail_at(walk, code, at, walk->json.pos,
                   code == JOULIE_E_LIMIT ? "the document decodes into too much memory"
                                          : "out of memory");
}

static const char *kind_name(enum jl_json_kind kind)
{
    switch (kind) {
    case JL_JSON_OBJECT:
        return "an object";
    case JL_JSON_ARRAY:
        return "an array";
    case JL_JSON_STRING:
        return "a string";
    case JL_JSON_NUMBER:
        return "a number";
    case JL_JSON_TRUE:
    case JL_JSON_FALSE:
        return "a boolean";
    case JL_JSON_NULL:
        return "null";
    case JL_JSON_END:
    case JL_JSON_BAD:
        break;
    }
    return "not a value";
}

/* A value of another JSON type than the member has; text that is no JSON is a parse error. */
static int fail_type(struct walk *walk, const struct jl_path *at, const char *expected)
{
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    if (kind == JL_JSON_END || kind == JL_JSON_BAD) {
        walk->json.problem = "a value was expected";
        return fail_json(walk, at, JOULIE_E_PARSE);
    }
    return jl_decode_fail(walk->decode, JOULIE_E_TYPE, at, walk->base + walk->json.pos,
                          "%s was expected, this is %s", expected, kind_name(kind));
}

static bool new_piece(struct walk *walk, size_t needed)
{
    const size_t left = (walk->json.len - walk->json.pos) / 2;
    size_t size = left < SMALLEST_PIECE ? SMALLEST_PIECE : left;
    size = size > LARGEST_PIECE ? LARGEST_PIECE : size;
    char *piece = needed <= size ? jl_arena_alloc(walk->decode->arena, size) : NULL;
    if (!piece)
        return false;
    walk->piece = piece;
    walk->piece_len = size;
    return true;
}

/* The text with a NUL in the arena; NULL = see jl_arena_code(). */
static inline const char *copy_text(struct walk *walk, struct jl_text text)
{
    if (text.len >= walk->piece_len && !new_piece(walk, text.len + 1))
        return jl_arena_copy(walk->decode->arena, text.ptr, text.len);
    char *out = walk->piece;
    jl_copy_bytes(out, text.ptr, text.len);
    out[text.len] = '\0';
    walk->piece += text.len + 1;
    walk->piece_len -= text.len + 1;
    return out;
}

/* A string of any spelling; in the arena, or without copies the reader's own bytes. */
static int read_text(struct walk *walk, const struct jl_path *at, bool is_copied,
                     struct jl_text *out)
{
    struct jl_json_string string;
    jl_json_space(&walk->json);
    if (jl_json_plain(&walk->json, out)) {
        if (!is_copied)
            return 0;
        out->ptr = copy_text(walk, *out);
        return out->ptr ? 0 : fail_arena(walk, at);
    }
    if (jl_json_peek(&walk->json) != JL_JSON_STRING)
        return fail_type(walk, at, "a string");
    const size_t start = walk->json.pos;
    int rc = jl_json_string(&walk->json, &string);
    if (rc < 0)
        return fail_json(walk, at, rc);
    out->ptr = jl_json_value(&string, walk->decode->arena, &out->len, &rc);
    if (!out->ptr && rc == JOULIE_E_PARSE)
        return fail_at(walk, rc, at, start, "a string may not hold \\u0000");
    return out->ptr ? 0 : fail_arena(walk, at);
}

static int read_string(struct walk *walk, const struct jl_path *at, const char **out)
{
    struct jl_text text;
    const int rc = read_text(walk, at, true, &text);
    if (rc == 0)
        *out = text.ptr;
    return rc;
}

/* A number of many digits or with an exponent. */
static int read_long_number(struct walk *walk, const struct jl_path *at, double *out,
                            struct jl_text *out_text)
{
    bool is_integer;
    if (jl_json_peek(&walk->json) != JL_JSON_NUMBER)
        return fail_type(walk, at, "a number");
    int rc = jl_json_number(&walk->json, out_text, &is_integer);
    if (rc < 0)
        return fail_json(walk, at, rc);
    rc = jl_parse_double(out_text->ptr, out_text->len, out);
    if (rc < 0)
        return fail_at(walk, rc, at, walk->json.pos - out_text->len,
                       "the number is outside the range of a double");
    return 0;
}

static inline double value_of(const struct jl_json_decimal *decimal)
{
    const double magnitude = jl_exact_decimal(decimal->mantissa, decimal->decimals);
    return decimal->is_negative ? -magnitude : magnitude;
}

static inline int read_number(struct walk *walk, const struct jl_path *at, double *out,
                              struct jl_text *out_text)
{
    struct jl_json *json = &walk->json;
    struct jl_json_decimal decimal;
    jl_json_space(json);
    const size_t start = json->pos;
    if (!jl_json_short_number(json, &decimal))
        return read_long_number(walk, at, out, out_text);
    if (decimal.digits > JL_EXACT_DIGITS) {
        json->pos = start;
        return read_long_number(walk, at, out, out_text);
    }
    *out = value_of(&decimal);
    *out_text = (struct jl_text){ json->text + start, json->pos - start };
    return 0;
}

#define BOUNDS (JL_NOT_NEGATIVE | JL_HAS_MIN | JL_HAS_MAX | JL_INT32)

static int check_bounds(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                        double value, struct jl_text text)
{
    if (!(row->flags & BOUNDS) || (walk->decode->flags & JL_UNCHECKED))
        return 0;

    char bound[JL_DOUBLE_TEXT];
    const char *relation = NULL;
    if ((row->flags & JL_NOT_NEGATIVE) && value < 0) {
        relation = "negative";
        bound[0] = '\0';
    } else if ((row->flags & JL_INT32) && (value < INT32_MIN || value > INT32_MAX)) {
        relation = "outside an integer of 32 bits";
        bound[0] = '\0';
    } else if ((row->flags & JL_HAS_MIN) &&
               ((row->flags & JL_EXCLUSIVE_MIN) ? value <= row->min : value < row->min)) {
        relation = (row->flags & JL_EXCLUSIVE_MIN) ? "not above " : "below ";
        jl_format_double(row->min, bound);
    } else if ((row->flags & JL_HAS_MAX) && value > row->max) {
        relation = "above ";
        jl_format_double(row->max, bound);
    }
    if (!relation)
        return 0;
    return jl_decode_fail(walk->decode, JOULIE_E_RANGE, at, walk->base + walk->json.pos - text.len,
                          "%.*s is %s%s", (int)(text.len < 64 ? text.len : 64), text.ptr, relation,
                          bound);
}

static int read_double(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                       double *out)
{
    double value;
    struct jl_text text;
    int rc = read_number(walk, at, &value, &text);
    if (rc == 0)
        rc = check_bounds(walk, at, row, value, text);
    if (rc == 0)
        *out = value;
    return rc;
}

int jl_integer_of(const char *text, size_t len, int64_t *out)
{
    double value;
    int rc = jl_parse_i64(text, len, out);
    if (rc != JOULIE_E_PARSE)
        return rc;
    rc = jl_parse_double(text, len, &value);
    if (rc < 0)
        return rc;
    if (trunc(value) != value)
        return JOULIE_E_TYPE;
    if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0))
        return JOULIE_E_RANGE;
    *out = (int64_t)value;
    return 0;
}

static int read_integer(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                        int64_t *out)
{
    double value;
    struct jl_text text;
    int rc = read_number(walk, at, &value, &text);
    if (rc < 0)
        return rc;
    const size_t start = walk->json.pos - text.len;
    int64_t integer = 0;
    rc = jl_integer_of(text.ptr, text.len, &integer);
    if (rc == JOULIE_E_TYPE)
        return fail_at(walk, rc, at, start, "an integer was expected");
    if (rc < 0)
        return fail_at(walk, rc, at, start, "the integer does not fit 64 bits");
    rc = check_bounds(walk, at, row, value, text);
    if (rc == 0)
        *out = integer;
    return rc;
}

static int read_bool(struct walk *walk, const struct jl_path *at, bool *out)
{
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    if (kind != JL_JSON_TRUE && kind != JL_JSON_FALSE)
        return fail_type(walk, at, "true or false");
    const int rc = jl_json_literal(&walk->json);
    if (rc < 0)
        return fail_json(walk, at, rc);
    *out = kind == JL_JSON_TRUE;
    return 0;
}

/* At most 64 bytes of it, for a message. */
static int shown(struct jl_text text)
{
    return (int)(text.len < 64 ? text.len : 64);
}

static int fail_word(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                     struct jl_text word, size_t start)
{
    char list[256];
    size_t used = 0;
    for (size_t i = 0; i < row->words->count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                 row->words->items[i].word);
    return jl_decode_fail(walk->decode, JOULIE_E_ENUM, at, walk->base + start,
                          "\"%.*s\" is not one of %s", shown(word), word.ptr, list);
}

static int read_enum(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                     int *out)
{
    struct jl_text word;
    jl_json_space(&walk->json);
    const size_t start = walk->json.pos;
    const int rc = read_text(walk, at, false, &word);
    if (rc < 0)
        return rc;
    const int value = jl_word_value(row->words, word);
    if (value == 0 && !(walk->decode->flags & JL_UNCHECKED))
        return fail_word(walk, at, row, word, start);
    *out = value;
    return 0;
}

static int read_time(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                     int64_t *out)
{
    if ((row->flags & JL_SECONDS) && jl_json_peek(&walk->json) == JL_JSON_NUMBER) {
        double seconds = 0;
        const struct jl_row any = { .flags = 0 };
        const int rc = read_double(walk, at, &any, &seconds);
        if (rc < 0)
            return rc;
        if (!(seconds > -1e15 && seconds < 1e15))
            return fail_at(walk, JOULIE_E_RANGE, at, walk->json.pos, "the time is out of range");
        *out = (int64_t)jl_round_half_away(seconds * 1000.0);
        return 0;
    }
    struct jl_text text;
    jl_json_space(&walk->json);
    const size_t start = walk->json.pos;
    int rc = read_text(walk, at, false, &text);
    if (rc < 0)
        return rc;
    rc = jl_parse_time(text.ptr, text.len, out);
    if (rc < 0)
        return jl_decode_fail(walk->decode, rc, at, walk->base + start,
                              "\"%.*s\" is not an RFC 3339 time", shown(text), text.ptr);
    return 0;
}

static int skip_value(struct walk *walk, const struct jl_path *at)
{
    const int rc = jl_json_skip(&walk->json);
    return rc < 0 ? fail_json(walk, at, rc) : 0;
}

/* What the text of a quantity says, and whether its row allows that much. */
static int check_quantity(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                          const char *text, size_t start)
{
    const struct jl_text view = jl_text(text);
    struct jl_quantity quantity;
    if (walk->decode->flags & JL_UNCHECKED)
        return 0;
    const int rc = jl_parse_quantity(view.ptr, view.len, &quantity);
    if (rc < 0)
        return jl_decode_fail(walk->decode, rc, at, walk->base + start,
                              rc == JOULIE_E_RANGE ? "%.*s is outside the range of a quantity"
                                                   : "\"%.*s\" is not a quantity",
                              shown(view), view.ptr);
    return check_bounds(walk, at, row, jl_quantity_to_double(&quantity), view);
}

static void tell_float_quantity(struct walk *walk, const struct jl_path *at, struct jl_text number)
{
    const struct jl_decode *decode = walk->decode;
    if (!decode->on_warning || !memchr(number.ptr, '.', number.len))
        return;
    char where[JL_PATH_TEXT];
    jl_path_print(at, where);
    decode->on_warning(decode->warning_user, "InvalidField", where,
                       "API servers refuse this number: a quantity with a fraction is "
                       "written as a string");
}

/* A string, or a number by its text: tensor-fusion.md §2.4. */
static int read_quantity(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                         const char **out)
{
    const char *text = NULL;
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    const size_t start = walk->json.pos;
    int rc;
    if (kind == JL_JSON_STRING) {
        rc = read_string(walk, at, &text);
    } else if (kind == JL_JSON_NUMBER) {
        rc = skip_value(walk, at);
        if (rc < 0)
            return rc;
        const struct jl_text number = { walk->json.text + start, walk->json.pos - start };
        tell_float_quantity(walk, at, number);
        text = copy_text(walk, number);
        rc = text ? 0 : fail_arena(walk, at);
    } else {
        return fail_type(walk, at, "a quantity");
    }
    if (rc == 0)
        rc = check_quantity(walk, at, row, text, start);
    if (rc == 0)
        *out = text;
    return rc;
}

static int read_raw(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                    struct jl_raw *out)
{
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    if ((row->flags & JL_ARRAY_ROW) && kind != JL_JSON_ARRAY)
        return fail_type(walk, at, "an array");
    if ((row->flags & JL_PRESERVE) && kind != JL_JSON_OBJECT)
        return fail_type(walk, at, "an object");
    const size_t start = walk->json.pos;
    const int rc = skip_value(walk, at);
    if (rc == 0)
        *out =
            (struct jl_raw){ walk->json.text + start, walk->json.pos - start, walk->base + start };
    return rc;
}

#define SMALLEST_STRING 2 /* bytes of "" and of {} */
#define SMALLEST_NUMBER 1
#define SMALLEST_MEMBER 4 /* "":0 */

/*
 * Items of the array at the reader, or more. Broken text can ask for more room than there is: then
 * only what stands before the fault counts, which the reader proper meets and reports.
 */
static void *room_for_items(struct walk *walk, size_t smallest, size_t item_size, size_t *out_count)
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
static int open_list(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                     size_t item_size, struct jl_list *out)
{
    if (jl_json_peek_here(&walk->json) != JL_JSON_ARRAY)
        return fail_type(walk, at, "an array");
    size_t count;
    out->items = room_for_items(
        walk, row->type == JL_TYPE_NUMBERS ? SMALLEST_NUMBER : SMALLEST_STRING, item_size, &count);
    out->count = 0;
    if (count > 0 && !out->items)
        return fail_arena(walk, at);
    const int rc = jl_json_open(&walk->json);
    return rc < 0 ? fail_json(walk, at, rc) : 0;
}

static int read_list_item(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                          void *item)
{
    if (row->type == JL_TYPE_LIST)
        return decode_object(walk, at, row->child, item);
    if (row->type == JL_TYPE_STRINGS)
        return read_string(walk, at, item);
    if (!(row->flags & JL_INT32))
        return read_double(walk, at, row, item);
    int64_t integer = 0;
    const int rc = read_integer(walk, at, row, &integer);
    *(double *)item = (double)integer;
    return rc;
}

static size_t list_item_size(const struct jl_row *row)
{
    if (row->type == JL_TYPE_LIST)
        return row->child->size;
    return row->type == JL_TYPE_STRINGS ? sizeof(const char *) : sizeof(double);
}

static int read_list(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                     struct jl_list *out)
{
    const size_t size = list_item_size(row);
    int rc = open_list(walk, at, row, size, out);
    for (bool more = true; rc == 0;) {
        rc = jl_json_item(&walk->json, out->count == 0, &more);
        if (rc < 0)
            return fail_json(walk, at, rc);
        if (!more)
            return 0;
        const struct jl_path item_at = { .up = at, .index = out->count };
        rc = read_list_item(walk, &item_at, row, (char *)out->items + out->count * size);
        out->count++;
    }
    return rc;
}

static int read_map_value(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                          void *item)
{
    const char **out = item;
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    if (!(row->flags & JL_SCALARS) || kind == JL_JSON_STRING)
        return read_string(walk, at, out);
    if (kind != JL_JSON_NUMBER && kind != JL_JSON_TRUE && kind != JL_JSON_FALSE)
        return fail_type(walk, at, "a string or a number");
    const size_t start = walk->json.pos;
    const int rc = skip_value(walk, at);
    if (rc < 0)
        return rc;
    *out = copy_text(walk, (struct jl_text){ walk->json.text + start, walk->json.pos - start });
    return *out ? 0 : fail_arena(walk, at);
}

/* The next member's key as text in the arena; *more false at the end of the object. */
static int read_key(struct walk *walk, const struct jl_path *at, bool is_first, const char **key,
                    size_t *len, bool *more)
{
    struct jl_json_string string;
    int rc = jl_json_member(&walk->json, is_first, &string, more);
    if (rc < 0)
        return fail_json(walk, at, rc);
    if (!*more)
        return 0;
    if (!string.has_escapes) {
        *len = string.raw.len;
        *key = copy_text(walk, string.raw);
        return *key ? 0 : fail_arena(walk, at);
    }
    *key = jl_json_value(&string, walk->decode->arena, len, &rc);
    if (!*key && rc == JOULIE_E_PARSE)
        return fail_at(walk, rc, at, walk->json.pos, "a key may not hold \\u0000");
    return *key ? 0 : fail_arena(walk, at);
}

static int fail_duplicate(struct walk *walk, const struct jl_path *at, size_t pos)
{
    return fail_at(walk, JOULIE_E_PARSE, at, pos, "the member is given twice");
}

typedef int read_item_fn(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                         void *item);

static int read_one_member(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                           struct jl_members *members, read_item_fn *read_item)
{
    size_t place;
    const bool is_null = jl_json_peek(&walk->json) == JL_JSON_NULL;
    const bool is_known = jl_members_find(members, at->key.ptr, &place);
    if (is_known && !(walk->decode->flags & JL_LENIENT))
        return fail_duplicate(walk, at, walk->json.pos);
    if (!is_known && jl_members_add(members, at->key.ptr, &place) < 0)
        return jl_fail_memory(walk->decode->err);
    members->is_null[place] = is_null;
    if (is_null)
        return skip_value(walk, at);
    void *item = members->items + place * members->item_size;
    if (is_known)
        memset(item, 0, members->item_size);
    return read_item(walk, at, row, item);
}

static int read_each_member(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                            struct jl_members *members, read_item_fn *read_item)
{
    int rc = jl_json_open(&walk->json);
    if (rc < 0)
        return fail_json(walk, at, rc);
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

static int read_members(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                        size_t item_size, read_item_fn *read_item, struct jl_members *out)
{
    if (jl_json_peek(&walk->json) != JL_JSON_OBJECT)
        return fail_type(walk, at, "an object");
    if (!jl_members_init(out, walk->decode->arena, jl_json_room(&walk->json, SMALLEST_MEMBER),
                         item_size))
        return fail_arena(walk, at);
    const int rc = read_each_member(walk, at, row, out, read_item);
    jl_members_clear(out);
    jl_members_compact(out);
    return rc;
}

static int read_map(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                    struct jl_map *out)
{
    struct jl_members members;
    const int rc = read_members(walk, at, row, sizeof(const char *), read_map_value, &members);
    if (rc < 0)
        return rc;
    const char *const *values = (const char *const *)(const void *)members.items;
    struct jl_pair *pairs = JL_NEW_ARRAY(walk->decode->arena, members.count, struct jl_pair);
    if (!pairs)
        return fail_arena(walk, at);
    for (size_t i = 0; i < members.count; i++)
        pairs[i] = (struct jl_pair){ members.keys[i], values[i] };
    *out = (struct jl_map){ pairs, members.count };
    return 0;
}

static int read_dict_value(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                           void *item)
{
    return decode_object(walk, at, row->child, item);
}

static int read_dict(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                     struct jl_dict *out)
{
    struct jl_members members;
    const int rc = read_members(walk, at, row, row->child->size, read_dict_value, &members);
    if (rc == 0)
        *out = (struct jl_dict){ members.keys, members.items, members.count };
    return rc;
}

/* Root objects start with the same members: has, api_version, kind. */
struct root {
    uint64_t has;
    const char *api_version;
    const char *kind;
};

/* An API object of the kind that its place asks for, within the limit of one object. */
static int check_root(struct walk *walk, const struct jl_path *at, size_t start,
                      const struct jl_table *table, const struct root *root)
{
    const struct jl_path kind_at = { .up = at, .key = jl_text("kind") };
    const struct jl_path version_at = { .up = at, .key = jl_text("apiVersion") };
    if (walk->json.pos - start > JL_LIMIT_OBJECT_BYTES)
        return fail_at(walk, JOULIE_E_LIMIT, at, start, "the object is larger than 16 MiB");
    if (root->kind && !jl_same(root->kind, table->kind->kind))
        return jl_decode_fail(walk->decode, JOULIE_E_ENUM, &kind_at, walk->base + start,
                              "a %s was expected, this is a %.64s", table->kind->kind, root->kind);
    if (root->api_version && !jl_same(root->api_version, table->kind->api_version))
        return jl_decode_fail(walk->decode, JOULIE_E_UNSUPPORTED, &version_at, walk->base + start,
                              "this build reads %s %s", table->kind->kind,
                              table->kind->api_version);
    return 0;
}

/* A key as text: the reader's own bytes, or in the arena when they have escapes. */
static int read_key_text(struct walk *walk, const struct jl_path *owner,
                         const struct jl_json_string *key, struct jl_text *out)
{
    int code = 0;
    *out = key->raw;
    if (!key->has_escapes)
        return 0;
    out->ptr = jl_json_value(key, walk->decode->arena, &out->len, &code);
    return out->ptr ? 0 : fail_at(walk, code, owner, walk->json.pos, "the key cannot be read");
}

/* Documents mostly keep the order of the table: the search starts after the last hit. */
static const struct jl_row *row_of(const struct jl_table *table, struct jl_text key, size_t hint)
{
    for (size_t n = 0; n < table->count; n++, hint++) {
        const struct jl_row *row = &table->rows[hint < table->count ? hint : hint - table->count];
        if (row->quoted_len == key.len + JL_KEY_FRAME && jl_same_bytes(row->key, key.ptr, key.len))
            return row;
    }
    return NULL;
}

/* Whether a member tells that its object is whole: the part alone has no such member. */
static bool is_of_whole(const struct jl_row *row, const struct jl_table *part, struct jl_text key)
{
    return (jl_text_is(key, "kind") || jl_text_is(key, "metadata") || jl_text_is(key, row->part)) &&
           !row_of(part, key, 0);
}

/* Whether the object at the reader is a whole API object. */
static int is_whole(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                    const struct jl_table *part, bool *out)
{
    struct walk copy = *walk; /* what is wrong in there is reported when it is read */
    struct jl_json_string key;
    struct jl_text text;
    bool more = false;
    *out = false;
    int rc = jl_json_peek(&copy.json) == JL_JSON_OBJECT ? jl_json_open(&copy.json) : JOULIE_E_TYPE;
    for (bool is_first = true; rc == 0; is_first = false) {
        rc = jl_json_member(&copy.json, is_first, &key, &more);
        if (rc < 0 || !more)
            return 0;
        rc = read_key_text(&copy, at, &key, &text);
        if (rc < 0)
            return rc;
        *out = is_of_whole(row, part, text);
        if (*out)
            return 0;
        rc = jl_json_skip(&copy.json);
    }
    return 0;
}

static int decode_checked(struct walk *walk, const struct jl_path *at, const struct jl_table *table,
                          bool needs_kind, void *out);

static int read_whole(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                      void *out)
{
    const struct jl_row *part = row_of(row->child, jl_text(row->part), 0);
    bool whole;
    const int rc = is_whole(walk, at, row, part->child, &whole);
    if (rc < 0)
        return rc;
    if (whole)
        return decode_checked(walk, at, row->child, false, out);
    struct root *root = out;
    root->has |= UINT64_C(1) << (part - row->child->rows);
    return decode_object(walk, at, part->child, (char *)out + part->offset);
}

static int read_value(struct walk *walk, const struct jl_path *at, const struct jl_row *row,
                      void *member)
{
    switch (row->type) {
    case JL_TYPE_STRING:
        return read_string(walk, at, member);
    case JL_TYPE_NUMBER:
        return read_double(walk, at, row, member);
    case JL_TYPE_INTEGER:
        return read_integer(walk, at, row, member);
    case JL_TYPE_BOOL:
        return read_bool(walk, at, member);
    case JL_TYPE_ENUM:
        return read_enum(walk, at, row, member);
    case JL_TYPE_TIME:
        return read_time(walk, at, row, member);
    case JL_TYPE_OBJECT:
        return decode_object(walk, at, row->child, member);
    case JL_TYPE_WHOLE:
        return read_whole(walk, at, row, member);
    case JL_TYPE_LIST:
    case JL_TYPE_STRINGS:
    case JL_TYPE_NUMBERS:
        return read_list(walk, at, row, member);
    case JL_TYPE_MAP:
        return read_map(walk, at, row, member);
    case JL_TYPE_DICT:
        return read_dict(walk, at, row, member);
    case JL_TYPE_RAW:
        return read_raw(walk, at, row, member);
    case JL_TYPE_QUANTITY:
        return read_quantity(walk, at, row, member);
    }
    return JOULIE_E_INTERNAL;
}

static int unknown_member(struct walk *walk, const struct jl_path *at, const struct jl_path *owner,
                          const struct jl_table *table)
{
    struct jl_decode *decode = walk->decode;
    const bool is_expected =
        (table->flags & JL_OPEN) != 0 ||
        (!owner && decode->ignored_member && jl_text_is(at->key, decode->ignored_member));
    if (!is_expected && !(decode->flags & JL_LENIENT))
        return fail_at(walk, JOULIE_E_UNKNOWN_MEMBER, at, walk->json.pos,
                       "there is no such member");
    if (!is_expected) {
        decode->unknown_members++;
        if (decode->on_unknown) {
            char where[JL_PATH_TEXT];
            jl_path_print(at, where);
            decode->on_unknown(decode->user, where);
        }
    }
    return skip_value(walk, at);
}

/* How far a decode of one object has come. */
struct progress {
    const struct jl_path *at;
    const struct jl_table *table;
    void *out;
    uint64_t seen; /* rows that the document gave, nulls too */
    size_t next;   /* row that should come now; the table's count after the last */
};

/*
 * The common spellings of the commonest members, without a path for errors. False = the reader
 * stands where it stood, but for white space, and the value is read in full.
 */
static inline bool read_quickly(struct walk *walk, const struct jl_row *row, void *member)
{
    struct jl_json *json = &walk->json;
    jl_json_space(json);
    if (row->type == JL_TYPE_NUMBER) {
        const size_t start = json->pos;
        struct jl_json_decimal decimal;
        if ((row->flags & BOUNDS) == 0 && jl_json_short_number(json, &decimal) &&
            decimal.digits <= JL_EXACT_DIGITS) {
            *(double *)member = value_of(&decimal);
            return true;
        }
        json->pos = start;
    } else if (row->type == JL_TYPE_STRING) {
        const size_t start = json->pos;
        struct jl_text text;
        if (jl_json_plain(json, &text) && text.len < walk->piece_len) {
            *(const char **)member = copy_text(walk, text);
            return true;
        }
        json->pos = start;
    }
    return false;
}

static int decode_row(struct walk *walk, struct progress *progress, const struct jl_row *row,
                      struct jl_text key)
{
    const size_t index = (size_t)(row - progress->table->rows);
    const uint64_t bit = UINT64_C(1) << index;
    uint64_t *has = progress->out;
    void *member = (char *)progress->out + row->offset;
    progress->next = index + 1;
    if (!(progress->seen & bit) && read_quickly(walk, row, member)) {
        progress->seen |= bit;
        *has |= bit;
        return 0;
    }

    const struct jl_path at = { .up = progress->at, .key = key };
    if (progress->seen & bit) {
        if (!(walk->decode->flags & JL_LENIENT))
            return fail_duplicate(walk, &at, walk->json.pos);
        *has &= ~bit;
        if (row->type == JL_TYPE_OBJECT || row->type == JL_TYPE_WHOLE)
            memset(member, 0, row->child->size);
    }
    progress->seen |= bit;
    if (jl_json_peek_here(&walk->json) == JL_JSON_NULL && !(row->flags & JL_NULLS))
        return skip_value(walk, &at);

    const int rc = read_value(walk, &at, row, member);
    if (rc == 0)
        *has |= bit;
    return rc;
}

/*
 * The row whose key stands at the reader, spelled as the encoder spells it, if it is one of the
 * next two of the table. The reader moves behind its colon.
 */
static inline const struct jl_row *take_expected_key(struct jl_json *json,
                                                     const struct progress *progress)
{
    const size_t left = json->len - json->pos;
    for (size_t i = progress->next; i < progress->table->count && i < progress->next + 2; i++) {
        const struct jl_row *row = &progress->table->rows[i];
        if (left >= row->quoted_len &&
            jl_same_bytes(json->text + json->pos, row->quoted, row->quoted_len)) {
            json->pos += row->quoted_len;
            return row;
        }
    }
    return NULL;
}

static int decode_member(struct walk *walk, struct progress *progress,
                         const struct jl_json_string *key)
{
    struct jl_path at = { .up = progress->at };
    const int rc = read_key_text(walk, progress->at, key, &at.key);
    if (rc < 0)
        return rc;
    const struct jl_row *row = row_of(progress->table, at.key, progress->next);
    return row ? decode_row(walk, progress, row, at.key)
               : unknown_member(walk, &at, progress->at, progress->table);
}

static uint64_t all_rows(const struct jl_table *table)
{
    return table->count < 64 ? (UINT64_C(1) << table->count) - 1 : ~UINT64_C(0);
}

static int check_required(struct walk *walk, const struct jl_path *at, const struct jl_table *table,
                          const void *out)
{
    const uint64_t has = *(const uint64_t *)out;
    for (uint64_t left = all_rows(table) & ~has; left != 0; left &= left - 1) {
        const struct jl_row *row = &table->rows[__builtin_ctzll(left)];
        if (!(row->flags & JL_REQUIRED))
            continue;
        const struct jl_path member_at = { .up = at, .key = jl_text(row->key) };
        return fail_at(walk, JOULIE_E_REQUIRED, &member_at,
                       walk->json.pos > 0 ? walk->json.pos - 1 : 0, "the member is required");
    }
    return 0;
}

static int decode_members(struct walk *walk, const struct jl_path *at, const struct jl_table *table,
                          void *out)
{
    int rc = jl_json_open(&walk->json);
    if (rc < 0)
        return fail_json(walk, at, rc);

    struct progress progress = { .at = at, .table = table, .out = out };
    for (bool is_first = true;; is_first = false) {
        struct jl_json_string key;
        bool more;
        rc = jl_json_next(&walk->json, is_first, '}', &more);
        if (rc < 0)
            return fail_json(walk, at, rc);
        if (!more)
            return 0;
        jl_json_space(&walk->json);
        const struct jl_row *row = take_expected_key(&walk->json, &progress);
        if (row) {
            const struct jl_text text = { row->key, row->quoted_len - JL_KEY_FRAME };
            rc = decode_row(walk, &progress, row, text);
        } else {
            rc = jl_json_key(&walk->json, &key);
            if (rc < 0)
                return fail_json(walk, at, rc);
            rc = decode_member(walk, &progress, &key);
        }
        if (rc < 0)
            return rc;
    }
}

/*
 * needs_kind false: the place tells the kind, so apiVersion, kind and metadata may be left out
 * together.
 */
static int decode_checked(struct walk *walk, const struct jl_path *at, const struct jl_table *table,
                          bool needs_kind, void *out)
{
    if (jl_json_peek(&walk->json) != JL_JSON_OBJECT)
        return fail_type(walk, at, "an object");
    const size_t start = walk->json.pos;
    const struct root *root = table->kind ? out : NULL;
    int rc = decode_members(walk, at, table, out);
    if (rc == 0 && root)
        rc = check_root(walk, at, start, table, root);
    if (rc < 0 || (walk->decode->flags & JL_UNCHECKED) || (!needs_kind && !root->kind))
        return rc;
    return check_required(walk, at, table, out);
}

static int decode_object(struct walk *walk, const struct jl_path *at, const struct jl_table *table,
                         void *out)
{
    return decode_checked(walk, at, table, true, out);
}

static struct walk walk_over(struct jl_decode *decode, const char *text, size_t len, size_t base)
{
    return (struct walk){ .decode = decode, .json = { .text = text, .len = len }, .base = base };
}

int jl_decode_document(struct jl_decode *decode, const struct jl_table *table, void *out)
{
    struct walk walk = walk_over(decode, decode->text, decode->len, 0);
    memset(out, 0, table->size);
    int rc = decode_object(&walk, NULL, table, out);
    if (rc == 0) {
        rc = jl_json_finish(&walk.json);
        if (rc < 0)
            return fail_json(&walk, NULL, rc);
    }
    return rc;
}

int jl_decode_raw(struct jl_decode *decode, const struct jl_raw *raw, const struct jl_path *at,
                  const struct jl_table *table, void *out)
{
    struct walk walk = walk_over(decode, raw->text, raw->len, raw->offset);
    memset(out, 0, table->size);
    return decode_object(&walk, at, table, out);
}

/* Skips one top-level member; *out is its value when it is the wanted one. */
static int take_member(struct walk *walk, const struct jl_json_string *name, const char *wanted,
                       bool *is_seen, struct jl_raw *out)
{
    struct jl_path at = { 0 };
    int rc = read_key_text(walk, NULL, name, &at.key);
    if (rc < 0)
        return rc;
    const bool is_wanted = jl_text_is(at.key, wanted);
    const bool is_null = jl_json_peek(&walk->json) == JL_JSON_NULL;
    const size_t start = walk->json.pos;
    if (is_wanted && *is_seen && !(walk->decode->flags & JL_LENIENT))
        return fail_duplicate(walk, &at, start);
    rc = skip_value(walk, &at);
    if (rc < 0 || !is_wanted)
        return rc;
    *is_seen = true;
    *out = (struct jl_raw){ 0 };
    if (!is_null)
        *out = (struct jl_raw){ walk->json.text + start, walk->json.pos - start, start };
    return 0;
}

int jl_decode_member(struct jl_decode *decode, const char *key, struct jl_raw *out)
{
    struct walk walk = walk_over(decode, decode->text, decode->len, 0);
    bool is_seen = false;
    walk.json.is_range_free = true;
    *out = (struct jl_raw){ 0 };
    if (jl_json_peek(&walk.json) != JL_JSON_OBJECT)
        return fail_type(&walk, NULL, "an object");
    int rc = jl_json_open(&walk.json);
    if (rc < 0)
        return fail_json(&walk, NULL, rc);
    for (bool is_first = true;; is_first = false) {
        struct jl_json_string name;
        bool more;
        rc = jl_json_member(&walk.json, is_first, &name, &more);
        if (rc < 0)
            return fail_json(&walk, NULL, rc);
        if (!more)
            return 0;
        rc = take_member(&walk, &name, key, &is_seen, out);
        if (rc < 0)
            return rc;
    }
}

int jl_check_json(struct jl_decode *decode)
{
    struct walk walk = walk_over(decode, decode->text, decode->len, 0);
    int rc = skip_value(&walk, NULL);
    if (rc == 0) {
        rc = jl_json_finish(&walk.json);
        if (rc < 0)
            return fail_json(&walk, NULL, rc);
    }
    return rc;
}
