/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A spec of one dialect in another: which blocks and fields are kept, converted or lost
 * (docs/rules/conversion.md#principles). Called by convert.c, also for trials.
 */

#include "tensor_fusion/convert_parts.h"

#define BLOCK "autoScalingConfig"
#define LIMITS "autoSetLimits"
#define REPLICAS "autoSetReplicas"
#define REQUESTS "autoSetRequests"
#define RESOURCES "autoSetResources"
#define RULES "cronScalingRules"
#define SCALER "externalScaler"

/* Members that no dialect knows stay. */
static void put_unknown(struct jl_conversion *c, struct json_object *out,
                        struct json_object *members)
{
    static const char *const known[] = { LIMITS, REPLICAS, REQUESTS, RESOURCES, RULES, SCALER };
    json_object_object_foreach(members, key, value)
    {
        bool is_known = false;
        for (size_t i = 0; i < JL_COUNT(known); i++)
            is_known = is_known || jl_same(key, known[i]);
        if (!is_known)
            jl_convert_share(c, out, key, value);
    }
}

/* The members of both; those of the second win. */
static struct json_object *overlay(struct jl_conversion *c, struct json_object *first,
                                   struct json_object *second)
{
    if (!first || !second)
        return first ? first : second;
    json_object_object_foreach(second, key, value) jl_convert_share(c, first, key, value);
    json_object_put(second);
    return first;
}

static void put(struct jl_conversion *c, struct json_object *out, const char *key,
                struct json_object *value)
{
    if (value)
        jl_convert_put(c, out, key, value);
}

static void put_schedule(struct jl_conversion *c, struct json_object *out, struct json_object *rule,
                         const char *path, const char *key)
{
    const char *text = jl_convert_text(c, rule, path, key);
    const char *rewritten = text ? jl_convert_cron_text(c, text) : NULL;
    if (rewritten && rewritten != text)
        jl_convert_put_text(c, out, key, rewritten);
}

static struct json_object *convert_rule(struct jl_conversion *c, const struct jl_block *block,
                                        struct json_object *rule, const char *path)
{
    if (json_object_get_type(rule) != json_type_object)
        return json_object_get(rule);
    struct json_object *out = jl_convert_copy(c, rule);
    if (!out)
        return NULL;
    if (block->to == JL_DIALECT_C) {
        jl_convert_lose(c, path, "desiredReplicas", jl_fusion_member(rule, "desiredReplicas"));
        json_object_object_del(out, "desiredReplicas");
        put_schedule(c, out, rule, path, "start");
        put_schedule(c, out, rule, path, "end");
    }
    struct json_object *desired = jl_convert_object(c, rule, path, "desiredResources");
    if (desired)
        put(c, out, "desiredResources",
            jl_convert_resources(c, desired, jl_convert_path(c, path, "desiredResources"),
                                 block->to));
    return out;
}

const char *jl_convert_rule_path(struct jl_conversion *c, size_t i)
{
    const struct jl_path spec = { .key = jl_text("spec") };
    const struct jl_path block = { .up = &spec, .key = jl_text(BLOCK) };
    const struct jl_path rules = { .up = &block, .key = jl_text(RULES) };
    const struct jl_path rule = { .up = &rules, .index = i };
    char text[JL_PATH_TEXT];
    if (c->is_silent)
        return "";
    jl_path_print(&rule, text);
    const char *path = jl_arena_string(c->arena, text);
    if (!path)
        jl_convert_fail_memory(c);
    return path ? path : "";
}

static void put_rules(struct jl_conversion *c, struct json_object *out,
                      const struct jl_block *block)
{
    struct json_object *rules = jl_convert_list(c, block->members, JL_BLOCK_PATH, RULES);
    if (!rules)
        return;
    JL_CLEANUP(jl_tree_clear) struct json_object *list = json_object_new_array();
    if (!list)
        jl_convert_fail_memory(c);
    for (size_t i = 0; c->code == 0 && i < json_object_array_length(rules); i++) {
        struct json_object *rule =
            convert_rule(c, block, json_object_array_get_idx(rules, i), jl_convert_rule_path(c, i));
        if (json_object_array_add(list, rule) != 0) {
            json_object_put(rule);
            jl_convert_fail_memory(c);
        }
    }
    if (list)
        jl_convert_share(c, out, RULES, list);
}

/* A member that the target has as it is. */
static void keep(struct jl_conversion *c, struct json_object *out, const struct jl_block *block,
                 const char *key)
{
    struct json_object *value = jl_fusion_member(block->members, key);
    if (value)
        jl_convert_share(c, out, key, value);
}

static void lose(struct jl_conversion *c, const struct jl_block *block, const char *key)
{
    jl_convert_lose(c, JL_BLOCK_PATH, key, jl_fusion_member(block->members, key));
}

static struct json_object *
layer(struct jl_conversion *c, const struct jl_block *block, const char *key,
      struct json_object *(*make)(struct jl_conversion *, const struct jl_block *))
{
    struct json_object *given = jl_convert_object(c, block->members, JL_BLOCK_PATH, key);
    struct json_object *made = jl_convert_is_left_out(given) ? make(c, block) : NULL;
    return made ? made : json_object_get(given);
}

static void put_block_of_a(struct jl_conversion *c, struct json_object *out,
                           const struct jl_block *block)
{
    put(c, out, LIMITS, layer(c, block, LIMITS, jl_resources_to_limits));
    keep(c, out, block, REPLICAS);
    put(c, out, REQUESTS, layer(c, block, REQUESTS, jl_resources_to_requests));
    jl_lose_resources(c, block);
    lose(c, block, RULES);
    lose(c, block, SCALER);
}

static void put_block_of_bc(struct jl_conversion *c, struct json_object *out,
                            const struct jl_block *block)
{
    struct json_object *resources = jl_layers_to_resources(c, block);
    put(c, out, RESOURCES, overlay(c, resources, jl_rename_resources(c, block)));
    if (block->to == JL_DIALECT_B)
        keep(c, out, block, REPLICAS);
    else
        lose(c, block, REPLICAS);
    put_rules(c, out, block);
    if (block->to == JL_DIALECT_C)
        keep(c, out, block, SCALER);
    else
        lose(c, block, SCALER);
}

static void put_block(struct jl_conversion *c, struct json_object *out, struct json_object *spec,
                      enum jl_dialect to)
{
    struct jl_block block = { .members = jl_fusion_member(spec, BLOCK), .to = to };
    JL_CLEANUP(jl_tree_clear) struct json_object *members = jl_convert_new(c);
    if (!members)
        return;
    jl_resource_amounts(jl_fusion_member(out, "resources"), &block.amounts);
    if (to == JL_DIALECT_A)
        put_block_of_a(c, members, &block);
    else
        put_block_of_bc(c, members, &block);
    put_unknown(c, members, block.members);
    if (json_object_object_length(members) > 0 || json_object_object_length(block.members) == 0)
        jl_convert_share(c, out, BLOCK, members);
    else
        json_object_object_del(out, BLOCK);
}

static void drop_fields_of_c(struct jl_conversion *c, struct json_object *out)
{
    for (const char *const *key = jl_fusion_c_fields; *key; key++) {
        jl_convert_lose(c, "spec", *key, jl_fusion_member(out, *key));
        json_object_object_del(out, *key);
    }
}

/* 0 is 1, which later dialects leave out. */
static void convert_count(struct jl_conversion *c, struct json_object *out, enum jl_dialect to)
{
    struct json_object *count = jl_fusion_member(out, "gpuCount");
    if (!count)
        return;
    if (json_object_get_type(count) != json_type_int)
        jl_convert_fail(c, JOULIE_E_TYPE, "spec.gpuCount", "an integer was expected");
    else if (to != JL_DIALECT_A && json_object_get_int64(count) == 0)
        json_object_object_del(out, "gpuCount");
}

struct json_object *jl_convert_spec(struct jl_conversion *c, struct json_object *spec,
                                    enum jl_dialect from, enum jl_dialect to)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *out = jl_convert_copy(c, spec);
    if (!out)
        return NULL;
    if (from == JL_DIALECT_MIXED)
        jl_convert_warn(c, "MixedDialect", JL_BLOCK_PATH, NULL,
                        "it has fields of two dialects; both are converted");
    struct json_object *resources = jl_convert_object(c, spec, "spec", "resources");
    convert_count(c, out, to);
    if (to != JL_DIALECT_C)
        drop_fields_of_c(c, out);
    if (resources)
        put(c, out, "resources", jl_convert_resources(c, resources, "spec.resources", to));
    if (jl_convert_object(c, spec, "spec", BLOCK))
        put_block(c, out, spec, to);
    return c->code < 0 ? NULL : json_object_get(out);
}
