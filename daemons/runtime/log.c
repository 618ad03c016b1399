/* SPDX-License-Identifier: Apache-2.0 */

/* Lines of the log (docs/rules/programs.md#log): composed in memory, written by one call, counted
 * where the reader is too slow. */

#include "runtime/log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "runtime/url.h"

#define LINE_BYTES_MAX 4096 /* PIPE_BUF of Linux: written whole or not at all */
#define MESSAGE_BYTES_MAX 3072
#define MESSAGE_TEXT 4096

const char *const jd_log_levels[] = { "debug", "info", "warn", "error", NULL };
const char *const jd_log_formats[] = { "text", "json", NULL };

struct jd_log jd_log_new(int fd, const char *level, const char *format)
{
    struct jd_log log = { .fd = fd, .least = JOULIE_LOG_LEVEL_INFO };
    for (int i = 0; jd_log_levels[i]; i++) {
        if (jl_same(level, jd_log_levels[i]))
            log.least = (enum joulie_log_level)(JOULIE_LOG_LEVEL_DEBUG + i);
    }
    log.format = jl_same(format, "json") ? JD_LOG_JSON : JD_LOG_TEXT;
    return log;
}

static const char *word_of(enum joulie_log_level level)
{
    return level >= JOULIE_LOG_LEVEL_DEBUG && level <= JOULIE_LOG_LEVEL_ERROR
               ? jd_log_levels[level - JOULIE_LOG_LEVEL_DEBUG]
               : "info";
}

/* Text as it may stand between quotes: UTF-8, no control characters, no user of a URL, cut when it
 * is very long. */
static void put_quoted(struct jl_buffer *out, const char *text)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer clean = { 0 };
    jl_put_string(&clean, text);
    if (!clean.is_failed) {
        jd_hide_users(clean.data);
        const size_t len = jl_utf8_keep(clean.data, strlen(clean.data));
        jl_put_json_string(out, clean.data, jl_utf8_cut(clean.data, len, MESSAGE_BYTES_MAX));
    }
    out->is_failed |= clean.is_failed;
}

static void put_line(struct jl_buffer *out, const struct jd_log *log, enum joulie_log_level level,
                     const char *component, const char *message)
{
    const bool is_json = log->format == JD_LOG_JSON;
    jl_put_string(out, is_json ? "{\"level\":\"" : "level=");
    jl_put_string(out, word_of(level));
    jl_put_string(out, is_json ? "\",\"component\":" : " component=");
    if (is_json)
        put_quoted(out, component);
    else
        jl_put_string(out, component);
    jl_put_string(out, is_json ? ",\"msg\":" : " msg=");
    put_quoted(out, message);
    jl_put_string(out, is_json ? "}\n" : "\n");
}

/* A message of control characters only can grow to six times its bytes. */
static bool is_written(const struct jd_log *log, const struct jl_buffer *line)
{
    struct pollfd ready = { .fd = log->fd, .events = POLLOUT };
    return !line->is_failed && line->len <= LINE_BYTES_MAX && poll(&ready, 1, 0) == 1 &&
           (ready.revents & POLLOUT) && write(log->fd, line->data, line->len) == (ssize_t)line->len;
}

static void report_lost(struct jd_log *log)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    char text[64];
    snprintf(text, sizeof text, "%llu lines before this one were lost",
             (unsigned long long)log->lost);
    put_line(&line, log, JOULIE_LOG_LEVEL_WARN, "log", text);
    if (is_written(log, &line))
        log->lost = 0;
}

void jd_log_line(struct jd_log *log, enum joulie_log_level level, const char *component,
                 const char *message)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    if (level < log->least)
        return;
    if (log->lost > 0)
        report_lost(log);
    put_line(&line, log, level, component, message);
    if (log->lost > 0 || !is_written(log, &line))
        log->lost++;
}

void jd_log(struct jd_log *log, enum joulie_log_level level, const char *component,
            const char *format, ...)
{
    char text[MESSAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    jd_log_line(log, level, component, text);
}

void jd_log_error(struct jd_log *log, const char *component, const char *what,
                  const struct joulie_error *err)
{
    jd_log(log, JOULIE_LOG_LEVEL_ERROR, component, "%s: %s%s%s", what, err->where,
           err->where[0] ? ": " : "", err->message);
}

void jd_log_of_host(void *user, enum joulie_log_level level, const char *component,
                    const char *message)
{
    jd_log_line(user, level, component, message);
}
