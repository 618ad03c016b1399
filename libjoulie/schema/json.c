/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/json.h"

#include <string.h>

#include <joulie/error.h>

#include "base/limits.h"
#include "base/number.h"
#include "base/plain.h"
#include "schema/json_scan.h"

enum jl_json_kind jl_json_peek(struct jl_json *json)
{
    return jl_json_peek_here(json);
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

static bool is_simple_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return true;
    default:
        return false;
    }
}

/* Length of the escape at pos, 0 when it is none. */
static size_t escape_length(const struct jl_json *json, size_t pos)
{
    if (json->len - pos < 2)
        return 0;
    if (json->text[pos + 1] != 'u')
        return is_simple_escape(json->text[pos + 1]) ? 2 : 0;
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
        const size_t length = escape_length(json, pos);
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

/* Brackets and quotes of the next 64 bytes, a bit each. */
struct marks {
    uint64_t opening;
    uint64_t closing;
    uint64_t quote;
    bool has_backslash;
};

#define BLOCK 64

#ifdef __SSE2__
static inline uint64_t marks_of(const __m128i bytes[4], char c)
{
    uint64_t found = 0;
    for (int i = 0; i < 4; i++) {
        const __m128i same = _mm_cmpeq_epi8(bytes[i], _mm_set1_epi8(c));
        found |= (uint64_t)(unsigned)_mm_movemask_epi8(same) << (16 * i);
    }
    return found;
}

static inline void load(const char *text, __m128i bytes[4])
{
    for (int i = 0; i < 4; i++)
        bytes[i] = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));
}

static inline struct marks read_marks(const char *text)
{
    __m128i bytes[4];
    __m128i folded[4]; /* [ and { differ in one bit, ] and } in the same */
    __m128i escapes = _mm_setzero_si128();
    load(text, bytes);
    for (int i = 0; i < 4; i++) {
        folded[i] = _mm_or_si128(bytes[i], _mm_set1_epi8('[' ^ '{'));
        escapes = _mm_or_si128(escapes, _mm_cmpeq_epi8(bytes[i], _mm_set1_epi8('\\')));
    }
    return (struct marks){ marks_of(folded, '{'), marks_of(folded, '}'), marks_of(bytes, '"'),
                           _mm_movemask_epi8(escapes) != 0 };
}

static inline uint64_t read_commas(const char *text)
{
    __m128i bytes[4];
    load(text, bytes);
    return marks_of(bytes, ',');
}
#else
static inline struct marks read_marks(const char *text)
{
    struct marks marks = { 0 };
    for (int i = 0; i < BLOCK; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        const char c = text[i];
        marks.opening |= (c | 0x20) == '{' ? bit : 0;
        marks.closing |= (c | 0x20) == '}' ? bit : 0;
        marks.quote |= c == '"' ? bit : 0;
        marks.has_backslash = marks.has_backslash || c == '\\';
    }
    return marks;
}

static inline uint64_t read_commas(const char *text)
{
    uint64_t commas = 0;
    for (int i = 0; i < BLOCK; i++)
        commas |= (uint64_t)(text[i] == ',') << i;
    return commas;
}
#endif

/* Bits set from each quote up to the next one. */
static inline uint64_t between(uint64_t quotes)
{
    for (int shift = 1; shift < BLOCK; shift *= 2)
        quotes ^= quotes << shift;
    return quotes;
}

static inline int count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int)(bits * JL_EVERY_BYTE >> 56);
}

/* Counting the commas of one object or array. */
struct counting {
    size_t commas;
    size_t depth; /* open brackets, that of the value itself among them; 0 = done */
    bool is_in_string;
};

static void count_byte(struct counting *counting, const char *text, size_t len, size_t *at)
{
    const char c = text[(*at)++];
    if (counting->is_in_string) {
        *at += c == '\\' && *at < len;
        counting->is_in_string = c != '"';
        return;
    }
    counting->is_in_string = c == '"';
    counting->commas += c == ',' && counting->depth == 1;
    counting->depth += c == '{' || c == '[';
    counting->depth -= c == '}' || c == ']';
}

/* A block whose brackets may come back to the value's own depth. */
static void count_marks(struct counting *counting, const struct marks *marks, uint64_t commas)
{
    uint64_t left = marks->opening | marks->closing | commas;
    for (; left != 0 && counting->depth > 0; left &= left - 1) {
        const uint64_t bit = left & (0 - left);
        counting->commas += (commas & bit) != 0 && counting->depth == 1;
        counting->depth += (marks->opening & bit) != 0;
        counting->depth -= (marks->closing & bit) != 0;
    }
}

/* False when an escape makes the block too hard for marks; nothing is counted then. */
static inline bool count_block(struct counting *counting, const char *text)
{
    struct marks marks = read_marks(text);
    if (marks.has_backslash)
        return false;
    const uint64_t strings = between(marks.quote) ^ (counting->is_in_string ? ~UINT64_C(0) : 0);
    counting->is_in_string = strings >> (BLOCK - 1) != 0;
    marks.opening &= ~strings;
    marks.closing &= ~strings;
    const size_t closing = (size_t)count_bits(marks.closing);
    if (closing + 1 >= counting->depth)
        count_marks(counting, &marks, read_commas(text) & ~strings);
    else
        counting->depth += (size_t)count_bits(marks.opening) - closing;
    return true;
}

size_t jl_json_room(const struct jl_json *json, size_t smallest)
{
    const char *text = json->text + json->pos;
    const size_t len = json->len - json->pos;
    struct counting counting = { .depth = 1 };
    size_t at = 1;
    while (at < len && jl_json_is_space(text[at]))
        at++;
    if (at < len && text[at] == (text[0] == '[' ? ']' : '}'))
        return 0; /* a bracket of the other kind is a fault that the reader takes for an item */
    while (at < len && counting.depth > 0) {
        if (len - at >= BLOCK && count_block(&counting, text + at)) {
            at += BLOCK;
            continue;
        }
        const size_t end = len - at < BLOCK ? len : at + BLOCK;
        while (at < end && counting.depth > 0)
            count_byte(&counting, text, len, &at);
    }
    const size_t most = len / (smallest + 1) + 1;
    return counting.commas < most ? counting.commas + 1 : most;
}

int jl_json_finish(struct jl_json *json)
{
    return jl_json_peek(json) == JL_JSON_END
               ? 0
               : jl_json_bad(json, json->pos, "something follows the document");
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
