/* SPDX-License-Identifier: Apache-2.0 */

/*
 * JSON of requests and objects: strict reading, members, patches through the library. Called
 * by all files that handle bodies.
 */

#include <math.h>
#include <string.h>

#include <joulie/object.h>

#include "apiserver/parts.h"
#include "base/error.h"

/* json-c takes NaN and Infinity, which JSON does not have. */
static bool is_finite_tree(struct json_object *tree)
{
    if (json_object_is_type(tree, json_type_double))
        return isfinite(json_object_get_double(tree));
    if (json_object_is_type(tree, json_type_object)) {
        json_object_object_foreach(tree, key, value)
        {
            (void)key;
            if (!is_finite_tree(value))
                return false;
        }
    } else if (json_object_is_type(tree, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(tree); i++) {
            if (!is_finite_tree(json_object_array_get_idx(tree, i)))
                return false;
        }
    }
    return true;
}

static int read_any(const char *text, size_t len, struct json_object **out,
                    struct joulie_error *err)
{
    struct json_object *tree = NULL;
    if (len > 0 && memchr(text, 0, len)) /* where json-c would stop */
        return jl_fail(err, JOULIE_E_PARSE, "", "the document holds a NUL");
    const int rc = jd_json_read(text, len, &tree, err);
    if (rc < 0)
        return rc;
    if (!is_finite_tree(tree)) {
        json_object_put(tree);
        return jl_fail(err, JOULIE_E_PARSE, "", "a number is not finite");
    }
    *out = tree;
    return 0;
}

int jd_tree_read(const char *text, size_t len, struct json_object **out, struct joulie_error *err)
{
    struct json_object *tree = NULL;
    const int rc = read_any(text, len, &tree, err);
    if (rc < 0)
        return rc;
    if (!json_object_is_type(tree, json_type_object)) {
        json_object_put(tree);
        return jl_fail(err, JOULIE_E_PARSE, "", "the document is no JSON object");
    }
    *out = tree;
    return 0;
}

bool jd_tree_has_item(struct json_object *list, struct json_object *wanted)
{
    for (size_t i = 0; i < jd_json_count(list); i++) {
        if (json_object_equal(json_object_array_get_idx(list, i), wanted))
            return true;
    }
    return false;
}

void jd_tree_keep(struct json_object *tree, struct json_object *from, const char *key)
{
    struct json_object *value = jd_json_at(from, key);
    if (value)
        json_object_object_add(tree, key, json_object_get(value));
    else
        json_object_object_del(tree, key);
}

bool jd_tree_is_object(struct json_object *tree)
{
    return json_object_is_type(tree, json_type_object);
}

struct json_object *jd_tree_child(struct json_object *tree, const char *key)
{
    struct json_object *child = jd_json_at(tree, key);
    if (jd_tree_is_object(child))
        return child;
    child = json_object_new_object();
    json_object_object_add(tree, key, child);
    return child;
}

void jd_tree_set(struct json_object *tree, const char *key, const char *text)
{
    if (text)
        json_object_object_add(tree, key, json_object_new_string(text));
    else
        json_object_object_del(tree, key);
}

int jd_tree_read_body(const char *text, size_t len, bool is_lenient, struct json_object **out,
                      struct joulie_error *err)
{
    JL_CLEANUP(jd_json_freep) struct json_object *tree = NULL;
    JL_CLEANUP(jl_freep) char *same = NULL;
    int rc = read_any(text, len, &tree, err);
    if (rc == 0 && jd_tree_is_object(tree))
        rc = joulie_patch("{}", 2, text, len, is_lenient ? JOULIE_OBJECT_LENIENT : 0, &same, err);
    if (rc == 0)
        *out = json_object_get(tree);
    return rc;
}

int jd_tree_patched(const char *target, size_t target_len, const char *patch, size_t patch_len,
                    struct json_object **out, struct joulie_error *err)
{
    struct json_object *result = NULL;
    JL_CLEANUP(jl_freep) char *text = NULL;
    int rc = joulie_patch(target, target_len, patch, patch_len, JOULIE_OBJECT_LENIENT, &text, err);
    if (rc == 0)
        rc = read_any(text, strlen(text), &result, err);
    if (rc < 0)
        return rc;
    if (!jd_tree_is_object(result)) {
        json_object_put(result);
        return jl_fail(err, JOULIE_E_TYPE, "", "the patched object is no JSON object");
    }
    *out = result;
    return 0;
}
