/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Columns of a caller (joulie/column.h). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether every row stands where values of that size are read and written; a column that is not
 * there (NULL) does. */
static inline bool jl_column_is_aligned(const void *at, int64_t stride, size_t size)
{
    return at == NULL || ((uintptr_t)at % size == 0 && stride % (int64_t)size == 0);
}
