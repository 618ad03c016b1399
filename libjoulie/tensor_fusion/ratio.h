/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Ratios as TensorFusion profiles write them: 0.2, 20%, 5.0. What each field makes of them:
 * docs/rules/conversion.md. */

#include <stdbool.h>
#include <stddef.h>

#include "base/words.h"

struct jl_ratio {
    double value;    /* after the division by 100 */
    bool is_percent; /* a % was present */
    bool has_point;  /* a decimal point was present */
};

/* How a ratio is read and which values are valid depends on the field. */
enum jl_ratio_field {
    JL_RATIO_UNKNOWN,
    JL_RATIO_EXTRA_TFLOPS_BUFFER,
    JL_RATIO_IGNORED_DELTA,
    JL_RATIO_PERCENTILE,
    JL_RATIO_TARGET_OF_LIMITS,
    JL_RATIO_MAX_TO_REQUESTS,
    JL_RATIO_LIMITS_STEP,
    JL_RATIO_REPLICAS_STEP_UP,
    JL_RATIO_REPLICAS_STEP_DOWN,
    JL_RATIO_EXTRA_BUFFER,
};

enum jl_ratio_unit {
    JL_RATIO_FRACTION = 1, /* of one */
    JL_RATIO_MULTIPLIER,   /* a factor */
    JL_RATIO_PODS,         /* a number of pods */
};

extern const struct jl_words jl_ratio_field_words; /* "limits.scaleUpStep" */
extern const struct jl_words jl_ratio_unit_words;

/* White space at both ends is ignored. 0 or JOULIE_E_PARSE (also a text of more than 64 bytes
 * between them); out is untouched on failure. */
int jl_parse_ratio(const char *text, size_t len, struct jl_ratio *out);

/* The ratio as its field means it. 0, or JOULIE_E_RANGE with both outputs untouched. */
int jl_ratio_effective(enum jl_ratio_field field, const struct jl_ratio *ratio,
                       double *out_effective, enum jl_ratio_unit *out_unit);
