/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the dialects read in different ways in a spec, its texts above all, and what the operators
 * of B and C make of them; validation and conversion share it. Rules:
 * docs/rules/tensor-fusion.md#autoscaling-fields.
 */

#include <joulie/tensor_fusion_v1.h>

#include "base/text.h"

#define JL_LEAST_GPU_COUNT 1 /* of C */
#define JL_MOST_GPU_COUNT 128
#define JL_DEFAULT_MARGIN 0.15 /* marginFraction when absent, to the code of C */
#define JL_DEFAULT_MARGIN_TEXT "0.15"

enum jl_decimal {
    JL_DECIMAL_PERCENTILE, /* above 0, up to 1 */
    JL_DECIMAL_FRACTION,   /* 0 or more */
    JL_DECIMAL_FACTOR,     /* above 0 */
};

/* A number of B or C, whose operators know no %. 0, JOULIE_E_PARSE or JOULIE_E_RANGE. */
int jl_dialect_decimal(struct jl_text text, enum jl_decimal decimal, double *out);

/* The word of a targetResource in any case; UNKNOWN: an empty one too. */
enum joulie_tensor_fusion_target jl_dialect_target(struct jl_text text);

/* Whether we read this schedule and operators of C refuse it: a Sunday 7, a word such as @daily. */
bool jl_dialect_is_late_cron(struct jl_text text);
