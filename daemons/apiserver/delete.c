/* SPDX-License-Identifier: Apache-2.0 */

/* Deletion of objects and collections (docs/rules/apiserver.md#writes). */

#include "apiserver/writing.h"
#include "base/time.h"

static bool check_preconditions(struct jd_request *request, struct json_object *options,
                                const struct jd_object *object)
{
    const char *uid = jd_json_text(options, "preconditions.uid");
    const char *version = jd_json_text(options, "preconditions.resourceVersion");
    const struct jl_text known = { object->text + object->version_at, object->version_len };
    if (!jd_check_uid(request, uid, object->uid))
        return false;
    if (version && !jl_text_is(known, version))
        return jd_fail_conflict(request,
                                jd_text(&request->arena,
                                        "Precondition failed: ResourceVersion in precondition: %s, "
                                        "ResourceVersion in object meta: %.*s",
                                        version, (int)known.len, known.ptr));
    return true;
}

static bool read_delete_options(struct jd_request *request, struct json_object **out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    size_t len = 0;
    const char *body = jd_exchange_body(request->exchange, &len);
    if (!jd_read_dry_run(request, jd_exchange_query(request->exchange, "dryRun")) ||
        !jd_check_size(request, len))
        return false;
    if (len > 0 && jd_tree_read_body(body, len, true, out, &err) < 0)
        return jd_fail_body(request, &err);
    return true;
}

static bool read_options_dry_run(struct jd_request *request, struct json_object *options)
{
    struct json_object *words = jd_json_at(options, "dryRun");
    return jd_json_count(words) == 0 ||
           jd_read_dry_run(request, json_object_get_string(json_object_array_get_idx(words, 0)));
}

/* With finalizers it stays until they are gone. false = a Status was given. */
static void delete_later(struct jd_request *request, struct jd_object *object,
                         struct json_object *tree)
{
    struct jd_writing writing = { .request = request, .tree = tree };
    struct json_object *metadata = jd_tree_child(tree, "metadata");
    char time[JL_TIME_TEXT];
    if (!jd_json_at(metadata, "deletionTimestamp")) {
        jl_format_time(jd_api_now_ms(request->api), time);
        jd_tree_set(metadata, "deletionTimestamp", time);
        json_object_object_add(metadata, "deletionGracePeriodSeconds", json_object_new_int64(0));
    }
    jd_update_store(&writing, object);
}

/* Not the answer to it. */
static void remove_quietly(struct jd_request *request, struct jd_object *object)
{
    struct jd_object *last;
    struct jd_object *before = jd_object_hold(object);
    if (jd_api_remove(request->api, object, &last) == 0)
        jd_done(request, before, last, true);
    jd_object_release(before);
}

static void remove_matches(struct jd_request *request, const struct jd_collection *collection,
                           const struct jd_filter *filter)
{
    for (size_t i = 0; i < collection->slot_count; i++) {
        struct jd_object *object = collection->slots[i].object;
        if (object && jd_filter_matches(filter, object))
            remove_quietly(request, object);
    }
}

/* A namespace takes with it what is in it. */
static void empty_namespace(struct jd_request *request, const char *name)
{
    const struct jd_store *store = &request->api->store;
    const struct jd_filter filter = { .name_space = name };
    for (size_t i = 0; i < store->collection_count; i++)
        remove_matches(request, &store->collections[i], &filter);
}

/* Preconditions first; with finalizers it only gets its deletion timestamp. */
void jd_delete_object(struct jd_request *request, struct jd_object *object,
                      struct json_object *options)
{
    if (!read_options_dry_run(request, options) || !check_preconditions(request, options, object))
        return;
    JL_CLEANUP(jd_json_freep) struct json_object *tree = jd_object_tree(object);
    if (!tree) {
        jd_fail_memory(request);
    } else if (jd_json_count(jd_json_at(tree, "metadata.finalizers")) > 0) {
        delete_later(request, object, tree);
    } else if (request->is_dry_run) {
        jd_succeed(request, object->name, object->uid);
    } else {
        if (jl_same(request->kind->plural, "namespaces"))
            empty_namespace(request, object->name);
        jd_reply_removed(request, object);
    }
}

void jd_serve_delete(struct jd_request *request)
{
    JL_CLEANUP(jd_json_freep) struct json_object *options = NULL;
    struct jd_object *object = jd_find_object(request);
    if (!read_delete_options(request, &options))
        return;
    if (object)
        jd_delete_object(request, object, options);
    else
        jd_fail_not_found(request);
}

void jd_serve_delete_collection(struct jd_request *request)
{
    JL_CLEANUP(jd_json_freep) struct json_object *options = NULL;
    struct jd_filter filter;
    if (!read_delete_options(request, &options) || !read_options_dry_run(request, options) ||
        !jd_filter_read(request, &filter, &request->arena))
        return;
    if (!request->is_dry_run)
        remove_matches(request, jd_store_of(&request->api->store, request->kind), &filter);
    jd_succeed(request, NULL, NULL);
}
