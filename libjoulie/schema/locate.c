/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Follows a printed path through JSON text, once something is wrong with what was read there. A key
 * may hold dots and brackets itself: of several that fit, the longest is meant.
 */

#include "schema/locate.h"

#include <string.h>

#include "base/number.h"
#include "schema/json.h"

/* Bytes of where that the key stands for; 0 = it does not begin there. */
static size_t fits(const char *where, struct jl_text key)
{
    if (key.len == 0 || strncmp(where, key.ptr, key.len) != 0)
        return 0;
    const char next = where[key.len];
    return next == '\0' || next == '.' || next == '[' ? key.len : 0;
}

/* Moves the reader to the member that where begins with; bytes of its key, 0 = there is none. */
static size_t enter_member(struct jl_json *json, const char *where)
{
    struct jl_json found = *json;
    size_t longest = 0;
    if (jl_json_open(json) < 0)
        return 0;
    for (bool is_first = true;; is_first = false) {
        struct jl_json_string key;
        bool more;
        if (jl_json_member(json, is_first, &key, &more) < 0 || !more)
            break;
        const size_t len = fits(where, key.raw);
        jl_json_peek(json);
        if (len > longest) {
            longest = len;
            found = *json;
        }
        if (jl_json_skip(json) < 0)
            break;
    }
    *json = found;
    return longest;
}

/* The same for "[3]". */
static size_t enter_item(struct jl_json *json, const char *where)
{
    size_t len = 1;
    size_t index = 0;
    for (; jl_is_digit(where[len]) && index < SIZE_MAX / 100; len++)
        index = index * 10 + (size_t)(where[len] - '0');
    if (len == 1 || where[len] != ']' || jl_json_open(json) < 0)
        return 0;
    for (size_t i = 0;; i++) {
        bool more;
        if (jl_json_item(json, i == 0, &more) < 0 || !more)
            return 0;
        if (i == index)
            break;
        if (jl_json_skip(json) < 0)
            return 0;
    }
    jl_json_peek(json);
    return len + 1;
}

bool jl_locate(const char *text, size_t len, const char *where, size_t *out_offset)
{
    struct jl_json json = { .text = text, .len = len, .is_range_free = true };
    bool is_found = false;
    while (*where != '\0') {
        size_t used = 0;
        const enum jl_json_kind kind = jl_json_peek(&json);
        if (kind == JL_JSON_OBJECT)
            used = enter_member(&json, *where == '.' ? where + 1 : where);
        else if (kind == JL_JSON_ARRAY && *where == '[')
            used = enter_item(&json, where);
        if (used == 0)
            break;
        used += kind == JL_JSON_OBJECT && *where == '.' ? 1 : 0;
        where += used;
        *out_offset = json.pos;
        is_found = true;
    }
    return is_found;
}
