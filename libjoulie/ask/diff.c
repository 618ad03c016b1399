/* SPDX-License-Identifier: Apache-2.0 */

/* diff: the merge patch between two objects of any shape (docs/rules/documents.md#diff). */

#include "schema/diff.h"

#include "ask/ask.h"
#include "base/error.h"

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

static int answer(struct jl_ask *ask, const void *in_struct, void *out_struct)
{
    const struct diff_in *in = in_struct;
    struct diff_out *out = out_struct;
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

const struct jl_question jl_question_diff = {
    .name = "diff",
    .summary = "merge patch between two objects",
    .in = &diff_in_table,
    .out = &diff_out_table,
    .answer = answer,
};
