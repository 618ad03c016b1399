/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* JSON text into structs, by table. One pull parser, one pass, memory from an arena. */

#include <stdarg.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "schema/lines.h"
#include "schema/path.h"
#include "schema/row.h"

#define JL_GIVEN_TWICE "the member is given twice" /* message of a JOULIE_E_PARSE */

enum jl_decode_flag {
    JL_LENIENT = 1 << 0,   /* unknown members are skipped and counted; duplicate keys: last wins */
    JL_UNCHECKED = 1 << 1, /* bounds, enum words and REQUIRED count only where a row says ALWAYS */
    JL_KEEP_DIGITS = 1 << 2, /* trees print numbers as they were read (schema/tree.h) */
};

struct jl_decode {
    struct jl_arena *arena;
    const char *text; /* the whole document, for line numbers */
    size_t len;
    uint32_t flags;
    const struct jl_line_map *lines; /* of a YAML source, or NULL (schema/lines.h) */
    const char *ignored_member;      /* a top-level member that someone else reads, or NULL */
    struct joulie_error *err;
    uint64_t unknown_members; /* counted with JL_LENIENT */

    /* Told each of them, or NULL. */
    void (*on_unknown)(void *user, const char *where);
    void *user;

    /* Told what is accepted although it should not be so, with a word of its own; or NULL. */
    void (*on_warning)(void *user, const char *reason, const char *where, const char *message);
    void *warning_user;

    /* Told each problem of content, as err has it; decoding then goes on without that value, and
     * does not fail. NULL = the first one ends it. */
    void (*on_problem)(void *user, const struct joulie_error *problem);
    void *problem_user;
};

/* Decodes the whole text as one object of the table; out is zeroed first. */
int jl_decode_document(struct jl_decode *decode, const struct jl_table *table, void *out);
/* The same into a struct that is zeroed already, such as one of an arena. */
int jl_decode_into(struct jl_decode *decode, const struct jl_table *table, void *out);

/* Decodes a value kept as raw inside decode->text; at is its path from the document root. */
int jl_decode_raw(struct jl_decode *decode, const struct jl_raw *raw, const struct jl_path *at,
                  const struct jl_table *table, void *out);

/* The member kind of an object kept as raw, which must have one; other members are not read. */
int jl_decode_kind(struct jl_decode *decode, const struct jl_raw *raw, const struct jl_path *at,
                   const char **out);

/* The value of a top-level member, without decoding the rest; raw->text NULL = absent or null. */
int jl_decode_member(struct jl_decode *decode, const char *key, struct jl_raw *out);

/*
 * Reports a problem at a path: fills where, message, line and column. An offset that is not known
 * (SIZE_MAX) is looked up: of the value at the path, or of what is there of the path.
 */
int jl_decode_fail(struct jl_decode *decode, int code, const struct jl_path *at, size_t offset,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
int jl_decode_fail_list(struct jl_decode *decode, int code, const struct jl_path *at, size_t offset,
                        const char *format, va_list arguments)
    __attribute__((format(printf, 5, 0)));

/*
 * The integer that a JSON number says: 1.0 and 1e3 are some. 0, JOULIE_E_TYPE (1.5) or
 * JOULIE_E_RANGE (it does not fit 64 bits).
 */
int jl_integer_of(const char *text, size_t len, int64_t *out);

/*
 * Checks that the text is one JSON value within the limits of nesting and number range; nothing is
 * kept.
 */
int jl_check_json(struct jl_decode *decode);
