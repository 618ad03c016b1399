/* SPDX-License-Identifier: Apache-2.0 */

/* patch: an object with a patch applied (docs/rules/documents.md#patches). */

#include "ask/ask.h"
#include "base/error.h"
#include "schema/diff.h"
#include "schema/json_patch.h"

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

static int answer(struct jl_ask *ask, const void *in_struct, void *out_struct)
{
    const struct patch_in *in = in_struct;
    struct patch_out *out = out_struct;
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

const struct jl_question jl_question_patch = {
    .name = "patch",
    .summary = "object with a merge patch or JSON patch applied",
    .in = &patch_in_table,
    .out = &patch_out_table,
    .answer = answer,
};
