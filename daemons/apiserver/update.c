/* SPDX-License-Identifier: Apache-2.0 */

/* Changes of an object: versions, identity, status and the rest apart
 * (docs/rules/apiserver.md#writes). */

#include "apiserver/writing.h"

static bool check_identity(struct jd_writing *writing, const struct jd_object *before)
{
    struct jd_request *request = writing->request;
    struct json_object *metadata = jd_tree_child(writing->tree, "metadata");
    const char *name = jd_json_text(metadata, "name");
    const char *uid = jd_json_text(metadata, "uid");
    if (jl_is_empty(name) && jl_same(request->method, "PUT")) {
        jd_cause(&writing->causes, JD_REQUIRED, "metadata.name",
                 "Required value: name must be provided");
        return jd_fail_invalid(request, request->name, &writing->causes);
    }
    if (!jl_same(name, request->name))
        return jd_fail(request, 400, "BadRequest",
                       "the name of the object (%s) does not match the name on the URL (%s)",
                       name ? name : "", request->name);
    return jd_check_uid(request, uid, before->uid);
}

static bool check_version(struct jd_writing *writing, const struct jd_object *before)
{
    struct jd_request *request = writing->request;
    const char *version = jd_json_text(writing->tree, "metadata.resourceVersion");
    if (jl_is_empty(version)) {
        if (!jl_same(request->method, "PUT") || !jd_kind_is(request->kind, JD_KIND_VERSIONED))
            return true;
        jd_cause(&writing->causes, JD_INVALID, "metadata.resourceVersion",
                 "Invalid value: 0: must be specified for an update");
        return jd_fail_invalid(request, request->name, &writing->causes);
    }
    const struct jl_text known = { before->text + before->version_at, before->version_len };
    if (jl_text_is(known, version))
        return true;
    return jd_fail_conflict(request,
                            "the object has been modified; please apply your changes to the latest "
                            "version and try again");
}

/* /status takes the status and leaves the rest; the object itself is the other way round. */
static bool take_part(struct jd_writing *writing, struct json_object *before)
{
    static const char *const kept[] = { "deletionTimestamp", "deletionGracePeriodSeconds" };
    struct json_object *whole = NULL;
    if (!jl_same(writing->request->subresource, "status")) {
        struct json_object *metadata = jd_tree_child(writing->tree, "metadata");
        for (size_t i = 0; i < JL_COUNT(kept); i++)
            jd_tree_keep(metadata, jd_json_at(before, "metadata"), kept[i]);
        if (jd_kind_is(writing->request->kind, JD_KIND_STATUS))
            jd_tree_keep(writing->tree, before, "status");
        return true;
    }
    if (json_object_deep_copy(before, &whole, NULL) != 0)
        return false;
    jd_tree_keep(whole, writing->tree, "status");
    json_object_put(writing->tree);
    writing->tree = whole;
    return true;
}

/* What waits for its grace period goes by a deletion. */
static bool is_finished(struct json_object *tree)
{
    struct json_object *metadata = jd_json_at(tree, "metadata");
    return jd_json_at(metadata, "deletionTimestamp") &&
           json_object_get_int64(jd_json_at(metadata, "deletionGracePeriodSeconds")) == 0 &&
           jd_json_count(jd_json_at(metadata, "finalizers")) == 0;
}

void jd_reply_removed(struct jd_request *request, struct jd_object *object)
{
    struct jd_object *last;
    struct jd_object *before = jd_object_hold(object);
    if (jd_api_remove(request->api, object, &last) < 0) {
        jd_fail_memory(request);
    } else {
        jd_done(request, before, last, true);
        jd_succeed(request, before->name, before->uid);
    }
    jd_object_release(before);
}

void jd_update_store(struct jd_writing *writing, struct jd_object *before)
{
    struct jd_request *request = writing->request;
    struct jd_object *held = jd_object_hold(before);
    struct jd_object *object = before;
    int rc = jd_api_complete(request->api, request->kind, before, writing->tree);
    if (rc == 1 && request->is_dry_run) {
        jd_writing_reply_dry(writing, 200, before);
    } else if (rc == 1 && is_finished(writing->tree)) {
        jd_reply_removed(request, before);
    } else {
        if (rc == 1) {
            rc = jd_api_store(request->api, request->kind, writing->tree, &object);
            if (rc == 0)
                jd_done(request, held, object, false);
        }
        if (rc < 0)
            jd_fail_memory(request);
        else
            jd_reply_object(request, 200, object);
    }
    jd_object_release(held);
}

/* Identity, version, the part that this path may change, then the checks of a new object. */
void jd_update_finish(struct jd_writing *writing, struct jd_object *before)
{
    JL_CLEANUP(jd_json_freep) struct json_object *old = jd_object_tree(before);
    if (!old) {
        jd_fail_memory(writing->request);
        return;
    }
    if (!check_identity(writing, before) || !check_version(writing, before))
        return;
    if (!take_part(writing, old))
        jd_fail_memory(writing->request);
    else if (jd_writing_check(writing, old))
        jd_update_store(writing, before);
}

void jd_serve_update(struct jd_request *request)
{
    struct jd_writing writing;
    if (jd_writing_begin(&writing, request) && jd_writing_read(&writing) &&
        jd_writing_take_kind(&writing) && jd_writing_take_namespace(&writing)) {
        struct jd_object *before = jd_find_object(request);
        if (before)
            jd_update_finish(&writing, before);
        else if (jd_check_uid(request, jd_json_text(writing.tree, "metadata.uid"), NULL))
            jd_fail_not_found(request);
    }
    jd_writing_clear(&writing);
}
