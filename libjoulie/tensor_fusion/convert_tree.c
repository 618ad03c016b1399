/* SPDX-License-Identifier: Apache-2.0 */

/* Trees, warnings and failures of one conversion, shared by the files of it. */

#include "base/error.h"
#include "tensor_fusion/convert_parts.h"

void jl_convert_fail(struct jl_conversion *c, int code, const char *path, const char *format, ...)
{
    va_list arguments;
    if (c->code < 0)
        return;
    va_start(arguments, format);
    c->code = jl_fail_list(c->err, code, path, format, arguments);
    va_end(arguments);
}

void jl_convert_fail_memory(struct jl_conversion *c)
{
    if (c->code == 0)
        c->code = jl_fail_memory(c->err);
}

const char *jl_convert_path(struct jl_conversion *c, const char *path, const char *key)
{
    if (!key || !*path)
        return key ? key : path;
    const char *joined = JL_JOIN(c->arena, path, ".", key);
    if (joined)
        return joined;
    jl_convert_fail_memory(c);
    return "";
}

void jl_convert_warn(struct jl_conversion *c, const char *reason, const char *path, const char *key,
                     const char *text)
{
    if (c->is_silent || c->code < 0)
        return;
    struct jl_convert_warning *warning = JL_NEW(c->arena, struct jl_convert_warning);
    if (!warning) {
        jl_convert_fail_memory(c);
        return;
    }
    *warning = (struct jl_convert_warning){
        .reason = reason,
        .path = jl_convert_path(c, path, key),
        .text = text,
    };
    if (c->last)
        c->last->next = warning;
    else
        c->first = warning;
    c->last = warning;
}

static bool is_void_list(struct json_object *list)
{
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        if (!jl_convert_is_void(json_object_array_get_idx(list, i)))
            return false;
    }
    return true;
}

bool jl_convert_is_void(struct json_object *value)
{
    if (json_object_get_type(value) == json_type_array)
        return is_void_list(value);
    if (json_object_get_type(value) != json_type_object)
        return value == NULL;
    json_object_object_foreach(value, key, part)
    {
        (void)key;
        if (!jl_convert_is_void(part))
            return false;
    }
    return true;
}

void jl_convert_lose(struct jl_conversion *c, const char *path, const char *key,
                     struct json_object *value)
{
    if (!jl_convert_is_void(value))
        jl_convert_warn(c, "NotRepresentable", path, key, JL_CONVERT_LOST_TEXT);
}

struct json_object *jl_convert_new(struct jl_conversion *c)
{
    struct json_object *object = c->code == 0 ? json_object_new_object() : NULL;
    if (!object)
        jl_convert_fail_memory(c);
    return object;
}

void jl_convert_put(struct jl_conversion *c, struct json_object *object, const char *key,
                    struct json_object *value)
{
    if (object && c->code == 0 && jl_tree_add(object, key, value) == 0)
        return;
    json_object_put(value);
    jl_convert_fail_memory(c);
}

void jl_convert_share(struct jl_conversion *c, struct json_object *object, const char *key,
                      struct json_object *value)
{
    jl_convert_put(c, object, key, json_object_get(value));
}

struct json_object *jl_convert_copy(struct jl_conversion *c, struct json_object *object)
{
    struct json_object *copy = jl_convert_new(c);
    if (!copy || !object)
        return copy;
    json_object_object_foreach(object, key, value) jl_convert_share(c, copy, key, value);
    return copy;
}

void jl_convert_put_text(struct jl_conversion *c, struct json_object *object, const char *key,
                         const char *text)
{
    struct json_object *value = text && c->code == 0 ? json_object_new_string(text) : NULL;
    if (value)
        jl_convert_put(c, object, key, value);
    else if (text)
        jl_convert_fail_memory(c);
}

void jl_convert_put_bool(struct jl_conversion *c, struct json_object *object, const char *key,
                         bool value)
{
    struct json_object *boolean = c->code == 0 ? json_object_new_boolean(value) : NULL;
    if (boolean)
        jl_convert_put(c, object, key, boolean);
    else
        jl_convert_fail_memory(c);
}

/* A member of a type, or NULL. */
static struct json_object *typed(struct jl_conversion *c, struct json_object *parent,
                                 const char *path, const char *key, enum json_type type,
                                 const char *wanted)
{
    struct json_object *value = c->code == 0 ? jl_fusion_member(parent, key) : NULL;
    if (!value || json_object_get_type(value) == type)
        return value;
    jl_convert_fail(c, JOULIE_E_TYPE, jl_convert_path(c, path, key), "%s was expected", wanted);
    return NULL;
}

struct json_object *jl_convert_object(struct jl_conversion *c, struct json_object *parent,
                                      const char *path, const char *key)
{
    return typed(c, parent, path, key, json_type_object, "an object");
}

struct json_object *jl_convert_list(struct jl_conversion *c, struct json_object *parent,
                                    const char *path, const char *key)
{
    return typed(c, parent, path, key, json_type_array, "a list");
}

const char *jl_convert_text(struct jl_conversion *c, struct json_object *parent, const char *path,
                            const char *key)
{
    return json_object_get_string(typed(c, parent, path, key, json_type_string, "a string"));
}

bool jl_convert_bool(struct jl_conversion *c, struct json_object *parent, const char *path,
                     const char *key)
{
    return json_object_get_boolean(typed(c, parent, path, key, json_type_boolean, "a boolean"));
}
