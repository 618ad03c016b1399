/* SPDX-License-Identifier: Apache-2.0 */

/* A walk through JSON text that allocates nothing, for meta.c and lists of objects. */

#include "kube/scan.h"

#include <string.h>

#include <joulie/error.h>

#include "base/json_string.h"
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

static bool has_good_escapes(struct jl_text raw)
{
    for (size_t i = 0; i < raw.len;) {
        const size_t length =
            raw.ptr[i] == '\\' ? jl_json_escape_length(raw.ptr + i, raw.len - i) : 1;
        if (length == 0)
            return false;
        i += length;
    }
    return true;
}

int jd_scan_text(struct jl_text value, struct jl_arena *arena, struct jl_text *out)
{
    *out = (struct jl_text){ "", 0 };
    if (value.len < 2 || value.ptr[0] != '"')
        return 0;
    struct jl_text inner = { value.ptr + 1, value.len - 2 };
    if (inner.len > 0 && memchr(inner.ptr, '\\', inner.len)) {
        if (!has_good_escapes(inner))
            return JOULIE_E_PARSE;
        char *copy = jl_arena_alloc(arena, inner.len);
        if (!copy)
            return JOULIE_E_NOMEM;
        inner = (struct jl_text){ copy, jl_json_unescape(inner, copy) };
        if (memchr(inner.ptr, 0, inner.len))
            return JOULIE_E_PARSE;
    }
    if (!jl_utf8_valid(inner.ptr, inner.len))
        return JOULIE_E_PARSE;
    *out = inner;
    return 0;
}
