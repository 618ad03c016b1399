/* SPDX-License-Identifier: Apache-2.0 */

/* The one reader of JSON trees for programs, and small accessors over json-c; the library's answers
 * and servers' replies come in here. */

#include "runtime/json.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "base/time.h"

#define KEY_BYTES 64
#define US_PER_MS 1000

int jd_json_read(const char *text, size_t len, struct json_object **out, struct joulie_error *err)
{
    struct json_tokener *tokener = json_tokener_new_ex(JL_LIMIT_NESTING + 1);
    if (!tokener)
        return jl_fail_memory(err);
    if (len >= INT32_MAX) {
        json_tokener_free(tokener);
        return jl_fail(err, JOULIE_E_LIMIT, "", "the document is too large");
    }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *tree = json_tokener_parse_ex(tokener, text, (int)len);
    enum json_tokener_error problem = json_tokener_get_error(tokener);
    if (problem == json_tokener_continue) { /* a number at the end */
        tree = json_tokener_parse_ex(tokener, "\n", 1);
        problem = json_tokener_get_error(tokener);
    }
    json_tokener_free(tokener);
    if (problem != json_tokener_success)
        return jl_fail(err, JOULIE_E_PARSE, "", "%s", json_tokener_error_desc(problem));
    if (!tree && !jl_text_is(jl_text_trim((struct jl_text){ text, len }), "null"))
        return jl_fail_memory(err); /* json-c does not say so */
    *out = tree;
    return 0;
}

struct json_object *jd_json_parse(const char *text, size_t len)
{
    struct json_object *tree = NULL;
    return jd_json_read(text, len, &tree, NULL) == 0 ? tree : NULL;
}

void jd_json_freep(struct json_object **tree)
{
    json_object_put(*tree);
}

struct json_object *jd_json_at(struct json_object *tree, const char *path)
{
    struct jl_text rest = jl_text(path);
    while (rest.len > 0) {
        const struct jl_text part = jl_text_cut(&rest, '.');
        char key[KEY_BYTES];
        if (part.len >= sizeof key || !json_object_is_type(tree, json_type_object))
            return NULL;
        memcpy(key, part.ptr, part.len);
        key[part.len] = '\0';
        tree = json_object_object_get(tree, key);
    }
    return tree;
}

const char *jd_json_text(struct json_object *tree, const char *path)
{
    struct json_object *member = jd_json_at(tree, path);
    return json_object_is_type(member, json_type_string) ? json_object_get_string(member) : NULL;
}

const char *jd_json_word(struct json_object *tree, const char *path)
{
    const char *text = jd_json_text(tree, path);
    return text ? text : "";
}

const char *jd_json_label(struct json_object *tree, const char *map, const char *key)
{
    struct json_object *member = NULL;
    json_object_object_get_ex(jd_json_at(tree, map), key, &member);
    return json_object_is_type(member, json_type_string) ? json_object_get_string(member) : NULL;
}

bool jd_json_number(struct json_object *tree, const char *path, double *out)
{
    struct json_object *member = jd_json_at(tree, path);
    if (!json_object_is_type(member, json_type_int) &&
        !json_object_is_type(member, json_type_double))
        return false;
    const double number = json_object_get_double(member);
    if (!jl_is_finite(number))
        return false;
    *out = number;
    return true;
}

size_t jd_json_count(struct json_object *list)
{
    return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

void jd_put_format(struct jl_buffer *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int len = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *room = len < 0 ? NULL : jl_buffer_room(out, (size_t)len);
    if (!room)
        return;
    va_start(list, format);
    vsnprintf(room, (size_t)len + 1, format, list);
    va_end(list);
    out->len += (size_t)len;
}

void jd_json_put_tree(struct jl_buffer *out, struct json_object *tree)
{
    size_t len = 0;
    const char *text = json_object_to_json_string_length(
        tree, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
    if (text)
        jl_put(out, text, len);
    else
        out->is_failed = true;
}

struct json_object *jd_json_copy(struct json_object *tree)
{
    struct json_object *copy = NULL;
    return json_object_deep_copy(tree, &copy, NULL) == 0 ? copy : NULL;
}

struct json_object *jd_json_double(double number)
{
    char text[JL_DOUBLE_TEXT];
    const size_t len = jl_format_double(number, text);
    (void)len;
    return json_object_new_double_s(number, text);
}

void jd_json_next(struct jl_buffer *out)
{
    const char last = out->len > 0 ? out->data[out->len - 1] : '{';
    if (last != '{' && last != '[')
        jl_put_char(out, ',');
}

void jd_json_put_key(struct jl_buffer *out, const char *key)
{
    jd_json_next(out);
    jl_put_json_string(out, key, strlen(key));
    jl_put_char(out, ':');
}

void jd_json_put_text(struct jl_buffer *out, const char *key, const char *text)
{
    jd_json_put_key(out, key);
    jl_put_json_string(out, text, strlen(text));
}

void jd_json_put_some(struct jl_buffer *out, const char *key, const char *text)
{
    if (!jl_is_empty(text))
        jd_json_put_text(out, key, text);
}

void jd_json_put_number(struct jl_buffer *out, const char *key, double number)
{
    jd_json_put_key(out, key);
    jl_put_double(out, number);
}

void jd_json_put_time(struct jl_buffer *out, const char *key, int64_t at_ms)
{
    char text[JL_TIME_TEXT];
    jl_format_time(at_ms, text);
    jd_json_put_text(out, key, text);
}

void jd_json_put_micro_time(struct jl_buffer *out, const char *key, int64_t at_ms)
{
    char text[JL_TIME_TEXT];
    jl_format_time_us(at_ms * US_PER_MS, text);
    jd_json_put_text(out, key, text);
}
