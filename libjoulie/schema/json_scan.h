/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The steps of the reader that every member takes, inline; json.c and decode.c only. Each reads the
 * common spelling and leaves the rest, and every failure, to the functions of json.h.
 */

#include <joulie/error.h>

#include "base/digits.h"
#include "base/plain.h"
#include "schema/json.h"

#define JL_SURE_DIGITS 300 /* a number of fewer bytes without an exponent fits a double */

static inline bool jl_json_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline void jl_json_space(struct jl_json *json)
{
    size_t pos = json->pos;
    if (pos < json->len && (unsigned char)json->text[pos] > ' ')
        return;
    while (pos < json->len && jl_json_is_space(json->text[pos]))
        pos++;
    json->pos = pos;
}

static inline int jl_json_bad(struct jl_json *json, size_t pos, const char *problem)
{
    json->pos = pos;
    json->problem = problem;
    return JOULIE_E_PARSE;
}

/* Moves over ',' or the closing bracket; *more tells which. */
static inline int jl_json_next(struct jl_json *json, bool is_first, char closing, bool *more)
{
    jl_json_space(json);
    if (json->pos >= json->len)
        return jl_json_bad(json, json->pos, "the document ends in the middle of a value");
    const char c = json->text[json->pos];
    *more = c != closing;
    if (c == closing) {
        json->pos++;
        json->depth--;
    } else if (!is_first) {
        if (c != ',')
            return jl_json_bad(json, json->pos, "a comma or a closing bracket was expected");
        json->pos++;
    }
    return 0;
}

/* jl_json_peek() */
static inline enum jl_json_kind jl_json_peek_here(struct jl_json *json)
{
    static const uint8_t kinds[256] = {
        ['{'] = JL_JSON_OBJECT, ['['] = JL_JSON_ARRAY,  ['"'] = JL_JSON_STRING,
        ['t'] = JL_JSON_TRUE,   ['f'] = JL_JSON_FALSE,  ['n'] = JL_JSON_NULL,
        ['-'] = JL_JSON_NUMBER, ['0'] = JL_JSON_NUMBER, ['1'] = JL_JSON_NUMBER,
        ['2'] = JL_JSON_NUMBER, ['3'] = JL_JSON_NUMBER, ['4'] = JL_JSON_NUMBER,
        ['5'] = JL_JSON_NUMBER, ['6'] = JL_JSON_NUMBER, ['7'] = JL_JSON_NUMBER,
        ['8'] = JL_JSON_NUMBER, ['9'] = JL_JSON_NUMBER,
    };

    jl_json_space(json);
    if (json->pos >= json->len)
        return JL_JSON_END;
    const uint8_t kind = kinds[(unsigned char)json->text[json->pos]];
    return kind == 0 ? JL_JSON_BAD : (enum jl_json_kind)kind;
}

/* Moves over the string that starts at the reader if it has no escape and nothing beyond ASCII. */
static inline bool jl_json_plain(struct jl_json *json, struct jl_text *out)
{
    const size_t start = json->pos + 1;
    uint64_t beyond = 0;
    if (start >= json->len || json->text[json->pos] != '"')
        return false;
    const size_t len = jl_plain_bytes(json->text + start, json->len - start, &beyond);
    if (beyond || start + len >= json->len || json->text[start + len] != '"')
        return false;
    *out = (struct jl_text){ json->text + start, len };
    json->pos = start + len + 1;
    return true;
}

static inline bool jl_json_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Whether a number goes on with this byte, or is none because of it. */
static inline bool jl_json_is_number_part(char c)
{
    return jl_json_is_digit(c) || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
}

/* A number without an exponent: mantissa / 10^decimals. */
struct jl_json_decimal {
    uint64_t mantissa; /* right for at most JL_EXACT_DIGITS digits */
    size_t digits;     /* without a zero before the point */
    size_t decimals;
    bool is_negative;
};

/* Moves over a number without an exponent that surely fits a double. */
static inline bool jl_json_short_number(struct jl_json *json, struct jl_json_decimal *out)
{
    const char *text = json->text;
    const size_t end =
        json->len - json->pos < JL_SURE_DIGITS ? json->len : json->pos + JL_SURE_DIGITS - 1;
    uint64_t mantissa = 0;
    out->is_negative = json->pos < end && text[json->pos] == '-';
    const size_t start = json->pos + out->is_negative;
    const size_t point = jl_read_digits(text, start, end, &mantissa);
    size_t pos = point;
    if (point == start || (text[start] == '0' && point > start + 1))
        return false;
    if (point < end && text[point] == '.') {
        pos = jl_read_digits(text, point + 1, end, &mantissa);
        if (pos == point + 1)
            return false;
    }
    if (pos >= end || jl_json_is_number_part(text[pos])) /* also at the end of the text */
        return false;
    out->mantissa = mantissa;
    out->decimals = pos > point ? pos - point - 1 : 0;
    out->digits = point - start + out->decimals - (text[start] == '0');
    json->pos = pos;
    return true;
}
