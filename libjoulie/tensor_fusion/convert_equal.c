/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whether two specs of one dialect say the same: quantities, ratios and durations by value, null
 * and empty as absent (docs/rules/conversion.md#annotation).
 */

#include <string.h>

#include "base/time.h"
#include "kubernetes/quantity.h"
#include "tensor_fusion/convert_parts.h"

#define TOLERANCE 1e-9 /* of ratios */

static bool is_amount(const char *key)
{
    return jl_same(key, "tflops") || jl_same(key, "vram") || jl_same(key, "compute");
}

static bool read_ratio(const char *text, enum jl_ratio_field field, double *out)
{
    struct jl_ratio ratio;
    enum jl_ratio_unit unit;
    if (jl_parse_ratio(text, strlen(text), &ratio) < 0)
        return false;
    *out = ratio.value;
    return field == JL_RATIO_UNKNOWN || jl_ratio_effective(field, &ratio, out, &unit) == 0;
}

/* An empty one is all of them. */
static enum joulie_tensor_fusion_target target_of(const char *word)
{
    return jl_is_empty(word) ? JOULIE_TENSOR_FUSION_TARGET_ALL : jl_dialect_target(jl_text(word));
}

static bool same_text(const struct jl_text_rule *rule, const char *a, const char *b)
{
    double ratio_a;
    double ratio_b;
    int64_t ns_a;
    int64_t ns_b;
    if (jl_same(a, b))
        return true;
    switch (rule->grammar) {
    case JL_TEXT_RATIO:
    case JL_TEXT_PERCENTILE:
    case JL_TEXT_FRACTION:
    case JL_TEXT_FACTOR:
        return read_ratio(a, rule->ratio, &ratio_a) && read_ratio(b, rule->ratio, &ratio_b) &&
               ratio_a - ratio_b <= TOLERANCE && ratio_b - ratio_a <= TOLERANCE;
    case JL_TEXT_DURATION:
    case JL_TEXT_GO_DURATION:
        return jl_parse_profile_duration(a, strlen(a), &ns_a) == 0 &&
               jl_parse_profile_duration(b, strlen(b), &ns_b) == 0 && ns_a == ns_b;
    case JL_TEXT_TARGET:
        return target_of(a) != JOULIE_TENSOR_FUSION_TARGET_UNKNOWN && target_of(a) == target_of(b);
    case JL_TEXT_STEP: /* 1 is a worker, 1.0 all of them */
    case JL_TEXT_PLAIN:
        break;
    }
    return false;
}

static bool same_quantity(struct json_object *a, struct json_object *b)
{
    struct jl_quantity quantity_a;
    struct jl_quantity quantity_b;
    return jl_convert_quantity(a, &quantity_a) == 0 && jl_convert_quantity(b, &quantity_b) == 0 &&
           jl_quantity_compare(&quantity_a, &quantity_b) == 0;
}

static bool same_list(struct json_object *a, struct json_object *b)
{
    if (json_object_array_length(a) != json_object_array_length(b))
        return false;
    for (size_t i = 0; i < json_object_array_length(a); i++) {
        if (!jl_convert_same(json_object_array_get_idx(a, i), json_object_array_get_idx(b, i)))
            return false;
    }
    return true;
}

static bool is_unset_quantity(struct json_object *value)
{
    struct jl_quantity quantity;
    return !value || (jl_convert_quantity(value, &quantity) == 0 && quantity.nano == 0);
}

static bool is_empty_object(struct json_object *object)
{
    json_object_object_foreach(object, key, value)
    {
        const bool is_unset = is_amount(key) && is_unset_quantity(value);
        if (!is_unset && !jl_convert_is_nothing(value))
            return false;
    }
    return true;
}

bool jl_convert_is_nothing(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        return !json_object_get_boolean(value);
    case json_type_int:
    case json_type_double:
        return json_object_get_double(value) == 0;
    case json_type_string:
        return json_object_get_string_len(value) == 0;
    case json_type_object:
        return is_empty_object(value);
    case json_type_null:
    case json_type_array:
        break;
    }
    return jl_convert_is_void(value);
}

bool jl_convert_is_left_out(struct json_object *layer)
{
    return jl_convert_is_nothing(layer) && jl_fusion_member(layer, "enable") == NULL;
}

static bool same_member(const char *key, struct json_object *a, struct json_object *b)
{
    const struct jl_text_rule rule = jl_text_rule_of(NULL, key);
    const bool are_texts =
        json_object_get_type(a) == json_type_string && json_object_get_type(b) == json_type_string;
    if (jl_convert_same(a, b))
        return true;
    if (is_amount(key))
        return same_quantity(a, b) || (is_unset_quantity(a) && is_unset_quantity(b));
    return are_texts && same_text(&rule, json_object_get_string(a), json_object_get_string(b));
}

static bool same_object(struct json_object *a, struct json_object *b)
{
    json_object_object_foreach(a, key, value)
    {
        if (!same_member(key, value, jl_fusion_member(b, key)))
            return false;
    }
    json_object_object_foreach(b, other, other_value)
    {
        if (!jl_fusion_member(a, other) && !same_member(other, NULL, other_value))
            return false;
    }
    return true;
}

bool jl_convert_same(struct json_object *a, struct json_object *b)
{
    const enum json_type type = json_object_get_type(a);
    if (jl_convert_is_nothing(a) && jl_convert_is_nothing(b))
        return true;
    if (type != json_object_get_type(b))
        return jl_tree_equal(a, b);
    if (type == json_type_object)
        return same_object(a, b);
    return type == json_type_array ? same_list(a, b) : jl_tree_equal(a, b);
}
