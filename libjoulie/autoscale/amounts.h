/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The four amounts of one worker, bounds of some of them, and their texts. Rules of computed ones:
 * docs/rules/tensor-fusion.md#computed-amounts. */

#include <stdbool.h>
#include <stdint.h>

#include "autoscale/histogram.h"
#include "base/arena.h"

#define JL_USAGES 2

/* The largest that rounds up to a quantity: 2^63 less a MiB. */
#define JL_MOST_AMOUNT 9223372036853727232.0

struct jl_amount_pair { /* TFLOPS or bytes; 0 = not set */
    double request;
    double limit;
};

struct jl_amounts {
    struct jl_amount_pair of[JL_USAGES]; /* by enum jl_usage */
};

/* Number by number. */
static inline bool jl_amounts_are_same(const struct jl_amounts *a, const struct jl_amounts *b)
{
    for (unsigned u = 0; u < JL_USAGES; u++) {
        if (a->of[u].request != b->of[u].request || a->of[u].limit != b->of[u].limit)
            return false;
    }
    return true;
}

struct jl_amount_bounds {
    uint64_t has;         /* bit enum jl_usage */
    double of[JL_USAGES]; /* by enum jl_usage */
};

static inline bool jl_is_bounded(const struct jl_amount_bounds *bounds, size_t usage)
{
    return (bounds->has >> usage & 1) != 0;
}

typedef void jl_put_bound(struct jl_amount_bounds *bounds, enum jl_usage usage, double amount);

/* A capacity of 0 is unknown. */
static inline void jl_put_capacity(struct jl_amount_bounds *bounds, enum jl_usage usage,
                                   double amount)
{
    bounds->of[usage] = amount;
    bounds->has |= (uint64_t)(amount > 0) << usage;
}

/* An allowance of 0 is known: nothing is left to grow into. */
static inline void jl_put_allowance(struct jl_amount_bounds *bounds, enum jl_usage usage,
                                    double amount)
{
    bounds->of[usage] = amount;
    bounds->has |= UINT64_C(1) << usage;
}

/* Computed TFLOPS are rounded up to this, computed VRAM to that many bytes. */
double jl_usage_step(enum jl_usage usage);
/* No request is computed below 1 TFLOPS or 1 GiB. */
double jl_usage_least(enum jl_usage usage);

/* ---- texts ---- */

/* A computed amount as a quantity. 0, JOULIE_E_RANGE (above 2^63) or the arena's code. */
int jl_amount_print(struct jl_arena *arena, enum jl_usage usage, double amount, const char **out);

/* The text of an amount as it was written. */
struct jl_amount_text {
    enum jl_usage usage;
    bool is_limit;
    double value;
    const char *text;
    const struct jl_amount_text *next;
};

/* Zeroed = no amount was written; those that were noted first win. */
struct jl_amount_texts {
    const struct jl_amount_text *first;
    struct jl_amount_text *last;
};

/* 0 or the arena's code. */
int jl_amount_note(struct jl_amount_texts *texts, struct jl_arena *arena, enum jl_usage usage,
                   bool is_limit, double value, const char *text);
/* The text of an amount: as it was written, else computed. *out is NULL when the amount has none
 * (above 2^63). 0 or the arena's code. */
int jl_amount_text(const struct jl_amount_texts *texts, struct jl_arena *arena, enum jl_usage usage,
                   bool is_limit, double value, const char **out);
