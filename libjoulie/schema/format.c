/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One document in another form: one line, indented JSON, or YAML. Keys keep their order, numbers
 * their text.
 */

#include <string.h>

#include <joulie/object.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "schema/decode.h"
#include "schema/document.h"
#include "schema/json.h"

/* Bytes in JSON; libyaml reads keys of at most 1024 characters without "?", escapes included. */
#define LONGEST_SIMPLE_KEY 250

struct printer {
    struct jl_json json; /* checked before printing starts */
    struct jl_buffer *out;
    struct jl_arena arena; /* values of strings with escapes */
    int form;
};

static void put_value(struct printer *printer, int level);

static void put_indent(struct printer *printer, int level)
{
    for (int i = 0; i < level; i++)
        jl_put(printer->out, "  ", 2);
}

static void break_line(struct printer *printer, int level)
{
    if (printer->form == JOULIE_FORM_LINE)
        return;
    jl_put_char(printer->out, '\n');
    put_indent(printer, level);
}

static void put_scalar(struct printer *printer)
{
    const size_t start = printer->json.pos;
    jl_json_skip(&printer->json);
    jl_put(printer->out, printer->json.text + start, printer->json.pos - start);
}

/*
 * A YAML plain scalar that reads back as the same string: letters, digits and a few signs, and not
 * a word of its own.
 */
static bool is_plain(struct jl_text text)
{
    static const char *const words[] = {
        "true", "false", "null", "yes", "no", "on", "off", "y", "n"
    };
    if (text.len == 0 || jl_is_digit(text.ptr[0]))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const char c = jl_lower(text.ptr[i]);
        const bool is_letter = (c >= 'a' && c <= 'z') || c == '_';
        const bool is_inside = i > 0 && (jl_is_digit(c) || c == '-' || c == '.' || c == '/');
        if (!is_letter && !is_inside)
            return false;
    }
    for (size_t i = 0; i < JL_COUNT(words); i++) {
        if (jl_same_nocase(text, words[i]))
            return false;
    }
    return true;
}

static void put_hex(struct jl_buffer *out, const char *prefix, unsigned code, int digits)
{
    jl_put_string(out, prefix);
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        jl_put_char(out, "0123456789abcdef"[code >> shift & 15]);
}

/* U+2028 and U+2029, which break lines, the byte order mark, U+FFFE and U+FFFF. */
static bool is_escaped_in_yaml(unsigned code)
{
    return code == 0x2028 || code == 0x2029 || code == 0xFEFF || code >= 0xFFFE;
}

/* Length of the character at text that YAML wants escaped, 0 for any other. The text is UTF-8. */
static size_t put_unprintable(struct jl_buffer *out, const unsigned char *text)
{
    if (text[0] < 0x20 || text[0] == 0x7F) {
        put_hex(out, "\\x", text[0], 2);
        return 1;
    }
    if (text[0] == 0xC2 && text[1] < 0xA0) {
        put_hex(out, "\\x", text[1], 2);
        return 2;
    }
    if (text[0] >> 4 != 0xE)
        return 0;
    const unsigned code = (text[0] & 0x0FU) << 12 | (text[1] & 0x3FU) << 6 | (text[2] & 0x3FU);
    if (!is_escaped_in_yaml(code))
        return 0;
    put_hex(out, "\\u", code, 4);
    return 3;
}

static void put_yaml_quoted(struct jl_buffer *out, const char *text, size_t len)
{
    jl_put_char(out, '"');
    for (size_t i = 0; i < len;) {
        const size_t escaped = put_unprintable(out, (const unsigned char *)text + i);
        if (escaped == 0 && (text[i] == '"' || text[i] == '\\'))
            jl_put_char(out, '\\');
        if (escaped == 0)
            jl_put_char(out, text[i]);
        i += escaped > 0 ? escaped : 1;
    }
    jl_put_char(out, '"');
}

static void put_yaml_string(struct printer *printer, const struct jl_json_string *string)
{
    size_t len = 0;
    const char *value = jl_json_bytes(string, &printer->arena, &len);
    if (!value)
        printer->out->is_failed = true;
    else if (is_plain((struct jl_text){ value, len }))
        jl_put(printer->out, value, len);
    else
        put_yaml_quoted(printer->out, value, len);
    jl_arena_reset(&printer->arena);
}

static void put_yaml_key(struct printer *printer, const struct jl_json_string *key, int level)
{
    const bool is_simple = key->raw.len <= LONGEST_SIMPLE_KEY;
    if (!is_simple)
        jl_put_string(printer->out, "? ");
    put_yaml_string(printer, key);
    if (!is_simple)
        break_line(printer, level);
    jl_put_char(printer->out, ':');
}

static void put_json_key(struct printer *printer, const struct jl_json_string *key)
{
    jl_put_char(printer->out, '"');
    jl_put(printer->out, key->raw.ptr, key->raw.len);
    jl_put_string(printer->out, printer->form == JOULIE_FORM_PRETTY ? "\": " : "\":");
}

/* Moves to the next member or item; false at the end. */
static bool next(struct printer *printer, bool is_object, bool is_first, struct jl_json_string *key)
{
    bool more = false;
    if (is_object)
        jl_json_member(&printer->json, is_first, key, &more);
    else
        jl_json_item(&printer->json, is_first, &more);
    return more;
}

static void put_json_collection(struct printer *printer, bool is_object, int level)
{
    struct jl_json_string key;
    bool is_first = true;
    jl_put_char(printer->out, is_object ? '{' : '[');
    jl_json_open(&printer->json);
    for (; next(printer, is_object, is_first, &key); is_first = false) {
        if (!is_first)
            jl_put_char(printer->out, ',');
        break_line(printer, level + 1);
        if (is_object)
            put_json_key(printer, &key);
        put_value(printer, level + 1);
    }
    if (!is_first)
        break_line(printer, level);
    jl_put_char(printer->out, is_object ? '}' : ']');
}

/* Whether the object or array at the reader has nothing in it. */
static bool is_empty(const struct jl_json *json)
{
    struct jl_json copy = *json;
    copy.pos++;
    jl_json_peek(&copy);
    return copy.text[copy.pos] == '}' || copy.text[copy.pos] == ']';
}

static void put_yaml_member(struct printer *printer, bool is_object, int level)
{
    const enum jl_json_kind kind = jl_json_peek(&printer->json);
    const bool is_collection =
        (kind == JL_JSON_OBJECT || kind == JL_JSON_ARRAY) && !is_empty(&printer->json);
    if (!is_collection || !is_object)
        jl_put_char(printer->out, ' ');
    else
        break_line(printer, level + 1);
    put_value(printer, level + 1);
}

/* The cursor stands where the first line of the block begins. */
static void put_yaml_collection(struct printer *printer, bool is_object, int level)
{
    struct jl_json_string key;
    jl_json_open(&printer->json);
    for (bool is_first = true; next(printer, is_object, is_first, &key); is_first = false) {
        if (!is_first)
            break_line(printer, level);
        if (is_object)
            put_yaml_key(printer, &key, level);
        else
            jl_put_char(printer->out, '-');
        put_yaml_member(printer, is_object, level);
    }
}

static void put_value(struct printer *printer, int level)
{
    const enum jl_json_kind kind = jl_json_peek(&printer->json);
    const bool is_yaml = printer->form == JOULIE_FORM_YAML;
    if (kind == JL_JSON_OBJECT || kind == JL_JSON_ARRAY) {
        if (is_yaml && !is_empty(&printer->json))
            put_yaml_collection(printer, kind == JL_JSON_OBJECT, level);
        else
            put_json_collection(printer, kind == JL_JSON_OBJECT, level);
    } else if (is_yaml && kind == JL_JSON_STRING) {
        struct jl_json_string string;
        jl_json_string(&printer->json, &string);
        put_yaml_string(printer, &string);
    } else {
        put_scalar(printer);
    }
}

static int print(const struct jl_document *document, int form, struct jl_buffer *out,
                 struct joulie_error *err)
{
    struct jl_decode check = {
        .text = document->text, .len = document->len, .lines = document->lines, .err = err
    };
    const int rc = jl_check_json(&check);
    if (rc < 0)
        return rc;
    struct printer printer = { .json = { .text = document->text, .len = document->len },
                               .out = out,
                               .form = form };
    put_value(&printer, 0);
    jl_arena_clear(&printer.arena);
    if (form != JOULIE_FORM_LINE)
        jl_put_char(out, '\n');
    return 0;
}

int joulie_format(const char *text, size_t len, enum joulie_form form, char **out,
                  struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    struct jl_buffer printed = { 0 };
    int rc = 0;
    if (form != JOULIE_FORM_LINE && form != JOULIE_FORM_PRETTY && form != JOULIE_FORM_YAML)
        rc = jl_fail(err, JOULIE_E_UNSUPPORTED, "form", "there is no such form");
    if (rc == 0)
        rc = jl_document_read(&document, text, len, err);
    if (rc == 0)
        rc = print(&document, (int)form, &printed, err);
    return rc < 0 ? rc : jl_hand_out(&printed, out, err);
}
