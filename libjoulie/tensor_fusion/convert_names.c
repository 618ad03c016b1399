/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The members of autoSetResources: camel case in C, lower case in B
 * (docs/rules/conversion.md#b-and-c).
 */

#include <string.h>

#include "base/time.h"
#include "tensor_fusion/convert_parts.h"

#define RESOURCES "autoSetResources"
#define RESOURCES_PATH JL_BLOCK_PATH "." RESOURCES

static bool is_known(const char *key)
{
    for (size_t i = 0; i < JL_COUNT(jl_resources_names); i++) {
        if (jl_same(key, jl_resources_names[i].b) || jl_same(key, jl_resources_names[i].c))
            return true;
    }
    return false;
}

/* A dialect C operator that reads tflops scales nothing, and compute is no word of B. */
static const char *target_word(const char *word, enum jl_dialect to)
{
    const enum joulie_tensor_fusion_target target = jl_dialect_target(jl_text(word));
    if (to == JL_DIALECT_C && target == JOULIE_TENSOR_FUSION_TARGET_TFLOPS)
        return "compute";
    return to == JL_DIALECT_B && target == JOULIE_TENSOR_FUSION_TARGET_COMPUTE ? "tflops" : word;
}

/* Go's units for C; what cannot be read goes, as its own parser would not read it either. */
static void put_history(struct jl_conversion *c, struct json_object *out, const char *name,
                        struct json_object *resources, const char *source_name)
{
    int64_t ns = 0;
    const char *text = jl_convert_text(c, resources, RESOURCES_PATH, source_name);
    if (text && jl_convert_is_go_duration(text))
        jl_convert_put_text(c, out, name, text);
    else if (jl_convert_duration(c, resources, RESOURCES_PATH, source_name, &ns))
        jl_convert_put_text(c, out, name, jl_convert_go_duration(c, ns));
}

static void rename_field(struct jl_conversion *c, struct json_object *out,
                         struct json_object *resources, enum jl_resources_field field,
                         enum jl_dialect to)
{
    const char *source_name;
    const char *name = jl_resources_name(field, to);
    struct json_object *value = jl_resources_member(resources, field, &source_name);
    if (!value)
        return;
    if (!name) {
        jl_convert_lose(c, RESOURCES_PATH, source_name, value);
    } else if (field == JL_FIELD_TARGET_RESOURCE) {
        jl_convert_put_text(
            c, out, name,
            target_word(jl_convert_text(c, resources, RESOURCES_PATH, source_name), to));
    } else if (field == JL_FIELD_HISTORY && to == JL_DIALECT_C) {
        put_history(c, out, name, resources, source_name);
    } else {
        jl_convert_share(c, out, name, value);
    }
    if (!jl_same(source_name, jl_resources_names[field].c) && jl_resources_names[field].c)
        jl_convert_lose(c, RESOURCES_PATH, jl_resources_names[field].c,
                        jl_fusion_member(resources, jl_resources_names[field].c));
}

struct json_object *jl_rename_resources(struct jl_conversion *c, const struct jl_block *block)
{
    struct json_object *resources = jl_convert_object(c, block->members, JL_BLOCK_PATH, RESOURCES);
    struct json_object *out = resources ? jl_convert_new(c) : NULL;
    if (!out)
        return NULL;
    for (int field = 0; field < JL_FIELD_COUNT; field++)
        rename_field(c, out, resources, (enum jl_resources_field)field, block->to);
    json_object_object_foreach(resources, key, value)
    {
        if (!is_known(key))
            jl_convert_share(c, out, key, value);
    }
    return out;
}
