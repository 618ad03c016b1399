/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * spec.nodeAffinity of a TensorFusion profile: the whole core type, strict about unknown members
 * (tensor-fusion.md §2.3). kinds/pod.h has the part of it that other decisions read of a Pod.
 * The rows say what the CRD enforces; weights, operators and numbers of values are judged by
 * whoever validates, and by fusion/affinity.h when it matches.
 */

#include "schema/row.h"

struct jl_affinity_requirement {
    uint64_t has;
    const char *key;
    const char *op;        /* In NotIn Exists DoesNotExist Gt Lt, not enforced by the CRD */
    struct jl_list values; /* strings */
};

enum { JL_REQUIREMENT_KEY, JL_REQUIREMENT_OP, JL_REQUIREMENT_VALUES };

struct jl_affinity_term {
    uint64_t has;
    struct jl_list expressions; /* struct jl_affinity_requirement, on labels */
    struct jl_list fields;      /* struct jl_affinity_requirement, on metadata.name */
};

enum { JL_AFFINITY_TERM_EXPRESSIONS, JL_AFFINITY_TERM_FIELDS };

struct jl_affinity_preference {
    uint64_t has;
    struct jl_affinity_term preference;
    int64_t weight; /* 1..100, not enforced by the CRD */
};

enum { JL_PREFERENCE_TERM, JL_PREFERENCE_WEIGHT };

struct jl_affinity_required {
    uint64_t has;
    struct jl_list terms; /* struct jl_affinity_term, ORed */
};

enum { JL_AFFINITY_REQUIRED_TERMS };

struct jl_profile_affinity {
    uint64_t has;
    struct jl_list preferred; /* struct jl_affinity_preference */
    struct jl_affinity_required required;
};

enum { JL_PROFILE_AFFINITY_PREFERRED, JL_PROFILE_AFFINITY_REQUIRED };

extern const struct jl_table jl_profile_affinity_table;
