/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The OpenAPI v3 schemas of the built-in kinds, as far as kubectl explain and its validation need
 * them. Called by openapi.c.
 */

#include <string.h>

#include "apiserver/parts.h"
#include "base/text.h"

enum type {
    STRING,
    BOOLEAN,
    INTEGER,
    OBJECT,
    LIST /* of objects */,
    STRINGS,
    MAP /* of strings */
};

static const char *const type_words[] = { "string", "boolean", "integer", "object",
                                          "array",  "array",   "object" };

struct field {
    const char *path; /* through a list as through an object; parents come first */
    enum type type;
    const char *doc;
};

struct schema {
    const char *api_version;
    const char *kind;
    const struct field *fields;
    size_t field_count;
};

static const struct field metadata_fields[] = {
    { "name", STRING, "Unique within its namespace, or within the cluster." },
    { "generateName", STRING, "Beginning of a name that the server completes." },
    { "namespace", STRING, "Space in which names are unique." },
    { "uid", STRING, "Unique over all time." },
    { "resourceVersion", STRING, "Opaque; changes with every write." },
    { "generation", INTEGER, "Counts changes of the desired state." },
    { "creationTimestamp", STRING, "When the object was created." },
    { "deletionTimestamp", STRING, "When it was asked to go." },
    { "labels", MAP, "Words by which objects are selected." },
    { "annotations", MAP, "Words that select nothing." },
    { "finalizers", STRINGS, "Who has something to do before the object goes." },
    { "ownerReferences", LIST, "Objects that this one depends on." },
    { "ownerReferences.apiVersion", STRING, "Version of the owner's schema." },
    { "ownerReferences.kind", STRING, "Kind of the owner." },
    { "ownerReferences.name", STRING, "Name of the owner." },
    { "ownerReferences.uid", STRING, "Uid of the owner." },
    { "ownerReferences.controller", BOOLEAN, "Whether it manages this object." },
};

static const struct field node_fields[] = {
    { "spec", OBJECT, "Behavior of the node." },
    { "spec.unschedulable", BOOLEAN, "New pods are not placed here (cordon)." },
    { "spec.taints", LIST, "Pods that do not tolerate these stay away." },
    { "spec.taints.key", STRING, "The taint's key." },
    { "spec.taints.value", STRING, "The taint's value." },
    { "spec.taints.effect", STRING, "NoSchedule, PreferNoSchedule or NoExecute." },
    { "spec.podCIDR", STRING, "IP range of the node's pods." },
    { "spec.providerID", STRING, "Name of the machine at its provider." },
    { "status", OBJECT, "What the node has and how it is." },
    { "status.capacity", MAP, "Total resources." },
    { "status.allocatable", MAP, "Resources that pods can ask for." },
    { "status.conditions", LIST, "Conditions." },
    { "status.conditions.type", STRING, "Type of the condition." },
    { "status.conditions.status", STRING, "True, False or Unknown." },
    { "status.conditions.reason", STRING, "One word, for machines." },
    { "status.conditions.message", STRING, "Details, for a person." },
    { "status.conditions.lastTransitionTime", STRING, "When the status last changed." },
    { "status.addresses", LIST, "How the node is reached." },
    { "status.addresses.type", STRING, "InternalIP, Hostname and so on." },
    { "status.addresses.address", STRING, "The address." },
    { "status.nodeInfo", OBJECT, "What runs there." },
    { "status.nodeInfo.kubeletVersion", STRING, "Version of the kubelet." },
    { "status.nodeInfo.osImage", STRING, "Operating system." },
    { "status.nodeInfo.kernelVersion", STRING, "Version of the kernel." },
    { "status.nodeInfo.containerRuntimeVersion", STRING, "Version of the container runtime." },
    { "status.nodeInfo.architecture", STRING, "Architecture of the CPU." },
};

static const struct field pod_fields[] = {
    { "spec", OBJECT, "What shall run." },
    { "spec.containers", LIST, "Containers of the pod." },
    { "spec.containers.name", STRING, "A DNS label, unique in the pod." },
    { "spec.containers.image", STRING, "What runs." },
    { "spec.containers.resources", OBJECT, "What it asks for." },
    { "spec.containers.resources.requests", MAP, "At least." },
    { "spec.containers.resources.limits", MAP, "At most." },
    { "spec.nodeName", STRING, "Node that the pod is bound to." },
    { "spec.nodeSelector", MAP, "Labels that its node has to have." },
    { "spec.affinity", OBJECT, "Where it wants to run." },
    { "spec.affinity.nodeAffinity", OBJECT, "Rules about labels of nodes." },
    { "spec.affinity.podAffinity", OBJECT, "Rules about other pods that are to be near." },
    { "spec.affinity.podAntiAffinity", OBJECT, "Rules about other pods that are to be away." },
    { "spec.tolerations", LIST, "Taints that it tolerates." },
    { "spec.tolerations.key", STRING, "Key of the taint." },
    { "spec.tolerations.operator", STRING, "Exists or Equal." },
    { "spec.tolerations.value", STRING, "Value of the taint." },
    { "spec.tolerations.effect", STRING, "Effect of the taint." },
    { "spec.schedulerName", STRING, "Who places it." },
    { "spec.restartPolicy", STRING, "Always, OnFailure or Never." },
    { "status", OBJECT, "How it is." },
    { "status.phase", STRING, "Pending, Running, Succeeded, Failed or Unknown." },
    { "status.conditions", LIST, "Conditions." },
    { "status.conditions.type", STRING, "Type of the condition." },
    { "status.conditions.status", STRING, "True, False or Unknown." },
    { "status.conditions.reason", STRING, "One word, for machines." },
    { "status.conditions.message", STRING, "Details, for a person." },
    { "status.conditions.lastTransitionTime", STRING, "When the status last changed." },
    { "status.podIP", STRING, "Its address." },
    { "status.startTime", STRING, "When it was taken by its node." },
    { "status.reason", STRING, "Why it is so, one word." },
    { "status.message", STRING, "Details, for a person." },
};

static const struct field namespace_fields[] = {
    { "spec", OBJECT, "Behavior of the namespace." },
    { "spec.finalizers", STRINGS, "Who has something to do before it goes." },
    { "status", OBJECT, "How it is." },
    { "status.phase", STRING, "Active or Terminating." },
};

static const struct field config_map_fields[] = {
    { "data", MAP, "Texts by name." },
};

static const struct field lease_fields[] = {
    { "spec", OBJECT, "Who holds it and until when." },
    { "spec.holderIdentity", STRING, "Who holds the lease." },
    { "spec.leaseDurationSeconds", INTEGER, "How long it holds after a renewal." },
    { "spec.acquireTime", STRING, "When it was taken." },
    { "spec.renewTime", STRING, "When it was renewed last." },
    { "spec.leaseTransitions", INTEGER, "How often it went to somebody else." },
};

/* One object in two forms, which name three of its members differently. */
#define EVENT_FIELDS(controller, note, regarding)                    \
    FIELD("eventTime", STRING, "When it was seen first.")            \
    FIELD(controller, STRING, "Component that reports it.")          \
    FIELD("reportingInstance", STRING, "Which of them.")             \
    FIELD("action", STRING, "What was done.")                        \
    FIELD("reason", STRING, "Why, one word.")                        \
    FIELD("type", STRING, "Normal or Warning.")                      \
    FIELD(note, STRING, "Details, for a person.")                    \
    FIELD(regarding, OBJECT, "What it is about.")                    \
    FIELD(regarding ".apiVersion", STRING, "Version of its schema.") \
    FIELD(regarding ".kind", STRING, "Its kind.")                    \
    FIELD(regarding ".namespace", STRING, "Its namespace.")          \
    FIELD(regarding ".name", STRING, "Its name.")                    \
    FIELD(regarding ".uid", STRING, "Its uid.")                      \
    FIELD("series", OBJECT, "Repetitions.")                          \
    FIELD("series.count", INTEGER, "How many.")                      \
    FIELD("series.lastObservedTime", STRING, "The last one.")

#define FIELD(path, type, doc) { path, type, doc },
static const struct field core_event_fields[] = { EVENT_FIELDS("reportingComponent", "message",
                                                               "involvedObject") };
static const struct field event_fields[] = { EVENT_FIELDS("reportingController", "note",
                                                          "regarding") };
#undef FIELD

#define FIELDS(list) (list), JL_COUNT(list)

static const struct schema schemas[] = {
    { "", "ObjectMeta", FIELDS(metadata_fields) },
    { "v1", "Node", FIELDS(node_fields) },
    { "v1", "Pod", FIELDS(pod_fields) },
    { "v1", "Namespace", FIELDS(namespace_fields) },
    { "v1", "ConfigMap", FIELDS(config_map_fields) },
    { "coordination.k8s.io/v1", "Lease", FIELDS(lease_fields) },
    { "v1", "Event", FIELDS(core_event_fields) },
    { "events.k8s.io/v1", "Event", FIELDS(event_fields) },
};

static struct json_object *new_schema(enum type type, const char *doc)
{
    struct json_object *schema = json_object_new_object();
    if (!schema)
        return NULL;
    jd_tree_set(schema, "description", doc);
    jd_tree_set(schema, "type", type_words[type]);
    if (type == MAP)
        jd_tree_set(jd_tree_child(schema, "additionalProperties"), "type", "string");
    if (type == LIST || type == STRINGS)
        jd_tree_set(jd_tree_child(schema, "items"), "type", type == LIST ? "object" : "string");
    return schema;
}

/* Where the members of a field are. */
static struct json_object *members_of(struct json_object *schema)
{
    struct json_object *items = jd_json_at(schema, "items");
    return jd_tree_child(items ? items : schema, "properties");
}

static void add_field(struct json_object *root, const struct field *field)
{
    struct jl_text rest = jl_text(field->path);
    struct json_object *members = members_of(root);
    char key[64];
    for (;;) {
        const struct jl_text part = jl_text_cut(&rest, '.');
        memcpy(key, part.ptr, part.len); /* words of the tables above: short */
        key[part.len] = '\0';
        if (rest.len == 0)
            break;
        members = members_of(jd_tree_child(members, key));
    }
    json_object_object_add(members, key, new_schema(field->type, field->doc));
}

struct json_object *jd_built_in_schema(const char *api_version, const char *kind)
{
    struct json_object *root = new_schema(OBJECT, NULL);
    for (size_t i = 0; root && i < JL_COUNT(schemas); i++) {
        const struct schema *schema = &schemas[i];
        if (!jl_same(schema->api_version, api_version) || !jl_same(schema->kind, kind))
            continue;
        for (size_t j = 0; j < schema->field_count; j++)
            add_field(root, &schema->fields[j]);
    }
    return root;
}
