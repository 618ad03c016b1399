/* SPDX-License-Identifier: Apache-2.0 */

/* Merge patches between trees, and their application (docs/rules/documents.md#diff). */

#include "schema/diff.h"

#include <string.h>

#include <joulie/error.h>

#include "base/sort.h"
#include "schema/tree.h"

static bool is_object(struct json_object *tree)
{
    return json_object_get_type(tree) == json_type_object;
}

/* Gives a value to an object; on failure the value is released. */
static int add(struct json_object *object, const char *key, struct json_object *value)
{
    if (jl_tree_add(object, key, value) == 0)
        return 0;
    json_object_put(value);
    return JOULIE_E_NOMEM;
}

static struct json_object *member(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(object, key, &value);
    return value;
}

/* The value without the null members of its objects: they are absent, and in a patch they would
 * remove something. */
static int copy_present(struct json_object *value, struct json_object **out)
{
    if (!is_object(value)) {
        *out = json_object_get(value);
        return 0;
    }
    JL_CLEANUP(jl_tree_clear) struct json_object *copy = json_object_new_object();
    if (!copy)
        return JOULIE_E_NOMEM;
    json_object_object_foreach(value, key, part)
    {
        struct json_object *part_copy;
        if (!part)
            continue;
        int rc = copy_present(part, &part_copy);
        if (rc == 0)
            rc = add(copy, key, part_copy);
        if (rc < 0)
            return rc;
    }
    *out = json_object_get(copy);
    return 0;
}

static int diff_objects(struct json_object *old, struct json_object *new, struct json_object **out);

/* Puts what makes the new value out of the old one into the patch; nothing when they are equal. */
static int diff_member(struct json_object *patch, const char *key, struct json_object *old,
                       struct json_object *new)
{
    struct json_object *part = NULL;
    int rc = 0;
    if (is_object(old) && is_object(new)) {
        rc = diff_objects(old, new, &part);
        if (rc == 0 && json_object_object_length(part) == 0) {
            json_object_put(part);
            return 0;
        }
    } else if (jl_tree_equal(old, new)) {
        return 0;
    } else {
        rc = copy_present(new, &part);
    }
    return rc < 0 ? rc : add(patch, key, part);
}

static int diff_objects(struct json_object *old, struct json_object *new, struct json_object **out)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *patch = json_object_new_object();
    if (!patch)
        return JOULIE_E_NOMEM;
    json_object_object_foreach(new, key, value)
    {
        const int rc = diff_member(patch, key, member(old, key), value);
        if (rc < 0)
            return rc;
    }
    json_object_object_foreach(old, old_key, old_value)
    {
        if (!old_value || json_object_object_get_ex(new, old_key, NULL))
            continue;
        const int rc = add(patch, old_key, NULL);
        if (rc < 0)
            return rc;
    }
    *out = json_object_get(patch);
    return 0;
}

int jl_diff(struct json_object *old, struct json_object *new, struct jl_diff *out)
{
    struct jl_diff diff = { 0 };
    int rc;
    if (is_object(old) && is_object(new)) {
        rc = diff_objects(old, new, &diff.patch);
        diff.changed = rc == 0 && json_object_object_length(diff.patch) > 0;
    } else {
        rc = copy_present(new, &diff.patch);
        diff.changed = !jl_tree_equal(old, new);
    }
    if (rc == 0)
        *out = diff;
    return rc;
}

static size_t count_nulls(struct json_object *patch)
{
    size_t count = 0;
    json_object_object_foreach(patch, key, value)
    {
        (void)key;
        if (!value)
            count++;
        else if (is_object(value))
            count += count_nulls(value);
    }
    return count;
}

/* Where the paths of null members go. */
struct search {
    struct jl_arena *arena;
    const char **paths;
    size_t count;
};

static int find_nulls(struct search *search, struct json_object *patch, const char *prefix)
{
    json_object_object_foreach(patch, key, value)
    {
        if (value && !is_object(value))
            continue;
        const char *path = JL_JOIN(search->arena, prefix, *prefix ? "." : "", key);
        if (!path)
            return JOULIE_E_NOMEM;
        if (!value)
            search->paths[search->count++] = path;
        else if (find_nulls(search, value, path) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

static int compare_paths(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(*(const char *const *)a, *(const char *const *)b);
}

int jl_diff_removed(struct json_object *patch, struct jl_arena *arena, struct jl_list *out)
{
    struct search search = { .arena = arena };
    const size_t count = is_object(patch) ? count_nulls(patch) : 0;
    int rc = 0;
    if (count > 0) {
        search.paths = JL_NEW_ARRAY(arena, count, const char *);
        rc = search.paths ? find_nulls(&search, patch, "") : JOULIE_E_NOMEM;
    }
    if (rc == 0 && count > 0)
        rc = jl_sort(search.paths, count, sizeof *search.paths, compare_paths, NULL);
    if (rc == 0)
        *out = (struct jl_list){ .items = search.paths, .count = count };
    return rc;
}

static int add_merged(struct json_object *result, const char *key, struct json_object *target,
                      struct json_object *patch)
{
    struct json_object *value;
    const int rc = jl_merge_patch(target, patch, &value);
    return rc < 0 ? rc : add(result, key, value);
}

/* Members of the target keep their places; new ones follow in the order of the patch. */
static int merge_objects(struct json_object *target, struct json_object *patch,
                         struct json_object *result)
{
    int rc = 0;
    if (target) {
        json_object_object_foreach(target, key, value)
        {
            struct json_object *change;
            if (!json_object_object_get_ex(patch, key, &change))
                rc = add(result, key, json_object_get(value));
            else if (change)
                rc = add_merged(result, key, value, change);
            if (rc < 0)
                return rc;
        }
    }
    json_object_object_foreach(patch, new_key, change)
    {
        if (!change || (target && json_object_object_get_ex(target, new_key, NULL)))
            continue;
        rc = add_merged(result, new_key, NULL, change);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int jl_merge_patch(struct json_object *target, struct json_object *patch, struct json_object **out)
{
    if (!is_object(patch)) {
        *out = json_object_get(patch);
        return 0;
    }
    JL_CLEANUP(jl_tree_clear) struct json_object *result = json_object_new_object();
    if (!result)
        return JOULIE_E_NOMEM;
    const int rc = merge_objects(is_object(target) ? target : NULL, patch, result);
    if (rc < 0)
        return rc;
    *out = json_object_get(result);
    return 0;
}
