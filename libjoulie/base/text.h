/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pieces of UTF-8 text: views, comparison, trimming. No locale anywhere. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A view of bytes that someone else owns; not NUL-terminated. */
struct jl_text {
    const char *ptr;
    size_t len;
};

struct jl_text jl_text(const char *text); /* of a NUL-terminated string; NULL gives an empty view */
bool jl_text_is(struct jl_text text, const char *word);
size_t jl_text_find(struct jl_text text, char c); /* index of the first c, else text.len */
/* The same, 8 bytes at a time: lines of traces are long. */
size_t jl_text_find_far(struct jl_text text, char c);
struct jl_text jl_text_trim(struct jl_text text); /* ASCII white space at both ends */
/* What stands before the first c, or all of it; *rest moves behind that c. */
struct jl_text jl_text_cut(struct jl_text *rest, char c);

bool jl_same(const char *a, const char *b);                 /* equal bytes; NULL equals only NULL */
bool jl_same_nocase(struct jl_text text, const char *word); /* ASCII letters fold */
int jl_compare(const char *a, const char *b); /* bytes as unsigned; NULL is before everything */
int jl_compare_text(struct jl_text a, struct jl_text b);
bool jl_starts_with(const char *text, const char *prefix);
bool jl_ends_with(const char *text, const char *suffix);
bool jl_contains(const char *text, const char *part);
bool jl_is_empty(const char *text); /* NULL or "" */

char jl_lower(char c);
bool jl_is_digit(char c);
int jl_hex_digit(char c); /* -1 = it is none */
bool jl_is_space(char c);

bool jl_utf8_valid(const char *text, size_t len);
/* The largest length <= max at a character border. */
size_t jl_utf8_cut(const char *text, size_t len, size_t max);
/* Drops the bytes that are no UTF-8, in place; returns the length that is left. */
size_t jl_utf8_keep(char *text, size_t len);

uint32_t jl_fnv1a32(const void *bytes, size_t len);
uint64_t jl_hash(const void *bytes, size_t len); /* 64-bit FNV-1a */
