/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How a failure gets into a struct joulie_error, of full size or of the caller's, and the words of
 * the codes.
 */

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/sized.h"
#include "base/text.h"
#include "base/words.h"

static const char ellipsis[] = "\xE2\x80\xA6"; /* … */

/* Cuts the text that did not fit into room bytes and ends it with "…". */
static void cut(char *text, size_t room)
{
    const size_t kept = jl_utf8_cut(text, strlen(text), room - sizeof ellipsis);
    memcpy(text + kept, ellipsis, sizeof ellipsis);
}

static void copy_text(char *to, size_t room, const char *from)
{
    const size_t len = strlen(from);
    memmove(to, from, len < room ? len + 1 : room); /* from may be to itself */
    if (len >= room) {
        to[room - 1] = '\0';
        cut(to, room);
    }
}

int jl_fail_list(struct joulie_error *err, int code, const char *where, const char *format,
                 va_list arguments)
{
    if (err == NULL)
        return code;
    err->code = code;
    err->sys_errno = 0;
    err->line = 0;
    err->column = 0;
    copy_text(err->where, sizeof err->where, where != NULL ? where : "");

    char message[sizeof err->message]; /* an argument may be err->message itself */
    const int len = vsnprintf(message, sizeof message, format, arguments);
    if (len < 0)
        message[0] = '\0';
    else if ((size_t)len >= sizeof message)
        cut(message, sizeof message);
    message[jl_utf8_keep(message, strlen(message))] = '\0';
    memcpy(err->message, message, sizeof message);
    return code;
}

int jl_fail(struct joulie_error *err, int code, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    jl_fail_list(err, code, where, format, arguments);
    va_end(arguments);
    return code;
}

void jl_error_inside(struct joulie_error *err, const char *outer, const char *joint)
{
    char inner[sizeof err->where];
    memcpy(inner, err->where, sizeof inner);
    const char *const parts[] = { outer, outer[0] && inner[0] ? joint : "", inner };
    size_t used = 0;
    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        const size_t len = jl_utf8_cut(parts[i], strlen(parts[i]), sizeof err->where - 1 - used);
        memcpy(err->where + used, parts[i], len);
        used += len;
    }
    err->where[used] = '\0';
}

int jl_fail_memory(struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_NOMEM, "", "out of memory");
}

int jl_refuse(struct joulie_error *err, int code, const char *where, const char *format, ...)
{
    struct joulie_error full = { .struct_size = sizeof full };
    va_list arguments;
    va_start(arguments, format);
    jl_fail_list(&full, code, where, format, arguments);
    va_end(arguments);
    jl_error_export(&full, err);
    return code;
}

int jl_refuse_memory(struct joulie_error *err)
{
    return jl_refuse(err, JOULIE_E_NOMEM, "", "out of memory");
}

int jl_hand_out(struct jl_buffer *buffer, char **out, struct joulie_error *err)
{
    char *text = jl_buffer_take(buffer);
    if (text == NULL)
        return jl_refuse_memory(err);
    *out = text;
    return 0;
}

int jl_refuse_abi(struct joulie_error *err, const char *where)
{
    return jl_refuse(err, JOULIE_E_ABI, where,
                     "struct_size is impossible, or a field of a newer release is set");
}

int jl_check_text(const char *text, const char *where, struct joulie_error *err)
{
    return text == NULL || jl_utf8_valid(text, strlen(text))
               ? 0
               : jl_refuse(err, JOULIE_E_PARSE, where, "the text is not UTF-8");
}

/* A text array of a caller's record that may end inside the array: cut so that it stays
 * NUL-terminated. */
static void end_text(struct joulie_error *to, size_t size, size_t offset, size_t full)
{
    if (size <= offset || size >= offset + full)
        return;
    const size_t room = size - offset;
    char *text = (char *)to + offset;
    if (jl_text_find((struct jl_text){ text, room }, '\0') < room)
        return;
    text[room - 1] = '\0';
    if (room > sizeof ellipsis)
        cut(text, room);
}

void jl_error_export(const struct joulie_error *from, struct joulie_error *to)
{
    if (to == NULL || to->struct_size <= sizeof to->struct_size || to->struct_size > JL_SIZED_MAX)
        return;
    const size_t first = sizeof to->struct_size;
    const size_t shared = to->struct_size < sizeof *from ? to->struct_size : sizeof *from;
    memcpy((char *)to + first, (const char *)from + first, shared - first);
    if (to->struct_size > shared)
        memset((char *)to + shared, 0, to->struct_size - shared);
    end_text(to, shared, offsetof(struct joulie_error, where), sizeof from->where);
    end_text(to, shared, offsetof(struct joulie_error, message), sizeof from->message);
}

int jl_error_return(const struct joulie_error *from, int code, struct joulie_error *to)
{
    if (code < 0)
        jl_error_export(from, to);
    return code;
}

static const struct jl_words words = JL_WORDS({
    { JOULIE_E_PARSE, "parse" },
    { JOULIE_E_TYPE, "type" },
    { JOULIE_E_UNKNOWN_MEMBER, "unknown-member" },
    { JOULIE_E_REQUIRED, "required" },
    { JOULIE_E_ENUM, "enum" },
    { JOULIE_E_RANGE, "range" },
    { JOULIE_E_LIMIT, "too-large" },
    { JOULIE_E_CONFLICT, "conflict" },
    { JOULIE_E_UNSUPPORTED, "unsupported" },
    { JOULIE_E_IO, "io" },
    { JOULIE_E_NOT_FOUND, "not-found" },
    { JOULIE_OK, "ok" },
});

/* INTERNAL, NOMEM, ABI and numbers that are no code have one word. */
const char *joulie_code_word(int code)
{
    const char *word = jl_word_of(&words, code);
    return word != NULL ? word : "internal";
}
