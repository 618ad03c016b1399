/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The heap, in one place: pure rooms allocate through these functions, and the test whose
 * allocations fail can count them.
 */

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/error.h>

#define SMALLEST_CAPACITY 8
#ifdef JL_EXACT_MEMORY
#define EXACT_CAPACITY 256 /* up to here an array has no item to spare */
#else
#define EXACT_CAPACITY 0
#endif

void *jl_calloc(size_t count, size_t size)
{
    return count > 0 && size > 0 ? calloc(count, size) : calloc(1, 1);
}

void *jl_realloc_array(void *old, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return realloc(old, bytes > 0 ? bytes : 1);
}

void jl_free(void *memory)
{
    free(memory);
}

char *jl_strdup(const char *text)
{
    if (text == NULL)
        return NULL;
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

void jl_freep(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

int jl_grow(void *items, size_t *capacity, size_t needed, size_t size)
{
    void *old;
    if (needed <= *capacity)
        return 0;
    memcpy(&old, items, sizeof old);
    size_t room = *capacity > 0 ? *capacity : SMALLEST_CAPACITY;
    while (room < needed)
        room = room > SIZE_MAX / 2 ? needed : room * 2;
    if (needed <= EXACT_CAPACITY)
        room = needed;
    void *grown = jl_realloc_array(old, room, size);
    if (grown == NULL)
        return JOULIE_E_NOMEM;
    memcpy(items, &grown, sizeof grown);
    *capacity = room;
    return 0;
}

void joulie_free(void *memory)
{
    free(memory);
}
