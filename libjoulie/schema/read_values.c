/* SPDX-License-Identifier: Apache-2.0 */

/* The part of decode.c that reads single values and checks their bounds and words. */

#include "schema/read_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "kubernetes/quantity.h"

/* A string of any spelling; in the arena, or without copies the reader's own bytes. */
static int read_text(struct jl_walk *walk, const struct jl_path *at, bool is_copied,
                     struct jl_text *out)
{
    struct jl_json_string string;
    jl_json_space(&walk->json);
    if (jl_json_plain(&walk->json, out)) {
        if (!is_copied)
            return 0;
        out->ptr = jl_walk_keep(walk, *out);
        return out->ptr ? 0 : jl_walk_fail_arena(walk, at);
    }
    if (jl_json_peek(&walk->json) != JL_JSON_STRING)
        return jl_walk_fail_type(walk, at, "a string");
    const size_t start = walk->json.pos;
    int rc = jl_json_string(&walk->json, &string);
    if (rc < 0)
        return jl_walk_fail_json(walk, at, rc);
    out->ptr = jl_json_value(&string, walk->decode->arena, &out->len, &rc);
    if (!out->ptr && rc == JOULIE_E_PARSE)
        return jl_walk_fail(walk, rc, at, start, "a string may not hold \\u0000");
    return out->ptr ? 0 : jl_walk_fail_arena(walk, at);
}

int jl_read_string(struct jl_walk *walk, const struct jl_path *at, const char **out)
{
    struct jl_text text;
    const int rc = read_text(walk, at, true, &text);
    if (rc == 0)
        *out = text.ptr;
    return rc;
}

/* A number of many digits or with an exponent. */
static int read_long_number(struct jl_walk *walk, const struct jl_path *at, double *out,
                            struct jl_text *out_text)
{
    bool is_integer;
    if (jl_json_peek(&walk->json) != JL_JSON_NUMBER)
        return jl_walk_fail_type(walk, at, "a number");
    int rc = jl_json_number(&walk->json, out_text, &is_integer);
    if (rc < 0)
        return jl_walk_fail_json(walk, at, rc);
    rc = jl_parse_double(out_text->ptr, out_text->len, out);
    if (rc < 0)
        return jl_walk_fail(walk, rc, at, walk->json.pos - out_text->len,
                            "the number is outside the range of a double");
    return 0;
}

static inline int read_number(struct jl_walk *walk, const struct jl_path *at, double *out,
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
    *out = jl_decimal_value(&decimal);
    *out_text = (struct jl_text){ json->text + start, json->pos - start };
    return 0;
}

static int check_bounds(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                        double value, struct jl_text text)
{
    if (!jl_is_bounded(row) || !jl_is_checked(walk, row))
        return 0;

    char bound[JL_DOUBLE_TEXT];
    const char *relation = NULL;
    if (row->is.not_negative && value < 0) {
        relation = "negative";
        bound[0] = '\0';
    } else if (row->is.as_int32 && (value < INT32_MIN || value > INT32_MAX)) {
        relation = "outside an integer of 32 bits";
        bound[0] = '\0';
    } else if (row->is.has_min && (row->is.exclusive_min ? value <= row->min : value < row->min)) {
        relation = row->is.exclusive_min ? "not above " : "below ";
        jl_format_double(row->min, bound);
    } else if (row->is.has_max && value > row->max) {
        relation = "above ";
        jl_format_double(row->max, bound);
    }
    if (!relation)
        return 0;
    return jl_decode_fail(walk->decode, JOULIE_E_RANGE, at, walk->base + walk->json.pos - text.len,
                          "%.*s is %s%s", (int)(text.len < 64 ? text.len : 64), text.ptr, relation,
                          bound);
}

int jl_read_double(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
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

/* A word in the place of a number. */
static int read_integer_word(struct jl_walk *walk, const struct jl_path *at,
                             const struct jl_row *row, int64_t *out)
{
    int value = 0;
    const int rc = jl_read_enum(walk, at, row, &value);
    if (rc == 0)
        *out = value;
    return rc;
}

int jl_read_integer(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                    int64_t *out)
{
    double value;
    struct jl_text text;
    if (row->words && jl_json_peek(&walk->json) == JL_JSON_STRING)
        return read_integer_word(walk, at, row, out);
    int rc = read_number(walk, at, &value, &text);
    if (rc < 0)
        return rc;
    const size_t start = walk->json.pos - text.len;
    int64_t integer = 0;
    rc = jl_integer_of(text.ptr, text.len, &integer);
    if (rc == JOULIE_E_TYPE)
        return jl_walk_fail(walk, rc, at, start, "an integer was expected");
    if (rc < 0)
        return jl_walk_fail(walk, rc, at, start, "the integer does not fit 64 bits");
    rc = check_bounds(walk, at, row, value, text);
    if (rc == 0)
        *out = integer;
    return rc;
}

int jl_read_bool(struct jl_walk *walk, const struct jl_path *at, bool *out)
{
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    if (kind != JL_JSON_TRUE && kind != JL_JSON_FALSE)
        return jl_walk_fail_type(walk, at, "true or false");
    const int rc = jl_json_literal(&walk->json);
    if (rc < 0)
        return jl_walk_fail_json(walk, at, rc);
    *out = kind == JL_JSON_TRUE;
    return 0;
}

/* At most 64 bytes of it, for a message. */
static int shown(struct jl_text text)
{
    return (int)(text.len < 64 ? text.len : 64);
}

static int fail_word(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
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

int jl_check_word(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                  struct jl_text word, size_t start, int *out)
{
    const int value = jl_word_value(row->words, word);
    if (value == 0 && jl_is_checked(walk, row))
        return fail_word(walk, at, row, word, start);
    *out = value;
    return 0;
}

int jl_read_enum(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row, int *out)
{
    struct jl_text word;
    jl_json_space(&walk->json);
    const size_t start = walk->json.pos;
    const int rc = read_text(walk, at, false, &word);
    return rc < 0 ? rc : jl_check_word(walk, at, row, word, start, out);
}

int jl_read_time(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                 int64_t *out)
{
    if (row->is.or_seconds && jl_json_peek(&walk->json) == JL_JSON_NUMBER) {
        double seconds = 0;
        const struct jl_row any = { .type = JL_TYPE_NUMBER };
        const int rc = jl_read_double(walk, at, &any, &seconds);
        if (rc < 0)
            return rc;
        if (!(seconds > -1e15 && seconds < 1e15))
            return jl_walk_fail(walk, JOULIE_E_RANGE, at, walk->json.pos,
                                "the time is out of range");
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

/* What the text of a quantity says, and whether its row allows that much. */
static int check_quantity(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                          const char *text, size_t start)
{
    const struct jl_text view = jl_text(text);
    struct jl_quantity quantity;
    if (!jl_is_checked(walk, row))
        return 0;
    const int rc = jl_parse_quantity(view.ptr, view.len, &quantity);
    if (rc < 0)
        return jl_decode_fail(walk->decode, rc, at, walk->base + start,
                              rc == JOULIE_E_RANGE ? "%.*s is outside the range of a quantity"
                                                   : "\"%.*s\" is not a quantity",
                              shown(view), view.ptr);
    return check_bounds(walk, at, row, jl_quantity_to_double(&quantity), view);
}

static void tell_float_quantity(struct jl_walk *walk, const struct jl_path *at,
                                struct jl_text number)
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

int jl_read_quantity(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                     const char **out)
{
    const char *text = NULL;
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    const size_t start = walk->json.pos;
    int rc;
    if (kind == JL_JSON_STRING) {
        rc = jl_read_string(walk, at, &text);
    } else if (kind == JL_JSON_NUMBER) {
        rc = jl_walk_skip(walk, at);
        if (rc < 0)
            return rc;
        const struct jl_text number = { walk->json.text + start, walk->json.pos - start };
        tell_float_quantity(walk, at, number);
        text = jl_walk_keep(walk, number);
        rc = text ? 0 : jl_walk_fail_arena(walk, at);
    } else {
        return jl_walk_fail_type(walk, at, "a quantity");
    }
    if (rc == 0)
        rc = check_quantity(walk, at, row, text, start);
    if (rc == 0)
        *out = text;
    return rc;
}

int jl_read_raw(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                struct jl_raw *out)
{
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    if (row->is.array_only && kind != JL_JSON_ARRAY)
        return jl_walk_fail_type(walk, at, "an array");
    if (row->is.any_members && kind != JL_JSON_OBJECT)
        return jl_walk_fail_type(walk, at, "an object");
    const size_t start = walk->json.pos;
    const int rc = jl_walk_skip(walk, at);
    if (rc == 0)
        *out =
            (struct jl_raw){ walk->json.text + start, walk->json.pos - start, walk->base + start };
    return rc;
}
