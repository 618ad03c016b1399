/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_COLUMN_H
#define JOULIE_COLUMN_H
#pragma once

/**
 * @file
 * Many values at once: a column is a pointer to the first value and the distance to the next one.
 *
 * One struct of columns describes arrays, arrays of structs, and strided views of a table (NumPy,
 * pandas) alike, without a copy. The structs here never grow; everything that may grow holds them
 * by name. Rows are counted by the function that takes the columns.
 *
 * - A pointer of NULL: the value is unknown in every row (input), or not wanted (output).
 * - Stride 0 (input only): the first value counts for every row.
 * - Values must be aligned for their type. Input and output columns may not overlap, except that an
 *   output may be exactly an input of the same type and stride.
 */

#include <stddef.h>
#include <stdint.h>

#include <joulie/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Numbers to read. Fixed layout. */
struct joulie_column {
    const double *at; /**< value of row 0; NULL = unknown in every row */
    int64_t stride;   /**< bytes from one row to the next, may be negative; 0 = one value for all */
};

/** Numbers to write. Fixed layout. */
struct joulie_column_out {
    double *at;     /**< where row 0 goes; NULL = not wanted */
    int64_t stride; /**< bytes from one row to the next, not 0 */
};

/** Masks of `has` bits to read. Fixed layout. */
struct joulie_column_bits {
    const uint64_t *at; /**< NULL = in every row what has a column is known */
    int64_t stride;     /**< bytes, as in struct joulie_column */
};

/** Masks of `has` bits to write. Fixed layout. */
struct joulie_column_bits_out {
    uint64_t *at;   /**< NULL = not wanted */
    int64_t stride; /**< bytes, not 0 */
};

/** Enum values and small counts to read. Fixed layout. */
struct joulie_column_int {
    const int32_t *at; /**< NULL = 0 (_UNKNOWN) in every row */
    int64_t stride;    /**< bytes, as in struct joulie_column */
};

/** Enum values, codes and small counts to write. Fixed layout. */
struct joulie_column_int_out {
    int32_t *at;    /**< NULL = not wanted */
    int64_t stride; /**< bytes, not 0 */
};

/** Times to read, in milliseconds since 1970. Fixed layout. */
struct joulie_column_ms {
    const int64_t *at; /**< NULL = unknown in every row */
    int64_t stride;    /**< bytes, as in struct joulie_column */
};

#ifdef __cplusplus
}
#endif

#endif
