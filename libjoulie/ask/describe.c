/* SPDX-License-Identifier: Apache-2.0 */

/* What the questions are and which members they read and write, printed from their tables. */

#include <string.h>

#include <joulie/ask.h>

#include "ask/ask.h"
#include "base/buffer.h"
#include "base/error.h"
#include "schema/explain.h"

#define MAX_DEPTH 8 /* tables do not nest deeper; a guard against a cycle by mistake */

static void put_text(struct jl_buffer *out, const char *text)
{
    jl_put_json_string(out, text, strlen(text));
}

static void put_member(struct jl_buffer *out, const char *key, const char *text)
{
    jl_put_char(out, ',');
    put_text(out, key);
    jl_put_char(out, ':');
    put_text(out, text);
}

static void put_bound(struct jl_buffer *out, const char *key, double value)
{
    jl_put_char(out, ',');
    put_text(out, key);
    jl_put_char(out, ':');
    jl_put_double(out, value);
}

static void put_row(struct jl_buffer *out, const struct jl_row *row, const char *path,
                    size_t path_len)
{
    jl_put_string(out, "{\"path\":");
    jl_put_json_string(out, path, path_len);
    put_member(out, "type", jl_schema_type(row));
    if (row->words) {
        jl_put_string(out, ",\"enum\":[");
        for (size_t i = 0; i < row->words->count; i++) {
            if (i > 0)
                jl_put_char(out, ',');
            put_text(out, row->words->items[i].word);
        }
        jl_put_char(out, ']');
    }
    if (row->is.has_min)
        put_bound(out, row->is.exclusive_min ? "exclusiveMinimum" : "minimum", row->min);
    if (row->is.not_negative)
        put_bound(out, "minimum", 0);
    if (row->is.has_max)
        put_bound(out, "maximum", row->max);
    jl_put_string(out, row->is.required ? ",\"required\":true" : ",\"required\":false");
    if (row->doc)
        put_member(out, "description", row->doc);
    jl_put_char(out, '}');
}

/* path holds the prefix while the walk goes down and is cut back on the way up. */
static void put_rows(struct jl_buffer *out, const struct jl_table *table, struct jl_buffer *path,
                     int depth, bool *is_first)
{
    for (size_t i = 0; table && i < table->count && depth < MAX_DEPTH; i++) {
        const struct jl_row *row = &table->rows[i];
        const size_t before = path->len;
        if (before > 0)
            jl_put_char(path, '.');
        jl_put_string(path, row->key);
        if (path->is_failed)
            return;
        if (!*is_first)
            jl_put_char(out, ',');
        *is_first = false;
        put_row(out, row, path->data, path->len);
        if (row->child) {
            if (row->type == JL_TYPE_LIST)
                jl_put_string(path, "[]");
            else if (row->type == JL_TYPE_DICT)
                jl_put_string(path, ".*");
            put_rows(out, row->child, path, depth + 1, is_first);
        }
        path->len = before;
    }
}

static void put_table(struct jl_buffer *out, const char *key, const struct jl_table *table)
{
    struct jl_buffer path = { 0 };
    bool is_first = true;
    jl_put_char(out, ',');
    put_text(out, key);
    jl_put_string(out, ":[");
    put_rows(out, table, &path, 0, &is_first);
    jl_put_char(out, ']');
    out->is_failed = out->is_failed || path.is_failed;
    jl_buffer_clear(&path);
}

int joulie_ask_list(char **answer, struct joulie_error *err)
{
    struct jl_buffer out = { 0 };
    jl_put_char(&out, '[');
    for (size_t i = 0; jl_questions[i]; i++) {
        jl_put_string(&out, i > 0 ? ",{\"name\":" : "{\"name\":");
        put_text(&out, jl_questions[i]->name);
        put_member(&out, "summary", jl_questions[i]->summary);
        jl_put_char(&out, '}');
    }
    jl_put_char(&out, ']');
    return jl_hand_out(&out, answer, err);
}

int joulie_ask_describe(const char *question, char **answer, struct joulie_error *err)
{
    const struct jl_question *found = jl_question_find(question);
    if (!found) {
        return jl_ask_unknown(question, err);
    }
    struct jl_buffer out = { 0 };
    jl_put_string(&out, "{\"name\":");
    put_text(&out, found->name);
    put_member(&out, "summary", found->summary);
    jl_put_string(&out, ",\"models\":[\"current\"");
    for (size_t i = 0; found->models && found->models[i]; i++) {
        if (jl_same(found->models[i], "current"))
            continue;
        jl_put_char(&out, ',');
        put_text(&out, found->models[i]);
    }
    jl_put_char(&out, ']');
    put_table(&out, "input", found->in);
    put_table(&out, "output", found->out);
    jl_put_char(&out, '}');
    return jl_hand_out(&out, answer, err);
}
