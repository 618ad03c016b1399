/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Filter and score over columns: blocks of rows that fit the first cache, and the loops over one
 * block, compiled once per kind of vectors. */

#include "base/simd.h"
#include "place/aggregate.h"

#define JL_PLACE_ROWS 128 /* of a block */

#define JL_COLUMN_INDEX(name, ...) JL_COL_##name,
#define JL_COLUMN_OF_TERM(name) JL_COL_TERM_##name,
#define JL_COLUMN_OF_COST(name, ...) JL_COL_COST_##name,

enum jl_place_number { JL_PLACE_NUMBERS(JL_COLUMN_INDEX) JL_COL_COUNT };

enum jl_place_term { JL_PLACE_TERMS(JL_COLUMN_OF_TERM) JL_COL_TERM_COUNT };

enum jl_place_cost_term { JL_PLACE_COSTS(JL_COLUMN_OF_COST) JL_COL_COST_COUNT };

/* Rows as a caller has them. */
struct jl_place_values {
    size_t count;
    uint64_t given;      /* bits whose column is there */
    const uint64_t *has; /* NULL = what has a column is known */
    const int32_t *class_;
    const int32_t *label;
    const int64_t *updated_ms;
    const double *numbers[JL_COL_COUNT];
};

/* And what the check makes of them. */
struct jl_place_block {
    struct jl_place_values values;
    uint64_t known[JL_PLACE_ROWS]; /* JL_PLACE_* bits that count */
    int64_t codes[JL_PLACE_ROWS];  /* enum joulie_code */
};

struct jl_place_results {
    int64_t reject[JL_PLACE_ROWS];
    int64_t basis[JL_PLACE_ROWS];
    int64_t score[JL_PLACE_ROWS];
    int64_t wire[JL_PLACE_ROWS]; /* by the plain rule */
    double raw[JL_PLACE_ROWS];
    double projected[JL_PLACE_ROWS];
    double marginal_w[JL_PLACE_ROWS];
    double terms[JL_COL_TERM_COUNT][JL_PLACE_ROWS];
    double costs[JL_COL_COST_COUNT][JL_PLACE_ROWS]; /* of score_cost only */
};

struct jl_place_loops {
    void (*check)(struct jl_place_block *block);
    void (*trust)(struct jl_place_block *block); /* the same of rows that have no codes */
    void (*share)(const struct jl_place_block *block, const struct jl_place_request *request,
                  struct jl_place_sums *sums, size_t *unknown);
    void (*score)(const struct jl_place_block *block, const struct jl_place_request *request,
                  struct jl_place_results *out);
    void (*score_cost)(const struct jl_place_block *block, const struct jl_place_request *request,
                       struct jl_place_results *out);
    void (*score_legacy)(const struct jl_place_block *block, const struct jl_place_request *request,
                         struct jl_place_results *out);
};

extern const struct jl_place_loops jl_place_loops[JL_SIMD_COUNT];

/* joulie_place_nodes() with the vectors given; the processor must have them. */
int jl_place_nodes(enum jl_simd simd, const struct joulie_place_config *config,
                   const struct joulie_work *work, const struct joulie_place_columns *nodes,
                   size_t count, int64_t now_ms, const struct joulie_place_columns_out *out,
                   size_t *out_failed, struct joulie_error *err);
