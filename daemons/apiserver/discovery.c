/* SPDX-License-Identifier: Apache-2.0 */

/* /api, /apis, /version: what there is, in the old form and in the aggregated one. */

#include <string.h>

#include <joulie/version.h>

#include "apiserver/parts.h"

static const char all_verbs[] =
    "\"create\",\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"update\",\"watch\"";
static const char single_verbs[] = /* of namespaces, which take their contents with them */
    "\"create\",\"delete\",\"get\",\"list\",\"patch\",\"update\",\"watch\"";
static const char read_verbs[] = "\"get\",\"list\",\"watch\"";
static const char status_verbs[] = "\"get\",\"patch\",\"update\"";
static const char create_verbs[] = "\"create\"";

static const char *verbs_of(const struct jd_kind *kind)
{
    if (jd_kind_is(kind, JD_KIND_CREATE))
        return create_verbs;
    if (jl_same(kind->plural, "namespaces"))
        return single_verbs;
    return jd_kind_is(kind, JD_KIND_READONLY) ? read_verbs : all_verbs;
}

struct subresource {
    const char *name;
    const char *group;
    const char *version;
    const char *kind; /* NULL = that of its object */
    const char *verbs;
};

static const struct subresource pod_actions[] = {
    { "binding", "", "v1", "Binding", create_verbs },
    { "eviction", "policy", "v1", "Eviction", create_verbs },
};
static const struct subresource status_part = { "status", "", "", NULL, status_verbs };

static const struct subresource *subresource_at(const struct jd_kind *kind, size_t index)
{
    const bool is_pod = jl_same(kind->plural, "pods");
    if (is_pod && index < JL_COUNT(pod_actions))
        return &pod_actions[index];
    index -= is_pod ? JL_COUNT(pod_actions) : 0;
    return index == 0 && jd_kind_is(kind, JD_KIND_STATUS) ? &status_part : NULL;
}

static void put_words(struct jl_buffer *out, const char *key, const char *const *words)
{
    if (!words || !words[0])
        return;
    jl_put_string(out, ",\"");
    jl_put_string(out, key);
    jl_put_string(out, "\":[");
    for (size_t i = 0; words[i]; i++) {
        jl_put_string(out, i > 0 ? ",\"" : "\"");
        jl_put_string(out, words[i]);
        jl_put_char(out, '"');
    }
    jl_put_char(out, ']');
}

/* "key":"value", of words that need no escapes. */
static void put_pair(struct jl_buffer *out, const char *key, const char *value)
{
    jl_put_char(out, '"');
    jl_put_string(out, key);
    jl_put_string(out, "\":\"");
    jl_put_string(out, value);
    jl_put_char(out, '"');
}

/* The next kind that begins a group and version; NULL = none is left. */
static const struct jd_kind *next_group(const struct jd_kinds *kinds, size_t *at)
{
    for (; *at < kinds->count; ++*at) {
        const struct jd_kind *kind = &kinds->items[*at];
        bool is_first = true;
        for (size_t i = 0; i < *at && is_first; i++)
            is_first = !jl_same(kinds->items[i].api_version, kind->api_version);
        if (is_first) {
            ++*at;
            return kind;
        }
    }
    return NULL;
}

/* ---- the old form ---- */

static void put_resource_head(struct jl_buffer *out, const struct jd_kind *kind,
                              const struct subresource *part)
{
    jl_put_string(out, "{\"name\":\"");
    jl_put_string(out, kind->plural);
    if (part) {
        jl_put_char(out, '/');
        jl_put_string(out, part->name);
    }
    jl_put_string(out, "\",");
    put_pair(out, "singularName", part ? "" : kind->singular);
    jl_put_string(out, jd_kind_is(kind, JD_KIND_NAMESPACED) ? ",\"namespaced\":true,"
                                                            : ",\"namespaced\":false,");
    if (part && part->kind) {
        put_pair(out, "group", part->group);
        jl_put_char(out, ',');
        put_pair(out, "version", part->version);
        jl_put_char(out, ',');
    }
    put_pair(out, "kind", part && part->kind ? part->kind : kind->kind);
    jl_put_string(out, ",\"verbs\":[");
    jl_put_string(out, part ? part->verbs : verbs_of(kind));
    jl_put_char(out, ']');
}

static void put_resource(struct jl_buffer *out, const struct jd_kind *kind, bool is_first)
{
    const struct subresource *part;
    jl_put_string(out, is_first ? "" : ",");
    put_resource_head(out, kind, NULL);
    put_words(out, "shortNames", kind->short_names);
    put_words(out, "categories", kind->categories);
    jl_put_char(out, '}');
    for (size_t i = 0; (part = subresource_at(kind, i)) != NULL; i++) {
        jl_put_char(out, ',');
        put_resource_head(out, kind, part);
        jl_put_char(out, '}');
    }
}

static bool put_resources(struct jl_buffer *out, const struct jd_kinds *kinds,
                          const char *api_version)
{
    bool is_first = true;
    jl_put_string(out, "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",");
    put_pair(out, "groupVersion", api_version);
    jl_put_string(out, ",\"resources\":[");
    for (size_t i = 0; i < kinds->count; i++) {
        if (!jl_same(kinds->items[i].api_version, api_version))
            continue;
        put_resource(out, &kinds->items[i], is_first);
        is_first = false;
    }
    jl_put_string(out, "]}");
    return !is_first;
}

static void put_group(struct jl_buffer *out, const struct jd_kind *kind, bool is_alone)
{
    jl_put_string(out, is_alone ? "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"," : "{");
    put_pair(out, "name", kind->group);
    jl_put_string(out, ",\"versions\":[{");
    put_pair(out, "groupVersion", kind->api_version);
    jl_put_char(out, ',');
    put_pair(out, "version", kind->version);
    jl_put_string(out, "}],\"preferredVersion\":{");
    put_pair(out, "groupVersion", kind->api_version);
    jl_put_char(out, ',');
    put_pair(out, "version", kind->version);
    jl_put_string(out, "}}");
}

static void put_groups(struct jl_buffer *out, const struct jd_kinds *kinds)
{
    const struct jd_kind *kind;
    size_t at = 0;
    bool is_first = true;
    jl_put_string(out, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
    while ((kind = next_group(kinds, &at)) != NULL) {
        if (kind->group[0] == '\0')
            continue;
        jl_put_string(out, is_first ? "" : ",");
        put_group(out, kind, false);
        is_first = false;
    }
    jl_put_string(out, "]}");
}

/* ---- the aggregated form ---- */

static void put_response_kind(struct jl_buffer *out, const char *group, const char *version,
                              const char *kind)
{
    jl_put_string(out, "\"responseKind\":{");
    put_pair(out, "group", group);
    jl_put_char(out, ',');
    put_pair(out, "version", version);
    jl_put_char(out, ',');
    put_pair(out, "kind", kind);
    jl_put_char(out, '}');
}

static void put_part(struct jl_buffer *out, const struct jd_kind *kind,
                     const struct subresource *part)
{
    jl_put_char(out, '{');
    put_pair(out, "subresource", part->name);
    jl_put_char(out, ',');
    if (part->kind)
        put_response_kind(out, part->group, part->version, part->kind);
    else
        put_response_kind(out, kind->group, kind->version, kind->kind);
    jl_put_string(out, ",\"verbs\":[");
    jl_put_string(out, part->verbs);
    jl_put_string(out, "]}");
}

static void put_aggregated_resource(struct jl_buffer *out, const struct jd_kind *kind)
{
    const struct subresource *part;
    jl_put_char(out, '{');
    put_pair(out, "resource", kind->plural);
    jl_put_char(out, ',');
    put_response_kind(out, kind->group, kind->version, kind->kind);
    jl_put_char(out, ',');
    put_pair(out, "scope", jd_kind_is(kind, JD_KIND_NAMESPACED) ? "Namespaced" : "Cluster");
    jl_put_char(out, ',');
    put_pair(out, "singularResource", kind->singular);
    jl_put_string(out, ",\"verbs\":[");
    jl_put_string(out, verbs_of(kind));
    jl_put_char(out, ']');
    put_words(out, "shortNames", kind->short_names);
    put_words(out, "categories", kind->categories);
    for (size_t i = 0; (part = subresource_at(kind, i)) != NULL; i++) {
        jl_put_string(out, i > 0 ? "," : ",\"subresources\":[");
        put_part(out, kind, part);
    }
    jl_put_string(out, subresource_at(kind, 0) ? "]}" : "}");
}

static void put_aggregated_group(struct jl_buffer *out, const struct jd_kinds *kinds,
                                 const struct jd_kind *group)
{
    bool is_first = true;
    jl_put_string(out, "{\"metadata\":{");
    put_pair(out, "name", group->group);
    jl_put_string(out, ",\"creationTimestamp\":null},\"versions\":[{");
    put_pair(out, "version", group->version);
    jl_put_string(out, ",\"resources\":[");
    for (size_t i = 0; i < kinds->count; i++) {
        if (!jl_same(kinds->items[i].api_version, group->api_version))
            continue;
        jl_put_string(out, is_first ? "" : ",");
        put_aggregated_resource(out, &kinds->items[i]);
        is_first = false;
    }
    jl_put_string(out, "],\"freshness\":\"Current\"}]}");
}

static void put_aggregated(struct jl_buffer *out, const struct jd_kinds *kinds, bool is_core,
                           const char *version)
{
    const struct jd_kind *kind;
    size_t at = 0;
    bool is_first = true;
    jl_put_string(out, "{\"kind\":\"APIGroupDiscoveryList\",");
    jl_put_string(out, "\"apiVersion\":\"apidiscovery.k8s.io/");
    jl_put_string(out, version);
    jl_put_string(out, "\",\"metadata\":{},\"items\":[");
    while ((kind = next_group(kinds, &at)) != NULL) {
        if ((kind->group[0] == '\0') != is_core)
            continue;
        jl_put_string(out, is_first ? "" : ",");
        put_aggregated_group(out, kinds, kind);
        is_first = false;
    }
    jl_put_string(out, "]}");
}

/* "v2", "v2beta1", or NULL: the version that a client wants most. */
static const char *aggregated_version(const struct jd_request *request)
{
    const char *accept = jd_exchange_header(request->exchange, "Accept");
    struct jl_text rest = jl_text(accept);
    while (rest.len > 0) {
        struct jl_text range = jl_text_cut(&rest, ',');
        bool is_json = jl_text_is(jl_text_trim(jl_text_cut(&range, ';')), "application/json");
        bool is_list = false;
        const char *version = NULL;
        while (range.len > 0) {
            const struct jl_text parameter = jl_text_trim(jl_text_cut(&range, ';'));
            is_list = is_list || jl_text_is(parameter, "as=APIGroupDiscoveryList");
            if (jl_text_is(parameter, "v=v2"))
                version = "v2";
            else if (jl_text_is(parameter, "v=v2beta1"))
                version = "v2beta1";
        }
        if (is_json && is_list && version)
            return version;
        if (is_json && !is_list)
            return NULL;
    }
    return NULL;
}

/* ---- requests ---- */

static void reply(struct jd_request *request, const char *type, const struct jl_buffer *text)
{
    if (text->is_failed)
        jd_fail_memory(request);
    else
        jd_reply_as(request, 200, type, text->data, text->len);
}

static void serve_roots(struct jd_request *request, bool is_core)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct jd_kinds *kinds = &request->api->kinds;
    const char *version = aggregated_version(request);
    const char *type = "application/json";
    if (version) {
        put_aggregated(&text, kinds, is_core, version);
        type = jd_text(&request->arena,
                       "application/json;g=apidiscovery.k8s.io;v=%s;as=APIGroupDiscoveryList",
                       version);
    } else if (is_core) {
        jl_put_string(&text, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
                             "\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
                             "\"serverAddress\":\"");
        jl_put_string(&text, jd_server_url(request->api->server) + strlen("http://"));
        jl_put_string(&text, "\"}]}");
    } else {
        put_groups(&text, kinds);
    }
    reply(request, type, &text);
}

static bool serve_group(struct jd_request *request, const char *group)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct jd_kinds *kinds = &request->api->kinds;
    const struct jd_kind *kind;
    size_t at = 0;
    while ((kind = next_group(kinds, &at)) != NULL) {
        if (!jl_same(kind->group, group) || group[0] == '\0')
            continue;
        put_group(&text, kind, true);
        reply(request, "application/json", &text);
        return true;
    }
    return false;
}

static bool serve_version(struct jd_request *request, const char *api_version)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (!put_resources(&text, &request->api->kinds, api_version))
        return false;
    reply(request, "application/json", &text);
    return true;
}

/* A server whose clients need not ask for anything newer. */
static void serve_server_version(struct jd_request *request)
{
    static const char text[] =
        "{\"major\":\"1\",\"minor\":\"34\",\"gitVersion\":\"v1.34.0+joulie\",\"gitCommit\":\"\","
        "\"gitTreeState\":\"\",\"buildDate\":\"\",\"goVersion\":\"\",\"compiler\":\"\","
        "\"platform\":\"\"}";
    jd_reply(request, 200, text, strlen(text));
}

static bool serve_path(struct jd_request *request)
{
    const size_t count = jd_exchange_segments(request->exchange);
    const char *first = jd_exchange_segment(request->exchange, 0);
    const char *second = jd_exchange_segment(request->exchange, 1);
    const char *third = jd_exchange_segment(request->exchange, 2);
    const bool is_core = jl_same(first, "api");
    if (count == 1 && jl_same(first, "version")) {
        serve_server_version(request);
        return true;
    }
    if (!is_core && !jl_same(first, "apis"))
        return false;
    if (count == 1) {
        serve_roots(request, is_core);
        return true;
    }
    if (count == 2 && second)
        return is_core ? serve_version(request, second) : serve_group(request, second);
    return count == 3 && !is_core && second && third &&
           serve_version(request, jd_text(&request->arena, "%s/%s", second, third));
}

bool jd_serve_discovery(struct jd_request *request)
{
    return jl_same(request->method, "GET") && serve_path(request);
}
