/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* WorkloadProfile (docs/rules/objects.md#workloadprofile): what the classifier found out about a
 * workload. */

#include "kinds/meta.h"
#include "kinds/node_twin.h"

enum jl_criticality { JL_CRITICALITY_UNKNOWN, JL_CRITICALITY_PERFORMANCE, JL_CRITICALITY_STANDARD };

extern const struct jl_words jl_criticality_words;
extern const struct jl_words jl_cpu_bound_words; /* compute memory io mixed */
extern const struct jl_words jl_gpu_bound_words; /* compute memory mixed none */

extern const struct jl_kind jl_workload_profile_kind;

#ifdef JL_WORKLOAD_PROFILE_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_profile_criticality
#define MEMBERS                                                 \
    ENUM(class_, "class", jl_criticality, jl_criticality_words, \
         "How much the workload suffers from less power.")
#include "schema/shared_record.h"

#define RECORD jl_profile_migratability
#define MEMBERS \
    BOOLEAN(reschedulable, "reschedulable", "Whether the workload may be moved to another node.")
#include "schema/shared_record.h"

/* status.cpu */
#define RECORD jl_profile_part
#define MEMBERS                                                                                    \
    ENUM(intensity, "intensity", joulie_level, jl_level_words, "How hard the CPU is used.")        \
    ENUM(bound, "bound", joulie_bound, jl_cpu_bound_words, "What limits the workload on the CPU.") \
    NUMBER(avg_utilization_pct, "avgUtilizationPct", "Average CPU utilisation, in percent.")       \
    ENUM(cap_sensitivity, "capSensitivity", joulie_level, jl_level_words,                          \
         "How much a CPU power cap slows the workload down.")
#include "schema/shared_record.h"

/* status.gpu: the same members, with words for no GPU */
#define RECORD jl_profile_gpu
#define TABLE_OF jl_profile_part
#define MEMBERS                                                                                    \
    ENUM(intensity, "intensity", joulie_level, jl_level_none_words, "How hard the GPU is used.")   \
    ENUM(bound, "bound", joulie_bound, jl_gpu_bound_words, "What limits the workload on the GPU.") \
    NUMBER(avg_utilization_pct, "avgUtilizationPct", "Average GPU utilisation, in percent.")       \
    ENUM(cap_sensitivity, "capSensitivity", joulie_level, jl_level_none_words,                     \
         "How much a GPU power cap slows the workload down.")
#include "schema/shared_record.h"

/* A reference that has to say what it means; a NodeTwin's need not. */
#define RECORD jl_profile_ref
#define TABLE_OF jl_workload_ref
#define MEMBERS                                                   \
    STRING(kind, "kind", "Kind of the workload.", REQUIRED)       \
    STRING(name_space, "namespace", "Namespace of the workload.") \
    STRING(name, "name", "Name of the workload.", REQUIRED)
#include "schema/shared_record.h"

#define RECORD jl_profile_spec
#define MEMBERS                                                      \
    STRING(node_name, "nodeName", "Node that the workload runs on.") \
    OBJECT_BY(workload_ref, "workloadRef", jl_workload_ref, jl_profile_ref_table, "The workload.")
#include "schema/shared_record.h"

#define RECORD jl_profile_status
#define MEMBERS                                                                                    \
    OBJECT(criticality, "criticality", jl_profile_criticality, "How critical the workload is.")    \
    OBJECT(migratability, "migratability", jl_profile_migratability,                               \
           "Whether the workload can move.")                                                       \
    OBJECT(cpu, "cpu", jl_profile_part, "How the workload uses the CPU.")                          \
    OBJECT_BY(gpu, "gpu", jl_profile_part, jl_profile_gpu_table, "How the workload uses the GPU.") \
    BOOLEAN(reschedule_recommended, "rescheduleRecommended",                                       \
            "Whether the workload should move; written only when true.")                           \
    STRING(reschedule_reason, "rescheduleReason", "Why it should move.")                           \
    STRING(classification_reason, "classificationReason",                                          \
           "Why it was classified so, for a person.")                                              \
    NUMBER(confidence, "confidence", "Confidence in the classification, 0 to 1.")                  \
    STRING(last_updated, "lastUpdated", "When the workload was classified, RFC 3339 in UTC.")
#include "schema/shared_record.h"

/* bits: JL_ROOT_* */
#define RECORD jl_workload_profile
#define MEMBERS                                                            \
    JL_ROOT_MEMBERS()                                                      \
    OBJECT(spec, "spec", jl_profile_spec, "Which workload this is about.") \
    OBJECT(status, "status", jl_profile_status, "What the classifier found out.")
#define ABOUT                          \
    .kind = &jl_workload_profile_kind, \
    .doc = "How one workload uses power, and how a power cap would hurt it."
#include "schema/shared_record.h"

#undef RECORD_TABLES
