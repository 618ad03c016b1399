/* SPDX-License-Identifier: Apache-2.0 */

/* The documents of an input, one by one. A list as `kubectl get` prints it is not one of them: its
 * items are. */

#define _GNU_SOURCE /* memmem */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <joulie/object.h>

#include "base/error.h"
#include "base/limits.h"
#include "cli.h"
#include "kube/meta.h"
#include "runtime/file.h"

struct document {
    struct jl_text text;
    uint32_t line; /* of the input, on which it starts */
};

static int take(struct jd_call *call, const struct jd_taker *taker, struct jl_text text,
                uint32_t line)
{
    call->line = line;
    return taker->take(call, text.ptr, text.len, taker->user);
}

/* ---- the items of a list ---- */

struct list {
    struct jl_arena arena;
    char *json;                 /* of a list in YAML; NULL = it is JSON as it stands */
    struct jl_text items;       /* an array */
    const char *api_version;    /* of items that do not say theirs; NULL = they have to */
    const char *kind;           /* the same */
    struct jl_text source_rest; /* the document behind what was cut out or counted */
    uint32_t source_line;       /* of the input, at source_rest */
};

static void clear_list(struct list *list)
{
    joulie_free(list->json);
    jl_arena_clear(&list->arena);
}

/* Few documents have both words, and only those are worth a second scan. */
static bool may_be_list(struct jl_text text)
{
    return text.len > 0 && memmem(text.ptr, text.len, "List", sizeof "List" - 1) &&
           memmem(text.ptr, text.len, "items", sizeof "items" - 1);
}

static bool is_json(struct jl_text text)
{
    text = jl_text_trim(text);
    return text.len > 0 && text.ptr[0] == '{';
}

/* The items of a FooList are Foos, also where they do not say so; a List has items of any kind. */
static bool read_type(struct list *list, const struct jd_meta *meta)
{
    const size_t len = meta->kind.len - (sizeof "List" - 1);
    if (len == 0)
        return true;
    list->kind = jl_arena_copy(&list->arena, meta->kind.ptr, len);
    list->api_version = jl_arena_copy(&list->arena, meta->api_version.ptr, meta->api_version.len);
    return list->kind && list->api_version;
}

static bool is_list(const struct jd_meta *meta)
{
    static const struct jl_text end = { "List", sizeof "List" - 1 };
    return meta->items.ptr && meta->api_version.len > 0 && meta->kind.len >= end.len &&
           memcmp(meta->kind.ptr + meta->kind.len - end.len, end.ptr, end.len) == 0;
}

/* False: it is no list, or cannot be read, which the reader of the document says better. */
static bool open_list(const struct document *document, struct list *list)
{
    struct jd_meta meta;
    struct jl_text text = document->text;
    if (!may_be_list(text))
        return false;
    if (!is_json(text)) {
        if (joulie_format(text.ptr, text.len, JOULIE_FORM_LINE, &list->json, NULL) != JOULIE_OK)
            return false;
        text = jl_text(list->json);
    }
    if (jd_meta_read(text, &list->arena, &meta) < 0 || !is_list(&meta) || !read_type(list, &meta))
        return false;
    list->items = meta.items;
    list->source_rest = document->text;
    list->source_line = document->line;
    return true;
}

/* ---- where the items of a list stand ---- */

/* Of a list in JSON; items come in their order, so that every line is counted once. */
static uint32_t line_of(struct list *list, struct jl_text item)
{
    struct jl_text *rest = &list->source_rest;
    for (; rest->len > 0 && rest->ptr < item.ptr; rest->ptr++, rest->len--)
        list->source_line += *rest->ptr == '\n';
    return list->source_line;
}

static struct jl_text cut_line(struct list *list)
{
    list->source_line++;
    return jl_text_cut(&list->source_rest, '\n');
}

static bool is_silent(struct jl_text line)
{
    line = jl_text_trim(line);
    return line.len == 0 || line.ptr[0] == '#';
}

static size_t indent_of(struct jl_text line)
{
    size_t indent = 0;
    while (indent < line.len && line.ptr[indent] == ' ')
        indent++;
    return indent;
}

static void skip_to_items(struct list *list)
{
    while (list->source_rest.len > 0) {
        const struct jl_text line = cut_line(list);
        if (indent_of(line) == 0 && jl_text_is(jl_text_trim(line), "items:"))
            return;
    }
}

static bool is_inside(struct jl_text rest, size_t indent)
{
    const struct jl_text line = jl_text_cut(&rest, '\n');
    return is_silent(line) || indent_of(line) > indent;
}

/* The next "- " block of lines, with a blank for the dash, and the line on which it starts. */
static void cut_block(struct list *list, struct jl_buffer *out, uint32_t *line)
{
    struct jl_text first = { 0 };
    while (list->source_rest.len > 0 && is_silent(first)) {
        *line = list->source_line;
        first = cut_line(list);
    }
    const size_t indent = indent_of(first);
    if (indent == first.len || first.ptr[indent] != '-')
        return;
    jl_put(out, first.ptr, indent);
    jl_put_char(out, ' ');
    jl_put(out, first.ptr + indent + 1, first.len - indent - 1);
    jl_put_char(out, '\n');
    while (list->source_rest.len > 0 && is_inside(list->source_rest, indent)) {
        const struct jl_text next = cut_line(list);
        jl_put(out, next.ptr, next.len);
        jl_put_char(out, '\n');
    }
}

/* Anchors and flow style make a block say something else than the item does, or nothing. */
static bool says(const struct jl_buffer *block, struct jl_text item)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (block->is_failed || block->len == 0 ||
        joulie_format(block->data, block->len, JOULIE_FORM_LINE, &json, NULL) != JOULIE_OK)
        return false;
    return jl_text_is(item, json);
}

/* The item as it stands in the input where that is known, so that its lines can be named; else as
 * JSON on the line of its list. False: out of memory. */
static bool put_item(struct list *list, const struct document *document, struct jl_text item,
                     struct jl_buffer *out, uint32_t *line)
{
    struct jd_meta meta;
    if (!list->json) {
        *line = line_of(list, item);
    } else {
        cut_block(list, out, line);
        if (!says(out, item)) {
            *line = document->line;
            jl_buffer_reset(out);
        }
    }
    if (list->kind && item.len > 2 && jd_meta_read(item, &list->arena, &meta) == 0 &&
        (meta.kind.len == 0 || meta.api_version.len == 0)) {
        jl_buffer_reset(out);
        jd_put_typed(out, item, &meta, list->api_version, list->kind);
    }
    if (out->len == 0)
        jl_put(out, item.ptr, item.len);
    return !out->is_failed;
}

static int take_items(struct jd_call *call, const struct jd_taker *taker,
                      const struct document *document, struct list *list)
{
    struct jd_scan scan = jd_scan_open(list->items, '[');
    struct jl_text item;
    int status = JD_EXIT_OK;
    if (list->json)
        skip_to_items(list);
    for (size_t i = 0; jd_scan_item(&scan, &item); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
        uint32_t line = 0;
        snprintf(call->item, sizeof call->item, "items[%zu]", i);
        if (put_item(list, document, item, &text, &line)) {
            status =
                jd_worse(status, take(call, taker, (struct jl_text){ text.data, text.len }, line));
        } else {
            jl_fail_memory(&err);
            status = jd_worse(status, taker->report(call, &err, taker->user));
        }
        call->item[0] = '\0';
    }
    return status;
}

static int take_document(struct jd_call *call, const struct jd_taker *taker,
                         const struct document *document)
{
    struct list list = { 0 };
    int status;
    if (open_list(document, &list))
        status = take_items(call, taker, document, &list);
    else
        status = take(call, taker, document->text, document->line);
    clear_list(&list);
    return status;
}

/* ---- the input ---- */

static int read_input(const char *file, size_t most_bytes, struct jl_buffer *out,
                      struct joulie_error *err)
{
    return !file || jl_same(file, "-")
               ? jd_read_descriptor(STDIN_FILENO, "standard input", most_bytes, out, err)
               : jd_read_file(file, most_bytes, out, err);
}

int jd_read(const char *file, struct jl_buffer *out, struct joulie_error *err)
{
    return read_input(file, JL_LIMIT_DOCUMENT_BYTES, out, err);
}

int jd_read_object(const char *file, struct jl_buffer *out, struct joulie_error *err)
{
    return read_input(file, JL_LIMIT_OBJECT_BYTES, out, err);
}

int jd_each_in_text(struct jd_call *call, const struct jl_buffer *input,
                    const struct jd_taker *taker)
{
    struct joulie_splitter splitter = JOULIE_INIT(struct joulie_splitter);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int status = JD_EXIT_OK;
    bool is_empty = true;
    splitter.text = input->data ? input->data : "";
    splitter.len = input->len;
    for (;;) {
        struct document document;
        const int rc =
            joulie_split(&splitter, &document.text.ptr, &document.text.len, &document.line, &err);
        if (rc == 0)
            break;
        const int answer =
            rc < 0 ? taker->report(call, &err, taker->user) : take_document(call, taker, &document);
        status = jd_worse(status, answer);
        is_empty = false;
    }
    if (!is_empty)
        return status;
    jl_fail(&err, JOULIE_E_PARSE, "", "there is no document in the input");
    err.line = 0;
    return taker->report(call, &err, taker->user);
}

static void say_what_is_read(const char *file)
{
    if ((!file || jl_same(file, "-")) && isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
        fprintf(stderr, "%s: reading JSON or YAML from the terminal; Ctrl-D ends it\n", jd_program);
}

static int put_error(struct jd_call *call, const struct joulie_error *err, void *user)
{
    (void)user;
    return jd_put_error(call, err);
}

int jd_each_document(struct jd_call *call, const char *file, jd_document_fn *take_one, void *user)
{
    const struct jd_taker taker = { take_one, put_error, user };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer input = { 0 };
    say_what_is_read(file);
    return jd_read(file, &input, &err) < 0 ? jd_put_error(call, &err)
                                           : jd_each_in_text(call, &input, &taker);
}

int jd_read_one(const char *file, size_t number, struct jl_buffer *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer input = { 0 };
    struct joulie_splitter splitter = JOULIE_INIT(struct joulie_splitter);
    const char *text = NULL;
    const char *next;
    size_t len = 0;
    size_t next_len;
    uint32_t line;
    JL_CLEANUP(jl_freep) char *json = NULL;
    char where[32];
    snprintf(where, sizeof where, "argument %zu", number);

    int rc = jd_read(file, &input, err);
    splitter.text = input.data ? input.data : "";
    splitter.len = input.len;
    if (rc == 0)
        rc = joulie_split(&splitter, &text, &len, &line, err);
    if (rc == 0 && !text)
        rc = jl_fail(err, JOULIE_E_PARSE, where, "%s: there is no document in it", file);
    if (rc > 0 && joulie_split(&splitter, &next, &next_len, &line, NULL) != 0)
        rc = jl_fail(err, JOULIE_E_PARSE, where, "%s: more than one document", file);
    if (rc > 0)
        rc = joulie_format(text, len, JOULIE_FORM_LINE, &json, err);
    if (rc == 0)
        jl_put_string(out, json);
    else
        jl_fail(err, rc, where, "%s", err->message);
    return out->is_failed ? jl_fail_memory(err) : rc;
}
