/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * TensorFusion objects from one dialect into another, without loss: what the target cannot express
 * is kept in an annotation, from which the way back restores it. Rules: docs/rules/conversion.md.
 */

#include <json-c/json.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "tensor_fusion/dialect.h"

#define JL_CONVERT_ANNOTATION "joulie.io/tensor-fusion-autoscaling"

struct jl_convert_options {
    enum jl_dialect to;    /* A, B or C */
    double gpu_tflops;     /* FP16 TFLOPS of one GPU; 0 = see gpu_model */
    const char *gpu_model; /* looked up in catalog/fusion_gpus.h; NULL = the object's gpuModel */
};

/* A word of docs/rules/autoscaling.md#reasons, the member it is about, and a sentence. */
struct jl_convert_warning {
    const char *reason;
    const char *path;
    const char *text;
    const struct jl_convert_warning *next;
};

struct jl_converted {
    struct json_object *object; /* a reference of the caller's; shares parts with the input */
    const struct jl_convert_warning *warnings; /* in the order they arose; in the arena */
};

/*
 * Converts a whole object. Members that no dialect has stay; an object of the target dialect and a
 * neutral one come back as they are. 0, JOULIE_E_REQUIRED (apiVersion, kind), JOULIE_E_ENUM
 * (another kind or group), JOULIE_E_UNSUPPORTED (another version; NeedsGpuModel: a compute percent
 * of an unknown capacity), JOULIE_E_TYPE or JOULIE_E_NOMEM.
 */
int jl_convert(struct json_object *object, const struct jl_convert_options *options,
               struct jl_arena *arena, struct jl_converted *out, struct joulie_error *err);

/* Whether it is a WorkloadProfile or TensorFusionWorkload; the codes of jl_convert(). */
int jl_convert_check(struct json_object *object, struct joulie_error *err);

/*
 * What of a WorkloadProfile or TensorFusionWorkload no dialect has: InvalidField each, in the order
 * of the object. 0 or JOULIE_E_NOMEM.
 */
int jl_convert_find_unknown(struct json_object *object, struct jl_arena *arena,
                            const struct jl_convert_warning **out, struct joulie_error *err);

/* The text of NotRepresentable at a field that the target has in no shape. */
#define JL_CONVERT_LOST_TEXT \
    "the other dialect has no such field; it is kept in the annotation " JL_CONVERT_ANNOTATION

/* Whether a layer of autoScalingConfig is empty, not even that it is off. */
bool jl_convert_is_left_out(struct json_object *layer);
