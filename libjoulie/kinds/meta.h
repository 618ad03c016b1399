/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What all objects share. metadata has the members that we read; others are skipped. */

#include "schema/row.h"

#define JL_API_VERSION "joulie.io/v1alpha1" /* of our own kinds */

/* Bits of every root object, whose struct begins with has, api_version and kind. */
enum { JL_ROOT_API_VERSION, JL_ROOT_KIND, JL_ROOT_META, JL_ROOT_SPEC, JL_ROOT_STATUS };

/* The first members of every root object, with properties of all three. */
#define JL_ROOT_MEMBERS(...)                                                                \
    STRING(api_version, "apiVersion", "Version of the schema of this object.", __VA_ARGS__) \
    STRING(kind, "kind", "Kind of this object.", __VA_ARGS__)                               \
    OBJECT(meta, "metadata", jl_meta, "Standard object metadata.", __VA_ARGS__)

#ifdef JL_META_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_owner
#define MEMBERS                                                                         \
    STRING(kind, "kind", "Kind of the owner.")                                          \
    STRING(name, "name", "Name of the owner.")                                          \
    STRING(uid, "uid", "UID of the owner.")                                             \
    BOOLEAN(is_controller, "controller", "True for the owner that manages the object.") \
    STRING(api_version, "apiVersion", "Version of the schema of the owner.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

/* As Kubernetes has them (docs/rules/objects.md#conditions). */
#define RECORD jl_condition
#define MEMBERS                                                                                   \
    STRING(type, "type", "What is judged, such as Ready.", REQUIRED, LIST_KEY)                    \
    STRING(status, "status", "True, False or Unknown.", REQUIRED)                                 \
    STRING(reason, "reason", "Why, in one word.")                                                 \
    STRING(message, "message", "Why, for a person.")                                              \
    STRING(last_transition_time, "lastTransitionTime", "When the status last changed, RFC 3339.") \
    INTEGER(observed_generation, "observedGeneration",                                            \
            "Generation of the object that was judged.", AS_INT64)
#include "schema/shared_record.h"

#define RECORD jl_meta
#define MEMBERS                                                                                    \
    STRING(name, "name", "Name of the object.")                                                    \
    STRING(name_space, "namespace", "Namespace; absent on cluster-scoped objects.")                \
    STRING(uid, "uid", "Identity of the object over time.")                                        \
    STRING(resource_version, "resourceVersion", "Opaque version of the stored object.")            \
    INTEGER(generation, "generation", "Number of the spec; it rises when that changes.", AS_INT64) \
    STRING(creation_timestamp, "creationTimestamp", "When the object was created, RFC 3339.")      \
    STRING(deletion_timestamp, "deletionTimestamp",                                                \
           "When the object will be gone, RFC 3339; present while it is deleted.")                 \
    MAP(labels, "labels", "Labels.")                                                               \
    MAP(annotations, "annotations", "Annotations.")                                                \
    LIST(owners, "ownerReferences", jl_owner, "Objects that this one depends on.")
#define ABOUT .flags = JL_OPEN, .doc = "Standard object metadata."
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* What a condition says; texts are borrowed. */
struct jl_judgement {
    const char *status;
    const char *reason;
    const char *message;
};

const char *jl_label(const struct jl_meta *meta, const char *key);      /* NULL = absent */
const char *jl_annotation(const struct jl_meta *meta, const char *key); /* NULL = absent */
