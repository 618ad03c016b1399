/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pod: the parts that we read (scheduling constraints, resources, phase). Other members are ignored
 * silently. */

#include "kinds/meta.h"

extern const struct jl_kind jl_pod_kind;

#ifdef JL_POD_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_pod_resources
#define MEMBERS                                                                  \
    /* quantity texts, also when written as JSON numbers */                      \
    MAP(requests, "requests", "Requested quantities by resource name.", SCALARS) \
    MAP(limits, "limits", "Limits by resource name.", SCALARS)
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_container
#define MEMBERS                                                                          \
    STRING(name, "name", "Name of the container.")                                       \
    STRING(image, "image", "Reference of its image.")                                    \
    /* "Always" on an init container makes it a sidecar */                               \
    STRING(restart_policy, "restartPolicy", "Always makes an init container a sidecar.") \
    OBJECT(resources, "resources", jl_pod_resources, "What the container asks for.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

/* one of matchExpressions or matchFields */
#define RECORD jl_node_expression
#define MEMBERS                                                            \
    STRING(key, "key", "Label of the node; metadata.name in matchFields.") \
    /* In NotIn Exists DoesNotExist Gt Lt */                               \
    STRING(op, "operator", "In, NotIn, Exists, DoesNotExist, Gt or Lt.")   \
    STRINGS(values, "values", "Values to compare with.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_node_term
#define MEMBERS                                                                                 \
    LIST(expressions, "matchExpressions", jl_node_expression, "Conditions that must all hold.") \
    LIST(fields, "matchFields", jl_node_expression, "Conditions on fields of the node, likewise.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_required_affinity
#define MEMBERS LIST(terms, "nodeSelectorTerms", jl_node_term, "Terms of which one must hold.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_node_affinity
#define MEMBERS                                                                              \
    OBJECT(required, "requiredDuringSchedulingIgnoredDuringExecution", jl_required_affinity, \
           "What a node must have.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_affinity
#define MEMBERS OBJECT(node, "nodeAffinity", jl_node_affinity, "Affinity to nodes.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_toleration
#define MEMBERS                                                                  \
    STRING(key, "key", "Taint that is tolerated; empty with Exists: every one.") \
    STRING(op, "operator", "Equal, the default, or Exists.")                     \
    STRING(value, "value", "Value of the taint, for Equal.")                     \
    STRING(effect, "effect", "Effect of the taint; empty: every effect.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_pod_spec
#define MEMBERS                                                                                \
    STRING(node_name, "nodeName", "Node that the pod is bound to.")                            \
    MAP(node_selector, "nodeSelector", "Labels that the node must have.")                      \
    OBJECT(affinity, "affinity", jl_affinity, "Scheduling constraints.")                       \
    LIST(containers, "containers", jl_container, "Containers.")                                \
    LIST(init_containers, "initContainers", jl_container,                                      \
         "Containers that run before the others.")                                             \
    MAP(overhead, "overhead", "Quantities that the pod needs beside its containers.", SCALARS) \
    LIST(tolerations, "tolerations", jl_toleration, "Taints that do not keep it off a node.")  \
    STRING(scheduler_name, "schedulerName", "Scheduler that places the pod.")                  \
    INTEGER(priority, "priority", "Priority of the pod.")                                      \
    STRING(priority_class, "priorityClassName", "Class that its priority is of.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_pod_condition
#define MEMBERS                                       \
    STRING(type, "type", "What is judged, as Ready.") \
    STRING(status, "status", "True, False or Unknown.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_pod_status
#define MEMBERS                                                           \
    STRING(phase, "phase", "Phase of the pod.")                           \
    /* RFC 3339: the node took it on */                                   \
    STRING(start_time, "startTime", "When its node took the pod on.")     \
    STRING(qos_class, "qosClass", "Guaranteed, Burstable or BestEffort.") \
    LIST(conditions, "conditions", jl_pod_condition, "What is judged of the pod.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

/* bits: JL_ROOT_* */
#define RECORD jl_pod
#define MEMBERS                                           \
    JL_ROOT_MEMBERS()                                     \
    OBJECT(spec, "spec", jl_pod_spec, "What should run.") \
    OBJECT(status, "status", jl_pod_status, "What runs.")
#define ABOUT \
    .flags = JL_OPEN, .kind = &jl_pod_kind, .doc = "A core Pod; the members that decisions read."
#include "schema/shared_record.h"

#undef RECORD_TABLES
