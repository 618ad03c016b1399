/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is reported of an object beside its conversion: members that no dialect has
 * (docs/rules/conversion.md#principles), and what an operator or API server of C does not take as
 * it is meant (docs/rules/conversion.md#doubts-about-c).
 */

#include "kinds/tensor_fusion.h"
#include "schema/explain.h"
#include "tensor_fusion/convert_parts.h"

/* ---- dialect C ---- */

static void doubt(struct jl_conversion *c, const char *path, const char *key, const char *text)
{
    jl_convert_warn(c, "InvalidField", path, key, text);
}

static void doubt_count(struct jl_conversion *c, struct json_object *spec)
{
    struct json_object *count = jl_fusion_member(spec, "gpuCount");
    const int64_t value = json_object_get_int64(count);
    if (count && json_object_get_type(count) != json_type_int)
        jl_convert_fail(c, JOULIE_E_TYPE, "spec.gpuCount", "an integer was expected");
    else if (count && (value < JL_LEAST_GPU_COUNT || value > JL_MOST_GPU_COUNT))
        doubt(c, "spec", "gpuCount", "API servers of dialect C take 1 to 128; it stays as it is");
}

static void doubt_target(struct jl_conversion *c, struct json_object *block)
{
    struct json_object *resources = jl_fusion_member(block, "autoSetResources");
    const char *word = json_object_get_string(jl_fusion_member(resources, "targetResource"));
    if (jl_dialect_target(jl_text(word)) == JOULIE_TENSOR_FUSION_TARGET_TFLOPS)
        doubt(c, JL_BLOCK_PATH ".autoSetResources", "targetResource",
              "an operator of dialect C scales nothing with this word; its own is compute");
}

static void doubt_replicas(struct jl_conversion *c, struct json_object *block)
{
    if (!jl_convert_is_void(jl_fusion_member(block, "autoSetReplicas")))
        doubt(c, JL_BLOCK_PATH, "autoSetReplicas", "clusters of dialect C drop it without a word");
}

static void doubt_rules(struct jl_conversion *c, struct json_object *block)
{
    static const char *const keys[] = { "start", "end" };
    struct json_object *rules = jl_fusion_member(block, "cronScalingRules");
    if (json_object_get_type(rules) != json_type_array)
        return;
    for (size_t i = 0; i < json_object_array_length(rules); i++) {
        for (size_t k = 0; k < JL_COUNT(keys); k++) {
            struct json_object *rule = json_object_array_get_idx(rules, i);
            const char *text = json_object_get_string(jl_fusion_member(rule, keys[k]));
            if (text && jl_dialect_is_late_cron(jl_text(text)))
                doubt(c, jl_convert_rule_path(c, i), keys[k],
                      "operators of dialect C refuse it, and with it the whole workload");
        }
    }
}

void jl_convert_doubt(struct jl_conversion *c, struct json_object *spec)
{
    struct json_object *block = jl_fusion_member(spec, "autoScalingConfig");
    doubt_count(c, spec);
    doubt_target(c, block);
    doubt_replicas(c, block);
    doubt_rules(c, block);
}

/* ---- unknown members: they stay, and may be mistyped ---- */

static void warn_unknown(struct jl_conversion *c, const struct jl_path *at)
{
    char where[JL_PATH_TEXT];
    jl_path_print(at, where);
    const char *path = jl_arena_string(c->arena, where);
    if (path)
        jl_convert_warn(c, "InvalidField", path, NULL,
                        "no dialect has such a member; it stays as it is");
    else
        jl_convert_fail_memory(c);
}

static void walk(struct jl_conversion *c, const struct jl_table *table, struct json_object *object,
                 const struct jl_path *at);

static void walk_list(struct jl_conversion *c, const struct jl_table *table,
                      struct json_object *list, const struct jl_path *at)
{
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        const struct jl_path item = { .up = at, .index = i };
        walk(c, table, json_object_array_get_idx(list, i), &item);
    }
}

static void walk(struct jl_conversion *c, const struct jl_table *table, struct json_object *object,
                 const struct jl_path *at)
{
    if (table->flags & JL_OPEN || json_object_get_type(object) != json_type_object)
        return;
    json_object_object_foreach(object, key, value)
    {
        const struct jl_row *row = jl_row_find(table, jl_text(key));
        const struct jl_path path = { .up = at, .key = jl_text(key) };
        if (!row)
            warn_unknown(c, &path);
        else if (row->type == JL_TYPE_OBJECT)
            walk(c, row->child, value, &path);
        else if (row->type == JL_TYPE_LIST && json_object_get_type(value) == json_type_array)
            walk_list(c, row->child, value, &path);
    }
}

int jl_convert_find_unknown(struct json_object *object, struct jl_arena *arena,
                            const struct jl_convert_warning **out, struct joulie_error *err)
{
    struct jl_conversion c = { .arena = arena, .err = err };
    const char *kind = json_object_get_string(jl_fusion_member(object, "kind"));
    walk(&c,
         jl_same(kind, "WorkloadProfile") ? &jl_fusion_profile_table : &jl_fusion_workload_table,
         object, NULL);
    if (c.code == 0)
        *out = c.first;
    return c.code;
}
