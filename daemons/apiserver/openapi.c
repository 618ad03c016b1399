/* SPDX-License-Identifier: Apache-2.0 */

/* /openapi/v3: an index, and one document per group and version, for kubectl explain and the
 * checks of kubectl before a write. */

#include <string.h>

#include "apiserver/parts.h"
#include "base/text.h"

#define META "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

/* "api/v1", "apis/joulie.io/v1alpha1". */
static const char *document_name(struct jd_request *request, const struct jd_kind *kind)
{
    return jd_text(&request->arena, kind->group[0] ? "apis/%s" : "api/%s", kind->api_version);
}

/* ---- paths ---- */

#define GROUP_VERSION_KIND "{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"}"

static void put_operation(struct jl_buffer *out, const struct jd_kind *kind, const char *method,
                          const char *action)
{
    static const char *const parameters[] = { "dryRun", "fieldManager", "fieldValidation" };
    jd_put_format(out, "\"%s\":{\"x-kubernetes-action\":\"%s\",\"parameters\":[", method, action);
    for (size_t i = 0; !jl_same(method, "get") && i < JL_COUNT(parameters); i++)
        jd_put_format(out, "%s{\"name\":\"%s\",\"in\":\"query\",\"schema\":{\"type\":\"string\"}}",
                      i > 0 ? "," : "", parameters[i]);
    jd_put_format(out,
                  "],\"responses\":{\"200\":{\"description\":\"OK\"}},"
                  "\"x-kubernetes-group-version-kind\":" GROUP_VERSION_KIND "}",
                  kind->group, kind->version, kind->kind);
}

static void put_path(struct jl_buffer *out, const struct jd_kind *kind, bool is_object)
{
    static const char *const object_verbs[] = { "get", "patch", "put", "delete" };
    static const char *const collection_verbs[] = { "get", "post" };
    const char *const *verbs = is_object ? object_verbs : collection_verbs;
    const size_t count = jd_kind_is(kind, JD_KIND_READONLY) ? 1
                         : is_object                        ? JL_COUNT(object_verbs)
                                                            : JL_COUNT(collection_verbs);
    jd_json_next(out);
    jd_put_format(out, "\"/%s/%s%s%s%s\":{", kind->group[0] ? "apis" : "api", kind->api_version,
                  jd_kind_is(kind, JD_KIND_NAMESPACED) ? "/namespaces/{namespace}/" : "/",
                  kind->plural, is_object ? "/{name}" : "");
    for (size_t i = 0; i < count; i++) {
        jd_json_next(out);
        put_operation(out, kind, verbs[i], i == 0 && !is_object ? "list" : verbs[i]);
    }
    jl_put_char(out, '}');
}

/* ---- schemas ---- */

/* io.joulie.v1alpha1.NodeTwin, io.k8s.api.core.v1.Node */
static void put_schema_name(struct jl_buffer *out, const struct jd_kind *kind)
{
    struct jl_text group = jl_text(kind->group[0] ? kind->group : "core");
    const struct jl_text first = jl_text_cut(&group, '.');
    jd_put_format(out, "%s%.*s.%s.%s", jd_kind_is(kind, JD_KIND_CUSTOM) ? "io." : "io.k8s.api.",
                  (int)first.len, first.ptr, kind->version, kind->kind);
}

static struct json_object *schema_of(const struct jd_kind *kind)
{
    struct json_object *schema = NULL;
    if (kind->schema)
        return json_object_deep_copy(kind->schema, &schema, NULL) == 0 ? schema : NULL;
    schema = jd_built_in_schema(kind->api_version, kind->kind);
    if (!schema)
        return NULL;
    jd_tree_set(schema, "description", kind->doc);
    struct json_object *properties = jd_tree_child(schema, "properties");
    static const char *const heads[] = { "apiVersion", "kind" };
    static const char *const docs[] = { "Version of the schema of this object.",
                                        "Kind of this object." };
    for (size_t i = 0; i < JL_COUNT(heads); i++) {
        struct json_object *member = json_object_new_object();
        jd_tree_set(member, "type", "string");
        jd_tree_set(member, "description", docs[i]);
        json_object_object_add(properties, heads[i], member);
    }
    return schema;
}

static void put_schema(struct jl_buffer *out, const struct jd_kind *kind)
{
    JL_CLEANUP(jd_json_freep) struct json_object *schema = schema_of(kind);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct json_object *reference = json_object_new_object();
    struct json_object *all = json_object_new_array();
    if (!schema || !reference || !all) {
        json_object_put(reference);
        json_object_put(all);
        out->is_failed = true;
        return;
    }
    jd_tree_set(reference, "$ref", "#/components/schemas/" META);
    json_object_array_add(all, reference);
    struct json_object *metadata = json_object_new_object();
    jd_tree_set(metadata, "description", "Standard object's metadata.");
    json_object_object_add(metadata, "allOf", all);
    json_object_object_add(jd_tree_child(schema, "properties"), "metadata", metadata);
    jl_put_char(out, '"');
    put_schema_name(out, kind);
    jl_put_string(out, "\":");
    jd_json_put_tree(&text, schema);
    if (text.is_failed || text.len < 2) {
        out->is_failed = true;
        return;
    }
    jl_put(out, text.data, text.len - 1); /* its last brace comes below */
    jd_put_format(out, ",\"x-kubernetes-group-version-kind\":[" GROUP_VERSION_KIND "]}",
                  kind->group, kind->version, kind->kind);
}

/* ---- documents ---- */

static void put_document(struct jl_buffer *out, const struct jd_kinds *kinds,
                         const char *api_version)
{
    jl_put_string(out, "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"Joulie embedded API\","
                       "\"version\":\"v1\"},\"paths\":{");
    for (size_t i = 0; i < kinds->count; i++) {
        const struct jd_kind *kind = &kinds->items[i];
        if (!jl_same(kind->api_version, api_version) || jd_kind_is(kind, JD_KIND_CREATE))
            continue;
        put_path(out, kind, false);
        put_path(out, kind, true);
    }
    jl_put_string(out, "},\"components\":{\"schemas\":{\"" META "\":");
    JL_CLEANUP(jd_json_freep) struct json_object *metadata = jd_built_in_schema("", "ObjectMeta");
    jd_json_put_tree(out, metadata);
    for (size_t i = 0; i < kinds->count; i++) {
        if (!jl_same(kinds->items[i].api_version, api_version))
            continue;
        jl_put_char(out, ',');
        put_schema(out, &kinds->items[i]);
    }
    jl_put_string(out, "}}}");
}

/* The hash lets clients keep a document as long as it is the same. */
static void put_index(struct jl_buffer *out, struct jd_request *request)
{
    const struct jd_kinds *kinds = &request->api->kinds;
    const struct jd_kind *kind;
    size_t at = 0;
    jl_put_string(out, "{\"paths\":{");
    while ((kind = jd_kind_next_group(kinds, &at)) != NULL) {
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer document = { 0 };
        const char *name = document_name(request, kind);
        put_document(&document, kinds, kind->api_version);
        const uint64_t hash = document.is_failed ? 0 : jl_hash(document.data, document.len);
        jd_json_next(out);
        jd_put_format(out, "\"%s\":{\"serverRelativeURL\":\"/openapi/v3/%s?hash=%016llX\"}", name,
                      name, (unsigned long long)hash);
    }
    jl_put_string(out, "}}");
}

static bool serve_document(struct jd_request *request)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct jd_kinds *kinds = &request->api->kinds;
    const char *path = jd_exchange_path(request->exchange) + strlen("/openapi/v3/");
    for (size_t i = 0; i < kinds->count; i++) {
        if (!jl_same(document_name(request, &kinds->items[i]), path))
            continue;
        put_document(&text, kinds, kinds->items[i].api_version);
        jd_reply_buffer(request, 200, &text);
        return true;
    }
    return false;
}

bool jd_serve_openapi(struct jd_request *request)
{
    const size_t count = jd_exchange_segments(request->exchange);
    if (!jl_same(request->method, "GET") ||
        !jl_same(jd_exchange_segment(request->exchange, 0), "openapi") ||
        !jl_same(jd_exchange_segment(request->exchange, 1), "v3"))
        return false;
    if (count > 2)
        return serve_document(request);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    put_index(&text, request);
    jd_reply_buffer(request, 200, &text);
    return true;
}
