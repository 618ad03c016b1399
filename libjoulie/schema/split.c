/* SPDX-License-Identifier: Apache-2.0 */

/* Cuts an input into documents, found out by content (cli.md §1). */

#include <string.h>

#include <joulie/object.h>

#include "base/buffer.h"
#include "base/error.h"
#include "schema/json.h"
#include "schema/lines.h"
#include "schema/yaml_to_json.h"

enum mode { MODE_UNKNOWN, MODE_JSON, MODE_ARRAY, MODE_YAML };

static void move_to(struct joulie_splitter *splitter, size_t position)
{
    for (size_t i = splitter->position; i < position; i++)
        splitter->line += splitter->text[i] == '\n';
    splitter->position = position;
}

static void skip_space(struct joulie_splitter *splitter)
{
    size_t pos = splitter->position;
    while (pos < splitter->len && jl_is_space(splitter->text[pos]))
        pos++;
    move_to(splitter, pos);
}

static void start(struct joulie_splitter *splitter)
{
    splitter->line = 1;
    if (splitter->len >= 3 && memcmp(splitter->text, "\xEF\xBB\xBF", 3) == 0)
        splitter->position = 3; /* byte order mark */
    splitter->mode = jl_looks_like_json(splitter->text + splitter->position, splitter->len - splitter->position)
                         ? MODE_JSON
                         : MODE_YAML;
    if (splitter->mode == MODE_JSON) {
        skip_space(splitter);
        if (splitter->text[splitter->position] == '[') {
            splitter->mode = MODE_ARRAY;
            move_to(splitter, splitter->position + 1);
        }
    }
}

static int fail(const struct joulie_splitter *splitter, int code, size_t pos, const char *problem,
                struct joulie_error *err)
{
    struct joulie_error local = { .struct_size = sizeof local };
    uint32_t line;
    uint32_t column;
    char where[32] = "line ";
    struct jl_buffer number = { 0 };
    jl_line_of(splitter->text, splitter->len, NULL, pos, &line, &column);
    jl_put_i64(&number, line);
    if (number.data)
        strncpy(where + 5, number.data, sizeof where - 6);
    jl_buffer_clear(&number);
    jl_fail(&local, code, where, "%s", problem);
    local.line = line;
    local.column = column;
    jl_error_export(&local, err);
    return code;
}

static int next_json(struct joulie_splitter *splitter, const char **text, size_t *len, uint32_t *line,
                     struct joulie_error *err)
{
    const bool is_array = splitter->mode == MODE_ARRAY;
    skip_space(splitter);
    if (is_array && splitter->position < splitter->len && splitter->text[splitter->position] == ',') {
        move_to(splitter, splitter->position + 1);
        skip_space(splitter);
    }
    if (is_array && splitter->position < splitter->len && splitter->text[splitter->position] == ']') {
        move_to(splitter, splitter->position + 1);
        splitter->mode = MODE_JSON; /* what follows the array is read as JSON lines */
        skip_space(splitter);
    }
    if (splitter->position >= splitter->len)
        return splitter->mode == MODE_ARRAY
                   ? (splitter->mode = MODE_JSON, fail(splitter, JOULIE_E_PARSE, splitter->len, "the array does not end", err))
                   : 0;

    struct jl_json json = { .text = splitter->text, .len = splitter->len, .pos = splitter->position };
    const size_t from = splitter->position;
    const uint32_t first_line = splitter->line;
    const int rc = jl_json_skip(&json);
    if (rc < 0) {
        const char *end = splitter->mode == MODE_ARRAY
                              ? NULL
                              : memchr(splitter->text + from, '\n', splitter->len - from);
        move_to(splitter, end ? (size_t)(end - splitter->text) + 1 : splitter->len);
        if (splitter->mode == MODE_ARRAY)
            splitter->mode = MODE_JSON;
        return fail(splitter, rc, json.pos, json.problem, err);
    }
    *text = splitter->text + from;
    *len = json.pos - from;
    *line = first_line;
    move_to(splitter, json.pos);
    return 1;
}

/* A line that starts with "---" or "..." followed by a blank or its end. */
static bool is_marker(const struct joulie_splitter *splitter, size_t pos, const char *marker)
{
    if (splitter->len - pos < 3 || memcmp(splitter->text + pos, marker, 3) != 0)
        return false;
    return splitter->len - pos == 3 || jl_is_space(splitter->text[pos + 3]);
}

static bool has_content(const char *text, size_t len)
{
    bool is_line_start = true;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '#' || (is_line_start && text[i] == '%')) {
            while (i < len && text[i] != '\n')
                i++;
        } else if (!jl_is_space(text[i])) {
            return true;
        }
        is_line_start = i < len && text[i] == '\n';
    }
    return false;
}

static size_t line_end(const struct joulie_splitter *splitter, size_t pos)
{
    const char *end = memchr(splitter->text + pos, '\n', splitter->len - pos);
    return end ? (size_t)(end - splitter->text) + 1 : splitter->len;
}

static int next_yaml(struct joulie_splitter *splitter, const char **text, size_t *len, uint32_t *line)
{
    while (splitter->position < splitter->len) {
        size_t from = splitter->position;
        size_t pos = from;
        if (is_marker(splitter, pos, "---")) {
            from += 3; /* the document may start behind the marker, on the same line */
            pos = line_end(splitter, pos);
        } else if (is_marker(splitter, pos, "...")) {
            from = pos = line_end(splitter, pos);
        }
        while (pos < splitter->len && !is_marker(splitter, pos, "---") && !is_marker(splitter, pos, "..."))
            pos = line_end(splitter, pos);
        const uint32_t first_line = splitter->line;
        const size_t start_at = splitter->position;
        move_to(splitter, pos);
        if (from < pos && has_content(splitter->text + from, pos - from)) {
            *text = splitter->text + from;
            *len = pos - from;
            *line = first_line;
            for (size_t i = start_at; i < from; i++)
                *line += splitter->text[i] == '\n';
            return 1;
        }
    }
    return 0;
}

int joulie_split(struct joulie_splitter *splitter, const char **text, size_t *len, uint32_t *line,
                 struct joulie_error *err)
{
    if (splitter->struct_size != sizeof *splitter)
        return JOULIE_E_ABI;
    if (splitter->mode == MODE_UNKNOWN)
        start(splitter);
    return splitter->mode == MODE_YAML ? next_yaml(splitter, text, len, line)
                                       : next_json(splitter, text, len, line, err);
}
