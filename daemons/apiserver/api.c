/* SPDX-License-Identifier: Apache-2.0 */

/* The server as a whole, and the simulator's own reads and writes. Requests come in by request.c.
 */

#include "apiserver/api.h"

#include <stdio.h>

#include "apiserver/parts.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/time.h"

#define DEFAULT_ADDRESS "127.0.0.1:18001"
#define MOST_CONNECTIONS 8192 /* 5,000 agents, each with a watch of its own */

/* ---- the simulator's own ---- */

/* What the simulator writes is taken as it is: no checks, no faults, no on_write. */
static int put_tree(struct jd_api *api, const struct jd_kind *kind, struct json_object *tree,
                    struct joulie_error *err)
{
    struct jd_object *object;
    const char *name = jd_json_text(tree, "metadata.name");
    if (jl_is_empty(name))
        return jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "the object has no name");
    struct jd_object *before =
        jd_store_get(&api->store, kind, jd_json_text(tree, "metadata.namespace"), name);
    int rc = jd_api_complete(api, kind, before, tree);
    if (rc == 1 && jd_api_store(api, kind, tree, &object) < 0)
        rc = JOULIE_E_NOMEM;
    return rc < 0 ? jl_fail_memory(err) : rc;
}

int jd_api_put(struct jd_api *api, const char *text, size_t len, struct joulie_error *err)
{
    JL_CLEANUP(jd_json_freep) struct json_object *tree = NULL;
    const int rc = jd_tree_read(text, len, &tree, err);
    if (rc < 0)
        return rc;
    const char *word = jd_json_text(tree, "kind");
    const struct jd_kind *kind =
        jd_kind_by_name(&api->kinds, jd_json_text(tree, "apiVersion"), word);
    if (!kind)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "no resource is of kind %.64s",
                       word ? word : "\"\"");
    if (!jl_same(jd_json_text(tree, "apiVersion"), kind->api_version))
        jd_event_from_core(tree);
    return put_tree(api, kind, tree, err);
}

int jd_api_merge(struct jd_api *api, const char *resource, const char *name_space, const char *name,
                 const char *patch, size_t len, struct joulie_error *err)
{
    JL_CLEANUP(jd_json_freep) struct json_object *tree = NULL;
    const struct jd_kind *kind = jd_kind_by_plural(&api->kinds, resource);
    if (!kind)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "", "there is no resource %.64s", resource);
    const struct jd_object *before = jd_store_get(&api->store, kind, name_space, name);
    if (!before)
        return jl_fail(err, JOULIE_E_REQUIRED, "", "%.64s \"%.253s\" not found", resource, name);
    const int rc = jd_tree_patched(before->text, before->len, patch, len, &tree, err);
    return rc < 0 ? rc : put_tree(api, kind, tree, err);
}

bool jd_api_delete(struct jd_api *api, const char *resource, const char *name_space,
                   const char *name)
{
    const struct jd_kind *kind = jd_kind_by_plural(&api->kinds, resource);
    struct jd_object *object = kind ? jd_store_get(&api->store, kind, name_space, name) : NULL;
    struct jd_object *last;
    return object && jd_api_remove(api, object, &last) == 0;
}

void jd_api_each(const struct jd_api *api, const char *resource,
                 bool (*visit)(void *user, const char *name_space, const char *name,
                               const char *text, size_t len),
                 void *user)
{
    const struct jd_kind *kind = jd_kind_by_plural(&api->kinds, resource);
    struct jd_collection *collection = kind ? jd_store_of(&api->store, kind) : NULL;
    if (!collection || jd_collection_order(collection) < 0)
        return;
    for (size_t i = 0; i < collection->order_count; i++) {
        const struct jd_object *object = jd_collection_item(collection, i);
        if (!visit(user, object->name_space, object->name, object->text, object->len))
            return;
    }
}

const char *jd_api_version(const struct jd_api *api)
{
    return jd_store_version(&api->store);
}

void jd_api_counts(const struct jd_api *api, struct jd_api_counts *out)
{
    *out = api->counts;
}

void jd_api_each_count(const struct jd_api *api,
                       void (*visit)(void *user, const char *client, const char *verb,
                                     const char *resource, int code, uint64_t count),
                       void *user)
{
    for (size_t i = 0; i < api->row_count; i++) {
        const struct jd_count_row *row = &api->rows[i];
        visit(user, row->client, row->verb, row->resource, row->code, row->count);
    }
}

/* ---- open and close ---- */

static int put_namespaces(struct jd_api *api, struct joulie_error *err)
{
    static const char *const names[] = { "default", "joulie-system", "kube-node-lease",
                                         "kube-public", "kube-system" };
    int rc = 0;
    for (size_t i = 0; i < JL_COUNT(names) && rc >= 0; i++) {
        char text[256];
        const int len = snprintf(text, sizeof text,
                                 "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{"
                                 "\"name\":\"%s\",\"labels\":{\"kubernetes.io/metadata.name\":"
                                 "\"%s\"}},\"spec\":{\"finalizers\":[\"kubernetes\"]},"
                                 "\"status\":{\"phase\":\"Active\"}}",
                                 names[i], names[i]);
        rc = jd_api_put(api, text, (size_t)len, err);
    }
    return rc;
}

/* What kubectl and clients wait for after the creation of a CRD. */
static void add_crd_status(const struct jd_api *api, struct json_object *crd)
{
    char time[JL_TIME_TEXT];
    struct json_object *status = jd_tree_child(crd, "status");
    struct json_object *conditions = json_object_new_array();
    static const char *const types[] = { "NamesAccepted", "Established" };
    static const char *const reasons[] = { "NoConflicts", "InitialNamesAccepted" };
    jl_format_time(jd_api_now_ms(api), time);
    for (size_t i = 0; i < JL_COUNT(types); i++) {
        struct json_object *condition = json_object_new_object();
        jd_tree_set(condition, "type", types[i]);
        jd_tree_set(condition, "status", "True");
        jd_tree_set(condition, "lastTransitionTime", time);
        jd_tree_set(condition, "reason", reasons[i]);
        json_object_array_add(conditions, condition);
    }
    json_object_object_add(status, "conditions", conditions);
    json_object_object_add(status, "acceptedNames", json_object_get(jd_json_at(crd, "spec.names")));
    struct json_object *versions = json_object_new_array();
    struct json_object *first = json_object_array_get_idx(jd_json_at(crd, "spec.versions"), 0);
    json_object_array_add(versions, json_object_get(jd_json_at(first, "name")));
    json_object_object_add(status, "storedVersions", versions);
}

/* Read-only objects, so that kubectl and clients find the kinds established. */
static int put_crds(struct jd_api *api, struct joulie_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < api->kinds.crd_count && rc >= 0; i++) {
        JL_CLEANUP(jd_json_freep) struct json_object *crd = NULL;
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
        if (json_object_deep_copy(api->kinds.crds[i], &crd, NULL) != 0)
            return jl_fail_memory(err);
        add_crd_status(api, crd);
        jd_json_put_tree(&text, crd);
        rc = text.is_failed ? jl_fail_memory(err) : jd_api_put(api, text.data, text.len, err);
    }
    return rc;
}

static int open_server(struct jd_api *api, struct joulie_error *err)
{
    const char *address = api->options.address;
    const struct jd_server_options options = {
        .address = address ? address : DEFAULT_ADDRESS,
        .is_local = true,
        .hosts = api->options.hosts,
        .most_body = JD_API_MOST_BODY + 1, /* one more is ours to refuse, with a Status */
        .most_connections = MOST_CONNECTIONS,
        .most_waiting = JD_API_MOST_WAITING,
        .handle = jd_serve,
        .user = api,
    };
    return jd_server_open(api->loop, &options, &api->server, err);
}

/* The store is complete before the server listens: the first list sees all of it. */
int jd_api_open(struct jd_loop *loop, const struct jd_api_options *options, struct jd_api **out,
                struct joulie_error *err)
{
    struct jd_api *api = jl_calloc(1, sizeof *api);
    if (!api)
        return jl_fail_memory(err);
    api->loop = loop;
    api->options = *options;
    api->names = (struct jl_random){ (uint64_t)jd_clock_wall_ms() };
    jd_api_set_faults(api, &options->faults);
    int rc = jd_kinds_open(&api->kinds, err);
    if (rc == 0 && jd_store_open(&api->store, &api->kinds, options->ring_events) < 0)
        rc = jl_fail_memory(err);
    if (rc == 0) {
        jd_watches_open(api);
        rc = put_namespaces(api, err);
    }
    if (rc >= 0)
        rc = put_crds(api, err);
    if (rc >= 0)
        rc = open_server(api, err);
    if (rc < 0) {
        jd_api_close(api);
        return rc;
    }
    *out = api;
    return 0;
}

/* Watches and slow answers go first; the calls that they hold end with the server. */
void jd_api_close(struct jd_api *api)
{
    if (!api)
        return;
    jd_watches_close(api);
    jd_trickles_close(api);
    if (api->server)
        jd_server_close(api->server);
    jd_store_close(&api->store);
    jd_kinds_close(&api->kinds);
    jl_free(api->rows);
    jl_free(api->clients);
    jl_arena_clear(&api->texts);
    jl_free(api);
}

const char *jd_api_url(const struct jd_api *api)
{
    return jd_server_url(api->server);
}

void jd_api_put_kubeconfig(const struct jd_api *api, struct jl_buffer *out)
{
    jd_put_format(
        out,
        "apiVersion: v1\nkind: Config\ncurrent-context: joulie\nclusters:\n"
        "- name: joulie\n  cluster:\n    server: %s\ncontexts:\n- name: joulie\n  context:\n"
        "    cluster: joulie\n    user: joulie\n    namespace: default\nusers:\n"
        "- name: joulie\n  user: {}\n",
        jd_api_url(api));
}
