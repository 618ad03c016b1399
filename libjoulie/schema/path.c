/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The path of a member for an error: printed, and followed through JSON text once something is
 * wrong with what was read there. A key may hold dots and brackets itself: of several that fit, the
 * longest is meant.
 */

#include "schema/path.h"

#include <string.h>

#include "base/number.h"
#include "schema/json.h"

static const char ellipsis[] = "…";

struct printer {
    char *out;
    size_t len;
    bool is_cut;
};

static void put(struct printer *printer, const char *text, size_t len)
{
    const size_t room = JL_PATH_TEXT - sizeof ellipsis - printer->len;
    if (printer->is_cut)
        return;
    if (len > room) {
        len = jl_utf8_cut(text, len, room);
        printer->is_cut = true;
    }
    memcpy(printer->out + printer->len, text, len);
    printer->len += len;
}

static void put_frame(struct printer *printer, const struct jl_path *path)
{
    if (path->up)
        put_frame(printer, path->up);
    if (path->key.ptr) {
        if (printer->len > 0)
            put(printer, ".", 1);
        put(printer, path->key.ptr, path->key.len);
        return;
    }
    char digits[JL_DOUBLE_TEXT];
    const size_t len = jl_format_i64((int64_t)path->index, digits);
    put(printer, "[", 1);
    put(printer, digits, len);
    put(printer, "]", 1);
}

void jl_path_print(const struct jl_path *path, char out[JL_PATH_TEXT])
{
    struct printer printer = { .out = out };
    if (path)
        put_frame(&printer, path);
    if (printer.is_cut) {
        memcpy(out + printer.len, ellipsis, sizeof ellipsis - 1);
        printer.len += sizeof ellipsis - 1;
    }
    out[printer.len] = '\0';
}

/* ---- where a path stands ---- */

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
