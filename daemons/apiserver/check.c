/* SPDX-License-Identifier: Apache-2.0 */

/* What an object has to be before it is stored: names, schema, the rules of built-in kinds. */

#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

#include "apiserver/writing.h"
#include "base/time.h"
#include "kubernetes/names.h"

/* ---- metadata ---- */

static void check_name(const struct jd_kind *kind, struct json_object *tree,
                       struct jd_causes *causes)
{
    const char *name = jd_json_text(tree, "metadata.name");
    const bool is_label = jl_same(kind->plural, "namespaces");
    if (jl_is_empty(name)) {
        jd_cause(causes, JD_REQUIRED, "metadata.name",
                 "Required value: name or generateName is required");
        return;
    }
    if (is_label ? jl_is_dns_label(jl_text(name)) : jl_is_dns_subdomain(jl_text(name)))
        return;
    jd_cause(causes, JD_INVALID, "metadata.name",
             is_label
                 ? "Invalid value: \"%s\": a lowercase RFC 1123 label must consist of lower case "
                   "alphanumeric characters or '-', and must start and end with an alphanumeric "
                   "character"
                 : "Invalid value: \"%s\": a lowercase RFC 1123 subdomain must consist of lower "
                   "case alphanumeric characters, '-' or '.', and must start and end with an "
                   "alphanumeric character",
             name);
}

static void check_labels(struct json_object *labels, struct jd_causes *causes)
{
    static const char field[] = "metadata.labels";
    if (!jd_tree_is_object(labels))
        return;
    json_object_object_foreach(labels, key, value)
    {
        const char *text = json_object_get_string(value);
        if (!jl_is_label_key(jl_text(key)))
            jd_cause(causes, JD_INVALID, field, "Invalid value: \"%s\": not a qualified name", key);
        else if (!json_object_is_type(value, json_type_string))
            jd_cause(causes, JD_WRONG_TYPE, field, "Invalid value: label %s is no string", key);
        else if (!jl_is_label_value(jl_text(text)))
            jd_cause(causes, JD_INVALID, field, "Invalid value: \"%s\": not a label value", text);
    }
}

static void check_annotations(struct json_object *annotations, struct jd_causes *causes)
{
    static const char field[] = "metadata.annotations";
    size_t bytes = 0;
    if (!jd_tree_is_object(annotations))
        return;
    json_object_object_foreach(annotations, key, value)
    {
        if (!jl_is_annotation_key(jl_text(key)))
            jd_cause(causes, JD_INVALID, field, "Invalid value: \"%s\": not a qualified name", key);
        else if (!json_object_is_type(value, json_type_string))
            jd_cause(causes, JD_WRONG_TYPE, field, "Invalid value: annotation %s is no string",
                     key);
        bytes += strlen(key) + (size_t)json_object_get_string_len(value);
    }
    if (bytes > JD_API_MOST_ANNOTATIONS)
        jd_cause(causes, JD_TOO_LONG, field, "Too long: may not be more than %d bytes",
                 JD_API_MOST_ANNOTATIONS);
}

static void check_finalizers(struct json_object *list, struct jd_causes *causes)
{
    for (size_t i = 0; i < jd_json_count(list); i++) {
        struct json_object *item = json_object_array_get_idx(list, i);
        const char *text = json_object_get_string(item);
        if (!json_object_is_type(item, json_type_string) || !jl_is_label_key(jl_text(text)))
            jd_cause(causes, JD_INVALID, "metadata.finalizers",
                     "Invalid value: \"%s\": not a qualified name", text ? text : "");
    }
}

static void check_owners(struct json_object *list, struct jd_causes *causes)
{
    static const char *const wanted[] = { "apiVersion", "kind", "name", "uid" };
    for (size_t i = 0; i < jd_json_count(list); i++) {
        for (size_t j = 0; j < JL_COUNT(wanted); j++) {
            if (jl_is_empty(jd_json_text(json_object_array_get_idx(list, i), wanted[j])))
                jd_cause(causes, JD_REQUIRED, "metadata.ownerReferences",
                         "Required value: %s must not be empty", wanted[j]);
        }
    }
}

/* One member of the wrong type and typed clients could read no list any more. */
static void check_metadata_types(struct json_object *metadata, struct jd_causes *causes)
{
    static const struct {
        const char *path;
        enum json_type type;
    } members[] = {
        { "generateName", json_type_string },      { "labels", json_type_object },
        { "annotations", json_type_object },       { "finalizers", json_type_array },
        { "ownerReferences", json_type_array },    { "deletionGracePeriodSeconds", json_type_int },
        { "deletionTimestamp", json_type_string },
    };

    for (size_t i = 0; i < JL_COUNT(members); i++) {
        struct json_object *value = jd_json_at(metadata, members[i].path);
        if (value && !json_object_is_type(value, members[i].type))
            jd_cause(causes, JD_WRONG_TYPE, jd_text(causes->arena, "metadata.%s", members[i].path),
                     "Invalid value: must be of type %s", json_type_to_name(members[i].type));
    }
}

static void check_metadata(struct json_object *metadata, struct jd_causes *causes)
{
    check_metadata_types(metadata, causes);
    check_labels(jd_json_at(metadata, "labels"), causes);
    check_annotations(jd_json_at(metadata, "annotations"), causes);
    check_finalizers(jd_json_at(metadata, "finalizers"), causes);
    check_owners(jd_json_at(metadata, "ownerReferences"), causes);
}

/* ---- built-in kinds ---- */

static struct json_object *check_list(struct json_object *tree, const char *path,
                                      struct jd_causes *causes)
{
    struct json_object *list = jd_json_at(tree, path);
    if (!list || json_object_is_type(list, json_type_array))
        return list;
    jd_cause(causes, JD_WRONG_TYPE, path, "Invalid value: must be a list");
    return NULL;
}

static void check_taint(struct json_object *taint, struct jd_causes *causes)
{
    const char *key = jd_json_text(taint, "key");
    const char *value = jd_json_text(taint, "value");
    const char *effect = jd_json_text(taint, "effect");
    if (jl_is_empty(key) || !jl_is_label_key(jl_text(key)))
        jd_cause(causes, JD_INVALID, "spec.taints.key",
                 "Invalid value: \"%s\": not a qualified name", key ? key : "");
    if (value && !jl_is_label_value(jl_text(value)))
        jd_cause(causes, JD_INVALID, "spec.taints.value",
                 "Invalid value: \"%s\": not a label value", value);
    if (!jl_same(effect, "NoSchedule") && !jl_same(effect, "PreferNoSchedule") &&
        !jl_same(effect, "NoExecute"))
        jd_cause(causes, JD_UNSUPPORTED, "spec.taints.effect",
                 "Unsupported value: \"%s\": supported values: \"NoExecute\", \"NoSchedule\", "
                 "\"PreferNoSchedule\"",
                 effect ? effect : "");
}

static void check_node(struct json_object *tree, struct jd_causes *causes)
{
    struct json_object *taints = check_list(tree, "spec.taints", causes);
    struct json_object *cordon = jd_json_at(tree, "spec.unschedulable");
    for (size_t i = 0; taints && i < json_object_array_length(taints); i++)
        check_taint(json_object_array_get_idx(taints, i), causes);
    if (cordon && !json_object_is_type(cordon, json_type_boolean))
        jd_cause(causes, JD_WRONG_TYPE, "spec.unschedulable", "Invalid value: must be a boolean");
}

static void check_pod(struct json_object *tree, struct jd_causes *causes)
{
    struct json_object *containers = check_list(tree, "spec.containers", causes);
    const size_t count = containers ? json_object_array_length(containers) : 0;
    if (count == 0)
        jd_cause(causes, JD_REQUIRED, "spec.containers", "Required value");
    for (size_t i = 0; i < count; i++) {
        struct json_object *container = json_object_array_get_idx(containers, i);
        const char *name = jd_json_text(container, "name");
        const char *image = jd_json_text(container, "image");
        char field[48];
        snprintf(field, sizeof field, "spec.containers[%zu].%s", i,
                 jl_is_empty(name) || !jl_is_dns_label(jl_text(name)) ? "name" : "image");
        if (jl_is_empty(name) || jl_is_empty(image))
            jd_cause(causes, JD_REQUIRED, field, "Required value");
        else if (!jl_is_dns_label(jl_text(name)))
            jd_cause(causes, JD_INVALID, field, "Invalid value: \"%s\": not an RFC 1123 label",
                     name);
    }
}

static void check_micro_time(struct json_object *tree, const char *path, struct jd_causes *causes)
{
    const char *text = jd_json_text(tree, path);
    int64_t us;
    if (jd_json_at(tree, path) && (!text || jl_parse_micro_time(text, strlen(text), &us) < 0))
        jd_cause(causes, JD_INVALID, path,
                 "Invalid value: \"%s\": a time with six digits of a fraction is wanted",
                 text ? text : "");
}

static void check_lease(struct json_object *tree, struct jd_causes *causes)
{
    struct json_object *duration = jd_json_at(tree, "spec.leaseDurationSeconds");
    if (duration &&
        (!json_object_is_type(duration, json_type_int) || json_object_get_int64(duration) < 1))
        jd_cause(causes, JD_INVALID, "spec.leaseDurationSeconds",
                 "Invalid value: %s: must be greater than 0", json_object_get_string(duration));
    check_micro_time(tree, "spec.acquireTime", causes);
    check_micro_time(tree, "spec.renewTime", causes);
}

/* Events of core v1 may leave out what events.k8s.io/v1 requires. */
static void check_event(struct json_object *tree, struct jd_causes *causes)
{
    static const char *const wanted[] = { "reportingController", "reportingInstance", "action",
                                          "reason" };
    const char *type = jd_json_text(tree, "type");
    const char *note = jd_json_text(tree, "note");
    const char *space = jd_json_text(tree, "regarding.namespace");
    const char *own = jd_json_text(tree, "metadata.namespace");
    const bool is_new = jd_json_at(tree, "eventTime") != NULL;
    check_micro_time(tree, "eventTime", causes);
    for (size_t i = 0; is_new && i < JL_COUNT(wanted); i++) {
        const char *text = jd_json_text(tree, wanted[i]);
        if (jl_is_empty(text))
            jd_cause(causes, JD_REQUIRED, wanted[i], "Required value");
        else if (strlen(text) > 128)
            jd_cause(causes, JD_INVALID, wanted[i],
                     "Invalid value: can have at most 128 characters");
    }
    if (is_new && !jl_same(type, "Normal") && !jl_same(type, "Warning"))
        jd_cause(causes, JD_INVALID, "type", "Invalid value: \"%s\": must be Normal or Warning",
                 type ? type : "");
    if (note && strlen(note) > 1024)
        jd_cause(causes, JD_INVALID, "note", "Invalid value: can have at most 1024 characters");
    const bool is_of_cluster = jl_is_empty(space);
    if (is_of_cluster ? !jl_same(own, "default") && !jl_same(own, "kube-system")
                      : !jl_same(own, space))
        jd_cause(causes, JD_INVALID, "involvedObject.namespace",
                 "Invalid value: \"%s\": does not match event.namespace", space ? space : "");
}

static void check_config_map(struct json_object *tree, struct jd_causes *causes)
{
    struct json_object *data = jd_json_at(tree, "data");
    if (!data)
        return;
    if (!jd_tree_is_object(data)) {
        jd_cause(causes, JD_WRONG_TYPE, "data", "Invalid value: must be an object");
        return;
    }
    json_object_object_foreach(data, key, value)
    {
        if (!json_object_is_type(value, json_type_string))
            jd_cause(causes, JD_WRONG_TYPE, "data", "Invalid value: %s is no string", key);
    }
}

static const struct {
    const char *plural;
    void (*check)(struct json_object *tree, struct jd_causes *causes);
} checks[] = {
    { "nodes", check_node },
    { "pods", check_pod },
    { "leases", check_lease },
    { "events", check_event },
    { "configmaps", check_config_map },
};

/* The library's own word about our kinds: what no schema says. */
static void check_custom(struct json_object *tree, struct jd_causes *causes)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *object = NULL;
    jd_json_put_tree(&text, tree);
    if (text.is_failed) {
        causes->is_failed = true;
        return;
    }
    const int rc = joulie_object_parse(text.data, text.len, NULL, 0, &object, &err);
    joulie_object_free(object);
    if (rc < 0)
        jd_cause(causes, JD_INVALID, err.where, "Invalid value: %s", err.message);
}

void jd_check_object(const struct jd_kind *kind, struct json_object *tree, struct jd_causes *causes)
{
    check_name(kind, tree, causes);
    check_metadata(jd_json_at(tree, "metadata"), causes);
    for (size_t i = 0; i < JL_COUNT(checks); i++) {
        if (jl_same(kind->plural, checks[i].plural))
            checks[i].check(tree, causes);
    }
    if (jd_kind_is(kind, JD_KIND_CUSTOM) && causes->count == 0)
        check_custom(tree, causes);
}

/* ---- changes ---- */

static struct json_object *without_mutable(struct json_object *tree)
{
    static const char *const mutable[] = { "activeDeadlineSeconds", "terminationGracePeriodSeconds",
                                           "tolerations", "schedulingGates" };
    static const char *const lists[] = { "containers", "initContainers" };
    struct json_object *spec = NULL;
    if (json_object_deep_copy(jd_json_at(tree, "spec"), &spec, NULL) != 0)
        return NULL;
    for (size_t i = 0; i < JL_COUNT(mutable); i++)
        json_object_object_del(spec, mutable[i]);
    for (size_t i = 0; i < JL_COUNT(lists); i++) {
        struct json_object *list = jd_json_at(spec, lists[i]);
        const size_t count = jd_json_count(list);
        for (size_t j = 0; j < count; j++) {
            if (jd_tree_is_object(json_object_array_get_idx(list, j)))
                json_object_object_del(json_object_array_get_idx(list, j), "image");
        }
    }
    return spec;
}

static void check_pod_update(struct json_object *before, struct json_object *tree,
                             struct jd_causes *causes)
{
    if (!jd_tree_is_object(jd_json_at(before, "spec")) ||
        !jd_tree_is_object(jd_json_at(tree, "spec")))
        return;
    JL_CLEANUP(jd_json_freep) struct json_object *old = without_mutable(before);
    JL_CLEANUP(jd_json_freep) struct json_object *new = without_mutable(tree);
    if (!json_object_equal(old, new))
        jd_cause(causes, JD_FORBIDDEN, "spec",
                 "Forbidden: pod updates may not change fields other than "
                 "`spec.containers[*].image`,`spec.initContainers[*].image`,"
                 "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
                 "tolerations),`spec.terminationGracePeriodSeconds`");
}

void jd_check_update(const struct jd_kind *kind, struct json_object *before,
                     struct json_object *tree, struct jd_causes *causes)
{
    struct json_object *finalizers = jd_json_at(tree, "metadata.finalizers");
    const size_t count = jd_json_count(finalizers);
    for (size_t i = 0; jd_json_at(before, "metadata.deletionTimestamp") && i < count; i++) {
        struct json_object *item = json_object_array_get_idx(finalizers, i);
        if (!jd_tree_has_item(jd_json_at(before, "metadata.finalizers"), item))
            jd_cause(causes, JD_FORBIDDEN, "metadata.finalizers",
                     "Forbidden: no new finalizers can be added if the object is being deleted, "
                     "found new finalizers \"%s\"",
                     json_object_get_string(item));
    }
    if (jl_same(kind->plural, "pods"))
        check_pod_update(before, tree, causes);
}

/* ---- defaults ---- */

static void default_text(struct json_object *tree, const char *key, const char *text)
{
    if (!jd_json_at(tree, key))
        jd_tree_set(tree, key, text);
}

void jd_default_object(const struct jd_kind *kind, struct json_object *tree)
{
    if (jl_same(kind->plural, "namespaces")) {
        const char *name = jd_json_text(tree, "metadata.name");
        struct json_object *metadata = jd_tree_child(tree, "metadata");
        default_text(jd_tree_child(tree, "status"), "phase", "Active");
        if (name)
            jd_tree_set(jd_tree_child(metadata, "labels"), "kubernetes.io/metadata.name", name);
    }
    if (!jl_same(kind->plural, "pods") || !jd_tree_is_object(jd_json_at(tree, "spec")))
        return;
    struct json_object *spec = jd_json_at(tree, "spec");
    default_text(spec, "restartPolicy", "Always");
    default_text(spec, "schedulerName", "default-scheduler");
    default_text(spec, "dnsPolicy", "ClusterFirst");
    default_text(jd_tree_child(tree, "status"), "phase", "Pending");
}
