/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The texts of a conversion: ratios, decimals, durations, quantities
 * (docs/rules/tensor-fusion.md#ratios).
 */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/time.h"
#include "kubernetes/quantity.h"
#include "tensor_fusion/convert_parts.h"

#define RATIO_DECIMALS 4          /* of a decimal that is written */
#define RATIO_TOLERANCE 1e-9      /* dust of computed ratios */
#define LARGEST_FIXED 1e15        /* of jl_format_fixed() */
#define NS_PER_HOUR 3600000000000 /* the largest unit of Go */

static bool is_invalid(struct jl_conversion *c, const char *path, const char *key)
{
    jl_convert_warn(c, "InvalidField", path, key, "the text cannot be read; the field is left out");
    return false;
}

/* An empty text is an absent one: Go writes no empty strings. */
static const char *text_of(struct jl_conversion *c, struct json_object *parent, const char *path,
                           const char *key)
{
    const char *text = jl_convert_text(c, parent, path, key);
    return jl_is_empty(text) ? NULL : text;
}

bool jl_convert_ratio(struct jl_conversion *c, struct json_object *parent, const char *path,
                      const char *key, enum jl_ratio_field field, double *out)
{
    struct jl_ratio ratio;
    enum jl_ratio_unit unit;
    const char *text = text_of(c, parent, path, key);
    if (!text)
        return false;
    if (jl_parse_ratio(text, strlen(text), &ratio) < 0 ||
        jl_ratio_effective(field, &ratio, out, &unit) < 0)
        return is_invalid(c, path, key);
    return true;
}

bool jl_convert_decimal(struct jl_conversion *c, struct json_object *parent, const char *path,
                        const char *key, enum jl_decimal decimal, double *out)
{
    const char *text = text_of(c, parent, path, key);
    return text &&
           (jl_dialect_decimal(jl_text(text), decimal, out) == 0 || is_invalid(c, path, key));
}

bool jl_convert_duration(struct jl_conversion *c, struct json_object *parent, const char *path,
                         const char *key, int64_t *out_ns)
{
    const char *text = text_of(c, parent, path, key);
    if (!text)
        return false;
    return jl_parse_profile_duration(text, strlen(text), out_ns) == 0 || is_invalid(c, path, key);
}

bool jl_convert_is_go_duration(const char *text)
{
    int64_t ns;
    return jl_parse_duration(text, strlen(text), &ns) == 0 && ns >= 0;
}

const char *jl_convert_go_text(struct jl_conversion *c, struct json_object *parent,
                               const char *path, const char *key)
{
    const char *text = text_of(c, parent, path, key);
    return text && (jl_convert_is_go_duration(text) || is_invalid(c, path, key)) ? text : NULL;
}

const char *jl_convert_go_duration(struct jl_conversion *c, int64_t ns)
{
    static const struct {
        int64_t ns;
        const char *unit;
    } units[] = {
        { NS_PER_HOUR, "h" }, { 60000000000, "m" }, { 1000000000, "s" },
        { 1000000, "ms" },    { 1000, "us" },       { 1, "ns" },
    };

    char digits[JL_DOUBLE_TEXT];
    size_t i = 0;
    while (ns % units[i].ns != 0)
        i++;
    digits[jl_format_i64(ns / units[i].ns, digits)] = '\0';
    const char *text = JL_JOIN(c->arena, digits, units[i].unit);
    if (!text)
        jl_convert_fail_memory(c);
    return text;
}

const char *jl_convert_decimal_text(struct jl_conversion *c, double value, const char *unit)
{
    char digits[JL_DOUBLE_TEXT];
    if (!(value >= 0 && value < LARGEST_FIXED))
        return NULL;
    size_t len = jl_format_fixed(value, RATIO_DECIMALS, digits);
    while (digits[len - 1] == '0')
        len--;
    if (digits[len - 1] == '.')
        len--;
    digits[len] = '\0';
    const char *text = JL_JOIN(c->arena, digits, unit);
    if (!text)
        jl_convert_fail_memory(c);
    return text;
}

static bool is_near(const char *text, double value)
{
    struct jl_ratio ratio = { 0 };
    const double slack = RATIO_TOLERANCE * jl_max(value, 1);
    return jl_parse_ratio(text, strlen(text), &ratio) == 0 && ratio.value - value <= slack &&
           value - ratio.value <= slack;
}

const char *jl_convert_rounded(struct jl_conversion *c, const char *path, const char *key,
                               double value, bool is_zero_fine)
{
    const char *text = jl_convert_decimal_text(c, value, "");
    if (value > 0 && !is_zero_fine && jl_same(text, "0"))
        text = NULL;
    if (!(text && is_near(text, value)))
        jl_convert_warn(c, "NotRepresentable", path, key,
                        text ? "it is rounded to four decimals"
                             : "no number of four decimals says it; it is left out");
    return text;
}

int jl_convert_quantity(struct json_object *value, struct jl_quantity *out)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer digits = { 0 };
    switch (json_object_get_type(value)) {
    case json_type_string:
        return jl_parse_quantity(json_object_get_string(value),
                                 (size_t)json_object_get_string_len(value), out);
    case json_type_int:
    case json_type_double:
        jl_tree_put(&digits, value);
        return digits.is_failed ? JOULIE_E_NOMEM : jl_parse_quantity(digits.data, digits.len, out);
    case json_type_null:
    case json_type_boolean:
    case json_type_object:
    case json_type_array:
        break;
    }
    return JOULIE_E_TYPE;
}
