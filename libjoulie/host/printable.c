/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* strerrordesc_np */

#include <errno.h>
#include <string.h>

#include "host/root.h"

/* Bytes of the character at the start of a text when a terminal may see it, else 0. */
static size_t visible_bytes(const char *text, size_t left)
{
    const unsigned char first = (unsigned char)text[0];
    if (first < 0x80)
        return first >= 0x20 && first != 0x7F;
    for (size_t bytes = 2; bytes <= 4 && bytes <= left; bytes++) {
        if (jl_utf8_valid(text, bytes)) /* U+0080 to U+009F are controls too */
            return first == 0xC2 && (unsigned char)text[1] < 0xA0 ? 0 : bytes;
    }
    return 0;
}

bool jl_root_is_printable(const char *text)
{
    const size_t len = strlen(text);
    size_t bytes = 1;
    for (size_t i = 0; i < len && bytes > 0; i += bytes)
        bytes = visible_bytes(text + i, len - i);
    return bytes > 0;
}

static size_t put_escape(char *out, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    out[0] = '\\';
    out[1] = 'x';
    out[2] = digits[byte >> 4];
    out[3] = digits[byte & 15];
    return 4;
}

char *jl_root_printable(struct jl_arena *arena, const char *text)
{
    const size_t len = strlen(text);
    char *out = jl_arena_alloc(arena, 4 * len + 1);
    size_t used = 0;
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < len;) {
        const size_t bytes = visible_bytes(text + i, len - i);
        if (bytes > 0) {
            memcpy(out + used, text + i, bytes);
            used += bytes;
        } else {
            used += put_escape(out + used, (unsigned char)text[i]);
        }
        i += bytes > 0 ? bytes : 1;
    }
    out[used] = '\0';
    return out;
}

const char *jl_root_errno_text(int number)
{
    if (number == ELOOP) /* links are not followed here, not even one */
        return "a symbolic link stands in the way";
    const char *text = strerrordesc_np(number);
    return text != NULL ? text : "unknown error";
}
