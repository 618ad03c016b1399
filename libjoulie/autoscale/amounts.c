/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Computed amounts (docs/rules/tensor-fusion.md#computed-amounts), and amounts as text: the one
 * that was written, or the computed one. profile_rules.c notes the written ones, the question
 * autoscale prints.
 */

#include "autoscale/amounts.h"

#include <joulie/error.h>

#include "kubernetes/quantity.h"

#define TFLOPS_STEP 0.001         /* computed amounts are rounded up to this */
#define VRAM_STEP_BYTES 1048576.0 /* 1 MiB */
#define LEAST_TFLOPS 1.0
#define LEAST_VRAM_BYTES 1073741824.0 /* 1 GiB */

double jl_usage_step(enum jl_usage usage)
{
    return usage == JL_USAGE_VRAM ? VRAM_STEP_BYTES : TFLOPS_STEP;
}

double jl_usage_least(enum jl_usage usage)
{
    return usage == JL_USAGE_VRAM ? LEAST_VRAM_BYTES : LEAST_TFLOPS;
}

/* ---- texts ---- */

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

int jl_amount_print(struct jl_arena *arena, enum jl_usage usage, double amount, const char **out)
{
    struct jl_quantity quantity;
    char text[JL_QUANTITY_TEXT];
    const int rc = usage == JL_USAGE_VRAM ? jl_quantity_of_vram(amount, &quantity)
                                          : jl_quantity_of_tflops(amount, &quantity);
    *out = rc == 0 ? jl_arena_copy(arena, text, jl_format_quantity(&quantity, text)) : NULL;
    return rc < 0 ? rc : *out != NULL ? 0 : jl_arena_code(arena);
}

/* The text of the same field wins over that of the other one. */
int jl_amount_text(const struct jl_amount_texts *texts, struct jl_arena *arena, enum jl_usage usage,
                   bool is_limit, double value, const char **out)
{
    *out = NULL;
    for (const struct jl_amount_text *one = texts->first; one != NULL; one = one->next) {
        if (one->usage != usage || one->value != value)
            continue;
        if (*out == NULL || one->is_limit == is_limit)
            *out = one->text;
        if (one->is_limit == is_limit)
            return 0;
    }
    const int rc = *out != NULL ? 0 : jl_amount_print(arena, usage, value, out);
    return rc == JOULIE_E_RANGE ? 0 : rc;
}
