/* SPDX-License-Identifier: Apache-2.0 */

/* Percents of a GPU, which only C has, into TFLOPS. Source: tensor-fusion.md §5.4. */

#include "base/number.h"
#include "base/quantity.h"
#include "fusion/convert_parts.h"

#define PERCENT 100

static const char *const sides[] = { "requests", "limits" };

/* 0 also when it is absent or cannot be read. */
static double amount_of(struct json_object *side, const char *key)
{
    struct jl_quantity quantity;
    struct json_object *value = jl_fusion_member(side, key);
    return value && jl_convert_quantity(value, &quantity) == 0 ? jl_quantity_to_double(&quantity)
                                                               : 0;
}

static void put_tflops(struct jl_conversion *c, struct json_object *out, const char *path,
                       double percent)
{
    struct jl_quantity tflops;
    char text[JL_QUANTITY_TEXT];
    if (!(c->gpu_tflops > 0)) {
        jl_convert_fail(c, JOULIE_E_UNSUPPORTED, path,
                        "NeedsGpuModel: a percent of a GPU whose TFLOPS are not known");
        return;
    }
    if (c->ambiguous_path)
        jl_convert_warn(c, "AmbiguousGpuModel", c->ambiguous_path,
                        "several GPUs have this name; the smallest TFLOPS are taken");
    c->ambiguous_path = NULL;
    if (jl_quantity_of_tflops(percent * c->gpu_tflops / PERCENT, &tflops) < 0) {
        jl_convert_fail(c, JOULIE_E_RANGE, path, "that many TFLOPS are no quantity");
        return;
    }
    text[jl_format_quantity(&tflops, text)] = '\0';
    jl_convert_put_text(c, out, "tflops", text);
}

/* An amount that is a JSON float becomes a text: the API server takes no other (§2.4). */
static struct json_object *write_texts(struct jl_conversion *c, struct json_object *side,
                                       const char *path)
{
    static const char *const amounts[] = { "tflops", "vram", "compute" };
    struct json_object *out = side;
    for (size_t i = 0; out && i < JL_COUNT(amounts); i++) {
        struct json_object *value = jl_fusion_member(side, amounts[i]);
        char text[JL_DOUBLE_TEXT];
        if (json_object_get_type(value) != json_type_double)
            continue;
        if (out == side)
            out = jl_convert_copy(c, side);
        if (!out)
            break;
        text[jl_format_double(json_object_get_double(value), text)] = '\0';
        if (!c->is_silent)
            jl_convert_warn(c, "InvalidField", jl_convert_path(c, path, amounts[i]),
                            "a JSON float is no quantity; it is written as text");
        jl_convert_put_text(c, out, amounts[i], text);
    }
    return out == side ? json_object_get(side) : out;
}

/* One of requests and limits. */
static struct json_object *convert_percent(struct jl_conversion *c, struct json_object *side,
                                           const char *path)
{
    struct jl_quantity compute;
    struct json_object *percent = jl_fusion_member(side, "compute");
    if (!percent)
        return json_object_get(side);
    const char *at = c->is_silent ? "" : jl_convert_path(c, path, "compute");
    struct json_object *out = jl_convert_copy(c, side);
    if (!out)
        return NULL;
    json_object_object_del(out, "compute");
    if (jl_convert_quantity(percent, &compute) < 0 || compute.nano < 0 ||
        jl_quantity_to_double(&compute) > PERCENT)
        jl_convert_warn(c, "InvalidField", at, "not a percent; the field is left out");
    else if (compute.nano != 0 && amount_of(side, "tflops") > 0)
        jl_convert_warn(c, "NotRepresentable", at, "the tflops beside it are what counts");
    else if (compute.nano != 0)
        put_tflops(c, out, at, jl_quantity_to_double(&compute));
    return out;
}

/* Only C has percents. */
static struct json_object *convert_side(struct jl_conversion *c, struct json_object *side,
                                        const char *path, enum jl_dialect to)
{
    JL_CLEANUP(jl_tree_clear)
    struct json_object *out =
        to == JL_DIALECT_C ? json_object_get(side) : convert_percent(c, side, path);
    return out ? write_texts(c, out, path) : NULL;
}

struct json_object *jl_convert_resources(struct jl_conversion *c, struct json_object *resources,
                                         const char *path, enum jl_dialect to)
{
    struct json_object *out = jl_convert_copy(c, resources);
    for (size_t i = 0; out && i < JL_COUNT(sides); i++) {
        struct json_object *side = jl_convert_object(c, resources, path, sides[i]);
        if (side)
            jl_convert_put(c, out, sides[i],
                           convert_side(c, side, jl_convert_path(c, path, sides[i]), to));
    }
    return out;
}

void jl_resource_amounts(struct json_object *resources, struct jl_resource_amounts *out)
{
    struct json_object *requests = jl_fusion_member(resources, "requests");
    struct json_object *limits = jl_fusion_member(resources, "limits");
    *out = (struct jl_resource_amounts){
        .tflops = { amount_of(requests, "tflops"), amount_of(limits, "tflops") },
        .vram_bytes = { amount_of(requests, "vram"), amount_of(limits, "vram") },
    };
}

/* TFLOPS were rounded up, so the smallest capacity that the sides name fits all of them. */
static void see_capacity(struct json_object *source, struct json_object *present, double *smallest)
{
    for (size_t i = 0; i < JL_COUNT(sides); i++) {
        struct json_object *side = jl_fusion_member(source, sides[i]);
        const double percent = amount_of(side, "compute");
        const double tflops = amount_of(jl_fusion_member(present, sides[i]), "tflops");
        if (!(percent > 0) || !(tflops > 0) || amount_of(side, "tflops") > 0)
            continue;
        const double capacity = tflops * PERCENT / percent;
        if (*smallest <= 0 || capacity < *smallest)
            *smallest = capacity;
    }
}

static struct json_object *rules_of(struct json_object *spec)
{
    struct json_object *rules =
        jl_fusion_member(jl_fusion_member(spec, "autoScalingConfig"), "cronScalingRules");
    return json_object_get_type(rules) == json_type_array ? rules : NULL;
}

double jl_convert_capacity(struct json_object *source_spec, struct json_object *present_spec)
{
    struct json_object *rules = rules_of(source_spec);
    struct json_object *present_rules = rules_of(present_spec);
    double smallest = 0;
    see_capacity(jl_fusion_member(source_spec, "resources"),
                 jl_fusion_member(present_spec, "resources"), &smallest);
    for (size_t i = 0; rules && present_rules && i < json_object_array_length(rules) &&
                       i < json_object_array_length(present_rules);
         i++)
        see_capacity(
            jl_fusion_member(json_object_array_get_idx(rules, i), "desiredResources"),
            jl_fusion_member(json_object_array_get_idx(present_rules, i), "desiredResources"),
            &smallest);
    return smallest;
}
