/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Many nodes in blocks of contiguous columns; one kernel per width of JL_LANES. */

#include "twin/numbers.h"

#define JL_TWIN_ROWS 64 /* of a block: a bit each in a mask */

struct jl_twin_block {
    /* Each of JL_TWIN_ROWS values; a row behind the last one has no bit. */
    const double *in[JL_TWIN_NUMBERS];
    const uint64_t *has;
    const int32_t *cpu_feedback; /* NULL = none */
    const int32_t *gpu_feedback;
    uint64_t available; /* bits of numbers that have a column */
    enum joulie_cooling cooling_model;

    /* Where JL_TWIN_ROWS values go; NULL = nowhere. */
    double *out[JL_TWIN_OUT_NUMBERS];
    int32_t *words[JL_TWIN_WORDS];
    uint64_t *out_has;
    int32_t *code;
    bool is_lean; /* of the numbers only the three scores and the node's power, and no words */
};

/*
 * Predicts the rows of a block by the rule set current with the model UNKNOWN, TDP_RATIO or LINEAR.
 * Returns the rows that it left alone, nothing of them written: those that joulie_twin_predict()
 * may refuse, and their neighbours.
 */
typedef uint64_t jl_twin_kernel(const struct jl_twin_block *block);

jl_twin_kernel jl_twin_kernel_1;
jl_twin_kernel jl_twin_kernel_4; /* AVX2 */
jl_twin_kernel jl_twin_kernel_8; /* AVX-512 F, DQ, VL */

enum jl_twin_path {
    JL_TWIN_PATH_BEST, /* that this machine has */
    JL_TWIN_PATH_1,
    JL_TWIN_PATH_4,
    JL_TWIN_PATH_8,
};

bool jl_twin_has_path(enum jl_twin_path path);
/* joulie_twin_predict_columns() with a path that this machine has. */
int jl_twin_columns_with(enum jl_twin_path path, const struct joulie_twin_columns *in, size_t count,
                         const struct joulie_twin_columns_out *out, size_t *out_failed,
                         struct joulie_error *err);
