/* SPDX-License-Identifier: Apache-2.0 */

/* diff: the merge patch between two objects of any shape (kubernetes.md §7, cli.md §3). */

#include "schema/diff.h"

#include "ask/ask.h"
#include "base/error.h"

struct diff_in {
    uint64_t has;
    struct jl_raw old;
    struct jl_raw new;
};

enum { IN_OLD, IN_NEW };

static const struct jl_row in_rows[] = {
    [IN_OLD] = JL_RAW(diff_in, old, "old", .flags = JL_REQUIRED, .doc = "The object as it is."),
    [IN_NEW] =
        JL_RAW(diff_in, new, "new", .flags = JL_REQUIRED, .doc = "The object as it should be."),
};
static const struct jl_table in_table = JL_TABLE(diff_in, in_rows);

struct diff_out {
    uint64_t has;
    struct jl_raw patch;
    struct jl_list removed;
    bool changed;
};

enum { OUT_PATCH, OUT_REMOVED, OUT_CHANGED };

static const struct jl_row out_rows[] = {
    [OUT_PATCH] =
        JL_RAW(diff_out, patch, "patch", .doc = "JSON merge patch that makes new out of old."),
    [OUT_REMOVED] =
        JL_STRINGS(diff_out, removed, "removed", .doc = "Sorted paths that are null in the patch."),
    [OUT_CHANGED] =
        JL_BOOLEAN(diff_out, changed, "changed", .doc = "Whether anything differs; 60 is 60.0."),
};
static const struct jl_table out_table = JL_TABLE(diff_out, out_rows);

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
    JL_MARK(out, OUT_PATCH);
    JL_MARK(out, OUT_REMOVED);
    JL_PUT(out, OUT_CHANGED, changed, diff.changed);
    return 0;
}

const struct jl_question jl_question_diff = {
    .name = "diff",
    .summary = "merge patch between two objects",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
