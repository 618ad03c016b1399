/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which of the three schemas an object or a CustomResourceDefinition is written in, and the names
 * of a field in each
 * (docs/rules/tensor-fusion.md#detection). Validation, conversion and the autoscaler ask first.
 */

#include "tensor_fusion/dialect.h"

const struct jl_words jl_dialect_words = JL_WORDS({
    { JL_DIALECT_NEUTRAL, "neutral" },
    { JL_DIALECT_A, "A" },
    { JL_DIALECT_B, "B" },
    { JL_DIALECT_C, "C" },
    { JL_DIALECT_MIXED, "mixed" },
});

const char *const jl_fusion_c_fields[] = { "sidecarWorker",  "isolation", "partitionTemplateId",
                                           "gpuIndices",     "vendor",    "workerPodTemplate",
                                           "gangScheduling", NULL };

/* From v1.47.0 on. */
static const char *const b_fields[] = { "sidecarWorker", "workerPodTemplate", NULL };

static const char *const a_marks[] = { "autoSetLimits", "autoSetRequests", NULL };
static const char *const c_marks[] = { "autoSetResources", "cronScalingRules", "externalScaler",
                                       NULL };

struct json_object *jl_fusion_member(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    if (json_object_get_type(object) == json_type_object)
        json_object_object_get_ex(object, key, &value);
    return value;
}

static bool has_any(struct json_object *object, const char *const *keys)
{
    for (; *keys; keys++) {
        if (jl_fusion_member(object, *keys))
            return true;
    }
    return false;
}

/* ---- fields of autoSetResources ---- */

#define NAMES(field, b, c) [JL_FIELD_##field] = { b, c },

const struct jl_resources_names jl_resources_names[JL_FIELD_COUNT] = { JL_RESOURCES_FIELDS(NAMES) };

const char *jl_resources_name(enum jl_resources_field field, enum jl_dialect dialect)
{
    return dialect == JL_DIALECT_B ? jl_resources_names[field].b : jl_resources_names[field].c;
}

struct json_object *jl_resources_member(struct json_object *resources,
                                        enum jl_resources_field field, const char **out_name)
{
    const struct jl_resources_names *names = &jl_resources_names[field];
    struct json_object *value = names->b ? jl_fusion_member(resources, names->b) : NULL;
    *out_name = names->b;
    if (!value && names->c) {
        value = jl_fusion_member(resources, names->c);
        *out_name = names->c;
    }
    return value;
}

/* A member that only B has. */
static bool has_field_of_b(struct json_object *resources)
{
    for (size_t i = 0; i < JL_COUNT(jl_resources_names); i++) {
        const struct jl_resources_names *names = &jl_resources_names[i];
        if (names->b && !jl_same(names->b, names->c) && jl_fusion_member(resources, names->b))
            return true;
    }
    return false;
}

/* ---- detection ---- */

/* The marks of the dialects; resources and rule may be NULL. */
struct marks {
    struct json_object *block;     /* members of autoScalingConfig */
    struct json_object *resources; /* members of its autoSetResources */
    bool has_desired_replicas;     /* in some cron rule */
};

static enum jl_dialect judge(const struct marks *marks)
{
    const bool is_late = has_any(marks->block, c_marks);
    if (has_any(marks->block, a_marks))
        return is_late ? JL_DIALECT_MIXED : JL_DIALECT_A;
    if (has_field_of_b(marks->resources) || marks->has_desired_replicas)
        return JL_DIALECT_B;
    if (is_late)
        return JL_DIALECT_C;
    return jl_fusion_member(marks->block, "autoSetReplicas") ? JL_DIALECT_A : JL_DIALECT_NEUTRAL;
}

static bool has_desired_replicas(struct json_object *rules)
{
    if (json_object_get_type(rules) != json_type_array)
        return false;
    for (size_t i = 0; i < json_object_array_length(rules); i++) {
        if (jl_fusion_member(json_object_array_get_idx(rules, i), "desiredReplicas"))
            return true;
    }
    return false;
}

static bool has_compute(struct json_object *spec)
{
    struct json_object *resources = jl_fusion_member(spec, "resources");
    return jl_fusion_member(jl_fusion_member(resources, "requests"), "compute") ||
           jl_fusion_member(jl_fusion_member(resources, "limits"), "compute");
}

bool jl_dialect_has_field(enum jl_dialect dialect, const char *key)
{
    for (const char *const *field = b_fields; dialect == JL_DIALECT_B && *field; field++) {
        if (jl_same(key, *field))
            return true;
    }
    return dialect != JL_DIALECT_A && dialect != JL_DIALECT_B;
}

enum jl_dialect jl_dialect_of_spec(struct json_object *spec)
{
    struct json_object *block = jl_fusion_member(spec, "autoScalingConfig");
    const struct marks marks = {
        .block = block,
        .resources = jl_fusion_member(block, "autoSetResources"),
        .has_desired_replicas = has_desired_replicas(jl_fusion_member(block, "cronScalingRules")),
    };
    const enum jl_dialect dialect = judge(&marks);
    if (dialect == JL_DIALECT_NEUTRAL && (has_any(spec, jl_fusion_c_fields) || has_compute(spec)))
        return JL_DIALECT_C;
    return dialect;
}

enum jl_dialect jl_dialect_of(struct json_object *object)
{
    return jl_dialect_of_spec(jl_fusion_member(object, "spec"));
}

/* The value below a path of keys, NULL-terminated. */
static struct json_object *below(struct json_object *object, const char *const *keys)
{
    for (; object && *keys; keys++)
        object = jl_fusion_member(object, *keys);
    return object;
}

static struct json_object *served_version(struct json_object *crd)
{
    struct json_object *spec = jl_fusion_member(crd, "spec");
    struct json_object *group = jl_fusion_member(spec, "group");
    struct json_object *versions = jl_fusion_member(spec, "versions");
    if (!jl_same(json_object_get_string(group), JL_FUSION_GROUP) ||
        json_object_get_type(versions) != json_type_array)
        return NULL;
    for (size_t i = 0; i < json_object_array_length(versions); i++) {
        struct json_object *version = json_object_array_get_idx(versions, i);
        struct json_object *name = jl_fusion_member(version, "name");
        if (jl_same(json_object_get_string(name), JL_FUSION_VERSION))
            return version;
    }
    return NULL;
}

enum jl_dialect jl_dialect_of_crd(struct json_object *crd)
{
    static const char *const to_block[] = { "schema",     "openAPIV3Schema",   "properties", "spec",
                                            "properties", "autoScalingConfig", "properties", NULL };
    static const char *const to_rule[] = { "cronScalingRules", "items", "properties",
                                           "desiredReplicas", NULL };
    static const char *const to_resources[] = { "autoSetResources", "properties", NULL };
    struct json_object *block = below(served_version(crd), to_block);
    const struct marks marks = {
        .block = block,
        .resources = below(block, to_resources),
        .has_desired_replicas = below(block, to_rule) != NULL,
    };
    return judge(&marks);
}
