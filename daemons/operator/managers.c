/* SPDX-License-Identifier: Apache-2.0 */

/* Who wrote an object, and which Deployments run: json of the API server, for coexist.c. */

#define _GNU_SOURCE /* memmem */

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "operator/coexist.h"
#include "runtime/json.h"

static const char *text_of(struct json_object *tree, const char *path)
{
    const char *text = jd_json_text(tree, path);
    return text ? text : "";
}

/* A label: its key has dots, so it is no path. */
static const char *label_of(struct json_object *meta, const char *key)
{
    struct json_object *found = NULL;
    json_object_object_get_ex(jd_json_at(meta, "labels"), key, &found);
    return json_object_is_type(found, json_type_string) ? json_object_get_string(found) : "";
}

static bool is_ours(struct jl_text manager)
{
    static const char kubectl[] = "kubectl";
    return jl_text_is(manager, "joulie-operator") || jl_text_is(manager, "joulie-agent") ||
           (manager.len >= sizeof kubectl - 1 &&
            memcmp(manager.ptr, kubectl, sizeof kubectl - 1) == 0);
}

/* Whether any manager has another name: most objects are not parsed a second time. */
static bool names_foreign(const char *text, size_t len)
{
    static const char key[] = "\"manager\":";
    const char *end = text + len;
    const char *at = memmem(text, len, key, sizeof key - 1);
    for (; at; at = memmem(at, (size_t)(end - at), key, sizeof key - 1)) {
        at += sizeof key - 1;
        struct jl_text rest = { at, (size_t)(end - at) };
        jl_text_cut(&rest, '"');
        if (!is_ours(jl_text_cut(&rest, '"')))
            return true;
    }
    return false;
}

static bool writes_spec(struct json_object *entry)
{
    return text_of(entry, "subresource")[0] == '\0' && jd_json_at(entry, "fieldsV1.f:spec");
}

bool jd_find_foreign(const char *text, size_t len, char *out_who, size_t size, int64_t *out_ms)
{
    if (!names_foreign(text, len))
        return false;
    struct json_object *root = jd_json_parse(text, len);
    struct json_object *entries = jd_json_at(root, "metadata.managedFields");
    bool is_found = false;
    for (size_t i = 0; i < jd_json_count(entries); i++) {
        struct json_object *entry = json_object_array_get_idx(entries, i);
        const char *manager = text_of(entry, "manager");
        const char *time = text_of(entry, "time");
        int64_t at_ms = 0;
        if (is_ours(jl_text(manager)) || !writes_spec(entry) ||
            jl_parse_time(time, strlen(time), &at_ms) < 0 || (is_found && at_ms <= *out_ms))
            continue;
        is_found = true;
        *out_ms = at_ms;
        snprintf(out_who, size, "%.60s wrote the spec of NodeTwin %.60s", manager,
                 text_of(root, "metadata.name"));
    }
    json_object_put(root);
    return is_found;
}

/* NAME-HASH-HASH: neither hash has a '-', a name may have some. */
static bool is_pod_of(const char *pod, const char *deployment)
{
    const size_t len = strlen(deployment);
    if (jl_is_empty(pod) || strncmp(pod, deployment, len) != 0 || pod[len] != '-')
        return false;
    const char *second = strchr(pod + len + 1, '-');
    return second && !strchr(second + 1, '-');
}

static bool is_own(struct json_object *meta, const struct jd_own_names *own)
{
    const char *name = text_of(meta, "name");
    return jl_same(text_of(meta, "namespace"), own->name_space) &&
           (jl_same(name, own->deployment) || is_pod_of(own->pod, name));
}

static bool is_operator(struct json_object *meta)
{
    const char *component = label_of(meta, "app.kubernetes.io/component");
    if (jl_same(text_of(meta, "name"), "joulie-operator"))
        return true;
    return jl_same(label_of(meta, "app.kubernetes.io/name"), "joulie") &&
           (component[0] == '\0' || jl_same(component, "operator"));
}

void jd_find_deployment(const char *text, size_t len, const struct jd_own_names *own, char *out,
                        size_t size)
{
    struct json_object *root = jd_json_parse(text, len);
    struct json_object *items = jd_json_at(root, "items");
    for (size_t i = 0; i < jd_json_count(items); i++) {
        struct json_object *item = json_object_array_get_idx(items, i);
        struct json_object *meta = jd_json_at(item, "metadata");
        if (json_object_get_int64(jd_json_at(item, "status.readyReplicas")) > 0 &&
            is_operator(meta) && !is_own(meta, own))
            snprintf(out, size, "Deployment %.60s/%.60s is running", text_of(meta, "namespace"),
                     text_of(meta, "name"));
    }
    json_object_put(root);
}
