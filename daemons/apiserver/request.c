/* SPDX-License-Identifier: Apache-2.0 */

/* From a request to the function that answers it. */

#include <string.h>

#include "apiserver/parts.h"
#include "base/memory.h"
#include "runtime/http_target.h"

static const char not_found[] = "404 page not found\n"; /* as kube-apiserver */

static bool is_get(const struct jd_request *request)
{
    return jl_same(request->method, "GET");
}

/* ---- what may be answered ---- */

static bool take_form(struct jd_request *request, const struct jd_range *range)
{
    const struct jl_text as = jd_range_parameter(range, "as");
    const struct jl_text version = jd_range_parameter(range, "v");
    const bool is_v1 = !version.ptr || jl_text_is(version, "v1");
    struct jd_view *view = &request->view;
    if (!jl_text_is(range->type, "application/json") && !jl_text_is(range->type, "*/*") &&
        !jl_text_is(range->type, "application/*"))
        return false;
    if (as.len == 0 || jl_text_is(as, "APIGroupDiscoveryList"))
        return true;
    if (jl_text_is(as, "Table") && (is_v1 || jl_text_is(version, "v1beta1"))) {
        view->form = JD_FORM_TABLE;
        view->table_version = is_v1 ? "v1" : "v1beta1";
        return true;
    }
    if (is_v1 &&
        (jl_text_is(as, "PartialObjectMetadata") || jl_text_is(as, "PartialObjectMetadataList"))) {
        view->form = JD_FORM_METADATA;
        return true;
    }
    return false;
}

/* The first form in the list that we have. */
static bool read_accept(struct jd_request *request)
{
    const char *header = jd_exchange_header(request->exchange, "Accept");
    struct jl_text rest = jl_text(header);
    struct jd_range range;
    if (jl_is_empty(header))
        return true;
    while (jd_range_next(&rest, &range)) {
        if (take_form(request, &range))
            return true;
    }
    return false;
}

static void read_row_object(struct jd_request *request)
{
    const char *word = jd_exchange_query(request->exchange, "includeObject");
    if (jl_same(word, "Object"))
        request->view.row_object = JD_ROW_OBJECT;
    else if (jl_same(word, "None"))
        request->view.row_object = JD_ROW_NONE;
}

/* ---- paths ---- */

struct path {
    const char *group;
    const char *version;
    const char *plural;
    const char *subresource;
};

static const char *segment(const struct jd_request *request, size_t index)
{
    return jd_exchange_segment(request->exchange, index);
}

/* "…/namespaces/NS/PLURAL…" is about what is in the namespace, unless nothing has that name. */
static bool read_resource(struct jd_request *request, struct path *path, size_t at)
{
    const struct jd_kinds *kinds = &request->api->kinds;
    const char *inner = segment(request, at + 2);
    const bool is_in_namespace = jl_same(segment(request, at), "namespaces") && inner &&
                                 jd_kind_find(kinds, path->group, path->version, inner);
    if (is_in_namespace) {
        request->name_space = segment(request, at + 1);
        at += 2;
    }
    path->plural = segment(request, at);
    request->name = segment(request, at + 1);
    path->subresource = segment(request, at + 2);
    request->kind = jd_kind_find(kinds, path->group, path->version, path->plural);
    if (!request->kind || jd_exchange_segments(request->exchange) > at + 3)
        return false;
    const bool is_namespaced = jd_kind_is(request->kind, JD_KIND_NAMESPACED);
    if (is_in_namespace && (!is_namespaced || jl_is_empty(request->name_space)))
        return false;
    return is_in_namespace || !is_namespaced || !request->name;
}

/* Words of paths as constants: they outlive the call. */
static const char *known_subresource(const struct jd_request *request, const char *word)
{
    const bool is_pod = jl_same(request->kind->plural, "pods");
    if (!word)
        return "";
    if (jl_same(word, "status") && jd_kind_is(request->kind, JD_KIND_STATUS))
        return "status";
    if (is_pod && jl_same(word, "binding"))
        return "binding";
    return is_pod && jl_same(word, "eviction") ? "eviction" : NULL;
}

/* /api/v1/… or /apis/GROUP/VERSION/…, with or without a namespace, an object and a subresource. */
static bool read_path(struct jd_request *request)
{
    struct path path = { .group = "" };
    const bool is_core = jl_same(segment(request, 0), "api");
    if (!is_core && !jl_same(segment(request, 0), "apis"))
        return false;
    if (!is_core)
        path.group = segment(request, 1);
    path.version = segment(request, is_core ? 1 : 2);
    if (!path.group || !path.version || !read_resource(request, &path, is_core ? 2 : 3))
        return false;
    request->subresource = known_subresource(request, path.subresource);
    if (!request->subresource)
        return false;
    request->view.is_core_event = is_core && jl_same(path.plural, "events");
    request->kind = jl_same(path.plural, "events")
                        ? jd_kind_by_plural(&request->api->kinds, "events")
                        : request->kind;
    request->view.kind = request->kind;
    return true;
}

/* ---- verbs ---- */

struct route {
    const char *method;
    const char *verb;
    void (*serve)(struct jd_request *request);
};

static const struct route collection_routes[] = {
    { "GET", "list", jd_serve_list },
    { "POST", "create", jd_serve_create },
    { "DELETE", "deletecollection", jd_serve_delete_collection },
};
static const struct route object_routes[] = {
    { "GET", "get", jd_serve_get },
    { "PUT", "update", jd_serve_update },
    { "PATCH", "patch", jd_serve_patch },
    { "DELETE", "delete", jd_serve_delete },
};
static const struct route status_routes[] = {
    { "GET", "get", jd_serve_get },
    { "PUT", "update", jd_serve_update },
    { "PATCH", "patch", jd_serve_patch },
};
static const struct route action_routes[] = { { "POST", "create", jd_serve_create } };
static const struct route watch_route = { "GET", "watch", jd_serve_watch };

/* The verb is what the method means at this path: GET of a collection is list or watch. */
static const struct route *find_route(const struct jd_request *request)
{
    const struct route *routes = collection_routes;
    size_t count = JL_COUNT(collection_routes);
    if (request->name && jl_same(request->subresource, "")) {
        routes = object_routes;
        count = JL_COUNT(object_routes);
    } else if (jl_same(request->subresource, "status")) {
        routes = status_routes;
        count = JL_COUNT(status_routes);
    } else if (request->name) {
        routes = action_routes;
        count = JL_COUNT(action_routes);
    }
    for (size_t i = 0; i < count; i++) {
        if (jl_same(routes[i].method, request->method))
            return &routes[i];
    }
    return NULL;
}

static bool is_true(const char *text)
{
    return text && !jl_same(text, "0") && !jl_same(text, "false");
}

static bool is_allowed(const struct jd_request *request, const struct route *route)
{
    const bool is_read = is_get(request);
    const bool is_all = jd_kind_is(request->kind, JD_KIND_NAMESPACED) && !request->name_space;
    if (jd_kind_is(request->kind, JD_KIND_CREATE))
        return route->serve == jd_serve_create;
    if (route->serve == jd_serve_delete_collection && jl_same(request->kind->plural, "namespaces"))
        return false;
    if (jd_kind_is(request->kind, JD_KIND_READONLY) && !is_read)
        return false;
    return is_read || !is_all;
}

static const struct route *choose(struct jd_request *request)
{
    const struct route *route = find_route(request);
    request->verb = route ? route->verb : "other";
    if (!route || !is_allowed(request, route))
        return NULL;
    if (route->serve == jd_serve_list && is_true(jd_exchange_query(request->exchange, "watch"))) {
        request->verb = "watch";
        return &watch_route;
    }
    return route;
}

/* true = it is answered. Faults come before the request is served, so that a repeated one finds
 * nothing done. */
static bool make_fail(struct jd_request *request)
{
    if (jd_fault(request->api, JD_FAULT_TOO_MANY)) {
        jd_fail(request, 429, "TooManyRequests", "Too many requests, please try again later.");
        return true;
    }
    if (jd_fault(request->api, JD_FAULT_INTERNAL)) {
        jd_fail(request, 500, "InternalError", "Internal error occurred: made to fail");
        return true;
    }
    return false;
}

static void serve_resource(struct jd_request *request)
{
    const struct route *route = choose(request);
    if (make_fail(request))
        return;
    if (!read_accept(request))
        jd_fail(request, 406, "NotAcceptable",
                "only the following media types are accepted: application/json");
    else if (!route)
        jd_fail(request, 405, "MethodNotAllowed",
                "the server does not allow this method on the requested resource");
    else
        route->serve(request);
}

/* ---- all ---- */

static bool serve_health(struct jd_request *request)
{
    const char *first = segment(request, 0);
    if (!jl_same(first, "livez") && !jl_same(first, "readyz") && !jl_same(first, "healthz"))
        return false;
    if (!is_get(request))
        jd_exchange_text(request->exchange, 405, "GET only\n");
    else if (jd_exchange_query(request->exchange, "verbose"))
        jd_exchange_text(request->exchange, 200,
                         jd_text(&request->arena, "[+]ping ok\n%s check passed\n", first));
    else
        jd_exchange_text(request->exchange, 200, "ok");
    return true;
}

static void serve(struct jd_request *request)
{
    struct jd_api *api = request->api;
    if (serve_health(request))
        return;
    if (jl_same(segment(request, 0), "faults") && jd_exchange_segments(request->exchange) == 1) {
        jd_serve_faults(request);
        return;
    }
    if (read_path(request)) {
        serve_resource(request);
        return;
    }
    request->kind = NULL;
    request->name = NULL;
    request->verb = "get";
    if (jd_serve_discovery(request) || jd_serve_openapi(request))
        return;
    if (api->options.other && api->options.other(api->options.user, request->exchange))
        return;
    jd_count(request, 404);
    jd_exchange_reply(request->exchange, 404, "text/plain; charset=utf-8", not_found,
                      strlen(not_found));
}

static const char *client_of(struct jd_request *request)
{
    const char *agent = jd_exchange_header(request->exchange, "User-Agent");
    if (jl_is_empty(agent))
        return "unknown";
    const size_t len = strcspn(agent, "/ ");
    const char *name = jl_arena_copy(&request->arena, agent, len < 64 ? len : 64);
    return jl_is_empty(name) ? "unknown" : name;
}

/* To on_write, behind the answer: it may write itself. */
static void report(const struct jd_request *request, const struct jd_done *done)
{
    const struct jd_object *object = done->after;
    const struct jd_api_write write = {
        .verb = done->is_deletion ? "delete" : request->verb,
        .resource = object->kind->plural,
        .subresource = request->subresource,
        .name_space = object->name_space,
        .name = object->name,
        .old_text = done->before ? done->before->text : NULL,
        .new_text = done->is_deletion ? NULL : object->text,
        .client = request->client,
    };
    request->api->options.on_write(request->api->options.user, &write);
}

static void report_all(struct jd_request *request)
{
    for (size_t i = 0; i < request->done_count; i++) {
        if (request->api->options.on_write)
            report(request, &request->done[i]);
        jd_object_release(request->done[i].before);
        jd_object_release(request->done[i].after);
    }
    jl_free(request->done);
}

void jd_serve(void *user, struct jd_exchange *exchange)
{
    struct jd_request request = {
        .api = user,
        .exchange = exchange,
        .method = jd_exchange_method(exchange),
        .subresource = "",
        .verb = "other",
        .view = { .table_version = "v1" },
    };
    request.client = client_of(&request);
    read_row_object(&request);
    serve(&request); /* the call is gone now */
    report_all(&request);
    jl_arena_clear(&request.arena);
}
