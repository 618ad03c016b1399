/* SPDX-License-Identifier: Apache-2.0 */

/* Patches (docs/rules/apiserver.md#writes). */

#include <joulie/error.h>

#include "apiserver/writing.h"
#include "base/error.h"

static bool fail_patch(struct jd_request *request, int code, const struct joulie_error *err)
{
    const char *where = err->where;
    switch (code) {
    case JOULIE_E_NOMEM:
        return jd_fail_memory(request);
    case JOULIE_E_CONFLICT:
        return jd_fail(request, 422, "Invalid",
                       "the server rejected our request due to an error in our request: %s: %s",
                       where, err->message);
    case JOULIE_E_LIMIT:
        return jd_fail(request, 413, "RequestEntityTooLarge", "%s", err->message);
    default:
        return jd_fail(request, 400, "BadRequest", "error decoding patch: %s%s%s", where,
                       where[0] ? ": " : "", err->message);
    }
}

/* By the content type. Of our kinds a strategic patch would have no merge keys, so it is refused.
 */
static bool patch_type(struct jd_request *request, const char **out)
{
    const char *type = jd_content_type(request);
    const bool is_custom = jd_kind_is(request->kind, JD_KIND_CUSTOM);
    *out = NULL;
    if (jl_same(type, "application/merge-patch+json"))
        *out = "merge";
    else if (jl_same(type, "application/json-patch+json"))
        *out = "json";
    else if (jl_same(type, "application/strategic-merge-patch+json") && !is_custom)
        *out = "strategic";
    if (*out)
        return true;
    return jd_fail(
        request, 415, "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json%s",
        is_custom ? "" : ", application/strategic-merge-patch+json");
}

/* The stored object in the form that the patch is about. */
static int target_of(const struct jd_request *request, const struct jd_object *before,
                     struct jl_buffer *out)
{
    const struct jd_view plain = { .kind = request->kind,
                                   .is_core_event = request->view.is_core_event };
    jd_view_put(out, &plain, before, before->version, false, 0);
    return jl_buffer_code(out);
}

static int apply_strategic(struct jd_writing *writing, const struct jl_buffer *target,
                           struct json_object *patch, struct joulie_error *err)
{
    const int rc = jd_tree_read(target->data, target->len, &writing->tree, err);
    return rc < 0 ? rc : jd_strategic_merge(writing->tree, patch, err);
}

/* The result is a body like that of an update, and is checked as one. */
static bool apply_patch(struct jd_writing *writing, const char *type,
                        const struct jd_object *before)
{
    struct jd_request *request = writing->request;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jd_json_freep) struct json_object *patch = NULL;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer target = { 0 };
    size_t len = 0;
    const char *body = jd_exchange_body(request->exchange, &len);
    if (!jd_check_size(request, len))
        return false;
    const bool is_list = jl_same(type, "json");
    int rc = jd_tree_read_body(body, len, true, &patch, &err);
    if (rc == 0 && !json_object_is_type(patch, is_list ? json_type_array : json_type_object))
        rc = jl_fail(&err, JOULIE_E_TYPE, "",
                     is_list ? "the patch is no list" : "the patch is no JSON object");
    if (rc == 0)
        rc = target_of(request, before, &target);
    if (rc == 0)
        rc = jl_same(type, "strategic")
                 ? apply_strategic(writing, &target, patch, &err)
                 : jd_tree_patched(target.data, target.len, body, len, &writing->tree, &err);
    return rc == 0 || fail_patch(request, rc, &err);
}

void jd_serve_patch(struct jd_request *request)
{
    struct jd_writing writing;
    const char *type;
    struct jd_object *before = jd_find_object(request);
    if (jd_writing_begin(&writing, request) && patch_type(request, &type)) {
        if (jd_exchange_query(request->exchange, "force"))
            jd_fail(request, 422, "Invalid",
                    "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be "
                    "specified for non-apply patch");
        else if (!before)
            jd_fail_not_found(request);
        else if (apply_patch(&writing, type, before) && jd_writing_take_kind(&writing) &&
                 jd_writing_take_namespace(&writing))
            jd_update_finish(&writing, before);
    }
    jd_writing_clear(&writing);
}
