/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the tests of the conversion share. */

#include "tensor_fusion/convert.h"

#define GPU_TFLOPS 149.7 /* an A40 */

struct conversion {
    struct jl_arena arena;
    struct jl_converted made;
    struct joulie_error err;
    int rc;
};

/* A workload of a spec; to be released. */
struct json_object *object_of(const char *spec);

/* gpu_tflops 0 = unknown. To be released with clear(). */
void convert(struct json_object *object, enum jl_dialect to, double gpu_tflops,
             struct conversion *out);
void clear(struct conversion *conversion);
/* path NULL = any. */
bool has_warning(const struct conversion *conversion, const char *reason, const char *path);
const char *text_of(struct json_object *tree);

/* The object in another dialect; it must be possible and without StaleAnnotation. */
struct json_object *converted(struct json_object *object, enum jl_dialect to);

/* The value at a path as a warning writes it. */
struct json_object *value_at(struct json_object *tree, const char *path);

/* What the annotation holds, or NULL; to be released. */
struct json_object *annotation_of(struct json_object *object);
