/* SPDX-License-Identifier: Apache-2.0 */

/* New objects (docs/rules/apiserver.md#writes). */

#include "apiserver/writing.h"

#define SUFFIX_CHARACTERS 5

static void generate_name(struct jd_writing *writing)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    struct json_object *metadata = jd_tree_child(writing->tree, "metadata");
    const char *stem = jd_json_text(metadata, "generateName");
    char suffix[SUFFIX_CHARACTERS + 1] = "";
    if (jl_is_empty(stem) || !jl_is_empty(jd_json_text(metadata, "name")))
        return;
    for (size_t i = 0; i < SUFFIX_CHARACTERS; i++)
        suffix[i] = letters[jl_random_int(&writing->request->api->names, 0, sizeof letters - 2)];
    jd_tree_set(metadata, "name", jd_text(&writing->request->arena, "%s%s", stem, suffix));
}

/* What a new object may not say of itself (a Node keeps its status). */
static void strip_new(struct jd_writing *writing)
{
    static const char *const members[] = { "uid", "creationTimestamp", "generation",
                                           "deletionTimestamp", "deletionGracePeriodSeconds" };
    const struct jd_kind *kind = writing->request->kind;
    for (size_t i = 0; i < JL_COUNT(members); i++)
        json_object_object_del(jd_tree_child(writing->tree, "metadata"), members[i]);
    if (jd_kind_is(kind, JD_KIND_STATUS) && !jl_same(kind->plural, "nodes"))
        json_object_object_del(writing->tree, "status");
}

static bool has_namespace(struct jd_request *request)
{
    const struct jd_kind *spaces = jd_kind_by_plural(&request->api->kinds, "namespaces");
    if (!request->name_space ||
        jd_store_get(&request->api->store, spaces, NULL, request->name_space))
        return true;
    request->kind = spaces;
    request->name = request->name_space;
    return jd_fail_not_found(request);
}

/* A name that is taken is a conflict, even for a dry run. */
static void store_new(struct jd_writing *writing)
{
    struct jd_request *request = writing->request;
    struct jd_object *object;
    const char *name = jd_json_text(writing->tree, "metadata.name");
    if (jd_store_get(&request->api->store, request->kind, request->name_space, name)) {
        request->name = name;
        jd_fail(request, 409, "AlreadyExists", "%s%s%s \"%s\" already exists",
                request->kind->plural, request->kind->group[0] ? "." : "", request->kind->group,
                name);
        return;
    }
    if (jd_api_complete(request->api, request->kind, NULL, writing->tree) < 0) {
        jd_fail_memory(request);
    } else if (request->is_dry_run) {
        jd_writing_reply_dry(writing, 201, NULL);
    } else if (jd_api_store(request->api, request->kind, writing->tree, &object) < 0) {
        jd_fail_memory(request);
    } else {
        jd_done(request, NULL, object, false);
        jd_reply_object(request, 201, object);
    }
}

static void create_object(struct jd_request *request)
{
    struct jd_writing writing;
    if (jd_writing_begin(&writing, request) && jd_writing_read(&writing) &&
        jd_writing_take_kind(&writing) && jd_writing_take_namespace(&writing)) {
        strip_new(&writing);
        generate_name(&writing);
        if (!jl_is_empty(jd_json_text(writing.tree, "metadata.resourceVersion")))
            jd_fail(request, 400, "BadRequest",
                    "resourceVersion should not be set on objects to be created");
        else if (jd_writing_check(&writing, NULL) && has_namespace(request))
            store_new(&writing);
    }
    jd_writing_clear(&writing);
}

void jd_serve_create(struct jd_request *request)
{
    if (jl_same(request->subresource, "binding") || jl_same(request->subresource, "eviction"))
        jd_serve_pod_action(request);
    else if (jd_kind_is(request->kind, JD_KIND_CREATE))
        jd_serve_access_review(request);
    else
        create_object(request);
}
