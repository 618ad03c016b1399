/* SPDX-License-Identifier: Apache-2.0 */

/*
 * diff and patch: what differs between two objects, and an object with that applied
 * (docs/rules/documents.md#diff).
 */

#include "ask/ask.h"
#include "base/error.h"
#include "schema/diff.h"
#include "schema/json_patch.h"

/* diff: the merge patch between two objects of any shape (docs/rules/documents.md#diff). */

#define RECORD diff_in
#define MEMBERS                                       \
    RAW(old, "old", "The object as it is.", REQUIRED) \
    RAW(new, "new", "The object as it should be.", REQUIRED)
#include "schema/record.h"

#define RECORD diff_out
#define MEMBERS                                                             \
    RAW(patch, "patch", "JSON merge patch that makes new out of old.")      \
    STRINGS(removed, "removed", "Sorted paths that are null in the patch.") \
    BOOLEAN(changed, "changed", "Whether anything differs; 60 is 60.0.")
#include "schema/record.h"

static int answer_diff(struct jl_ask *ask, const struct diff_in *in, struct diff_out *out)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *old = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *new = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *patch = NULL;
    const struct jl_path old_at = { .key = jl_text("old") };
    const struct jl_path new_at = { .key = jl_text("new") };

    int rc = jl_tree_from_raw(ask->decode, &in->old, &old_at, &old);
    if (rc == 0)
        rc = jl_tree_from_raw(ask->decode, &in->new, &new_at, &new);
    if (rc < 0)
        return rc;

    struct jl_diff diff = { 0 };
    rc = jl_diff(old, new, &diff);
    patch = diff.patch;
    if (rc == 0)
        rc = jl_diff_removed(patch, ask->arena, &out->removed);
    if (rc == 0)
        rc = jl_tree_print(patch, ask->arena, &out->patch);
    if (rc < 0)
        return jl_fail_memory(ask->err);
    out->given.patch = true;
    out->given.removed = true;
    JL_SET(out, changed, diff.changed);
    return 0;
}

JL_QUESTION(diff, "diff", "merge patch between two objects");

/* patch: an object with a patch applied (docs/rules/documents.md#patches). */

#define RECORD patch_in
#define MEMBERS                                                             \
    STRING(type, "type", "Kind of patch: merge or json.", REQUIRED)         \
    RAW(target, "target", "The value to be patched.", REQUIRED, KEEPS_NULL) \
    RAW(patch, "patch", "The patch.", REQUIRED, KEEPS_NULL)
#include "schema/record.h"

#define RECORD patch_out
#define MEMBERS RAW(result, "result", "The value with the patch applied.")
#include "schema/record.h"

static int patched(struct jl_ask *ask, const char *type, struct json_object **target,
                   struct json_object *patch, struct json_object **out)
{
    if (jl_same(type, "merge")) {
        const int rc = jl_merge_patch(*target, patch, out);
        return rc < 0 ? jl_fail_memory(ask->err) : 0;
    }
    struct jl_json_patch_problem problem;
    const int rc = jl_json_patch(target, patch, &problem);
    *out = json_object_get(*target);
    return rc < 0 ? jl_json_patch_fail(&problem, rc, ask->err) : 0;
}

static int answer_patch(struct jl_ask *ask, const struct patch_in *in, struct patch_out *out)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *target = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *patch = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *result = NULL;
    const struct jl_path target_at = { .key = jl_text("target") };
    const struct jl_path patch_at = { .key = jl_text("patch") };

    if (!jl_same(in->type, "merge") && !jl_same(in->type, "json"))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "type",
                           "this build applies no patch of type \"%.64s\"", in->type);
    int rc = jl_tree_from_raw(ask->decode, &in->target, &target_at, &target);
    if (rc == 0)
        rc = jl_tree_from_raw(ask->decode, &in->patch, &patch_at, &patch);
    if (rc < 0)
        return rc;

    rc = patched(ask, in->type, &target, patch, &result);
    if (rc < 0)
        return rc;
    rc = jl_tree_print(result, ask->arena, &out->result);
    if (rc < 0)
        return jl_fail_memory(ask->err);
    out->given.result = true;
    return 0;
}

JL_QUESTION(patch, "patch", "object with a merge patch or JSON patch applied");
