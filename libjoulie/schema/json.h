/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A pull reader over JSON text (RFC 8259, UTF-8). It allocates nothing and keeps nothing: the
 * caller asks for the next token and the reader moves. Positions are byte offsets into the text.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

enum jl_json_kind {
    JL_JSON_END, /* nothing is left */
    JL_JSON_OBJECT,
    JL_JSON_ARRAY,
    JL_JSON_STRING,
    JL_JSON_NUMBER,
    JL_JSON_TRUE,
    JL_JSON_FALSE,
    JL_JSON_NULL,
    JL_JSON_BAD, /* no value starts here */
};

struct jl_json {
    const char *text;
    size_t len;
    size_t pos;
    const char *problem; /* static text after a failure, at pos */
    int depth;           /* open objects and arrays */
    bool is_range_free; /* skipping lets pass numbers outside a double: someone else reports them */
};

struct jl_json_string {
    struct jl_text raw; /* between the quotes */
    bool has_escapes;
};

enum jl_json_kind jl_json_peek(struct jl_json *json); /* skips white space */

/*
 * Each returns 0, JOULIE_E_PARSE, JOULIE_E_RANGE (a number outside a double) or JOULIE_E_LIMIT
 * (nesting).
 */
int jl_json_string(struct jl_json *json, struct jl_json_string *out);
int jl_json_number(struct jl_json *json, struct jl_text *out, bool *is_integer);
int jl_json_literal(struct jl_json *json); /* true, false or null, whichever peek saw */
int jl_json_skip(struct jl_json *json);    /* one whole value, checked */

/*
 * Objects: open once, then member until *more is false. Arrays: open, then item until *more is
 * false. After member and item the reader stands at the value.
 */
int jl_json_open(struct jl_json *json);
int jl_json_member(struct jl_json *json, bool is_first, struct jl_json_string *key, bool *more);
int jl_json_item(struct jl_json *json, bool is_first, bool *more);
/* A part of member: over the key at the reader and its colon. */
int jl_json_key(struct jl_json *json, struct jl_json_string *key);

/* Items of the array at the reader's position, which does not move; checked on the way. */
int jl_json_count(const struct jl_json *json, size_t *out);

/*
 * Room for the items or members of the array or object at the reader, each of at least `smallest`
 * bytes: their number, or more of them when the text is broken. Only brackets, commas and strings
 * are looked at.
 */
size_t jl_json_room(const struct jl_json *json, size_t smallest);

/* The end of the text after one value: only white space may follow. */
int jl_json_finish(struct jl_json *json);

/*
 * The string's bytes in the arena, with a NUL behind them; \u0000 is a byte like any. NULL = see
 * jl_arena_code().
 */
char *jl_json_bytes(const struct jl_json_string *string, struct jl_arena *arena, size_t *out_len);

/*
 * The string's value, NUL-terminated in the arena; NULL with *code set: JOULIE_E_PARSE for \u0000
 * (a string of ours ends at NUL) and JOULIE_E_NOMEM or JOULIE_E_LIMIT from the arena.
 */
const char *jl_json_value(const struct jl_json_string *string, struct jl_arena *arena,
                          size_t *out_len, int *code);
