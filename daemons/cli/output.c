/* SPDX-License-Identifier: Apache-2.0 */

/* Answers and errors on standard output, in the form that -o names. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "cli.h"
#include "runtime/json.h"

static int write_errno;

static void write_bytes(const char *bytes, size_t len)
{
    if (write_errno == 0 && len > 0 && fwrite(bytes, 1, len, stdout) != len)
        write_errno = errno != 0 ? errno : EIO;
}

void jd_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vprintf(format, arguments) < 0 && write_errno == 0)
        write_errno = errno != 0 ? errno : EIO;
    va_end(arguments);
}

static enum joulie_form form_of(const struct jd_call *call)
{
    const char *word = call->values.output;
    if (jl_same(word, "pretty"))
        return JOULIE_FORM_PRETTY;
    return jl_same(word, "yaml") ? JOULIE_FORM_YAML : JOULIE_FORM_LINE;
}

void jd_put_text(struct jd_call *call, const char *text, size_t len)
{
    write_bytes(text, len);
    call->printed++;
}

void jd_put_answer(struct jd_call *call, const char *json)
{
    const enum joulie_form form = form_of(call);
    JL_CLEANUP(jl_freep) char *printed = NULL;
    if (form == JOULIE_FORM_YAML && call->printed > 0)
        write_bytes("---\n", 4);
    if (form != JOULIE_FORM_LINE &&
        joulie_format(json, strlen(json), form, &printed, NULL) == JOULIE_OK) {
        jd_put_text(call, printed, strlen(printed));
    } else {
        jd_put_text(call, json, strlen(json));
        write_bytes("\n", 1);
    }
}

void jd_place(const struct jd_call *call, const char *where, char out[JD_PLACE_TEXT])
{
    const bool is_path = where[0] != '\0' && where[0] != '[';
    const bool is_elsewhere = jl_starts_with(where, "line ") || jl_starts_with(where, "options.");
    if (call->item[0] == '\0' || is_elsewhere)
        snprintf(out, JD_PLACE_TEXT, "%s", where);
    else
        snprintf(out, JD_PLACE_TEXT, "%s%s%s", call->item, is_path ? "." : "", where);
}

int jd_put_error(struct jd_call *call, const struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    char where[JD_PLACE_TEXT];
    jd_place(call, err->where, where);
    where[jl_utf8_keep(where, strlen(where))] = '\0'; /* a path may hold any bytes, JSON may not */
    jl_put_string(&line, "{\"error\":{");
    jd_json_put_text(&line, "code", joulie_code_word(err->code));
    jd_json_put_text(&line, "where", where);
    jd_json_put_text(&line, "message", err->message);
    jl_put_string(&line, "}}");
    jd_put_answer(
        call,
        line.is_failed
            ? "{\"error\":{\"code\":\"internal\",\"where\":\"\",\"message\":\"out of memory\"}}"
            : line.data);
    return JD_EXIT_BAD;
}

int jd_put_no_memory(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    jl_fail_memory(&err);
    return jd_put_error(call, &err);
}

/* A reader that went away is not worth a message; a full disk is. */
int jd_finish_output(int status)
{
    if (fflush(stdout) != 0 && write_errno == 0)
        write_errno = errno;
    if (write_errno == 0)
        return status;
    if (write_errno != EPIPE)
        fprintf(stderr, "%s: cannot write the answer: %s\n", jd_program, strerror(write_errno));
    return jd_worse(status, JD_EXIT_BAD);
}

int jd_worse(int a, int b)
{
    static const int order[] = { JD_EXIT_USAGE, JD_EXIT_BAD, JD_EXIT_STALE };
    for (size_t i = 0; i < JL_COUNT(order); i++) {
        if (a == order[i] || b == order[i])
            return order[i];
    }
    return JD_EXIT_OK;
}
