/* SPDX-License-Identifier: Apache-2.0 */

/* Cuts an input into documents, found out by content
 * (docs/rules/documents.md#several-documents). */

#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "schema/document.h"
#include "schema/json.h"
#include "schema/lines.h"
#include "schema/yaml_to_json.h"

enum mode {
    MODE_UNKNOWN,
    MODE_JSON,        /* one document after the other */
    MODE_ARRAY_FIRST, /* behind '[' */
    MODE_ARRAY,       /* behind an element */
    MODE_YAML
};

static void move_to(struct joulie_splitter *splitter, size_t position)
{
    for (size_t i = splitter->position; i < position; i++)
        splitter->line += splitter->text[i] == '\n';
    splitter->position = position;
}

/* Moves to the next byte that is no white space and returns it, 0 at the end. */
static char skip_space(struct joulie_splitter *splitter)
{
    size_t pos = splitter->position;
    while (pos < splitter->len && jl_is_space(splitter->text[pos]))
        pos++;
    move_to(splitter, pos);
    return pos < splitter->len ? splitter->text[pos] : '\0';
}

static void start(struct joulie_splitter *splitter)
{
    splitter->line = 1;
    splitter->position = jl_byte_order_mark(splitter->text, splitter->len);
    splitter->mode = MODE_YAML;
    if (!jl_looks_like_json(splitter->text + splitter->position,
                            splitter->len - splitter->position))
        return;
    splitter->mode = MODE_JSON;
    if (skip_space(splitter) == '[') {
        splitter->mode = MODE_ARRAY_FIRST;
        move_to(splitter, splitter->position + 1);
    }
}

/* Lines are counted from where the splitter stands, not from the start of a long input. */
static int fail(const struct joulie_splitter *splitter, int code, size_t pos, const char *problem,
                struct joulie_error *err)
{
    size_t line_start = splitter->position;
    uint32_t line;
    uint32_t column;
    while (line_start > 0 && splitter->text[line_start - 1] != '\n')
        line_start--;
    jl_line_of(splitter->text + line_start, splitter->len - line_start, NULL, pos - line_start,
               &line, &column);
    return jl_fail_line(err, code, line + splitter->line - 1, column, problem);
}

/* Where reading goes on behind a broken document: the next line, or nowhere in an array. */
static void recover(struct joulie_splitter *splitter)
{
    const char *end = splitter->mode == MODE_JSON ? memchr(splitter->text + splitter->position,
                                                           '\n', splitter->len - splitter->position)
                                                  : NULL;
    move_to(splitter, end ? (size_t)(end - splitter->text) + 1 : splitter->len);
    splitter->mode = MODE_JSON;
}

static int fail_document(struct joulie_splitter *splitter, int code, size_t pos,
                         const char *problem, struct joulie_error *err)
{
    fail(splitter, code, pos, problem, err);
    recover(splitter);
    return code;
}

/* Moves to the next element of an array or behind its end; JSON lines may follow that. */
static int next_element(struct joulie_splitter *splitter, struct joulie_error *err)
{
    const char c = skip_space(splitter);
    if (c == ']') {
        move_to(splitter, splitter->position + 1);
        splitter->mode = MODE_JSON;
        return 0;
    }
    if (splitter->position >= splitter->len)
        return fail_document(splitter, JOULIE_E_PARSE, splitter->position, "the array does not end",
                             err);
    if (splitter->mode == MODE_ARRAY_FIRST)
        return 0;
    if (c != ',')
        return fail_document(splitter, JOULIE_E_PARSE, splitter->position,
                             "a comma or a closing bracket was expected", err);
    move_to(splitter, splitter->position + 1);
    return 0;
}

static int next_json(struct joulie_splitter *splitter, const char **text, size_t *len,
                     uint32_t *line, struct joulie_error *err)
{
    if (splitter->mode != MODE_JSON) {
        const int rc = next_element(splitter, err);
        if (rc < 0)
            return rc;
    }
    skip_space(splitter);
    if (splitter->mode == MODE_JSON && splitter->position >= splitter->len)
        return 0;
    struct jl_json json = { .text = splitter->text,
                            .len = splitter->len,
                            .pos = splitter->position };
    const int rc = jl_json_skip(&json);
    if (rc < 0)
        return fail_document(splitter, rc, json.pos, json.problem, err);
    *text = splitter->text + splitter->position;
    *len = json.pos - splitter->position;
    *line = splitter->line;
    move_to(splitter, json.pos);
    if (splitter->mode == MODE_ARRAY_FIRST)
        splitter->mode = MODE_ARRAY;
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

static int next_yaml(struct joulie_splitter *splitter, const char **text, size_t *len,
                     uint32_t *line)
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
        while (pos < splitter->len && !is_marker(splitter, pos, "---") &&
               !is_marker(splitter, pos, "..."))
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
    if (jl_sized_check(splitter, sizeof *splitter) < 0)
        return jl_fail_abi(err, "splitter");
    if (splitter->mode > MODE_YAML)
        return jl_fail(err, JOULIE_E_ABI, "splitter.mode", "there is no such mode");
    if (splitter->text == NULL)
        return 0;
    if (splitter->mode == MODE_UNKNOWN)
        start(splitter);
    if (splitter->position > splitter->len)
        return jl_fail(err, JOULIE_E_RANGE, "splitter.position",
                       "it lies behind the end of the text");
    return splitter->mode == MODE_YAML ? next_yaml(splitter, text, len, line)
                                       : next_json(splitter, text, len, line, err);
}
