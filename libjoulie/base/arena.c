/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Memory that is released all at once: a list of blocks, each twice as large as the one before.
 * Decoders, questions and every step of a model take their memory from here.
 */

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/error.h>

#define DEFAULT_BLOCK_BYTES ((size_t)4096)
#define LARGEST_STEP_BYTES ((size_t)1 << 20) /* blocks double up to here */
#define ALIGNMENT _Alignof(max_align_t)

struct jl_arena_block {
    struct jl_arena_block *next; /* older block */
    size_t capacity;
    size_t used;
    _Alignas(max_align_t) unsigned char bytes[];
};

static size_t block_capacity(const struct jl_arena *arena, size_t needed)
{
#ifdef JL_EXACT_MEMORY
    (void)arena;
    return needed;
#else
    size_t capacity = arena->first > 0 ? arena->first : DEFAULT_BLOCK_BYTES;
    if (arena->head != NULL)
        capacity = arena->head->capacity < LARGEST_STEP_BYTES / 2 ? arena->head->capacity * 2
                                                                  : LARGEST_STEP_BYTES;
    return capacity > needed ? capacity : needed;
#endif
}

static struct jl_arena_block *new_block(struct jl_arena *arena, size_t needed)
{
    const size_t capacity = block_capacity(arena, needed);
    if (capacity > SIZE_MAX - sizeof(struct jl_arena_block))
        return NULL;
    struct jl_arena_block *block = malloc(sizeof(struct jl_arena_block) + capacity);
    if (block == NULL)
        return NULL;
    block->capacity = capacity;
    block->used = 0;
    block->next = arena->head;
    arena->head = block;
    return block;
}

void *jl_arena_alloc(struct jl_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2) {
        arena->is_failed = 1;
        arena->is_over_limit = arena->limit > 0;
        return NULL;
    }
    const size_t rounded = size > 0 ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    if (arena->limit > 0 && (arena->used > arena->limit || rounded > arena->limit - arena->used)) {
        arena->is_failed = arena->is_over_limit = 1;
        return NULL;
    }
    struct jl_arena_block *block = arena->head;
    if (block == NULL || rounded > block->capacity - block->used)
        block = new_block(arena, rounded);
    if (block == NULL) {
        arena->is_failed = 1;
        return NULL;
    }
    void *memory = memset(block->bytes + block->used, 0, rounded);
    block->used += rounded;
    arena->used += rounded;
    return memory;
}

void *jl_arena_array(struct jl_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX;
    return jl_arena_alloc(arena, bytes);
}

char *jl_arena_copy(struct jl_arena *arena, const char *text, size_t len)
{
    if (len == SIZE_MAX)
        return NULL;
    char *copy = jl_arena_alloc(arena, len + 1);
    if (copy != NULL && len > 0)
        memcpy(copy, text, len);
    return copy;
}

char *jl_arena_string(struct jl_arena *arena, const char *text)
{
    return text != NULL ? jl_arena_copy(arena, text, strlen(text)) : NULL;
}

char *jl_arena_join(struct jl_arena *arena, const char *const *parts, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += strlen(parts[i]);
    char *joined = jl_arena_alloc(arena, total + 1);
    if (joined == NULL)
        return NULL;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t len = strlen(parts[i]);
        memcpy(joined + at, parts[i], len);
        at += len;
    }
    return joined;
}

static void free_all_but(struct jl_arena *arena, struct jl_arena_block *kept)
{
    struct jl_arena_block *next = NULL;
    for (struct jl_arena_block *block = arena->head; block != NULL; block = next) {
        next = block->next;
        if (block != kept)
            free(block);
    }
    arena->head = kept;
    arena->used = 0;
    arena->is_failed = arena->is_over_limit = 0;
}

void jl_arena_reset(struct jl_arena *arena)
{
    struct jl_arena_block *largest = arena->head;
    for (struct jl_arena_block *block = arena->head; block != NULL; block = block->next) {
        if (block->capacity > largest->capacity)
            largest = block;
    }
    free_all_but(arena, largest);
    if (largest != NULL) {
        largest->next = NULL;
        largest->used = 0;
    }
}

void jl_arena_clear(struct jl_arena *arena)
{
    free_all_but(arena, NULL);
}

int jl_arena_code(const struct jl_arena *arena)
{
    return arena->is_over_limit ? JOULIE_E_LIMIT : JOULIE_E_NOMEM;
}
