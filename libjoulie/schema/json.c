/* SPDX-License-Identifier: Apache-2.0 */

/* The pull reader over JSON text: tokens, strings, numbers, and skipping of whole values. */

#include "schema/json.h"

#include <string.h>

#include <joulie/error.h>

#include "base/json_string.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/plain.h"
#include "schema/json_scan.h"

enum jl_json_kind jl_json_peek(struct jl_json *json)
{
    return jl_json_peek_here(json);
}

int jl_json_string(struct jl_json *json, struct jl_json_string *out)
{
    if (jl_json_peek(json) != JL_JSON_STRING)
        return jl_json_bad(json, json->pos, "a string was expected");

    const size_t start = json->pos + 1;
    size_t pos = start;
    const char *text = json->text;
    const size_t end = json->len;
    bool has_escapes = false;
    uint64_t beyond = 0;
    for (;;) {
        pos += jl_plain_bytes(text + pos, end - pos, &beyond);
        if (pos >= end)
            return jl_json_bad(json, start - 1, "the string does not end");
        if (text[pos] == '"')
            break;
        if (text[pos] != '\\')
            return jl_json_bad(json, pos, "a control character in a string");
        const size_t length = jl_json_escape_length(text + pos, end - pos);
        if (length == 0)
            return jl_json_bad(json, pos, "a bad escape in a string");
        has_escapes = true;
        pos += length;
    }
    if (beyond && !jl_utf8_valid(json->text + start, pos - start))
        return jl_json_bad(json, start - 1, "the string is not UTF-8");

    *out = (struct jl_json_string){ { json->text + start, pos - start }, has_escapes };
    json->pos = pos + 1;
    return 0;
}

int jl_json_number(struct jl_json *json, struct jl_text *out, bool *is_integer)
{
    jl_json_space(json);
    const size_t length = jl_scan_number(json->text + json->pos, json->len - json->pos, is_integer);
    if (length == 0)
        return jl_json_bad(json, json->pos, "a number was expected");
    const size_t end = json->pos + length;
    if (end < json->len && (jl_is_digit(json->text[end]) || strchr("+-.eE", json->text[end])) &&
        json->text[end])
        return jl_json_bad(json, json->pos, "the number is malformed");
    *out = (struct jl_text){ json->text + json->pos, length };
    json->pos = end;
    return 0;
}

int jl_json_literal(struct jl_json *json)
{
    jl_json_space(json);
    const size_t left = json->len - json->pos;
    const char *text = json->text + json->pos;
    size_t length = 0;
    if (left >= 4 && (memcmp(text, "true", 4) == 0 || memcmp(text, "null", 4) == 0))
        length = 4;
    else if (left >= 5 && memcmp(text, "false", 5) == 0)
        length = 5;
    json->pos += length;
    return length > 0 ? 0 : jl_json_bad(json, json->pos, "true, false or null was expected");
}

int jl_json_open(struct jl_json *json)
{
    jl_json_space(json);
    if (json->depth >= JL_LIMIT_NESTING) {
        json->problem = "objects and arrays are nested too deep";
        return JOULIE_E_LIMIT;
    }
    json->depth++;
    json->pos++;
    return 0;
}

/* Moves over the colon behind a key. */
static inline int colon(struct jl_json *json)
{
    jl_json_space(json);
    if (json->pos >= json->len || json->text[json->pos] != ':')
        return jl_json_bad(json, json->pos, "a colon was expected");
    json->pos++;
    return 0;
}

int jl_json_key(struct jl_json *json, struct jl_json_string *key)
{
    const int rc = jl_json_string(json, key);
    return rc < 0 ? rc : colon(json);
}

int jl_json_member(struct jl_json *json, bool is_first, struct jl_json_string *key, bool *more)
{
    const int rc = jl_json_next(json, is_first, '}', more);
    return rc < 0 || !*more ? rc : jl_json_key(json, key);
}

int jl_json_item(struct jl_json *json, bool is_first, bool *more)
{
    return jl_json_next(json, is_first, ']', more);
}

/* A number that nobody reads must still fit a double: only long ones and exponents can fail. */
static int skip_number(struct jl_json *json)
{
    struct jl_text number;
    bool is_integer;
    int rc = jl_json_number(json, &number, &is_integer);
    if (rc < 0 || json->is_range_free || (is_integer && number.len < JL_SURE_DIGITS))
        return rc;

    double ignored;
    rc = jl_parse_double(number.ptr, number.len, &ignored);
    if (rc < 0) {
        json->pos -= number.len;
        json->problem = "the number is outside the range of a double";
    }
    return rc;
}

static inline int skip_string(struct jl_json *json)
{
    struct jl_json_string string;
    struct jl_text plain;
    return jl_json_plain(json, &plain) ? 0 : jl_json_string(json, &string);
}

static int skip_scalar(struct jl_json *json, enum jl_json_kind kind)
{
    struct jl_json_decimal decimal;
    switch (kind) {
    case JL_JSON_STRING:
        return skip_string(json);
    case JL_JSON_NUMBER:
        return jl_json_short_number(json, &decimal) ? 0 : skip_number(json);
    case JL_JSON_TRUE:
    case JL_JSON_FALSE:
    case JL_JSON_NULL:
        return jl_json_literal(json);
    case JL_JSON_END:
        return jl_json_bad(json, json->pos, "the document ends where a value was expected");
    case JL_JSON_OBJECT:
    case JL_JSON_ARRAY:
    case JL_JSON_BAD:
        break;
    }
    return jl_json_bad(json, json->pos, "a value was expected");
}

/* Moves to the next value of the object or array, or behind its end. */
static inline int skip_to_next(struct jl_json *json, bool is_object, bool is_first, bool *more)
{
    int rc = jl_json_next(json, is_first, is_object ? '}' : ']', more);
    if (rc < 0 || !*more || !is_object)
        return rc;
    jl_json_space(json);
    rc = skip_string(json);
    return rc < 0 ? rc : colon(json);
}

int jl_json_skip(struct jl_json *json)
{
    bool is_object[JL_LIMIT_NESTING];
    const int base = json->depth;
    bool is_first = false; /* whether the innermost bracket was just opened */

    for (;;) {
        const enum jl_json_kind kind = jl_json_peek_here(json);
        int rc = 0;
        if (kind == JL_JSON_OBJECT || kind == JL_JSON_ARRAY) {
            rc = jl_json_open(json);
            if (rc == 0)
                is_object[json->depth - 1] = kind == JL_JSON_OBJECT;
            is_first = true;
        } else {
            rc = skip_scalar(json, kind);
            is_first = false;
        }
        if (rc < 0)
            return rc;

        for (bool more = false; !more; is_first = false) {
            if (json->depth == base)
                return 0;
            rc = skip_to_next(json, is_object[json->depth - 1], is_first, &more);
            if (rc < 0)
                return rc;
        }
    }
}

int jl_json_count(const struct jl_json *json, size_t *out)
{
    struct jl_json copy = *json;
    int rc = jl_json_open(&copy);
    *out = 0;
    for (bool is_first = true, more = true; rc == 0; is_first = false) {
        rc = jl_json_item(&copy, is_first, &more);
        if (rc < 0 || !more)
            return 0; /* the reader proper meets the same problem and reports it */
        rc = jl_json_skip(&copy);
        ++*out;
    }
    return 0;
}

int jl_json_finish(struct jl_json *json)
{
    return jl_json_peek(json) == JL_JSON_END
               ? 0
               : jl_json_bad(json, json->pos, "something follows the document");
}

char *jl_json_bytes(const struct jl_json_string *string, struct jl_arena *arena, size_t *out_len)
{
    char *out = jl_arena_alloc(arena, string->raw.len + 1);
    size_t length = string->raw.len;
    if (!out)
        return NULL;
    if (string->has_escapes)
        length = jl_json_unescape(string->raw, out);
    else if (length > 0)
        memcpy(out, string->raw.ptr, length);
    out[length] = '\0';
    *out_len = length;
    return out;
}

const char *jl_json_value(const struct jl_json_string *string, struct jl_arena *arena,
                          size_t *out_len, int *code)
{
    size_t length;
    const char *out = jl_json_bytes(string, arena, &length);
    if (!out) {
        *code = jl_arena_code(arena);
        return NULL;
    }
    if (string->has_escapes && strlen(out) != length) {
        *code = JOULIE_E_PARSE;
        return NULL;
    }
    if (out_len)
        *out_len = length;
    return out;
}
