/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One decode in progress: what its parts share (decode.c, read_values.c, read_containers.c). A
 * function of theirs returns 0, or a code with the caller's error filled. */

#include "base/plain.h"
#include "schema/decode.h"
#include "schema/json.h"

/* The caller's request and the reader. */
struct jl_walk {
    struct jl_decode *decode;
    struct jl_json json;
    size_t base;      /* offset of json.text in decode->text */
    char *piece;      /* of the arena, for the next strings */
    size_t piece_len; /* bytes that are left of it */
};

/* An object of the table; out is zeroed. */
int jl_walk_object(struct jl_walk *walk, const struct jl_path *at, const struct jl_table *table,
                   void *out);

/* Passes over a value of any kind. */
int jl_walk_skip(struct jl_walk *walk, const struct jl_path *at);

/* The reader's own failure: a number has a path, grammar only a line. */
int jl_walk_fail_json(struct jl_walk *walk, const struct jl_path *at, int code);

int jl_walk_fail(struct jl_walk *walk, int code, const struct jl_path *at, size_t pos,
                 const char *message);

/* A value of another JSON type than the member has; text that is no JSON is a parse error. */
int jl_walk_fail_type(struct jl_walk *walk, const struct jl_path *at, const char *expected);

/*
 * Whether a decode goes on after a problem with the value at `start`: it is reported and the reader
 * stands behind that value. Text that is no JSON, and memory that ran out, end every decode.
 */
bool jl_walk_goes_on(struct jl_walk *walk, const struct jl_json *start, int code);
/* The same where the reader stands well. */
bool jl_walk_reports(struct jl_walk *walk, int code);

int jl_walk_fail_twice(struct jl_walk *walk, const struct jl_path *at, size_t pos);

/* The arena has no room. */
int jl_walk_fail_arena(struct jl_walk *walk, const struct jl_path *at);

bool jl_walk_new_piece(struct jl_walk *walk, size_t needed);

/* The text with a NUL in the arena; NULL = see jl_arena_code(). */
static inline const char *jl_walk_keep(struct jl_walk *walk, struct jl_text text)
{
    if (text.len >= walk->piece_len && !jl_walk_new_piece(walk, text.len + 1))
        return jl_arena_copy(walk->decode->arena, text.ptr, text.len);
    char *out = walk->piece;
    jl_copy_bytes(out, text.ptr, text.len);
    out[text.len] = '\0';
    walk->piece += text.len + 1;
    walk->piece_len -= text.len + 1;
    return out;
}
