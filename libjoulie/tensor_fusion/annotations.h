/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The annotations of a Pod that set fields of its profile
 * (docs/rules/tensor-fusion.md#annotations). */

#include <joulie/error.h>

#include "kinds/tensor_fusion.h"

#define JL_FUSION_DOMAIN "tensor-fusion.ai" /* of labels and annotations; a setting */

#ifdef JL_ADMISSION_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_admission_warning
#define MEMBERS                                                                             \
    STRING(reason, "reason", "Word of the reason.") /* docs/rules/autoscaling.md#reasons */ \
    STRING(where, "where", "Path from the document root.")                                  \
    STRING(message, "message", "Free text.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

struct jl_admission_warnings {
    struct jl_arena *arena;
    struct jl_list items; /* struct jl_admission_warning */
    size_t capacity;
};

/* 0 or jl_arena_code(). */
int jl_admission_warn(struct jl_admission_warnings *warnings, const char *reason, const char *where,
                      const char *message);

struct jl_fusion_annotations {
    struct jl_fusion_spec spec; /* the fields that annotations set */
    const char *profile;        /* name of the WorkloadProfile; NULL = none */
    const char *partition;      /* template, only for isolation partitioned */
    const char *target;         /* resource of both layers; tflops, vram, all, compute */
    bool is_autoscaled;         /* limits and requests layers on */
    bool is_dedicated;          /* wants whole GPUs */
};

/*
 * An annotation that cannot be read leaves its field alone and is a warning. 0, JOULIE_E_ENUM (a
 * qos that is none) or JOULIE_E_NOMEM; err names the annotation.
 */
int jl_fusion_annotations(const struct jl_map *annotations, const char *domain,
                          struct jl_admission_warnings *warnings, struct jl_fusion_annotations *out,
                          struct joulie_error *err);

/* "pod.annotations.DOMAIN/NAME"; NULL = out of memory. */
const char *jl_fusion_annotation_path(struct jl_arena *arena, const char *domain, const char *name);
