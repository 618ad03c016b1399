/* SPDX-License-Identifier: Apache-2.0 */
#include "convert_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

struct json_object *object_of(const char *spec)
{
    struct json_object *object =
        json_tokener_parse("{\"apiVersion\":\"tensor-fusion.ai/v1\","
                           "\"kind\":\"TensorFusionWorkload\",\"metadata\":{\"name\":\"w\"}}");
    json_object_object_add(object, "spec", json_tokener_parse(spec));
    return object;
}

void convert(struct json_object *object, enum jl_dialect to, double gpu_tflops,
             struct conversion *out)
{
    const struct jl_convert_options options = { .to = to, .gpu_tflops = gpu_tflops };
    *out = (struct conversion){ .err = JOULIE_INIT(struct joulie_error) };
    out->rc = jl_convert(object, &options, &out->arena, &out->made, &out->err);
}

void clear(struct conversion *conversion)
{
    json_object_put(conversion->made.object);
    jl_arena_clear(&conversion->arena);
}

bool has_warning(const struct conversion *conversion, const char *reason, const char *path)
{
    for (const struct jl_convert_warning *at = conversion->made.warnings; at; at = at->next) {
        if (jl_same(at->reason, reason) && (!path || jl_same(at->path, path)))
            return true;
    }
    return false;
}

const char *text_of(struct json_object *tree)
{
    return json_object_to_json_string_ext(tree,
                                          JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* The object in another dialect; only a percent of an unknown GPU may stop it. */
struct json_object *converted(struct json_object *object, enum jl_dialect to)
{
    struct conversion conversion;
    convert(object, to, GPU_TFLOPS, &conversion);
    if (conversion.rc != 0)
        fail_msg("%s: %s: %s", text_of(object), conversion.err.where, conversion.err.message);
    if (has_warning(&conversion, "StaleAnnotation", NULL))
        fail_msg("%s is stale", text_of(object));
    struct json_object *out = json_object_get(conversion.made.object);
    clear(&conversion);
    return out;
}

/* The value at a path as a warning writes it. */
struct json_object *value_at(struct json_object *tree, const char *path)
{
    char key[128];
    while (tree && *path) {
        const size_t len = strcspn(path, ".[");
        snprintf(key, sizeof key, "%.*s", (int)len, path);
        if (len > 0)
            tree = jl_fusion_member(tree, key);
        path += len;
        if (*path == '[') {
            tree = json_object_array_get_idx(tree, strtoul(path + 1, NULL, 10));
            path += strcspn(path, "]") + 1;
        }
        path += *path == '.';
    }
    return tree;
}

struct json_object *annotation_of(struct json_object *object)
{
    struct json_object *annotations =
        jl_fusion_member(jl_fusion_member(object, "metadata"), "annotations");
    struct json_object *text = jl_fusion_member(annotations, JL_CONVERT_ANNOTATION);
    return text ? json_tokener_parse(json_object_get_string(text)) : NULL;
}
