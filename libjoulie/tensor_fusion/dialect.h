/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which of TensorFusion's three schemas an object is written in: all of them call themselves
 * tensor-fusion.ai/v1. Rules: docs/rules/tensor-fusion.md#dialects.
 */

#include <json-c/json.h>
#include <stdbool.h>

#include "base/words.h"

#define JL_FUSION_GROUP "tensor-fusion.ai"
#define JL_FUSION_VERSION "v1"

enum jl_dialect {
    JL_DIALECT_NEUTRAL = 1, /* valid in all of them */
    JL_DIALECT_A,           /* v1.35.0 to v1.44.2 */
    JL_DIALECT_B,           /* v1.45.0 to v1.49.15 */
    JL_DIALECT_C,           /* v1.49.16 and later */
    JL_DIALECT_MIXED,       /* has marks of A and of a later one */
};

extern const struct jl_words jl_dialect_words; /* neutral, A, B, C, mixed */

/*
 * The dialect of a whole WorkloadProfile or TensorFusionWorkload. A member that is null or has
 * another type than expected is no mark. A spec without marks that has a field of C alone
 * (isolation, vendor, a compute leaf, ...) is C.
 */
enum jl_dialect jl_dialect_of(struct json_object *object);

/* The same of a spec alone. */
enum jl_dialect jl_dialect_of_spec(struct json_object *spec);

/*
 * What a cluster reads, from its CustomResourceDefinition of WorkloadProfile or
 * TensorFusionWorkload: A, B, C, MIXED, or NEUTRAL when the CRD has no such field, is of another
 * group or does not serve the version.
 */
enum jl_dialect jl_dialect_of_crd(struct json_object *crd);

/* The spec fields that only C has, NULL-terminated. */
extern const char *const jl_fusion_c_fields[];

/* Whether objects of a dialect may have one of these fields: some came with releases of B. */
bool jl_dialect_has_field(enum jl_dialect dialect, const char *key);

/* A member, or NULL: no object, no such member, or null. */
struct json_object *jl_fusion_member(struct json_object *object, const char *key);

/* The fields of autoSetResources: X(FIELD, name in B, name in C), NULL = it has none. */
#define JL_RESOURCES_FIELDS(X)                                                    \
    X(ENABLE, "enable", "enable")                                                 \
    X(TARGET_RESOURCE, "targetResource", "targetResource")                        \
    X(TARGET_COMPUTE, "targettflopspercentile", "targetComputePercentile")        \
    X(LOWER_COMPUTE, "lowerboundtflopspercentile", "lowerBoundComputePercentile") \
    X(UPPER_COMPUTE, "upperboundtflopspercentile", "upperBoundComputePercentile") \
    X(TARGET_VRAM, "targetvrampercentile", "targetVRAMPercentile")                \
    X(LOWER_VRAM, "lowerboundvrampercentile", "lowerBoundVRAMPercentile")         \
    X(UPPER_VRAM, "upperboundvrampercentile", "upperBoundVRAMPercentile")         \
    X(MARGIN, "requestMarginFraction", "marginFraction")                          \
    X(UPDATE_THRESHOLD, NULL, "updateThreshold")                                  \
    X(CONFIDENCE_INTERVAL, "confidenceInterval", NULL)                            \
    X(HISTORY, "historyLength", "historyDataPeriod")                              \
    X(HISTORY_RESOLUTION, "historyResolution", NULL)                              \
    X(MIN_VRAM_RATIO, NULL, "minVRAMResourcesRatio")                              \
    X(MAX_VRAM_RATIO, NULL, "maxVRAMResourcesRatio")                              \
    X(MIN_COMPUTE_RATIO, NULL, "minComputeResourcesRatio")                        \
    X(MAX_COMPUTE_RATIO, NULL, "maxComputeResourcesRatio")                        \
    X(INITIAL_DELAY, NULL, "initialDelayPeriod")                                  \
    X(INTERVAL, NULL, "interval")

#define JL_RESOURCES_FIELD(field, b, c) JL_FIELD_##field,

enum jl_resources_field { JL_RESOURCES_FIELDS(JL_RESOURCES_FIELD) JL_FIELD_COUNT };

struct jl_resources_names {
    const char *b; /* NULL = not in B */
    const char *c; /* NULL = not in C */
};

extern const struct jl_resources_names jl_resources_names[JL_FIELD_COUNT];

/* The name in B, or else that in C; NULL = the dialect has no such field. */
const char *jl_resources_name(enum jl_resources_field field, enum jl_dialect dialect);
/* A field by either name; *out_name is the one found. */
struct json_object *jl_resources_member(struct json_object *resources,
                                        enum jl_resources_field field, const char **out_name);
