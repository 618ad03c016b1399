/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The profile that a Pod gets: annotation, WorkloadProfile, first matching pool rule, pool default,
 * namespace quota default, built-in, in this order and field by field
 * (docs/rules/tensor-fusion.md#precedence), then what its QoS class means for the scheduler and for
 * power.
 */

#include "tensor_fusion/annotations.h"
#include "tensor_fusion/overlay.h"

struct jl_pool_rule {
    const char *selector; /* label selector of the Pods; NULL = all */
    const struct jl_fusion_spec *spec;
};

struct jl_profile_input {
    const struct jl_map *annotations;
    const struct jl_map *labels;
    const char *priority_class;           /* that the Pod has; NULL = none */
    const char *domain;                   /* JL_FUSION_DOMAIN */
    const struct jl_fusion_spec *profile; /* NULL = none; also below */
    const struct jl_pool_rule *rules;
    size_t rule_count;
    const char *pool; /* name of the pool that counts without another one */
    const struct jl_fusion_spec *pool_spec;
    const struct jl_fusion_spec *quota;
    double gpu_tflops;     /* capacity of one GPU of the pool; 0 = ask the catalogue */
    double gpu_vram_bytes; /* the same */
};

struct jl_resolved_profile {
    bool is_enabled; /* the Pod opted in */
    struct jl_fusion_spec spec;
    struct jl_map sources;      /* path of every field to a word */
    struct jl_list warnings;    /* struct jl_admission_warning */
    const char *priority_class; /* to set; NULL = leave the Pod as it is */
    const char *joulie_class;   /* NULL = the Pod has one itself */
};

/*
 * Everything in out is in the arena or borrowed from the input. 0, JOULIE_E_REQUIRED (the Pod names
 * a profile and none is given), JOULIE_E_ENUM (qos), JOULIE_E_PARSE (selector of a rule),
 * JOULIE_E_CONFLICT (a worker template without remote workers), JOULIE_E_UNSUPPORTED (dedicated-gpu
 * of unknown capacity) or JOULIE_E_NOMEM; err says where.
 */
int jl_profile_resolve(const struct jl_profile_input *in, struct jl_arena *arena,
                       struct jl_resolved_profile *out, struct joulie_error *err);
