/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/scan.h"

#include <string.h>

#include <joulie/error.h>

#include "base/limits.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct jd_scan *scan)
{
    while (scan->at < scan->end && is_blank(*scan->at))
        scan->at++;
}

static bool fail(struct jd_scan *scan)
{
    scan->is_broken = true;
    scan->at = scan->end;
    return false;
}

static bool take(struct jd_scan *scan, char c)
{
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

/* From a quote to behind the one that closes. */
static bool skip_string(struct jd_scan *scan)
{
    for (scan->at++; scan->at < scan->end; scan->at++) {
        if (*scan->at == '"') {
            scan->at++;
            return true;
        }
        if (*scan->at == '\\' && scan->end - scan->at > 1)
            scan->at++;
        else if ((unsigned char)*scan->at < ' ')
            break;
    }
    return fail(scan);
}

static bool is_of_word(char c)
{
    return jl_is_digit(c) || (jl_lower(c) >= 'a' && jl_lower(c) <= 'z') || c == '-' || c == '+' ||
           c == '.';
}

static bool skip_word(struct jd_scan *scan)
{
    const char *start = scan->at;
    while (scan->at < scan->end && is_of_word(*scan->at))
        scan->at++;
    return scan->at > start || fail(scan);
}

/* An object or array with all that is in it: only strings and brackets matter. */
static bool skip_nested(struct jd_scan *scan)
{
    char closing[JL_LIMIT_NESTING];
    size_t depth = 0;
    do {
        const char c = *scan->at;
        if (c == '"') {
            if (!skip_string(scan))
                return false;
            continue;
        }
        scan->at++;
        if (c == '{' || c == '[') {
            if (depth == JL_LIMIT_NESTING)
                return fail(scan);
            closing[depth++] = c == '{' ? '}' : ']';
        } else if (c == '}' || c == ']') {
            if (closing[--depth] != c)
                return fail(scan);
        }
    } while (depth > 0 && scan->at < scan->end);
    return depth == 0 || fail(scan);
}

static bool take_value(struct jd_scan *scan, struct jl_text *out)
{
    skip_blanks(scan);
    if (scan->at == scan->end)
        return fail(scan);
    const char *start = scan->at;
    const char c = *start;
    const bool is_good = c == '"'               ? skip_string(scan)
                         : c == '{' || c == '[' ? skip_nested(scan)
                                                : skip_word(scan);
    if (!is_good)
        return false;
    *out = (struct jl_text){ start, (size_t)(scan->at - start) };
    return true;
}

struct jd_scan jd_scan_open(struct jl_text value, char open)
{
    struct jd_scan scan = { .at = value.ptr, .end = value.ptr + value.len };
    if (!take(&scan, open))
        fail(&scan);
    return scan;
}

/* At the next member or item; false at the end. */
static bool take_next(struct jd_scan *scan, char close)
{
    if (scan->is_broken || take(scan, close))
        return false;
    if (scan->is_inside && !take(scan, ','))
        return fail(scan);
    scan->is_inside = true;
    return true;
}

bool jd_scan_member(struct jd_scan *scan, struct jl_text *key, struct jl_text *value)
{
    struct jl_text quoted;
    if (!take_next(scan, '}'))
        return false;
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != '"')
        return fail(scan);
    if (!take_value(scan, &quoted))
        return false;
    *key = (struct jl_text){ quoted.ptr + 1, quoted.len - 2 };
    if (!take(scan, ':'))
        return fail(scan);
    return take_value(scan, value);
}

bool jd_scan_item(struct jd_scan *scan, struct jl_text *value)
{
    return take_next(scan, ']') && take_value(scan, value);
}

bool jd_scan_is_whole(const struct jd_scan *scan)
{
    struct jd_scan rest = *scan;
    skip_blanks(&rest);
    return !rest.is_broken && rest.at == rest.end;
}

/* ---- strings ---- */

static int hex_of(char c)
{
    const char lower = jl_lower(c);
    if (jl_is_digit(c))
        return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Four digits; -1 = they are none. */
static int32_t code_unit(const char *at, const char *end)
{
    int32_t unit = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const int digit = hex_of(at[i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static size_t put_utf8(char *out, int32_t point)
{
    const uint32_t bits = (uint32_t)point;
    if (bits < 0x80) {
        out[0] = (char)bits;
        return 1;
    }
    if (bits < 0x800) {
        out[0] = (char)(0xc0 | bits >> 6);
        out[1] = (char)(0x80 | (bits & 0x3f));
        return 2;
    }
    if (bits < 0x10000) {
        out[0] = (char)(0xe0 | bits >> 12);
        out[1] = (char)(0x80 | (bits >> 6 & 0x3f));
        out[2] = (char)(0x80 | (bits & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | bits >> 18);
    out[1] = (char)(0x80 | (bits >> 12 & 0x3f));
    out[2] = (char)(0x80 | (bits >> 6 & 0x3f));
    out[3] = (char)(0x80 | (bits & 0x3f));
    return 4;
}

/* Behind "\u"; moves *at behind the digits. -1 = broken, also a NUL. */
static int32_t code_point(const char **at, const char *end)
{
    const int32_t high = code_unit(*at, end);
    if (high <= 0)
        return -1;
    *at += 4;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || end - *at < 2 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return -1;
    const int32_t low = code_unit(*at + 2, end);
    if (low < 0xdc00 || low > 0xdfff)
        return -1;
    *at += 6;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/* An escape is never shorter than what it stands for. false = broken. */
static bool unescape(const char *at, const char *end, char *out, size_t *out_len)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    char *to = out;
    while (at < end) {
        if (*at != '\\') {
            *to++ = *at++;
            continue;
        }
        if (++at == end)
            return false;
        const char letter = *at++;
        if (letter == 'u') {
            const int32_t point = code_point(&at, end);
            if (point < 0)
                return false;
            to += put_utf8(to, point);
            continue;
        }
        const char *found = letter ? strchr(letters, letter) : NULL;
        if (!found)
            return false;
        *to++ = meant[found - letters];
    }
    *out_len = (size_t)(to - out);
    return true;
}

int jd_scan_text(struct jl_text value, struct jl_arena *arena, struct jl_text *out)
{
    *out = (struct jl_text){ "", 0 };
    if (value.len < 2 || value.ptr[0] != '"')
        return 0;
    struct jl_text inner = { value.ptr + 1, value.len - 2 };
    if (inner.len > 0 && memchr(inner.ptr, '\\', inner.len)) {
        char *copy = jl_arena_alloc(arena, inner.len);
        if (!copy)
            return JOULIE_E_NOMEM;
        if (!unescape(inner.ptr, inner.ptr + inner.len, copy, &inner.len))
            return JOULIE_E_PARSE;
        inner.ptr = copy;
    }
    if (!jl_utf8_valid(inner.ptr, inner.len))
        return JOULIE_E_PARSE;
    *out = inner;
    return 0;
}
