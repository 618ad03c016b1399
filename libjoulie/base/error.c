/* SPDX-License-Identifier: Apache-2.0 */

/* How a failure gets into a struct joulie_error of any size, and the words of the codes. */

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
    memcpy(to, from, len < room ? len + 1 : room);
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
    struct joulie_error full = { .struct_size = sizeof full, .code = code };
    copy_text(full.where, sizeof full.where, where != NULL ? where : "");
    const int len = vsnprintf(full.message, sizeof full.message, format, arguments);
    if (len < 0)
        full.message[0] = '\0';
    else if ((size_t)len >= sizeof full.message)
        cut(full.message, sizeof full.message);
    full.message[jl_utf8_keep(full.message, strlen(full.message))] = '\0';
    jl_error_export(&full, err);
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

int jl_fail_line(struct joulie_error *err, int code, uint32_t line, uint32_t column,
                 const char *message)
{
    char where[sizeof "line 4294967295"];
    snprintf(where, sizeof where, "line %u", (unsigned)line);
    jl_fail(err, code, where, "%s", message);
    jl_error_set_line(err, line, column);
    return code;
}

int jl_fail_memory(struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_NOMEM, "", "out of memory");
}

int jl_fail_abi(struct joulie_error *err, const char *where)
{
    return jl_fail(err, JOULIE_E_ABI, where,
                   "struct_size is impossible, or a field of a newer release is set");
}

/* What a record has of a full one. */
static size_t shared_size(const struct joulie_error *err)
{
    if (err == NULL || err->struct_size > JL_SIZED_MAX)
        return 0;
    return err->struct_size < sizeof *err ? err->struct_size : sizeof *err;
}

void jl_error_set_line(struct joulie_error *err, uint32_t line, uint32_t column)
{
    if (shared_size(err) < offsetof(struct joulie_error, where))
        return;
    err->line = line;
    err->column = column;
}

void jl_error_set_errno(struct joulie_error *err, int number)
{
    if (shared_size(err) >= offsetof(struct joulie_error, line))
        err->sys_errno = number;
}

void jl_error_inside(struct joulie_error *err, const char *outer, const char *joint)
{
    struct joulie_error full = { .struct_size = sizeof full };
    const size_t size = shared_size(err);
    const size_t first = sizeof full.struct_size;
    if (size <= first)
        return;
    memcpy((char *)&full + first, (const char *)err + first, size - first);
    char inner[sizeof full.where];
    memcpy(inner, full.where, sizeof inner);
    const char *const parts[] = { outer, outer[0] && inner[0] ? joint : "", inner };
    size_t used = 0;
    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        const size_t len = jl_utf8_cut(parts[i], strlen(parts[i]), sizeof inner - 1 - used);
        memcpy(full.where + used, parts[i], len);
        used += len;
    }
    full.where[used] = '\0';
    jl_error_export(&full, err);
}

int jl_hand_out(struct jl_buffer *buffer, char **out, struct joulie_error *err)
{
    char *text = jl_buffer_take(buffer);
    if (text == NULL)
        return jl_fail_memory(err);
    *out = text;
    return 0;
}

int jl_check_text(const char *text, const char *where, struct joulie_error *err)
{
    return text == NULL || jl_utf8_valid(text, strlen(text))
               ? 0
               : jl_fail(err, JOULIE_E_PARSE, where, "the text is not UTF-8");
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
    const size_t shared = shared_size(to);
    if (shared <= sizeof to->struct_size)
        return;
    jl_sized_write(to, from, sizeof *from);
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
