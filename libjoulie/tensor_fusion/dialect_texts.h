/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the texts of a spec are, and what the dialects read in different ways; validation and
 * conversion share it. Rules: docs/rules/tensor-fusion.md#autoscaling-fields.
 */

#include <joulie/tensor_fusion_v1.h>

#include "base/text.h"
#include "schema/row.h"
#include "tensor_fusion/ratio.h"

#define JL_LEAST_GPU_COUNT 1 /* of C */
#define JL_MOST_GPU_COUNT 128
#define JL_DEFAULT_MARGIN 0.15 /* marginFraction when absent, to the code of C */
#define JL_DEFAULT_MARGIN_TEXT "0.15"

enum jl_text_grammar {
    JL_TEXT_PLAIN,       /* any */
    JL_TEXT_DURATION,    /* with d, w and y */
    JL_TEXT_GO_DURATION, /* what the operators of B and C parse: no days */
    JL_TEXT_RATIO,       /* what it means depends on the field */
    JL_TEXT_STEP,        /* a ratio, or a number of workers */
    JL_TEXT_PERCENTILE,  /* B, C: a decimal in (0, 1] */
    JL_TEXT_FRACTION,    /* B, C: a decimal >= 0 */
    JL_TEXT_FACTOR,      /* B, C: a decimal > 0 */
    JL_TEXT_TARGET,
};

struct jl_text_rule {
    const char *key;
    enum jl_text_grammar grammar;
    enum jl_ratio_field ratio;    /* RATIO and STEP */
    const struct jl_table *table; /* only there; NULL = in every object that has the key */
};

/* The rule of a text field of an object of a table; table NULL: by the key alone. */
struct jl_text_rule jl_text_rule_of(const struct jl_table *table, const char *key);

enum jl_decimal {
    JL_DECIMAL_PERCENTILE, /* above 0, up to 1 */
    JL_DECIMAL_FRACTION,   /* 0 or more */
    JL_DECIMAL_FACTOR,     /* above 0 */
};

/* A number of B or C, whose operators know no %. 0, JOULIE_E_PARSE or JOULIE_E_RANGE. */
int jl_dialect_decimal(struct jl_text text, enum jl_decimal decimal, double *out);

/* The word of a targetResource in any case; UNKNOWN: an empty one too. */
enum joulie_tensor_fusion_target jl_dialect_target(struct jl_text text);

/* Whether it is one, or empty, which is all of them. */
bool jl_dialect_is_target(const char *word);

/* Whether we read this schedule and operators of C refuse it: a Sunday 7, a word such as @daily. */
bool jl_dialect_is_late_cron(struct jl_text text);
