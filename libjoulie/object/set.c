/* SPDX-License-Identifier: Apache-2.0 */

/* Values of an object set and taken out by path: the setters of joulie/object.h. What fails leaves
 * the object as it was. Implements docs/rules/kubernetes-objects.md#paths. */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "object/object.h"

static bool is_value_of(const struct jl_location *location, enum jl_type type)
{
    return location->kind == JL_LOCATION_VALUE && location->row->type == type;
}

/* {"key":value}, the value inside of its list or map: a document that the one row decodes. */
static void put_document(struct jl_buffer *out, const struct jl_location *location,
                         struct jl_text value)
{
    const bool is_map = is_value_of(location, JL_TYPE_MAP);
    const bool is_item = location->kind == JL_LOCATION_VALUE && !is_map;
    const char *key = location->row->key;
    jl_put_char(out, '{');
    jl_put_json_string(out, key, strlen(key));
    jl_put_string(out, is_item ? ":[" : is_map ? ":{\"\":" : ":");
    jl_put(out, value.ptr, value.len);
    jl_put_string(out, is_item ? "]}" : is_map ? "}}" : "}");
}

/* Whether the row takes the value: type, bounds, words. The tree of it. */
static int make_value(const struct jl_location *location, struct jl_text value,
                      struct json_object **out, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_table table = {
        .name = "value", .rows = location->row, .count = 1, .size = location->row->offset + 64
    };
    const struct jl_raw raw = { .text = value.ptr, .len = value.len };
    put_document(&text, location, value);
    void *decoded = text.is_failed ? NULL : jl_arena_alloc(&arena, table.size);
    if (!decoded)
        return jl_fail_memory(err);
    struct joulie_error why = JOULIE_INIT(struct joulie_error);
    struct jl_decode decode = {
        .arena = &arena, .text = text.data, .len = text.len, .flags = JL_KEEP_DIGITS, .err = &why
    };
    int rc = jl_decode_document(&decode, &table, decoded);
    if (rc == 0)
        rc = jl_tree_from_raw(&decode, &raw, NULL, out);
    /* the location is of the caller's path, the text is one of ours */
    return rc < 0 ? jl_location_fail(location, location->count, err, rc, why.message) : 0;
}

/* Takes over the value, also on failure. */
static int attach(struct json_object *parent, const struct jl_step *step, struct json_object *value,
                  struct joulie_error *err)
{
    int rc;
    if (step->key)
        rc = jl_tree_add(parent, step->key, value);
    else if (step->index == json_object_array_length(parent))
        rc = json_object_array_add(parent, value);
    else
        rc = json_object_array_put_idx(parent, step->index, value);
    if (rc == 0)
        return 0;
    json_object_put(value);
    return jl_fail_memory(err);
}

/*
 * Takes over the value, also on failure. What is missing on the way is filled before it is put into
 * the parent, so that a failure has changed nothing.
 */
static int insert(struct json_object *parent, const struct jl_location *location, size_t i,
                  struct json_object *value, struct joulie_error *err)
{
    const struct jl_step *step = &location->steps[i];
    struct json_object *child = NULL;
    int rc = jl_object_step(parent, location, i, &child, err);
    if (rc == 0 && !step->key && step->index > json_object_array_length(parent))
        rc = jl_location_fail(location, i + 1, err, JOULIE_E_RANGE, "the list is shorter");
    if (rc < 0) {
        json_object_put(value);
        return rc;
    }
    if (i + 1 == location->count)
        return attach(parent, step, value, err);
    if (child)
        return insert(child, location, i + 1, value, err);

    child = location->steps[i + 1].key ? json_object_new_object() : json_object_new_array();
    if (!child) {
        json_object_put(value);
        return jl_fail_memory(err);
    }
    rc = insert(child, location, i + 1, value, err);
    if (rc == 0)
        return attach(parent, step, child, err);
    json_object_put(child);
    return rc;
}

/* A location that a setter may write: one value, of a type that the kind holds there. */
static int find_settable(const struct joulie_object *object, const char *path, unsigned type,
                         struct jl_location *out, struct joulie_error *err)
{
    const int rc = jl_location_find(object->table, path, false, out, err);
    if (rc < 0)
        return rc;
    if (out->kind == JL_LOCATION_FREE)
        return jl_location_fail(out, out->count, err, JOULIE_E_UNSUPPORTED,
                                "only a patch can set what has a free shape");
    if (jl_location_is_fixed(out))
        return jl_location_fail(out, out->count, err, JOULIE_E_UNSUPPORTED,
                                "apiVersion and kind stay as they are");
    if (out->kind == JL_LOCATION_MEMBER && out->row->type == JL_TYPE_RAW)
        return jl_location_fail(out, out->count, err, JOULIE_E_UNSUPPORTED,
                                "only a patch can set what has a free shape");
    if (!(jl_location_holds(out) & type))
        return jl_location_fail(out, out->count, err, JOULIE_E_TYPE,
                                "the kind has something else there");
    return 0;
}

/* The value goes through the decoder of its row as text, so that a setter takes what a document may
 * hold and nothing else. */
static int set(struct joulie_object *object, const char *path, unsigned type, struct jl_text json,
               struct joulie_error *err)
{
    struct jl_location location;
    struct json_object *value = NULL;
    int rc = find_settable(object, path, type, &location, err);
    if (rc == 0)
        rc = make_value(&location, json, &value, err);
    if (rc == 0)
        rc = insert(object->tree, &location, 0, value, err);
    return rc;
}

int joulie_object_set_number(struct joulie_object *object, const char *path, double value,
                             struct joulie_error *err)
{
    char digits[JL_DOUBLE_TEXT];
    int rc;
    if (jl_is_finite(value)) {
        const size_t len = jl_format_double(value, digits);
        rc = set(object, path, JL_HOLDS_NUMBER, (struct jl_text){ digits, len }, err);
    } else {
        rc = jl_fail(err, JOULIE_E_RANGE, path ? path : "", "the number is not finite");
    }
    return rc;
}

int joulie_object_set_integer(struct joulie_object *object, const char *path, int64_t value,
                              struct joulie_error *err)
{
    char digits[JL_DOUBLE_TEXT];
    const size_t len = jl_format_i64(value, digits);
    return set(object, path, JL_HOLDS_NUMBER, (struct jl_text){ digits, len }, err);
}

int joulie_object_set_bool(struct joulie_object *object, const char *path, int32_t value,
                           struct joulie_error *err)
{
    return set(object, path, JL_HOLDS_BOOL, jl_text(value ? "true" : "false"), err);
}

int joulie_object_set_text(struct joulie_object *object, const char *path, const char *value,
                           struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer json = { 0 };
    if (!value)
        return jl_fail(err, JOULIE_E_REQUIRED, path ? path : "", "a text is required");
    const size_t len = strlen(value);
    if (len > JL_LIMIT_OBJECT_BYTES)
        return jl_fail(err, JOULIE_E_LIMIT, path ? path : "", "the text is larger than 16 MiB");
    if (!jl_utf8_valid(value, len))
        return jl_fail(err, JOULIE_E_PARSE, path ? path : "", "the text is not UTF-8");
    jl_put_json_string(&json, value, len);
    if (json.is_failed)
        return jl_fail_memory(err);
    return set(object, path, JL_HOLDS_TEXT, (struct jl_text){ json.data, json.len }, err);
}

/* What is absent already is fine. An item of a list moves the items behind it. */
int joulie_object_unset(struct joulie_object *object, const char *path, struct joulie_error *err)
{
    struct jl_location location;
    struct json_object *parent = object->tree;
    struct json_object *value = NULL;
    int rc = jl_location_find(object->table, path, true, &location, err);
    if (rc < 0)
        return rc;
    if (location.count == 0 || jl_location_is_fixed(&location))
        return jl_location_fail(&location, location.count, err, JOULIE_E_UNSUPPORTED,
                                "apiVersion, kind and the whole document stay");
    for (size_t i = 0; i < location.count; i++) {
        parent = i > 0 ? value : parent;
        if (!parent)
            return 0;
        rc = jl_object_step(parent, &location, i, &value, err);
        if (rc < 0)
            return rc;
    }
    const struct jl_step *last = &location.steps[location.count - 1];
    if (last->key)
        json_object_object_del(parent, last->key);
    else if (last->index < json_object_array_length(parent))
        json_object_array_del_idx(parent, last->index, 1);
    return 0;
}
