/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Heap memory for handles that live longer than one call. Pure rooms allocate through here. */

#include <stddef.h>

/* NULL when memory ran out or the product overflows. */
void *jl_calloc(size_t count, size_t size); /* zeroed */
void *jl_realloc_array(void *old, size_t count, size_t size);
char *jl_strdup(const char *text); /* NULL in, NULL out */
void jl_free(void *memory);

/* Frees what a pointer points to: for JL_CLEANUP() of base/arena.h. */
void jl_freep(void *pointer);

/* Makes room for needed items in the array *items, which doubles; 0 or JOULIE_E_NOMEM. */
#define JL_GROW(items, capacity, needed) jl_grow((items), (capacity), (needed), sizeof **(items))
int jl_grow(void *items, size_t *capacity, size_t needed, size_t size);
