/* SPDX-License-Identifier: Apache-2.0 */

/* Conditions of a node affinity (docs/rules/tensor-fusion.md#node-affinity). Used for the
 * affinities of profiles and of pods. */

#include "kinds/requirement.h"

#include "base/number.h"
#include "kubernetes/names.h"
#include "kubernetes/quantity.h"

bool jl_has_text(const struct jl_list *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (jl_same(JL_STRING_ITEM(*texts, i), text))
            return true;
    }
    return false;
}

static bool read_integer(const char *text, int64_t *out)
{
    const struct jl_text view = jl_text(text);
    const size_t plus = view.len > 1 && text[0] == '+' && jl_is_digit(text[1]);
    return jl_parse_i64(view.ptr + plus, view.len - plus, out) == 0;
}

/* Gt and Lt: both sides are base-10 integers of 64 bits. */
static bool compares(const char *op, const struct jl_list *values, const char *label)
{
    int64_t bound = 0;
    int64_t value = 0;
    if (values->count != 1 || label == NULL || !read_integer(label, &value) ||
        !read_integer(JL_STRING_ITEM(*values, 0), &bound))
        return false;
    return jl_same(op, "Gt") ? value > bound : value < bound;
}

/* What the scheduler makes a selector of: one value that no label can have spoils it. */
static bool is_readable(const char *key, const struct jl_list *values)
{
    for (size_t i = 0; i < values->count; i++) {
        if (!jl_is_label_value(jl_text(JL_STRING_ITEM(*values, i))))
            return false;
    }
    return jl_is_label_key(jl_text(key));
}

bool jl_requirement_holds(const char *key, const char *op, const struct jl_list *values,
                          const char *label)
{
    if (!is_readable(key, values))
        return false;
    if (jl_same(op, "In"))
        return label != NULL && jl_has_text(values, label);
    if (jl_same(op, "NotIn"))
        return values->count > 0 && (label == NULL || !jl_has_text(values, label));
    if (jl_same(op, "Exists"))
        return values->count == 0 && label != NULL;
    if (jl_same(op, "DoesNotExist"))
        return values->count == 0 && label == NULL;
    if (jl_same(op, "Gt") || jl_same(op, "Lt"))
        return compares(op, values, label);
    return false;
}
