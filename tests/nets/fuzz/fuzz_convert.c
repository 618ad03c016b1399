/* SPDX-License-Identifier: Apache-2.0 */

/*
 * TensorFusion objects: the first byte chooses two dialects, the rest is a document. What is
 * converted prints and reads back, is of the target or neutral, and comes back as it was unless its
 * annotation was dropped.
 */

#include <string.h>

#include "fuzz/fuzz.h"
#include "object/object.h"
#include "tensor_fusion/convert.h"

#define GPU_TFLOPS 312 /* an A100 (docs/rules/gpu-prices.md#catalogue) */

static const enum jl_dialect dialects[] = { JL_DIALECT_A, JL_DIALECT_B, JL_DIALECT_C };

static struct json_object *parse(struct jl_arena *arena, const char *text, size_t len)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_decode decode = { .arena = arena, .text = text, .len = len, .err = &err };
    struct json_object *tree = NULL;
    const int rc = jl_document_tree(&decode, &tree);
    FUZZ_REQUIRE(rc == 0 || rc == err.code);
    return tree;
}

/* NULL: the object cannot be converted, and that is documented. */
static struct json_object *convert(struct jl_arena *arena, struct json_object *object,
                                   enum jl_dialect to, bool *out_is_stale)
{
    const struct jl_convert_options options = { .to = to, .gpu_tflops = GPU_TFLOPS };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_converted converted = { 0 };
    const int rc = jl_convert(object, &options, arena, &converted, &err);
    FUZZ_REQUIRE(rc == 0 || (rc == err.code && rc != JOULIE_E_NOMEM));
    for (const struct jl_convert_warning *at = converted.warnings; at; at = at->next) {
        FUZZ_REQUIRE(at->path[0] != '\0');
        *out_is_stale = *out_is_stale || strcmp(at->reason, "StaleAnnotation") == 0;
    }
    return converted.object;
}

static void require_reads_back(struct jl_arena *arena, struct json_object *object)
{
    struct jl_raw text;
    FUZZ_REQUIRE(jl_tree_print(object, arena, &text) == 0);
    struct json_object *again = parse(arena, text.text, text.len);
    FUZZ_REQUIRE(again && jl_tree_equal(again, object));
    json_object_put(again);
}

static bool has_annotations(struct json_object *object)
{
    struct json_object *metadata = NULL;
    return json_object_object_get_ex(object, "metadata", &metadata) &&
           (json_object_get_type(metadata) != json_type_object ||
            json_object_object_length(metadata) == 0 ||
            json_object_object_get_ex(metadata, "annotations", NULL));
}

/* An amount that is a JSON float is written as text, and stays one. */
static bool has_float(struct json_object *tree)
{
    const enum json_type type = json_object_get_type(tree);
    if (type == json_type_array) {
        for (size_t i = 0; i < json_object_array_length(tree); i++) {
            if (has_float(json_object_array_get_idx(tree, i)))
                return true;
        }
    }
    if (type == json_type_object) {
        json_object_object_foreach(tree, key, value)
        {
            (void)key;
            if (has_float(value))
                return true;
        }
    }
    return type == json_type_double;
}

/* An object whose annotations are its own comes back member by member. */
static void require_way_back(struct jl_arena *arena, struct json_object *object,
                             struct json_object *converted, enum jl_dialect home)
{
    bool is_stale = false;
    struct json_object *back = convert(arena, converted, home, &is_stale);
    if (back && !is_stale)
        FUZZ_REQUIRE(jl_tree_equal(back, object));
    FUZZ_REQUIRE(!is_stale);
    json_object_put(back);
}

static void check(struct jl_arena *arena, struct json_object *object, enum jl_dialect to)
{
    bool is_stale = false;
    const enum jl_dialect from = jl_dialect_of(object);
    struct json_object *converted = convert(arena, object, to, &is_stale);
    if (!converted)
        return;
    const enum jl_dialect made = jl_dialect_of(converted);
    require_reads_back(arena, converted);
    FUZZ_REQUIRE(made == to || made == JL_DIALECT_NEUTRAL ||
                 (to == JL_DIALECT_B && (made == JL_DIALECT_C || made == JL_DIALECT_A)));
    if (from != JL_DIALECT_MIXED && from != JL_DIALECT_NEUTRAL && !has_annotations(object) &&
        !has_float(object))
        require_way_back(arena, object, converted, from);
    json_object_put(converted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jl_arena arena = { 0 };
    if (size == 0)
        return 0;
    struct json_object *object = parse(&arena, (const char *)data + 1, size - 1);
    if (json_object_get_type(object) == json_type_object)
        check(&arena, object, dialects[data[0] % 3]);
    json_object_put(object);
    jl_arena_clear(&arena);
    return 0;
}
