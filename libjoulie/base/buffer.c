/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A growing text with its printers: JSON strings, integers, doubles. Everything that the library
 * prints is put together here.
 */

#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "base/plain.h"

#define SMALLEST_BYTES ((size_t)64)

void jl_buffer_clear(struct jl_buffer *buffer)
{
    if (!buffer->is_fixed)
        free(buffer->data);
    *buffer = (struct jl_buffer){ 0 };
}

void jl_buffer_reset(struct jl_buffer *buffer)
{
    buffer->len = 0;
    buffer->is_failed = false;
    if (buffer->data != NULL)
        buffer->data[0] = '\0';
}

static bool make_room(struct jl_buffer *buffer, size_t more)
{
    if (buffer->is_failed)
        return false;
    if (more < buffer->capacity - buffer->len)
        return true;
    size_t needed = 0;
    size_t room = buffer->capacity > 0 ? buffer->capacity : SMALLEST_BYTES;
    char *grown = NULL;
    if (!buffer->is_fixed && !__builtin_add_overflow(buffer->len, more, &needed) &&
        needed < SIZE_MAX / 2) {
        while (room <= needed)
            room *= 2;
        grown = realloc(buffer->data, room);
    }
    if (grown == NULL) {
        buffer->is_failed = true;
        return false;
    }
    buffer->data = grown;
    buffer->capacity = room;
    return true;
}

char *jl_buffer_room(struct jl_buffer *buffer, size_t more)
{
    return make_room(buffer, more) ? buffer->data + buffer->len : NULL;
}

void jl_put(struct jl_buffer *buffer, const char *bytes, size_t len)
{
    if (!make_room(buffer, len))
        return;
    if (len > 0)
        memcpy(buffer->data + buffer->len, bytes, len);
    buffer->len += len;
    buffer->data[buffer->len] = '\0';
}

void jl_put_char(struct jl_buffer *buffer, char c)
{
    jl_put(buffer, &c, 1);
}

void jl_put_string(struct jl_buffer *buffer, const char *text)
{
    jl_put(buffer, text, strlen(text));
}

void jl_put_i64(struct jl_buffer *buffer, int64_t value)
{
    char text[JL_DOUBLE_TEXT];
    jl_put(buffer, text, jl_format_i64(value, text));
}

void jl_put_u64(struct jl_buffer *buffer, uint64_t value)
{
    char text[JL_DOUBLE_TEXT];
    jl_put(buffer, text, jl_format_u64(value, text));
}

void jl_put_double(struct jl_buffer *buffer, double value)
{
    if (!jl_is_finite(value)) {
        jl_put(buffer, "null", 4);
        return;
    }
    char text[JL_DOUBLE_TEXT];
    jl_put(buffer, text, jl_format_double(value, text));
}

/* The letter behind the backslash of a short escape, 0 when the byte has none (RFC 8259, section
 * 7). */
static char escape_letter(char c)
{
    switch (c) {
    case '"':
    case '\\':
        return c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static void put_escape(struct jl_buffer *buffer, char c)
{
    static const char hex[] = "0123456789abcdef";
    const char letter = escape_letter(c);
    if (letter != 0) {
        const char pair[2] = { '\\', letter };
        jl_put(buffer, pair, 2);
    } else {
        const char six[6] = { '\\', 'u', '0', '0', hex[(unsigned char)c >> 4], hex[c & 15] };
        jl_put(buffer, six, 6);
    }
}

void jl_put_json_string(struct jl_buffer *buffer, const char *text, size_t len)
{
    uint64_t beyond = 0; /* any UTF-8 goes out as it is */
    jl_put_char(buffer, '"');
    for (size_t i = 0;; i++) {
        const size_t plain = jl_plain_bytes(text + i, len - i, &beyond);
        jl_put(buffer, text + i, plain);
        i += plain;
        if (i == len)
            break;
        put_escape(buffer, text[i]);
    }
    jl_put_char(buffer, '"');
}

bool jl_buffer_is_same(const struct jl_buffer *a, const struct jl_buffer *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

char *jl_buffer_take(struct jl_buffer *buffer)
{
    jl_put(buffer, "", 0); /* an empty text is a text too */
    char *taken = buffer->is_failed ? NULL : buffer->data;
    if (taken == NULL)
        free(buffer->data);
    *buffer = (struct jl_buffer){ 0 };
    return taken;
}

int jl_buffer_code(const struct jl_buffer *buffer)
{
    return buffer->is_failed ? JOULIE_E_NOMEM : 0;
}
