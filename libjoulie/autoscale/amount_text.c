/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Amounts as text: the one that was written, or a computed one
 * (docs/rules/tensor-fusion.md#computed-amounts). profile_rules.c notes the written ones, the
 * question autoscale prints.
 */

#include "autoscale/profile.h"
#include "kubernetes/quantity.h"

int jl_amount_note(struct jl_amount_texts *texts, struct jl_arena *arena, enum jl_usage usage,
                   bool is_limit, double value, const char *text)
{
    struct jl_amount_text *one = JL_NEW(arena, struct jl_amount_text);
    if (one == NULL)
        return jl_arena_code(arena);
    *one = (struct jl_amount_text){
        .usage = usage,
        .is_limit = is_limit,
        .value = value,
        .text = text,
    };
    if (texts->last != NULL)
        texts->last->next = one;
    else
        texts->first = one;
    texts->last = one;
    return 0;
}

static const char *computed(struct jl_arena *arena, enum jl_usage usage, double value)
{
    struct jl_quantity quantity;
    char text[JL_QUANTITY_TEXT];
    const int rc = usage == JL_USAGE_TFLOPS ? jl_quantity_of_tflops(value, &quantity)
                                            : jl_quantity_of_vram(value, &quantity);
    if (rc < 0)
        return NULL;
    const size_t len = jl_format_quantity(&quantity, text);
    return jl_arena_copy(arena, text, len);
}

/* The text of the same field wins over that of the other one. */
const char *jl_amount_text(const struct jl_amount_texts *texts, struct jl_arena *arena,
                           enum jl_usage usage, bool is_limit, double value)
{
    const char *other = NULL;
    for (const struct jl_amount_text *one = texts->first; one != NULL; one = one->next) {
        if (one->usage != usage || one->value != value)
            continue;
        if (one->is_limit == is_limit)
            return one->text;
        if (other == NULL)
            other = one->text;
    }
    return other != NULL ? other : computed(arena, usage, value);
}
