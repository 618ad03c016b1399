/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/json.h"

#include <string.h>

#include <joulie/error.h>

#include "base/limits.h"
#include "base/number.h"

static int bad(struct jl_json *json, size_t pos, const char *problem)
{
    json->pos = pos;
    json->problem = problem;
    return JOULIE_E_PARSE;
}

static inline void skip_space(struct jl_json *json)
{
    size_t pos = json->pos;
    while (pos < json->len) {
        const char c = json->text[pos];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
            break;
        pos++;
    }
    json->pos = pos;
}

enum jl_json_kind jl_json_peek(struct jl_json *json)
{
    skip_space(json);
    if (json->pos >= json->len)
        return JL_JSON_END;

    const char c = json->text[json->pos];
    switch (c) {
    case '{':
        return JL_JSON_OBJECT;
    case '[':
        return JL_JSON_ARRAY;
    case '"':
        return JL_JSON_STRING;
    case 't':
        return JL_JSON_TRUE;
    case 'f':
        return JL_JSON_FALSE;
    case 'n':
        return JL_JSON_NULL;
    default:
        return c == '-' || jl_is_digit(c) ? JL_JSON_NUMBER : JL_JSON_BAD;
    }
}

static bool is_hex(char c)
{
    return jl_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static unsigned hex4(const char *digits)
{
    unsigned value = 0;
    for (size_t i = 0; i < 4; i++) {
        const char c = jl_lower(digits[i]);
        value = value * 16 + (unsigned)(jl_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    return value;
}

static bool is_high_surrogate(unsigned code)
{
    return code >= 0xD800 && code < 0xDC00;
}

static bool is_low_surrogate(unsigned code)
{
    return code >= 0xDC00 && code < 0xE000;
}

static bool is_unicode_escape(const struct jl_json *json, size_t pos)
{
    if (json->len - pos < 6 || json->text[pos] != '\\' || json->text[pos + 1] != 'u')
        return false;
    for (size_t i = 2; i < 6; i++) {
        if (!is_hex(json->text[pos + i]))
            return false;
    }
    return true;
}

/* Length of the escape at pos, 0 when it is none. */
static size_t escape_length(const struct jl_json *json, size_t pos)
{
    if (json->len - pos < 2)
        return 0;
    if (json->text[pos + 1] != 'u')
        return strchr("\"\\/bfnrt", json->text[pos + 1]) && json->text[pos + 1] ? 2 : 0;
    if (!is_unicode_escape(json, pos))
        return 0;

    const unsigned code = hex4(json->text + pos + 2);
    if (is_low_surrogate(code))
        return 0;
    if (!is_high_surrogate(code))
        return 6;
    return is_unicode_escape(json, pos + 6) && is_low_surrogate(hex4(json->text + pos + 8)) ? 12
                                                                                            : 0;
}

int jl_json_string(struct jl_json *json, struct jl_json_string *out)
{
    if (jl_json_peek(json) != JL_JSON_STRING)
        return bad(json, json->pos, "a string was expected");

    const size_t start = json->pos + 1;
    size_t pos = start;
    const char *text = json->text;
    const size_t end = json->len;
    bool has_escapes = false;
    unsigned char seen = 0; /* bits of all bytes: the highest tells of text beyond ASCII */
    for (;;) {
        unsigned char c = 0;
        while (pos < end && (c = (unsigned char)text[pos]) >= 0x20 && c != '"' && c != '\\') {
            seen |= c;
            pos++;
        }
        if (pos >= end)
            return bad(json, start - 1, "the string does not end");
        if (c == '"')
            break;
        if (c < 0x20)
            return bad(json, pos, "a control character in a string");
        const size_t length = escape_length(json, pos);
        if (length == 0)
            return bad(json, pos, "a bad escape in a string");
        has_escapes = true;
        pos += length;
    }
    if ((seen & 0x80) && !jl_utf8_valid(json->text + start, pos - start))
        return bad(json, start - 1, "the string is not UTF-8");

    *out = (struct jl_json_string){ { json->text + start, pos - start }, has_escapes };
    json->pos = pos + 1;
    return 0;
}

int jl_json_number(struct jl_json *json, struct jl_text *out, bool *is_integer)
{
    skip_space(json);
    const size_t length = jl_scan_number(json->text + json->pos, json->len - json->pos, is_integer);
    if (length == 0)
        return bad(json, json->pos, "a number was expected");
    const size_t end = json->pos + length;
    if (end < json->len && (jl_is_digit(json->text[end]) || strchr("+-.eE", json->text[end])) &&
        json->text[end])
        return bad(json, json->pos, "the number is malformed");
    *out = (struct jl_text){ json->text + json->pos, length };
    json->pos = end;
    return 0;
}

int jl_json_literal(struct jl_json *json)
{
    static const char *const words[] = { "true", "false", "null" };

    skip_space(json);
    for (size_t i = 0; i < JL_COUNT(words); i++) {
        const size_t length = strlen(words[i]);
        if (json->len - json->pos >= length &&
            memcmp(json->text + json->pos, words[i], length) == 0) {
            json->pos += length;
            return 0;
        }
    }
    return bad(json, json->pos, "true, false or null was expected");
}

int jl_json_open(struct jl_json *json)
{
    skip_space(json);
    if (json->depth >= JL_LIMIT_NESTING) {
        json->problem = "objects and arrays are nested too deep";
        return JOULIE_E_LIMIT;
    }
    json->depth++;
    json->pos++;
    return 0;
}

/* Moves over ',' or the closing bracket; *more tells which. */
static int next(struct jl_json *json, bool is_first, char closing, bool *more)
{
    skip_space(json);
    if (json->pos >= json->len)
        return bad(json, json->pos, "the document ends in the middle of a value");
    if (json->text[json->pos] == closing) {
        json->pos++;
        json->depth--;
        *more = false;
        return 0;
    }
    if (!is_first) {
        if (json->text[json->pos] != ',')
            return bad(json, json->pos, "a comma or a closing bracket was expected");
        json->pos++;
    }
    *more = true;
    return 0;
}

int jl_json_member(struct jl_json *json, bool is_first, struct jl_json_string *key, bool *more)
{
    int rc = next(json, is_first, '}', more);
    if (rc < 0 || !*more)
        return rc;
    rc = jl_json_string(json, key);
    if (rc < 0)
        return rc;
    skip_space(json);
    if (json->pos >= json->len || json->text[json->pos] != ':')
        return bad(json, json->pos, "a colon was expected");
    json->pos++;
    return 0;
}

int jl_json_item(struct jl_json *json, bool is_first, bool *more)
{
    return next(json, is_first, ']', more);
}

/* A number that nobody reads must still fit a double: only long ones and exponents can fail. */
static int skip_number(struct jl_json *json)
{
    struct jl_text number;
    bool is_integer;
    int rc = jl_json_number(json, &number, &is_integer);
    if (rc < 0 || json->is_range_free || (is_integer && number.len < 300))
        return rc;

    double ignored;
    rc = jl_parse_double(number.ptr, number.len, &ignored);
    if (rc < 0) {
        json->pos -= number.len;
        json->problem = "the number is outside the range of a double";
    }
    return rc;
}

static int skip_scalar(struct jl_json *json, enum jl_json_kind kind)
{
    struct jl_json_string string;
    switch (kind) {
    case JL_JSON_STRING:
        return jl_json_string(json, &string);
    case JL_JSON_NUMBER:
        return skip_number(json);
    case JL_JSON_TRUE:
    case JL_JSON_FALSE:
    case JL_JSON_NULL:
        return jl_json_literal(json);
    case JL_JSON_END:
        return bad(json, json->pos, "the document ends where a value was expected");
    case JL_JSON_OBJECT:
    case JL_JSON_ARRAY:
    case JL_JSON_BAD:
        break;
    }
    return bad(json, json->pos, "a value was expected");
}

int jl_json_skip(struct jl_json *json)
{
    bool is_object[JL_LIMIT_NESTING];
    const int base = json->depth;
    bool is_first = false; /* whether the innermost bracket was just opened */

    for (;;) {
        const enum jl_json_kind kind = jl_json_peek(json);
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

        for (;;) {
            if (json->depth == base)
                return 0;
            struct jl_json_string key;
            bool more;
            rc = is_object[json->depth - 1] ? jl_json_member(json, is_first, &key, &more)
                                            : jl_json_item(json, is_first, &more);
            if (rc < 0)
                return rc;
            if (more)
                break;
            is_first = false;
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
               : bad(json, json->pos, "something follows the document");
}

static size_t put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | (code >> 6));
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | (code >> 12));
        out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | (code >> 18));
    out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
    out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

static char simple_escape(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return c; /* quote, backslash, slash */
    }
}

/* The text was checked by jl_json_string. */
static size_t unescape(struct jl_text raw, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < raw.len;) {
        if (raw.ptr[i] != '\\') {
            out[length++] = raw.ptr[i++];
        } else if (raw.ptr[i + 1] != 'u') {
            out[length++] = simple_escape(raw.ptr[i + 1]);
            i += 2;
        } else {
            unsigned code = hex4(raw.ptr + i + 2);
            i += 6;
            if (is_high_surrogate(code)) {
                code = 0x10000 + ((code - 0xD800) << 10) + (hex4(raw.ptr + i + 2) - 0xDC00);
                i += 6;
            }
            length += put_utf8(out + length, code);
        }
    }
    return length;
}

char *jl_json_bytes(const struct jl_json_string *string, struct jl_arena *arena, size_t *out_len)
{
    char *out = jl_arena_alloc(arena, string->raw.len + 1);
    size_t length = string->raw.len;
    if (!out)
        return NULL;
    if (string->has_escapes)
        length = unescape(string->raw, out);
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
