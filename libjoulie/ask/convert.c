/* SPDX-License-Identifier: Apache-2.0 */

/* convert: TensorFusion objects from one dialect into another (docs/rules/conversion.md). */

#include "tensor_fusion/convert.h"

#include "ask/ask.h"
#include "base/error.h"
#include "object/object.h"

/* The object is read as a tree, so that members that no table knows stay. */

#define RECORD convert_in
#define MEMBERS                                                                            \
    STRING(api_version, "apiVersion", JL_FUSION_GROUP "/" JL_FUSION_VERSION ".", REQUIRED) \
    STRING(kind, "kind",                                                                   \
           "WorkloadProfile or TensorFusionWorkload; with options.detect also the "        \
           "CustomResourceDefinition of one.",                                             \
           REQUIRED)                                                                       \
    RAW(metadata, "metadata",                                                              \
        "The annotation " JL_CONVERT_ANNOTATION " holds what a conversion lost.")          \
    RAW(spec, "spec", "In any dialect.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

#define RECORD convert_out
#define MEMBERS                                                                              \
    STRING(api_version, "apiVersion", "As given.")                                           \
    STRING(kind, "kind", "As given.")                                                        \
    RAW(metadata, "metadata", "With the annotation when the dialect cannot say everything.") \
    RAW(spec, "spec", "In the dialect of options.to.")                                       \
    ENUM(dialect, "dialect", jl_dialect, jl_dialect_words,                                   \
         "Only with options.detect, and then nothing else.")
#include "schema/record.h"

static int read_object(struct jl_ask *ask, struct json_object **out)
{
    struct json_object *tree = NULL;
    int rc = jl_document_tree(ask->decode, &tree);
    if (rc < 0)
        return rc;
    json_object_object_del(tree, "options");
    rc = jl_convert_check(tree, ask->err);
    if (rc == 0)
        *out = tree;
    else
        json_object_put(tree);
    return rc;
}

static int read_target(struct jl_ask *ask, struct jl_convert_options *out)
{
    const struct jl_options *options = &ask->options;
    const int word = jl_word_value(&jl_dialect_words, jl_text(options->to));
    if (!options->to)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "options.to", "to or detect is required");
    if (word != JL_DIALECT_A && word != JL_DIALECT_B && word != JL_DIALECT_C)
        return jl_ask_fail(ask, JOULIE_E_ENUM, "options.to", "\"%.64s\" is none of A, B, C",
                           options->to);
    *out = (struct jl_convert_options){ .to = (enum jl_dialect)word,
                                        .gpu_tflops = options->gpu_tflops,
                                        .gpu_model = options->gpu_model };
    return 0;
}

/* "Word: text" at the path. */
static int tell(struct jl_ask *ask, const struct jl_convert_warning *warning)
{
    for (; warning && ask->on_warning; warning = warning->next) {
        const char *message = JL_JOIN(ask->arena, warning->reason, ": ", warning->text);
        if (!message)
            return jl_fail_memory(ask->err);
        ask->on_warning(ask->user, warning->path, message);
    }
    return 0;
}

static int convert(struct jl_ask *ask, struct json_object *object)
{
    struct jl_convert_options options;
    struct jl_converted converted = { 0 };
    const struct jl_convert_warning *unknown = NULL;
    int rc = read_target(ask, &options);
    if (rc == 0)
        rc = jl_convert_find_unknown(object, ask->arena, &unknown, ask->err);
    if (rc == 0)
        rc = jl_convert(object, &options, ask->arena, &converted, ask->err);
    if (rc < 0)
        return rc;
    rc = jl_tree_print(converted.object, ask->arena, &ask->whole);
    json_object_put(converted.object);
    if (rc < 0)
        return jl_fail_memory(ask->err);
    rc = tell(ask, unknown);
    return rc < 0 ? rc : tell(ask, converted.warnings);
}

static bool is_crd(const struct jl_ask *ask, const struct convert_in *in)
{
    return ask->options.detect && jl_starts_with(in->api_version, "apiextensions.k8s.io/") &&
           jl_same(in->kind, "CustomResourceDefinition");
}

/* What a cluster of this CustomResourceDefinition reads. */
static int detect_crd(struct jl_ask *ask, struct convert_out *out)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *crd = NULL;
    const int rc = jl_document_tree(ask->decode, &crd);
    if (rc < 0)
        return rc;
    struct json_object *spec = jl_fusion_member(crd, "spec");
    struct json_object *kind = jl_fusion_member(jl_fusion_member(spec, "names"), "kind");
    if (!jl_same(json_object_get_string(jl_fusion_member(spec, "group")), JL_FUSION_GROUP))
        return jl_ask_fail(ask, JOULIE_E_ENUM, "spec.group",
                           "only kinds of the group " JL_FUSION_GROUP " have dialects");
    if (!jl_same(json_object_get_string(kind), "WorkloadProfile") &&
        !jl_same(json_object_get_string(kind), "TensorFusionWorkload"))
        return jl_ask_fail(ask, JOULIE_E_ENUM, "spec.names.kind",
                           "neither WorkloadProfile nor TensorFusionWorkload");
    JL_SET(out, dialect, jl_dialect_of_crd(crd));
    return 0;
}

static int answer_convert(struct jl_ask *ask, const struct convert_in *in, struct convert_out *out)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *object = NULL;
    if (is_crd(ask, in))
        return detect_crd(ask, out);
    const int rc = read_object(ask, &object);
    if (rc < 0)
        return rc;
    if (!ask->options.detect)
        return convert(ask, object);
    JL_SET(out, dialect, jl_dialect_of(object));
    return 0;
}

JL_QUESTION(convert, "convert", "a TensorFusion object in another dialect");
