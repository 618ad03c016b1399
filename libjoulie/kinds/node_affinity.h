/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * spec.nodeAffinity of a TensorFusion profile: the whole core type, strict about unknown members
 * (docs/rules/tensor-fusion.md#node-affinity). kinds/pod.h has the part of it that other decisions
 * read of a Pod. The rows say what the CRD enforces; weights, operators and numbers of values are
 * judged by whoever validates, and by tensor_fusion/affinity.h when it matches.
 */

#include "schema/row.h"

#ifdef JL_NODE_AFFINITY_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_affinity_requirement
#define MEMBERS                                                                                 \
    STRING(key, "key", "Label of the node; metadata.name in matchFields.", REQUIRED)            \
    /* In NotIn Exists DoesNotExist Gt Lt, not enforced by the CRD */                           \
    STRING(op, "operator", "In, NotIn, Exists, DoesNotExist, Gt or Lt.", REQUIRED)              \
    STRINGS(                                                                                    \
        values, "values",                                                                       \
        "Values to compare with: one integer for Gt and Lt, none for Exists and DoesNotExist.", \
        ATOMIC)
#include "schema/shared_record.h"

#define RECORD jl_affinity_term
#define MEMBERS                                                           \
    /* struct jl_affinity_requirement, on labels */                       \
    LIST(expressions, "matchExpressions", jl_affinity_requirement,        \
         "Requirements on the node's labels that must all hold.", ATOMIC) \
    /* struct jl_affinity_requirement, on metadata.name */                \
    LIST(fields, "matchFields", jl_affinity_requirement,                  \
         "Requirements on the node's fields that must all hold.", ATOMIC)
#define ABOUT .flags = JL_ATOMIC_MAP
#include "schema/shared_record.h"

#define RECORD jl_affinity_preference
#define MEMBERS                                                                                  \
    OBJECT(preference, "preference", jl_affinity_term, "What the preferred node has.", REQUIRED) \
    /* 1..100, not enforced by the CRD */                                                        \
    INTEGER(weight, "weight", "Points of a node that has it, 1 to 100.", REQUIRED, AS_INT32)
#include "schema/shared_record.h"

#define RECORD jl_affinity_required
#define MEMBERS                                        \
    /* struct jl_affinity_term, ORed */                \
    LIST(terms, "nodeSelectorTerms", jl_affinity_term, \
         "Terms of which one must hold; none matches no node.", REQUIRED, ATOMIC)
#define ABOUT .flags = JL_ATOMIC_MAP
#include "schema/shared_record.h"

#define RECORD jl_profile_affinity
#define MEMBERS                                                                                \
    LIST(preferred, "preferredDuringSchedulingIgnoredDuringExecution", jl_affinity_preference, \
         "What makes a node better than another.", ATOMIC)                                     \
    OBJECT(required, "requiredDuringSchedulingIgnoredDuringExecution", jl_affinity_required,   \
           "What a node must have.")
#include "schema/shared_record.h"

#undef RECORD_TABLES
