/* SPDX-License-Identifier: Apache-2.0 */

/* /api, /apis, /version: what there is, in the old form and in the aggregated one. */

#include <string.h>

#include "apiserver/parts.h"
#include "runtime/http_target.h"

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
    jd_put_format(out, ",\"%s\":[", key);
    for (size_t i = 0; words[i]; i++)
        jd_put_format(out, "%s\"%s\"", i > 0 ? "," : "", words[i]);
    jl_put_char(out, ']');
}

/* ---- the old form ---- */

static void put_resource_head(struct jl_buffer *out, const struct jd_kind *kind,
                              const struct subresource *part)
{
    jd_put_format(out, "{\"name\":\"%s%s%s\",\"singularName\":\"%s\",\"namespaced\":%s",
                  kind->plural, part ? "/" : "", part ? part->name : "", part ? "" : kind->singular,
                  jd_kind_is(kind, JD_KIND_NAMESPACED) ? "true" : "false");
    if (part && part->kind)
        jd_put_format(out, ",\"group\":\"%s\",\"version\":\"%s\"", part->group, part->version);
    jd_put_format(out, ",\"kind\":\"%s\",\"verbs\":[%s]",
                  part && part->kind ? part->kind : kind->kind,
                  part ? part->verbs : verbs_of(kind));
}

static void put_resource(struct jl_buffer *out, const struct jd_kind *kind)
{
    const struct subresource *part;
    jd_json_next(out);
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
    bool is_known = false;
    jd_put_format(out,
                  "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"%s\","
                  "\"resources\":[",
                  api_version);
    for (size_t i = 0; i < kinds->count; i++) {
        if (!jl_same(kinds->items[i].api_version, api_version))
            continue;
        put_resource(out, &kinds->items[i]);
        is_known = true;
    }
    jl_put_string(out, "]}");
    return is_known;
}

static void put_group(struct jl_buffer *out, const struct jd_kind *kind, bool is_alone)
{
    jd_put_format(out,
                  "{%s\"name\":\"%s\",\"versions\":[{\"groupVersion\":\"%s\",\"version\":\"%s\"}],"
                  "\"preferredVersion\":{\"groupVersion\":\"%s\",\"version\":\"%s\"}}",
                  is_alone ? "\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"," : "", kind->group,
                  kind->api_version, kind->version, kind->api_version, kind->version);
}

static void put_groups(struct jl_buffer *out, const struct jd_kinds *kinds)
{
    const struct jd_kind *kind;
    size_t at = 0;
    jl_put_string(out, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
    while ((kind = jd_kind_next_group(kinds, &at)) != NULL) {
        if (kind->group[0] == '\0')
            continue;
        jd_json_next(out);
        put_group(out, kind, false);
    }
    jl_put_string(out, "]}");
}

/* ---- the aggregated form ---- */

#define RESPONSE_KIND "\"responseKind\":{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"}"

static void put_part(struct jl_buffer *out, const struct jd_kind *kind,
                     const struct subresource *part)
{
    jd_put_format(out, "{\"subresource\":\"%s\"," RESPONSE_KIND ",\"verbs\":[%s]}", part->name,
                  part->kind ? part->group : kind->group,
                  part->kind ? part->version : kind->version, part->kind ? part->kind : kind->kind,
                  part->verbs);
}

static void put_aggregated_resource(struct jl_buffer *out, const struct jd_kind *kind)
{
    const struct subresource *part;
    jd_put_format(out,
                  "{\"resource\":\"%s\"," RESPONSE_KIND
                  ",\"scope\":\"%s\",\"singularResource\":\"%s\",\"verbs\":[%s]",
                  kind->plural, kind->group, kind->version, kind->kind,
                  jd_kind_is(kind, JD_KIND_NAMESPACED) ? "Namespaced" : "Cluster", kind->singular,
                  verbs_of(kind));
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
    jd_put_format(out,
                  "{\"metadata\":{\"name\":\"%s\",\"creationTimestamp\":null},\"versions\":[{"
                  "\"version\":\"%s\",\"resources\":[",
                  group->group, group->version);
    for (size_t i = 0; i < kinds->count; i++) {
        if (!jl_same(kinds->items[i].api_version, group->api_version))
            continue;
        jd_json_next(out);
        put_aggregated_resource(out, &kinds->items[i]);
    }
    jl_put_string(out, "],\"freshness\":\"Current\"}]}");
}

static void put_aggregated(struct jl_buffer *out, const struct jd_kinds *kinds, bool is_core,
                           const char *version)
{
    const struct jd_kind *kind;
    size_t at = 0;
    jd_put_format(out,
                  "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/%s\","
                  "\"metadata\":{},\"items\":[",
                  version);
    while ((kind = jd_kind_next_group(kinds, &at)) != NULL) {
        if ((kind->group[0] == '\0') != is_core)
            continue;
        jd_json_next(out);
        put_aggregated_group(out, kinds, kind);
    }
    jl_put_string(out, "]}");
}

/* "v2", "v2beta1", or NULL: the version that a client wants most. */
static const char *aggregated_version(const struct jd_request *request)
{
    struct jl_text rest = jl_text(jd_exchange_header(request->exchange, "Accept"));
    struct jd_range range;
    while (jd_range_next(&rest, &range)) {
        const struct jl_text version = jd_range_parameter(&range, "v");
        if (!jl_text_is(range.type, "application/json"))
            continue;
        if (!jl_text_is(jd_range_parameter(&range, "as"), "APIGroupDiscoveryList"))
            return NULL;
        if (jl_text_is(version, "v2") || jl_text_is(version, "v2beta1"))
            return jl_text_is(version, "v2") ? "v2" : "v2beta1";
    }
    return NULL;
}

/* ---- requests ---- */

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
        jd_put_format(&text,
                      "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
                      "\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
                      "\"serverAddress\":\"%s\"}]}",
                      jd_server_url(request->api->server) + strlen("http://"));
    } else {
        put_groups(&text, kinds);
    }
    if (text.is_failed)
        jd_fail_memory(request);
    else
        jd_reply_as(request, 200, type, text.data, text.len);
}

static bool serve_group(struct jd_request *request, const char *group)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct jd_kinds *kinds = &request->api->kinds;
    const struct jd_kind *kind;
    size_t at = 0;
    while ((kind = jd_kind_next_group(kinds, &at)) != NULL) {
        if (!jl_same(kind->group, group) || group[0] == '\0')
            continue;
        put_group(&text, kind, true);
        jd_reply_buffer(request, 200, &text);
        return true;
    }
    return false;
}

static bool serve_version(struct jd_request *request, const char *api_version)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (!put_resources(&text, &request->api->kinds, api_version))
        return false;
    jd_reply_buffer(request, 200, &text);
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
