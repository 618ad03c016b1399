/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Node: the parts that we read. Other members are ignored silently. */

#include "kinds/meta.h"

extern const struct jl_kind jl_node_kind;

#ifdef JL_NODE_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_taint
#define MEMBERS                                                            \
    STRING(key, "key", "Name of the taint.")                               \
    STRING(value, "value", "Value of the name.")                           \
    STRING(effect, "effect", "NoSchedule, PreferNoSchedule or NoExecute.") \
    STRING(time_added, "timeAdded", "When it was added, RFC 3339; only of NoExecute.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_node_spec
#define MEMBERS                                                                      \
    BOOLEAN(unschedulable, "unschedulable", "True when the node takes no new pods.") \
    LIST(taints, "taints", jl_taint, "Marks that keep pods off that do not tolerate them.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_node_condition
#define MEMBERS                                         \
    STRING(type, "type", "What is judged, as Ready.")   \
    STRING(status, "status", "True, False or Unknown.") \
    STRING(last_transition_time, "lastTransitionTime", "When the status last changed, RFC 3339.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_node_info
#define MEMBERS STRING(boot_id, "bootID", "Another one after each boot.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

#define RECORD jl_node_status
#define MEMBERS                                                                                 \
    /* quantity texts */                                                                        \
    MAP(capacity, "capacity", "Quantities of the node by resource name.", SCALARS)              \
    /* quantity texts */                                                                        \
    MAP(allocatable, "allocatable", "Quantities that pods may use, by resource name.", SCALARS) \
    LIST(conditions, "conditions", jl_node_condition, "What is judged of the node.")            \
    OBJECT(info, "nodeInfo", jl_node_info, "What the node says of itself.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

/* bits: JL_ROOT_* */
#define RECORD jl_node
#define MEMBERS                                                    \
    JL_ROOT_MEMBERS()                                              \
    OBJECT(spec, "spec", jl_node_spec, "What the node should be.") \
    OBJECT(status, "status", jl_node_status, "What the node is.")
#define ABOUT \
    .flags = JL_OPEN, .kind = &jl_node_kind, .doc = "A core Node; the members that decisions read."
#include "schema/shared_record.h"

#undef RECORD_TABLES
