/* SPDX-License-Identifier: Apache-2.0 */

/* Prints the path of a member for an error. */

#include "schema/path.h"

#include <string.h>

#include "base/number.h"

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
