/* SPDX-License-Identifier: Apache-2.0 */

/* Values of an object by path: the getters of joulie/object.h. Implements
 * docs/rules/kubernetes-objects.md#paths. */

#include <string.h>

#include "base/error.h"
#include "object/object.h"

int jl_object_step(struct json_object *parent, const struct jl_location *location, size_t i,
                   struct json_object **out, struct joulie_error *err)
{
    const struct jl_step *step = &location->steps[i];
    *out = NULL;
    if (!json_object_is_type(parent, step->key ? json_type_object : json_type_array))
        return jl_location_fail(location, i, err, JOULIE_E_TYPE,
                                step->key ? "an object was expected" : "a list was expected");
    if (step->key)
        json_object_object_get_ex(parent, step->key, out);
    else if (step->index < json_object_array_length(parent))
        *out = json_object_array_get_idx(parent, step->index);
    return 0;
}

/* Walks the tree; *out NULL = absent. */
static int descend(struct json_object *tree, const struct jl_location *location,
                   struct json_object **out, struct joulie_error *err)
{
    int rc = 0;
    *out = tree;
    for (size_t i = 0; rc == 0 && *out && i < location->count; i++)
        rc = jl_object_step(*out, location, i, out, err);
    return rc;
}

static const char *name_of(unsigned wanted)
{
    switch (wanted) {
    case JL_HOLDS_NUMBER:
        return "this is no number";
    case JL_HOLDS_INTEGER:
        return "this is no integer";
    case JL_HOLDS_TEXT:
        return "this is no text";
    case JL_HOLDS_BOOL:
        return "this is neither true nor false";
    default:
        return "this is neither a list nor an object";
    }
}

/* Quantities, whose numbers are read as their text. */
static bool takes_scalars(const struct jl_location *location)
{
    return (location->kind == JL_LOCATION_VALUE && location->row->is.scalars) ||
           (location->kind == JL_LOCATION_MEMBER && location->row->type == JL_TYPE_QUANTITY);
}

static bool is_wanted(const struct jl_location *location, struct json_object *value,
                      unsigned wanted)
{
    switch (json_object_get_type(value)) {
    case json_type_null:
        return false;
    case json_type_boolean:
        return wanted == JL_HOLDS_BOOL || (wanted == JL_HOLDS_TEXT && takes_scalars(location));
    case json_type_double:
    case json_type_int:
        return wanted == JL_HOLDS_NUMBER || wanted == JL_HOLDS_INTEGER ||
               (wanted == JL_HOLDS_TEXT && takes_scalars(location));
    case json_type_string:
        return wanted == JL_HOLDS_TEXT;
    case json_type_object:
    case json_type_array:
        return wanted == (JL_HOLDS_LIST | JL_HOLDS_OBJECT);
    }
    return false;
}

/* One call of a getter: where the path leads, and what stands there. */
struct getting {
    struct jl_location location;
    struct json_object *value;
};

/* 1 with the value, 0 (absent) or a code. What is wanted is a type, or LIST | OBJECT: the table of
 * the kind and the document both have to hold it. */
static int get(const struct joulie_object *object, const char *path, unsigned wanted,
               struct getting *out, struct joulie_error *err)
{
    struct jl_location *location = &out->location;
    out->value = NULL;
    int rc = jl_location_find(object->table, path, false, location, err);
    if (rc == 0 && !(jl_location_holds(location) & wanted))
        rc = jl_location_fail(location, location->count, err, JOULIE_E_TYPE, name_of(wanted));
    if (rc == 0)
        rc = descend(object->tree, location, &out->value, err);
    if (rc < 0 || !out->value)
        return rc;
    if (!is_wanted(location, out->value, wanted))
        return jl_location_fail(location, location->count, err, JOULIE_E_TYPE, name_of(wanted));
    return 1;
}

/* A number that is not an int has its own text, see JL_KEEP_DIGITS. */
static int read_integer(const struct jl_location *location, struct json_object *value, int64_t *out,
                        struct joulie_error *err)
{
    const char *digits = json_object_get_userdata(value);
    int rc = 0;
    if (json_object_is_type(value, json_type_double))
        rc = jl_integer_of(digits, strlen(digits), out);
    else if (json_object_get_uint64(value) > INT64_MAX && json_object_get_int64(value) > 0)
        rc = JOULIE_E_RANGE;
    else
        *out = json_object_get_int64(value);
    if (rc == 0)
        return 1;
    return jl_location_fail(location, location->count, err, rc,
                            rc == JOULIE_E_TYPE ? name_of(JL_HOLDS_INTEGER)
                                                : "the integer does not fit 64 bits");
}

/* ---- joulie/object.h: outputs are written last, so that a failure leaves them alone ---- */

int joulie_object_get_number(const struct joulie_object *object, const char *path, double *out,
                             struct joulie_error *err)
{
    struct getting at;
    const int rc = get(object, path, JL_HOLDS_NUMBER, &at, err);
    if (rc == 1)
        *out = json_object_get_double(at.value);
    return rc;
}

int joulie_object_get_integer(const struct joulie_object *object, const char *path, int64_t *out,
                              struct joulie_error *err)
{
    struct getting at;
    int64_t integer = 0;
    int rc = get(object, path, JL_HOLDS_INTEGER, &at, err);
    if (rc == 1)
        rc = read_integer(&at.location, at.value, &integer, err);
    if (rc == 1)
        *out = integer;
    return rc;
}

int joulie_object_get_bool(const struct joulie_object *object, const char *path, int32_t *out,
                           struct joulie_error *err)
{
    struct getting at;
    const int rc = get(object, path, JL_HOLDS_BOOL, &at, err);
    if (rc == 1)
        *out = json_object_get_boolean(at.value) ? 1 : 0;
    return rc;
}

/* The text belongs to the tree: a number of a quantity gets one there when it is read first. */
int joulie_object_get_text(const struct joulie_object *object, const char *path, const char **out,
                           struct joulie_error *err)
{
    struct getting at;
    int rc = get(object, path, JL_HOLDS_TEXT, &at, err);
    const char *text = rc == 1 ? json_object_get_string(at.value) : NULL;
    if (rc == 1 && !text)
        rc = jl_fail_memory(err);
    if (rc == 1)
        *out = text;
    return rc;
}

int joulie_object_count(const struct joulie_object *object, const char *path, size_t *out,
                        struct joulie_error *err)
{
    struct getting at;
    const int rc = get(object, path, JL_HOLDS_LIST | JL_HOLDS_OBJECT, &at, err);
    if (rc == 1)
        *out = json_object_is_type(at.value, json_type_array)
                   ? json_object_array_length(at.value)
                   : (size_t)json_object_object_length(at.value);
    return rc;
}
