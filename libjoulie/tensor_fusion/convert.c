/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A whole object in another dialect (docs/rules/conversion.md): which spec is converted, the one
 * at hand or the one that the annotation restores, and whether the result needs an annotation.
 * Called by the question convert and by the autoscaler.
 */

#include "tensor_fusion/convert.h"

#include "base/error.h"
#include "catalog/fusion_gpus.h"
#include "tensor_fusion/convert_store.h"

#define API_VERSION JL_FUSION_GROUP "/" JL_FUSION_VERSION

/* What is converted: the spec at hand, or the one that its annotation brings back. */
struct source {
    struct json_object *spec; /* a reference */
    enum jl_dialect dialect;
    bool is_restored;
};

static const enum jl_dialect dialects[] = { JL_DIALECT_A, JL_DIALECT_B, JL_DIALECT_C };

int jl_convert_check(struct json_object *object, struct joulie_error *err)
{
    static const char *const members[] = { "apiVersion", "kind" };
    const char *texts[JL_COUNT(members)];
    if (json_object_get_type(object) != json_type_object)
        return jl_fail(err, JOULIE_E_TYPE, "", "an object was expected");
    for (size_t i = 0; i < JL_COUNT(members); i++) {
        struct json_object *value = jl_fusion_member(object, members[i]);
        if (!value)
            return jl_fail(err, JOULIE_E_REQUIRED, members[i], "the member is required");
        if (json_object_get_type(value) != json_type_string)
            return jl_fail(err, JOULIE_E_TYPE, members[i], "a string was expected");
        texts[i] = json_object_get_string(value);
    }
    if (!jl_starts_with(texts[0], JL_FUSION_GROUP "/"))
        return jl_fail(err, JOULIE_E_ENUM, "apiVersion",
                       "only objects of the group " JL_FUSION_GROUP " have dialects");
    if (!jl_same(texts[1], "WorkloadProfile") && !jl_same(texts[1], "TensorFusionWorkload"))
        return jl_fail(err, JOULIE_E_ENUM, "kind",
                       "a %.64s is neither a WorkloadProfile nor a TensorFusionWorkload", texts[1]);
    if (!jl_same(texts[0], API_VERSION))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "apiVersion", "only " API_VERSION " is known");
    return 0;
}

/* The capacity of one GPU: of the options, else of the model that the options or the spec name. */
static void find_capacity(struct jl_conversion *c, const struct jl_convert_options *options,
                          struct json_object *spec)
{
    struct jl_fusion_match match;
    const bool is_given = options->gpu_model != NULL;
    const char *model =
        is_given ? options->gpu_model : jl_convert_text(c, spec, "spec", "gpuModel");
    c->gpu_tflops = options->gpu_tflops;
    if (c->gpu_tflops > 0 || jl_is_empty(model))
        return;
    if (!jl_fusion_gpu_find(model, 0, JL_FUSION_GPUS_CURRENT, &match)) {
        c->unknown_model = model;
        if (is_given)
            jl_convert_warn(c, "NeedsGpuModel", "options.gpuModel", NULL,
                            "no known GPU has this name");
        return;
    }
    c->gpu_tflops = match.gpu.fp16_tflops;
    if (match.is_family)
        c->ambiguous_path = is_given ? "options.gpuModel" : "spec.gpuModel";
}

/* A conversion without reports; NULL also when it does not succeed. */
static struct json_object *try_spec(struct jl_conversion *c, struct json_object *spec,
                                    enum jl_dialect from, enum jl_dialect to, double gpu_tflops)
{
    struct jl_conversion trial = { .arena = c->arena, .gpu_tflops = gpu_tflops, .is_silent = true };
    if (from == to || from == JL_DIALECT_NEUTRAL)
        return json_object_get(spec);
    struct json_object *out = jl_convert_spec(&trial, spec, from, to);
    if (trial.code == JOULIE_E_NOMEM)
        jl_convert_fail_memory(c);
    return out;
}

/* Whether the restored spec, in a dialect, is the one at hand. */
static bool explains(struct jl_conversion *c, struct json_object *restored,
                     struct json_object *present, enum jl_dialect dialect)
{
    JL_CLEANUP(jl_tree_clear)
    struct json_object *same = try_spec(c, restored, jl_dialect_of_spec(restored), dialect,
                                        jl_convert_capacity(restored, present));
    return same && jl_convert_same(same, present);
}

/* Whether the word of the annotation fits what it holds. */
static bool is_sound(const struct jl_store *store, struct json_object *restored)
{
    const enum jl_dialect dialect = jl_dialect_of_spec(restored);
    return dialect == store->dialect || dialect == JL_DIALECT_NEUTRAL ||
           (dialect == JL_DIALECT_MIXED && store->dialect != JL_DIALECT_B);
}

/*
 * Decides what is converted. *out_is_same: the object is of the target already, and its annotation
 * may be needed for another one.
 */
static void find_source(struct jl_conversion *c, const struct jl_store *store,
                        struct json_object *present, enum jl_dialect to, struct source *out,
                        bool *out_is_same)
{
    const enum jl_dialect detected = jl_dialect_of_spec(present);
    const bool is_there = detected == to || detected == JL_DIALECT_NEUTRAL;
    JL_CLEANUP(jl_tree_clear) struct json_object *restored = NULL;
    bool is_of[JL_COUNT(dialects)] = { false };
    bool is_valid = false;
    *out = (struct source){ .spec = json_object_get(present), .dialect = detected };
    *out_is_same = is_there && store->state == JL_STORE_NONE;
    if (store->state == JL_STORE_READ)
        restored = jl_store_restore(c, store, present);
    if (restored && is_sound(store, restored) &&
        (to == JL_DIALECT_C || !jl_store_has_later(store, present))) {
        for (size_t i = 0; i < JL_COUNT(dialects); i++) {
            is_of[i] = explains(c, restored, present, dialects[i]);
            is_valid = is_valid || is_of[i];
        }
    }
    if (store->dialect != to && is_there && (!is_valid || is_of[to - JL_DIALECT_A]) &&
        store->state != JL_STORE_NONE) {
        *out_is_same = true;
        return;
    }
    if (!is_valid)
        return;
    jl_store_drop_defaults(store, restored);
    json_object_put(out->spec);
    *out = (struct source){ .spec = json_object_get(restored),
                            .dialect = jl_dialect_of_spec(restored),
                            .is_restored = true };
}

/* Whether converting the result to the source's dialect gives the source, text by text. */
static bool comes_back(struct jl_conversion *c, const struct source *source,
                       struct json_object *result)
{
    JL_CLEANUP(jl_tree_clear)
    struct json_object *back = try_spec(c, result, jl_dialect_of_spec(result), source->dialect, 0);
    return back && jl_tree_equal(back, source->spec);
}

static struct json_object *convert_source(struct jl_conversion *c, struct json_object *object,
                                          const struct source *source, enum jl_dialect to)
{
    const bool is_mixed = source->dialect == JL_DIALECT_MIXED;
    const char *text = NULL;
    if (source->dialect == to || source->dialect == JL_DIALECT_NEUTRAL)
        return jl_store_put(c, object, source->spec, NULL);
    JL_CLEANUP(jl_tree_clear)
    struct json_object *result = jl_convert_spec(c, source->spec, source->dialect, to);
    if (!result)
        return NULL;
    /* of a mixed one the half that the target is not */
    const enum jl_dialect word = !is_mixed            ? source->dialect
                                 : to == JL_DIALECT_A ? JL_DIALECT_C
                                                      : JL_DIALECT_A;
    if (is_mixed || !comes_back(c, source, result))
        text = jl_store_text(c, word, source->spec, result);
    return jl_store_put(c, object, result, text);
}

static struct json_object *convert(struct jl_conversion *c, struct json_object *object,
                                   const struct jl_convert_options *options,
                                   struct json_object *spec, const struct jl_store *store)
{
    struct source source;
    struct json_object *out = NULL;
    bool is_same = false;
    find_source(c, store, spec, options->to, &source, &is_same);
    if (is_same) {
        out = json_object_get(object);
    } else {
        if (store->state != JL_STORE_NONE && !source.is_restored)
            jl_convert_warn(c, "StaleAnnotation", JL_STORE_PATH, NULL,
                            "it does not belong to the fields as they are; it is dropped and the "
                            "fields are converted");
        find_capacity(c, options, source.spec);
        if (source.is_restored)
            jl_store_settle_percents(c, store, source.spec, options->to);
        out = convert_source(c, object, &source, options->to);
    }
    json_object_put(source.spec);
    return out;
}

int jl_convert(struct json_object *object, const struct jl_convert_options *options,
               struct jl_arena *arena, struct jl_converted *out, struct joulie_error *err)
{
    struct jl_conversion c = { .arena = arena, .err = err };
    struct jl_store store;
    const int rc = jl_convert_check(object, err);
    if (rc < 0)
        return rc;
    struct json_object *spec = jl_convert_object(&c, object, "", "spec");
    jl_store_read(&c, object, &store);
    JL_CLEANUP(jl_tree_clear)
    struct json_object *converted = c.code == 0 ? convert(&c, object, options, spec, &store) : NULL;
    json_object_put(store.tree);
    if (converted && options->to == JL_DIALECT_C)
        jl_convert_doubt(&c, jl_fusion_member(converted, "spec"));
    if (c.code < 0)
        return c.code;
    *out = (struct jl_converted){ .object = converted, .warnings = c.first };
    converted = NULL;
    return 0;
}
