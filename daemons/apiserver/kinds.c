/* SPDX-License-Identifier: Apache-2.0 */

/* The resources that are served: a table of the built-in ones, and ours from their CRDs. */

#include <string.h>

#include <joulie/object.h>

#include "apiserver/parts.h"
#include "base/error.h"
#include "base/memory.h"

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

#define CELL(title, kind_of, at, from)                                       \
    {                                                                        \
        .name = (title), .type = (kind_of), .path = (at), .priority = (from) \
    }
#define NAME_CELL                                                                    \
    {                                                                                \
        .name = "Name", .type = "string", .format = "name", .path = ".metadata.name" \
    }
#define AGE_CELL CELL("Age", "string", "age", 0)

#define NAMED(in_group, in_version, many, one, kind_word)                                \
    .group = (in_group), .version = "v1", .api_version = (in_version), .plural = (many), \
    .singular = (one), .kind = (kind_word), .list_kind = kind_word "List"

static const struct jd_kind built_in[] = {
    { NAMED("", "v1", "configmaps", "configmap", "ConfigMap"), .short_names = WORDS("cm"),
      .doc = "ConfigMap holds configuration data for pods to consume.", .flags = JD_KIND_NAMESPACED,
      .columns = { NAME_CELL, CELL("Data", "string", "data", 0), AGE_CELL } },
    { NAMED("", "v1", "events", "event", "Event"), .short_names = WORDS("ev"),
      .doc = "Event is a report of an event somewhere in the cluster.",
      .flags = JD_KIND_NAMESPACED },
    { NAMED("", "v1", "namespaces", "namespace", "Namespace"), .short_names = WORDS("ns"),
      .fields = WORDS("status.phase"), .doc = "Namespace provides a scope for Names.",
      .flags = JD_KIND_STATUS,
      .columns = { NAME_CELL, CELL("Status", "string", ".status.phase", 0), AGE_CELL } },
    { NAMED("", "v1", "nodes", "node", "Node"), .short_names = WORDS("no"),
      .fields = WORDS("spec.unschedulable"), .doc = "Node is a worker node in Kubernetes.",
      .flags = JD_KIND_STATUS,
      .columns = { NAME_CELL, CELL("Status", "string", "node-status", 0),
                   CELL("Roles", "string", "node-roles", 0), AGE_CELL,
                   CELL("Version", "string", ".status.nodeInfo.kubeletVersion", 0),
                   CELL("Internal-IP", "string", "node-internal-ip", 1),
                   CELL("External-IP", "string", "node-external-ip", 1),
                   CELL("OS-Image", "string", ".status.nodeInfo.osImage", 1),
                   CELL("Kernel-Version", "string", ".status.nodeInfo.kernelVersion", 1),
                   CELL("Container-Runtime", "string", ".status.nodeInfo.containerRuntimeVersion",
                        1) } },
    { NAMED("", "v1", "pods", "pod", "Pod"), .short_names = WORDS("po"), .categories = WORDS("all"),
      .fields = WORDS("spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
                      "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP",
                      "status.nominatedNodeName"),
      .doc = "Pod is a collection of containers that can run on a host.",
      .flags = JD_KIND_NAMESPACED | JD_KIND_STATUS,
      .columns = { NAME_CELL, CELL("Ready", "string", "pod-ready", 0),
                   CELL("Status", "string", "pod-status", 0),
                   CELL("Restarts", "string", "pod-restarts", 0), AGE_CELL,
                   CELL("IP", "string", ".status.podIP", 1),
                   CELL("Node", "string", ".spec.nodeName", 1),
                   CELL("Nominated Node", "string", ".status.nominatedNodeName", 1),
                   CELL("Readiness Gates", "string", "none", 1) } },
    { NAMED("apiextensions.k8s.io", "apiextensions.k8s.io/v1", "customresourcedefinitions",
            "customresourcedefinition", "CustomResourceDefinition"),
      .short_names = WORDS("crd", "crds"), .categories = WORDS("api-extensions"),
      .doc = "CustomResourceDefinition represents a resource that should be exposed on the API "
             "server.",
      .flags = JD_KIND_READONLY,
      .columns = { NAME_CELL, CELL("Created At", "date", ".metadata.creationTimestamp", 0) } },
    { NAMED("apps", "apps/v1", "deployments", "deployment", "Deployment"),
      .short_names = WORDS("deploy"), .categories = WORDS("all"),
      .doc = "Deployment enables declarative updates for Pods and ReplicaSets.",
      .flags = JD_KIND_NAMESPACED | JD_KIND_READONLY, .columns = { NAME_CELL, AGE_CELL } },
    { NAMED("authorization.k8s.io", "authorization.k8s.io/v1", "selfsubjectaccessreviews",
            "selfsubjectaccessreview", "SelfSubjectAccessReview"),
      .doc =
          "SelfSubjectAccessReview checks whether or not the current user can perform an action.",
      .flags = JD_KIND_CREATE },
    { NAMED("coordination.k8s.io", "coordination.k8s.io/v1", "leases", "lease", "Lease"),
      .doc = "Lease defines a lease concept.", .flags = JD_KIND_NAMESPACED | JD_KIND_VERSIONED,
      .columns = { NAME_CELL, CELL("Holder", "string", ".spec.holderIdentity", 0), AGE_CELL } },
    { NAMED("events.k8s.io", "events.k8s.io/v1", "events", "event", "Event"),
      .short_names = WORDS("ev"),
      .fields = WORDS("reason", "type", "reportingController", "regarding.kind",
                      "regarding.namespace", "regarding.name", "regarding.uid",
                      "regarding.apiVersion", "regarding.resourceVersion", "regarding.fieldPath"),
      .doc = "Event is a report of an event somewhere in the cluster.", .flags = JD_KIND_NAMESPACED,
      .columns = { CELL("Last Seen", "string", "event-last", 0), CELL("Type", "string", ".type", 0),
                   CELL("Reason", "string", ".reason", 0),
                   CELL("Object", "string", "event-object", 0),
                   CELL("Source", "string", ".reportingController", 1),
                   CELL("Message", "string", ".note", 0), CELL("Count", "string", "event-count", 1),
                   CELL("Name", "string", ".metadata.name", 1) } },
};

bool jd_kind_is(const struct jd_kind *kind, unsigned flag)
{
    return (kind->flags & flag) != 0;
}

/* ---- from CRDs ---- */

static const char *const no_words[] = { NULL };

static const char *copied(struct jd_kinds *kinds, const char *text)
{
    return text ? jl_arena_string(&kinds->arena, text) : NULL;
}

static const char *const *words_of(struct jd_kinds *kinds, struct json_object *list)
{
    const size_t count = jd_json_count(list);
    const char **words = JL_NEW_ARRAY(&kinds->arena, count + 1, const char *);
    for (size_t i = 0; words && i < count; i++)
        words[i] = copied(kinds, json_object_get_string(json_object_array_get_idx(list, i)));
    return words;
}

static void add_columns(struct jd_kinds *kinds, struct jd_kind *kind, struct json_object *list)
{
    const size_t count = jd_json_count(list);
    kind->columns[kind->column_count++] = (struct jd_column)NAME_CELL;
    for (size_t i = 0; i < count && kind->column_count < JD_KIND_MOST_COLUMNS; i++) {
        struct json_object *item = json_object_array_get_idx(list, i);
        kind->columns[kind->column_count++] = (struct jd_column){
            .name = copied(kinds, jd_json_text(item, "name")),
            .type = copied(kinds, jd_json_text(item, "type")),
            .format = copied(kinds, jd_json_text(item, "format")),
            .path = copied(kinds, jd_json_text(item, "jsonPath")),
            .doc = copied(kinds, jd_json_text(item, "description")),
            .priority = json_object_get_int(jd_json_at(item, "priority")),
        };
    }
    if (count == 0)
        kind->columns[kind->column_count++] =
            (struct jd_column)CELL("Age", "date", ".metadata.creationTimestamp", 0);
}

static int add_custom(struct jd_kinds *kinds, struct json_object *crd, struct joulie_error *err)
{
    struct json_object *names = jd_json_at(crd, "spec.names");
    struct json_object *version = json_object_array_get_idx(jd_json_at(crd, "spec.versions"), 0);
    struct jd_kind *kind = &kinds->items[kinds->count];
    const char *group = jd_json_text(crd, "spec.group");
    const char *name = jd_json_text(version, "name");
    kind->group = copied(kinds, group);
    kind->version = copied(kinds, name);
    kind->api_version = JL_JOIN(&kinds->arena, group, "/", name);
    kind->plural = copied(kinds, jd_json_text(names, "plural"));
    kind->singular = copied(kinds, jd_json_text(names, "singular"));
    kind->kind = copied(kinds, jd_json_text(names, "kind"));
    kind->list_kind = copied(kinds, jd_json_text(names, "listKind"));
    kind->short_names = words_of(kinds, jd_json_at(names, "shortNames"));
    kind->categories = words_of(kinds, jd_json_at(names, "categories"));
    kind->fields = no_words;
    kind->schema = jd_json_at(version, "schema.openAPIV3Schema");
    kind->doc = copied(kinds, jd_json_text(kind->schema, "description"));
    kind->flags = JD_KIND_CUSTOM | JD_KIND_VERSIONED;
    if (jl_same(jd_json_text(crd, "spec.scope"), "Namespaced"))
        kind->flags |= JD_KIND_NAMESPACED;
    if (jd_json_at(version, "subresources.status"))
        kind->flags |= JD_KIND_STATUS;
    add_columns(kinds, kind, jd_json_at(version, "additionalPrinterColumns"));
    kinds->count++;
    return jl_arena_code(&kinds->arena) < 0 && !kind->api_version ? jl_fail_memory(err) : 0;
}

/* A manifest is YAML. */
static int read_manifest(const char *yaml, struct json_object **out, struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *text = NULL;
    int rc = joulie_format(yaml, strlen(yaml), JOULIE_FORM_LINE, &text, err);
    if (rc == 0)
        rc = jd_tree_read(text, strlen(text), out, err);
    return rc;
}

/* Room for one more of both. Kinds move while the list grows: nobody may keep a pointer to one
 * before jd_kinds_open() is done. */
static int make_room(struct jd_kinds *kinds, struct joulie_error *err)
{
    struct json_object **crds = jl_realloc_array(kinds->crds, kinds->crd_count + 1, sizeof *crds);
    if (!crds)
        return jl_fail_memory(err);
    kinds->crds = crds;
    struct jd_kind *items = jl_realloc_array(kinds->items, kinds->count + 1, sizeof *items);
    if (!items)
        return jl_fail_memory(err);
    kinds->items = items;
    items[kinds->count] = (struct jd_kind){ 0 };
    return 0;
}

/* Those that `joulie crd` prints. */
static int add_crds(struct jd_kinds *kinds, bool is_legacy, struct joulie_error *err)
{
    for (size_t i = 0;; i++) {
        struct json_object *crd = NULL;
        JL_CLEANUP(jl_freep) char *yaml = NULL;
        int rc = joulie_crd(NULL, i, is_legacy, &yaml, err);
        if (rc == JOULIE_E_NOT_FOUND)
            return 0;
        if (rc == 0)
            rc = make_room(kinds, err);
        if (rc == 0)
            rc = read_manifest(yaml, &crd, err);
        if (rc < 0)
            return rc;
        kinds->crds[kinds->crd_count++] = crd;
        rc = add_custom(kinds, crd, err);
        if (rc < 0)
            return rc;
    }
}

/* Built-in kinds first, then ours; a kind's index is that of its collection in the store. */
int jd_kinds_open(struct jd_kinds *kinds, struct joulie_error *err)
{
    *kinds = (struct jd_kinds){ .count = JL_COUNT(built_in) };
    kinds->items = jl_realloc_array(NULL, kinds->count, sizeof *kinds->items);
    if (!kinds->items)
        return jl_fail_memory(err);
    memcpy(kinds->items, built_in, sizeof built_in);
    for (size_t i = 0; i < kinds->count; i++) {
        struct jd_kind *kind = &kinds->items[i];
        kind->short_names = kind->short_names ? kind->short_names : no_words;
        kind->categories = kind->categories ? kind->categories : no_words;
        kind->fields = kind->fields ? kind->fields : no_words;
        while (kind->column_count < JD_KIND_MOST_COLUMNS && kind->columns[kind->column_count].name)
            kind->column_count++;
    }
    int rc = add_crds(kinds, false, err);
    if (rc == 0)
        rc = add_crds(kinds, true, err);
    for (size_t i = 0; i < kinds->count; i++)
        kinds->items[i].index = i;
    if (rc < 0)
        jd_kinds_close(kinds);
    return rc;
}

void jd_kinds_close(struct jd_kinds *kinds)
{
    for (size_t i = 0; i < kinds->crd_count; i++)
        json_object_put(kinds->crds[i]);
    jl_free(kinds->crds);
    jl_free(kinds->items);
    jl_arena_clear(&kinds->arena);
    *kinds = (struct jd_kinds){ 0 };
}

/* The kind of a path, in the form in which it was asked for: events have two. */
const struct jd_kind *jd_kind_find(const struct jd_kinds *kinds, const char *group,
                                   const char *version, const char *plural)
{
    for (size_t i = 0; i < kinds->count; i++) {
        const struct jd_kind *kind = &kinds->items[i];
        if (jl_same(kind->group, group) && jl_same(kind->version, version) &&
            jl_same(kind->plural, plural))
            return kind;
    }
    return NULL;
}

/* Events are kept as those of events.k8s.io. */
static const struct jd_kind *kept(const struct jd_kinds *kinds, const struct jd_kind *kind)
{
    if (!kind || !jl_same(kind->plural, "events"))
        return kind;
    return jd_kind_find(kinds, "events.k8s.io", "v1", "events");
}

const struct jd_kind *jd_kind_by_plural(const struct jd_kinds *kinds, const char *plural)
{
    for (size_t i = 0; i < kinds->count; i++) {
        if (jl_same(kinds->items[i].plural, plural))
            return kept(kinds, &kinds->items[i]);
    }
    return NULL;
}

const struct jd_kind *jd_kind_by_name(const struct jd_kinds *kinds, const char *api_version,
                                      const char *kind)
{
    for (size_t i = 0; i < kinds->count; i++) {
        if (jl_same(kinds->items[i].api_version, api_version) &&
            jl_same(kinds->items[i].kind, kind))
            return kept(kinds, &kinds->items[i]);
    }
    return NULL;
}

const struct jd_kind *jd_kind_next_group(const struct jd_kinds *kinds, size_t *at)
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
