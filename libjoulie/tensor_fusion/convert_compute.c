/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Amounts of a spec in the target dialect: percents of a GPU, which only C has, become TFLOPS
 * (docs/rules/conversion.md#percents-of-a-gpu).
 */

#include <string.h>

#include "base/number.h"
#include "kubernetes/quantity.h"
#include "tensor_fusion/convert_parts.h"

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
    if (!(c->gpu_tflops > 0) && c->unknown_model) {
        jl_convert_fail(c, JOULIE_E_UNSUPPORTED, path,
                        "NeedsGpuModel: a percent of a GPU, and no known GPU is named \"%.64s\"",
                        c->unknown_model);
        return;
    }
    if (!(c->gpu_tflops > 0)) {
        jl_convert_fail(c, JOULIE_E_UNSUPPORTED, path,
                        "NeedsGpuModel: a percent of a GPU whose TFLOPS are not known");
        return;
    }
    if (c->ambiguous_path)
        jl_convert_warn(c, "AmbiguousGpuModel", c->ambiguous_path, NULL,
                        "several GPUs have this name; the smallest TFLOPS are taken");
    c->ambiguous_path = NULL;
    if (jl_quantity_of_tflops(percent * c->gpu_tflops / PERCENT, &tflops) < 0) {
        jl_convert_fail(c, JOULIE_E_RANGE, path, "that many TFLOPS are no quantity");
        return;
    }
    text[jl_format_quantity(&tflops, text)] = '\0';
    jl_convert_put_text(c, out, "tflops", text);
}

static const char *const amounts[] = { "tflops", "vram", "compute" };

/* A type that no quantity has is an error. */
static void check_types(struct jl_conversion *c, struct json_object *side, const char *path)
{
    for (size_t i = 0; i < JL_COUNT(amounts); i++) {
        struct json_object *value = jl_fusion_member(side, amounts[i]);
        struct jl_quantity quantity;
        const int rc = value ? jl_convert_quantity(value, &quantity) : 0;
        if (rc == JOULIE_E_NOMEM)
            jl_convert_fail_memory(c);
        else if (rc == JOULIE_E_TYPE)
            jl_convert_fail(c, rc, jl_convert_path(c, path, amounts[i]), "a quantity was expected");
    }
}

/* An amount that is a JSON float becomes a text: the API server takes no other. */
static void write_text(struct jl_conversion *c, struct json_object *out, const char *path,
                       const char *key)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer digits = { 0 };
    jl_tree_put(&digits, jl_fusion_member(out, key));
    jl_put_char(&digits, '\0');
    if (digits.is_failed) {
        jl_convert_fail_memory(c);
        return;
    }
    /* as when it is validated: 1e3 is a whole number */
    if (memchr(digits.data, '.', digits.len))
        jl_convert_warn(c, "InvalidField", path, key,
                        "a JSON float is no quantity; it is written as text");
    jl_convert_put_text(c, out, key, digits.data);
}

/* Floats as texts; what cannot be read stays, with a warning. */
static struct json_object *settle_amounts(struct jl_conversion *c, struct json_object *side,
                                          const char *path)
{
    struct json_object *out = jl_convert_copy(c, side);
    for (size_t i = 0; out && i < JL_COUNT(amounts); i++) {
        struct json_object *value = jl_fusion_member(side, amounts[i]);
        struct jl_quantity quantity;
        const int rc = value ? jl_convert_quantity(value, &quantity) : 0;
        if (rc == JOULIE_E_NOMEM)
            jl_convert_fail_memory(c);
        else if (rc < 0)
            jl_convert_warn(c, "InvalidField", path, amounts[i],
                            "not a quantity; it stays as it is");
        else if (rc == 0 && json_object_get_type(value) == json_type_double)
            write_text(c, out, path, amounts[i]);
    }
    return out;
}

/* One that cannot be read is one all the same: nothing may take its place. */
static bool is_set(struct json_object *side, const char *key)
{
    struct jl_quantity quantity;
    struct json_object *value = jl_fusion_member(side, key);
    return value && (jl_convert_quantity(value, &quantity) < 0 || quantity.nano != 0);
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
    if (jl_convert_quantity(percent, &compute) < 0 ||
        !jl_is_percent(jl_quantity_to_double(&compute)))
        jl_convert_warn(c, "InvalidField", at, NULL, "not a percent; the field is left out");
    else if (compute.nano != 0 && is_set(side, "tflops"))
        jl_convert_warn(c, "NotRepresentable", at, NULL, "the tflops beside it are what counts");
    else if (compute.nano != 0)
        put_tflops(c, out, at, jl_quantity_to_double(&compute));
    return out;
}

/* Only C has percents. */
static struct json_object *convert_side(struct jl_conversion *c, struct json_object *side,
                                        const char *path, enum jl_dialect to)
{
    check_types(c, side, path);
    if (c->code < 0)
        return NULL;
    JL_CLEANUP(jl_tree_clear)
    struct json_object *out =
        to == JL_DIALECT_C ? json_object_get(side) : convert_percent(c, side, path);
    return out ? settle_amounts(c, out, path) : NULL;
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

bool jl_has_percents(struct json_object *resources)
{
    for (size_t i = 0; i < JL_COUNT(sides); i++) {
        struct json_object *side = jl_fusion_member(resources, sides[i]);
        if (json_object_get_type(side) == json_type_object &&
            json_object_object_get_ex(side, "compute", NULL))
            return true;
    }
    return false;
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
        if (!(percent > 0) || !(tflops > 0) || is_set(side, "tflops"))
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
