/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A profile and the block of its pool in the dialect that is read, converted in memory
 * (docs/rules/conversion.md#c-or-b-to-a).
 */

#include "autoscale/profile_parts.h"
#include "base/error.h"
#include "schema/tree.h"
#include "tensor_fusion/convert.h"

#define BLOCK_PATH "spec.autoScalingConfig."
#define RULES_PATH BLOCK_PATH "cronScalingRules"
#define A_RULE_PATH RULES_PATH "["
#define SCALER_PATH BLOCK_PATH "externalScaler"
#define AMOUNTS_PATH "spec.resources"

/* What a conversion is read for. */
enum purpose {
    FOR_ALL,     /* fields and amounts */
    FOR_FIELDS,  /* of the block */
    FOR_AMOUNTS, /* of spec.resources */
    FOR_POOL,    /* fields of a block that stands alone */
};

/* Rules and the external scaler are read as they were written, and speak for themselves. */
static bool is_read(const struct jl_convert_warning *warning, enum purpose purpose)
{
    const bool is_amount = jl_starts_with(warning->path, AMOUNTS_PATH) ||
                           jl_same(warning->reason, "AmbiguousGpuModel");
    if (purpose == FOR_AMOUNTS || is_amount)
        return is_amount && (purpose == FOR_AMOUNTS || purpose == FOR_ALL);
    return !jl_starts_with(warning->path, RULES_PATH) &&
           !jl_starts_with(warning->path, SCALER_PATH);
}

static const char *reported_path(struct jl_scale_reader *reader, const char *path,
                                 enum purpose purpose, const char *below)
{
    const bool is_alone = purpose == FOR_POOL && jl_starts_with(below, BLOCK_PATH);
    return jl_scale_below(reader, path, is_alone ? below + sizeof BLOCK_PATH - 1 : below);
}

/* What the conversion could not read or express is reported with the block's own path. */
static void take_warnings(struct jl_scale_reader *reader, const struct jl_converted *converted,
                          enum purpose purpose, const char *path)
{
    for (const struct jl_convert_warning *one = converted->warnings; one != NULL; one = one->next) {
        if (!is_read(one, purpose))
            continue;
        const char *where = reported_path(reader, path, purpose, one->path);
        if (jl_same(one->reason, "AmbiguousGpuModel"))
            jl_scale_report(reader, JL_REASON_AMBIGUOUS_GPU_MODEL, jl_scale_gpu_path(reader),
                            one->text);
        else if (jl_same(one->reason, "InvalidField"))
            jl_scale_report(reader, JL_REASON_INVALID_FIELD, where, one->text);
        else if (jl_same(one->reason, "StaleAnnotation"))
            jl_scale_report(reader, JL_REASON_STALE_ANNOTATION, where, one->text);
        else if (jl_same(one->reason, "NotRepresentable") && jl_starts_with(one->path, BLOCK_PATH))
            jl_scale_report(reader, JL_REASON_NOT_REPRESENTABLE, where,
                            jl_same(one->text, JL_CONVERT_LOST_TEXT)
                                ? "the rules that run cannot say it: it does not count"
                                : one->text);
    }
}

struct json_object *jl_scale_block_of(struct json_object *object)
{
    return jl_fusion_member(jl_fusion_member(object, "spec"), "autoScalingConfig");
}

/* A copy of the object without these members of its block; NULL when memory ran out. */
static struct json_object *without(struct json_object *object, const char *const *keys,
                                   size_t count)
{
    struct json_object *copy = NULL;
    if (json_object_deep_copy(object, &copy, NULL) < 0)
        return NULL;
    for (size_t i = 0; i < count; i++)
        json_object_object_del(jl_scale_block_of(copy), keys[i]);
    return copy;
}

/* Converts; a rule that cannot be expressed in the other dialect is no failure of the others. */
static int convert(struct jl_scale_reader *reader, struct json_object *object,
                   const struct jl_convert_options *options, struct jl_converted *out)
{
    const int rc = jl_convert(object, options, reader->arena, out, reader->err);
    static const char *const rules[] = { "cronScalingRules" };
    if (rc >= 0 || !jl_starts_with(reader->err->where, A_RULE_PATH))
        return rc;
    JL_CLEANUP(jl_tree_clear) struct json_object *others = without(object, rules, JL_COUNT(rules));
    if (others == NULL)
        return jl_fail_memory(reader->err);
    return jl_convert(others, options, reader->arena, out, reader->err);
}

/* An object of one dialect in the wanted one, a reference of the caller's; NULL after a failure. */
static struct json_object *in_one_dialect(struct jl_scale_reader *reader,
                                          struct json_object *object, enum jl_dialect to,
                                          enum purpose purpose, const char *path)
{
    const enum jl_dialect from = jl_dialect_of(object);
    const struct jl_convert_options options = { .to = to,
                                                .gpu_tflops = reader->source->gpu_tflops,
                                                .gpu_model = reader->gpu_model };
    struct jl_converted converted = { .object = NULL };
    if (from == to || from == JL_DIALECT_NEUTRAL)
        return json_object_get(object);
    const int rc = convert(reader, object, &options, &converted);
    if (rc < 0) {
        reader->code = rc;
        jl_error_inside(reader->err, path, ".");
        return NULL;
    }
    take_warnings(reader, &converted, purpose, path);
    return converted.object;
}

/* Members of the other object's block that the block leaves out: 0 or JOULIE_E_NOMEM. */
static int add_missing(struct json_object *object, struct json_object *other)
{
    struct json_object *block = jl_scale_block_of(object);
    struct json_object *theirs = jl_scale_block_of(other);
    if (json_object_get_type(block) != json_type_object ||
        json_object_get_type(theirs) != json_type_object)
        return 0;
    json_object_object_foreach(theirs, key, value)
    {
        if (!jl_convert_is_left_out(jl_fusion_member(block, key)))
            continue;
        if (jl_tree_add(block, key, json_object_get(value)) < 0) {
            json_object_put(value);
            return JOULIE_E_NOMEM;
        }
    }
    return 0;
}

/* What is written in the wanted dialect counts; layers that it leaves out come from what is written
 * in the other one. */
static struct json_object *in_union(struct jl_scale_reader *reader, struct json_object *object,
                                    enum jl_dialect to, enum purpose purpose, const char *path)
{
    static const char *const seed_keys[] = { "autoSetLimits", "autoSetRequests",
                                             "autoSetReplicas" };
    static const char *const later_keys[] = { "autoSetResources", "cronScalingRules",
                                              "externalScaler" };
    JL_CLEANUP(jl_tree_clear)
    struct json_object *seed = without(object, later_keys, JL_COUNT(later_keys));
    JL_CLEANUP(jl_tree_clear)
    struct json_object *later = without(object, seed_keys, JL_COUNT(seed_keys));
    if (seed == NULL || later == NULL) {
        reader->code = jl_fail_memory(reader->err);
        return NULL;
    }
    const bool is_seed = to == JL_DIALECT_A;
    JL_CLEANUP(jl_tree_clear)
    struct json_object *first = in_one_dialect(reader, is_seed ? seed : later, to, purpose, path);
    if (first == NULL)
        return NULL;
    JL_CLEANUP(jl_tree_clear)
    struct json_object *second = in_one_dialect(reader, is_seed ? later : seed, to,
                                                purpose == FOR_POOL ? FOR_POOL : FOR_FIELDS, path);
    struct json_object *both = NULL;
    if (second == NULL)
        return NULL;
    if (json_object_deep_copy(first, &both, NULL) < 0 || add_missing(both, second) < 0) {
        reader->code = jl_fail_memory(reader->err);
        jl_tree_clear(&both);
    }
    return both;
}

static struct json_object *in_dialect(struct jl_scale_reader *reader, struct json_object *object,
                                      enum jl_dialect to, enum purpose purpose, const char *path)
{
    return jl_dialect_of(object) == JL_DIALECT_MIXED
               ? in_union(reader, object, to, purpose, path)
               : in_one_dialect(reader, object, to, purpose, path);
}

/* Adds a value, which is taken over also on failure: false = memory ran out. */
static bool add(struct json_object *object, const char *key, struct json_object *value)
{
    if (object != NULL && value != NULL && jl_tree_add(object, key, value) == 0)
        return true;
    json_object_put(value);
    return false;
}

/* The pool's block inside an object with the profile's resources, so that ratios can be converted:
 * a reference of the caller's, NULL when memory ran out. */
static struct json_object *pool_object(const struct jl_autoscale_source *source)
{
    static const char version[] = JL_FUSION_GROUP "/" JL_FUSION_VERSION;
    JL_CLEANUP(jl_tree_clear) struct json_object *object = json_object_new_object();
    struct json_object *resources =
        jl_fusion_member(jl_fusion_member(source->profile, "spec"), "resources");
    if (!add(object, "spec", json_object_new_object()) ||
        !add(object, "apiVersion", json_object_new_string(version)) ||
        !add(object, "kind", json_object_new_string("WorkloadProfile")))
        return NULL;
    struct json_object *spec = jl_fusion_member(object, "spec");
    if (!add(spec, "autoScalingConfig", json_object_get(source->pool)) ||
        (resources != NULL && !add(spec, "resources", json_object_get(resources))))
        return NULL;
    return json_object_get(object);
}

void jl_scale_clear_trees(struct jl_scale_trees *trees)
{
    jl_tree_clear(&trees->own);
    jl_tree_clear(&trees->read);
    jl_tree_clear(&trees->pool);
    jl_tree_clear(&trees->pooled);
}

void jl_scale_make_trees(struct jl_scale_reader *reader, enum jl_dialect dialect,
                         struct jl_scale_trees *out)
{
    const struct jl_autoscale_source *source = reader->source;
    const bool is_seed = dialect == JL_DIALECT_A;
    out->own = in_dialect(reader, source->profile, JL_DIALECT_A, is_seed ? FOR_ALL : FOR_AMOUNTS,
                          source->profile_path);
    if (reader->code == 0)
        out->read = is_seed ? json_object_get(out->own)
                            : in_dialect(reader, source->profile, dialect, FOR_FIELDS,
                                         source->profile_path);
    if (reader->code < 0 || source->pool == NULL)
        return;
    out->pool = pool_object(source);
    if (out->pool == NULL)
        reader->code = jl_fail_memory(reader->err);
    else
        out->pooled = in_dialect(reader, out->pool, dialect, FOR_POOL, source->pool_path);
}
