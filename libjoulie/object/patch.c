/* SPDX-License-Identifier: Apache-2.0 */

/* Objects compared, patched and checked: joulie_object_diff(), _patch() and _validate(), and
 * joulie_patch() of documents of any shape. Implements
 * docs/rules/kubernetes-objects.md#merge-patches. */

#include "base/error.h"
#include "object/object.h"
#include "schema/diff.h"
#include "schema/document.h"
#include "schema/json_patch.h"

int joulie_object_validate(const struct joulie_object *object, struct joulie_error *err)
{
    return jl_object_check(object->table, object->tree, false, err);
}

int joulie_object_diff(const struct joulie_object *before, const struct joulie_object *after,
                       char **out, struct joulie_error *err)
{
    struct jl_buffer text = { 0 };
    struct jl_diff diff = { 0 };
    if (jl_diff(before->tree, after->tree, &diff) < 0)
        return jl_fail_memory(err);
    jl_tree_put(&text, diff.patch);
    json_object_put(diff.patch);
    return jl_hand_out(&text, out, err);
}

/* The tree with the patch applied; shares parts with both. */
static int apply(struct json_object *tree, struct json_object *patch, struct json_object **out,
                 struct joulie_error *err)
{
    if (json_object_is_type(patch, json_type_object))
        return jl_merge_patch(tree, patch, out) < 0 ? jl_fail_memory(err) : 0;
    if (!json_object_is_type(patch, json_type_array))
        return jl_fail(err, JOULIE_E_TYPE, "patch", "an object or a list was expected");
    struct jl_json_patch_problem problem = { 0 };
    if (json_object_deep_copy(tree, out, NULL) != 0)
        return jl_fail_memory(err);
    const int rc = jl_json_patch(out, patch, &problem);
    return rc < 0 ? jl_json_patch_fail(&problem, rc, err) : 0;
}

/* A patch may not make another kind of the object, which its handle has the table of. */
static int check_result(const struct jl_table *table, struct json_object *tree, bool is_lenient,
                        struct joulie_error *err)
{
    if (!json_object_is_type(tree, json_type_object) || jl_object_check_kind(table, tree, err) < 0)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "", "a patch cannot change apiVersion and kind");
    return jl_object_check(table, tree, is_lenient, err);
}

static int read_json(const char *text, size_t len, uint32_t flags, const struct jl_line_map *lines,
                     struct json_object **out, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_decode decode = { .arena = &arena,
                                .text = text ? text : "",
                                .len = len,
                                .lines = lines,
                                .flags = flags & JOULIE_OBJECT_LENIENT ? JL_LENIENT : 0,
                                .err = err };
    return jl_document_tree(&decode, out);
}

static int read_patch(const char *text, size_t len, struct json_object **out,
                      struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    const int rc = jl_document_read(&document, text, len, err);
    return rc < 0 ? rc : read_json(document.text, document.len, 0, document.lines, out, err);
}

static int check_flags(uint32_t flags, struct joulie_error *err)
{
    return (flags & ~JOULIE_OBJECT_LENIENT) == 0
               ? 0
               : jl_fail(err, JOULIE_E_UNSUPPORTED, "flags", "there is no such flag");
}

/* The result is a tree of its own until it is known to be good, so a failure changes nothing. */
int joulie_object_patch(struct joulie_object *object, const char *text, size_t len, uint32_t flags,
                        struct joulie_error *err)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *patch = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *result = NULL;
    int rc = check_flags(flags, err);
    if (rc == 0)
        rc = read_patch(text, len, &patch, err);
    if (rc == 0)
        rc = apply(object->tree, patch, &result, err);
    if (rc == 0)
        rc = check_result(object->table, result, (flags & JOULIE_OBJECT_LENIENT) != 0, err);
    if (rc < 0)
        return rc;
    json_object_put(object->tree);
    object->tree = json_object_get(result);
    return 0;
}

static int patch_text(const char *target, size_t target_len, const char *patch, size_t patch_len,
                      uint32_t flags, struct jl_buffer *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *target_tree = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *patch_tree = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *result = NULL;
    int rc = check_flags(flags, err);
    if (rc == 0)
        rc = read_json(target, target_len, flags, NULL, &target_tree, err);
    if (rc == 0)
        rc = read_json(patch, patch_len, flags, NULL, &patch_tree, err);
    if (rc == 0)
        rc = apply(target_tree, patch_tree, &result, err);
    if (rc < 0)
        return rc;
    jl_tree_put(out, result);
    return 0;
}

int joulie_patch(const char *target, size_t target_len, const char *patch, size_t patch_len,
                 uint32_t flags, char **out, struct joulie_error *err)
{
    struct jl_buffer text = { 0 };
    const int rc = patch_text(target, target_len, patch, patch_len, flags, &text, err);
    return rc < 0 ? rc : jl_hand_out(&text, out, err);
}
