/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stable merge sort: the order of equal items never depends on memory. */

#include <stddef.h>

typedef int jl_compare_fn(const void *a, const void *b, void *user);

/* What one answers for two numbers, the smaller one first. */
#define JL_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Sorts count items of size bytes; scratch has room for as many items. */
void jl_sort_with(void *items, size_t count, size_t size, jl_compare_fn *compare, void *user,
                  void *scratch);
/* The same with its own scratch. 0 or JOULIE_E_NOMEM (then nothing moved). */
int jl_sort(void *items, size_t count, size_t size, jl_compare_fn *compare, void *user);
