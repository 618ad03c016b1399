/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Glob patterns over bytes, without recursion: a mismatch goes back to the last '*' only, so the
 * work is bounded by pattern times text (docs/rules/threads.md#globs).
 */

#include "base/glob.h"

#include <joulie/error.h>

/* One byte of a set, at *at; moves behind it. */
static bool set_byte(struct jl_text pattern, size_t *at, unsigned char *out)
{
    if (*at < pattern.len && pattern.ptr[*at] == '\\')
        ++*at;
    if (*at >= pattern.len)
        return false;
    *out = (unsigned char)pattern.ptr[(*at)++];
    return true;
}

/* The set whose '[' stands before at. Returns the place behind its ']', or 0 when it has none. */
static size_t match_set(struct jl_text pattern, size_t at, unsigned char c, bool *out_matches)
{
    const bool is_inverse = at < pattern.len && (pattern.ptr[at] == '!' || pattern.ptr[at] == '^');
    bool is_in = false;
    at += is_inverse;
    for (size_t first = at; at < pattern.len;) {
        if (pattern.ptr[at] == ']' && at > first) {
            *out_matches = is_in != is_inverse;
            return at + 1;
        }
        unsigned char low;
        if (!set_byte(pattern, &at, &low))
            return 0;
        unsigned char high = low;
        if (at + 1 < pattern.len && pattern.ptr[at] == '-' && pattern.ptr[at + 1] != ']') {
            at++;
            if (!set_byte(pattern, &at, &high))
                return 0;
        }
        is_in = is_in || (low <= c && c <= high);
    }
    return 0;
}

/* What stands at `at` and is no '*', against one byte. Returns the place behind it, 0 = malformed.
 */
static size_t match_one(struct jl_text pattern, size_t at, unsigned char c, bool *out_matches)
{
    switch (pattern.ptr[at]) {
    case '?':
        *out_matches = true;
        return at + 1;
    case '[':
        return match_set(pattern, at + 1, c, out_matches);
    case '\\':
        if (++at == pattern.len)
            return 0;
        break;
    default:
        break;
    }
    *out_matches = (unsigned char)pattern.ptr[at] == c;
    return at + 1;
}

int jl_glob_check(struct jl_text pattern)
{
    bool any;
    for (size_t at = 0; at < pattern.len;) {
        at = pattern.ptr[at] == '*' ? at + 1 : match_one(pattern, at, 0, &any);
        if (at == 0)
            return JOULIE_E_PARSE;
    }
    return 0;
}

bool jl_glob_match(struct jl_text pattern, struct jl_text text)
{
    size_t at = 0;
    size_t pos = 0;
    size_t star = SIZE_MAX; /* behind the last '*' */
    size_t star_pos = 0;    /* what that '*' has not taken */
    while (pos < text.len || at < pattern.len) {
        bool matches = false;
        size_t next = 0;
        if (at < pattern.len && pattern.ptr[at] == '*') {
            star = ++at;
            star_pos = pos;
            continue;
        }
        if (at < pattern.len && pos < text.len)
            next = match_one(pattern, at, (unsigned char)text.ptr[pos], &matches);
        if (next != 0 && matches) {
            at = next;
            pos++;
        } else if (star != SIZE_MAX && star_pos < text.len) {
            at = star;
            pos = ++star_pos;
        } else {
            return false;
        }
    }
    return true;
}

size_t jl_glob_length(struct jl_text pattern)
{
    size_t length = 0;
    bool any;
    for (size_t at = 0; at < pattern.len;) {
        if (pattern.ptr[at] == '*') {
            at++;
            continue;
        }
        at = match_one(pattern, at, 0, &any);
        if (at == 0)
            break;
        length++;
    }
    return length;
}
