/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory that is released all at once. Blocks are zeroed and aligned for any type. */

#include <stddef.h>

struct jl_arena_block;

struct jl_arena {
    struct jl_arena_block *head;
    size_t used;  /* bytes handed out */
    size_t limit; /* 0 = none; beyond it allocation fails and is_over_limit is set */
    size_t first; /* size of the first block, 0 = default */
    int is_over_limit;
    int is_failed; /* an allocation was refused: one check after several of them is enough */
};

/* Each is NULL when memory ran out or the limit is passed: jl_arena_code() tells which. */
void *jl_arena_alloc(struct jl_arena *arena, size_t size);
void *jl_arena_array(struct jl_arena *arena, size_t count, size_t size);
char *jl_arena_copy(struct jl_arena *arena, const char *text, size_t len); /* NUL-terminated */
char *jl_arena_string(struct jl_arena *arena, const char *text);           /* NULL in, NULL out */
char *jl_arena_join(struct jl_arena *arena, const char *const *parts, size_t count);
int jl_arena_code(const struct jl_arena *arena); /* JOULIE_E_LIMIT or JOULIE_E_NOMEM */

void jl_arena_reset(struct jl_arena *arena); /* keeps the largest block for reuse */
void jl_arena_clear(struct jl_arena *arena); /* releases everything */

/* The texts behind each other, such as JL_JOIN(arena, folder, "/", name). */
#define JL_JOIN(arena, ...)                                      \
    jl_arena_join((arena), (const char *const[]){ __VA_ARGS__ }, \
                  sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))
#define JL_CLEANUP(function) __attribute__((cleanup(function)))
#define JL_NEW(arena, type) ((type *)jl_arena_alloc((arena), sizeof(type)))
#define JL_NEW_ARRAY(arena, count, type) ((type *)jl_arena_array((arena), (count), sizeof(type)))
