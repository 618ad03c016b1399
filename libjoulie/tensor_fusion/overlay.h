/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A spec put together from several, field by field: the first source that gives a field decides it
 * (docs/rules/tensor-fusion.md#precedence). The walk follows the table of the spec, so that it
 * knows every field.
 */

#include "kinds/tensor_fusion.h"

enum jl_profile_source { /* in falling precedence */
                         JL_PROFILE_SOURCE_NONE,
                         JL_PROFILE_SOURCE_ANNOTATION,
                         JL_PROFILE_SOURCE_PROFILE,
                         JL_PROFILE_SOURCE_POOL_RULE,
                         JL_PROFILE_SOURCE_POOL,
                         JL_PROFILE_SOURCE_QUOTA,
                         JL_PROFILE_SOURCE_BUILTIN,
};

extern const struct jl_words jl_profile_source_words;

#define JL_SPEC_FIELDS 128 /* leaves of the spec at most; a test holds it */

struct jl_overlay {
    struct jl_fusion_spec spec;
    uint8_t sources[JL_SPEC_FIELDS]; /* enum jl_profile_source of each leaf, in table order */
};

/*
 * Takes from a spec every field that the overlay does not have yet. Zero quantities, empty texts
 * and lists, and a gpuCount of 0 are unset. Node affinity, external scaler and lists are one
 * field each; tflops and compute of one side exclude each other.
 */
void jl_overlay_take(struct jl_overlay *overlay, const struct jl_fusion_spec *from,
                     enum jl_profile_source source);

/* Path of every field to the word of its source, in table order. 0 or jl_arena_code(). */
int jl_overlay_sources(const struct jl_overlay *overlay, struct jl_arena *arena,
                       struct jl_map *out);
