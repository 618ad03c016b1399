/* SPDX-License-Identifier: Apache-2.0 */

/*
 * From one state of an object to the next: what a server fills in, and the store and the watches
 * that learn of it. Called by every file that writes.
 */

#include <stdio.h>

#include "apiserver/parts.h"
#include "base/time.h"

static void new_uid(struct jd_api *api, char out[40])
{
    const uint64_t high = jl_random_next(&api->names);
    const uint64_t low = jl_random_next(&api->names);
    snprintf(out, 40, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(high >> 32),
             (unsigned)(high >> 16) & 0xffff, (unsigned)high & 0xfff,
             (unsigned)(low >> 48 & 0x3fff) | 0x8000, (unsigned long long)(low & 0xffffffffffff));
}

static bool has_same_spec(struct json_object *a, struct json_object *b)
{
    json_object_object_foreach(a, key, value)
    {
        struct json_object *other = NULL;
        if (jl_same(key, "metadata") || jl_same(key, "status"))
            continue;
        if (!json_object_object_get_ex(b, key, &other) || !json_object_equal(value, other))
            return false;
    }
    json_object_object_foreach(b, new_key, new_value)
    {
        (void)new_value;
        if (!jl_same(new_key, "metadata") && !jl_same(new_key, "status") &&
            !json_object_object_get_ex(a, new_key, NULL))
            return false;
    }
    return true;
}

/* 0: nothing but what the server fills in would change, so no version is made. */
static int complete_change(const struct jd_kind *kind, const struct jd_object *object,
                           struct json_object *tree)
{
    static const char *const kept[] = { "uid", "creationTimestamp", "generation",
                                        "resourceVersion" };
    JL_CLEANUP(jd_json_freep) struct json_object *before = jd_object_tree(object);
    struct json_object *metadata = jd_tree_child(tree, "metadata");
    if (!before)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < JL_COUNT(kept); i++)
        jd_tree_keep(metadata, jd_json_at(before, "metadata"), kept[i]);
    if (json_object_equal(before, tree))
        return 0;
    if (jd_kind_is(kind, JD_KIND_CUSTOM) && !has_same_spec(before, tree)) {
        const int64_t generation = json_object_get_int64(jd_json_at(metadata, "generation"));
        json_object_object_add(metadata, "generation", json_object_new_int64(generation + 1));
    }
    return 1;
}

int jd_api_complete(struct jd_api *api, const struct jd_kind *kind, const struct jd_object *before,
                    struct json_object *tree)
{
    struct json_object *metadata = jd_tree_child(tree, "metadata");
    char text[JL_TIME_TEXT];
    json_object_object_del(metadata, "managedFields");
    json_object_object_del(metadata, "selfLink");
    if (before)
        return complete_change(kind, before, tree);
    char uid[40];
    new_uid(api, uid);
    jd_tree_set(metadata, "uid", uid);
    jl_format_time(jd_api_now_ms(api), text);
    jd_tree_set(metadata, "creationTimestamp", text);
    if (jd_kind_is(kind, JD_KIND_CUSTOM))
        json_object_object_add(metadata, "generation", json_object_new_int64(1));
    return 1;
}

int jd_api_store(struct jd_api *api, const struct jd_kind *kind, struct json_object *tree,
                 struct jd_object **out)
{
    const int rc = jd_store_set(&api->store, kind, tree, out);
    if (rc == 0)
        jd_watches_wake(api);
    return rc;
}

int jd_api_remove(struct jd_api *api, struct jd_object *object, struct jd_object **out)
{
    const int rc = jd_store_remove(&api->store, object, out);
    if (rc == 0)
        jd_watches_wake(api);
    return rc;
}
