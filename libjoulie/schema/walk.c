/* SPDX-License-Identifier: Apache-2.0 */

/* What the parts of a decode share: how a failure is reported, and where strings are kept. */

#include "schema/walk.h"

#include "base/error.h"

/* Strings share pieces of the arena of half the text that is left, within these bounds. */
#define SMALLEST_PIECE 64
#define LARGEST_PIECE 4096

int jl_decode_fail_list(struct jl_decode *decode, int code, const struct jl_path *at, size_t offset,
                        const char *format, va_list arguments)
{
    char where[JL_PATH_TEXT];
    if (!decode->err)
        return code;

    jl_path_print(at, where);
    jl_fail_list(decode->err, code, where, format, arguments);
    if (offset != SIZE_MAX || jl_locate(decode->text, decode->len, where, &offset)) {
        uint32_t line;
        uint32_t column;
        jl_line_of(decode->text, decode->len, decode->lines, offset, &line, &column);
        jl_error_set_line(decode->err, line, column);
    }
    return code;
}

int jl_decode_fail(struct jl_decode *decode, int code, const struct jl_path *at, size_t offset,
                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    jl_decode_fail_list(decode, code, at, offset, format, arguments);
    va_end(arguments);
    return code;
}

int jl_walk_fail_json(struct jl_walk *walk, const struct jl_path *at, int code)
{
    struct jl_decode *decode = walk->decode;
    const size_t offset = walk->base + walk->json.pos;
    if (code == JOULIE_E_RANGE && at)
        return jl_decode_fail(decode, code, at, offset, "%s", walk->json.problem);

    uint32_t line;
    uint32_t column;
    jl_line_of(decode->text, decode->len, decode->lines, offset, &line, &column);
    return jl_fail_line(decode->err, code, line, column, walk->json.problem);
}

int jl_walk_fail(struct jl_walk *walk, int code, const struct jl_path *at, size_t pos,
                 const char *message)
{
    return jl_decode_fail(walk->decode, code, at, walk->base + pos, "%s", message);
}

int jl_walk_fail_arena(struct jl_walk *walk, const struct jl_path *at)
{
    const int code = jl_arena_code(walk->decode->arena);
    return jl_walk_fail(walk, code, at, walk->json.pos,
                        code == JOULIE_E_LIMIT ? "the document decodes into too much memory"
                                               : "out of memory");
}

static const char *kind_name(enum jl_json_kind kind)
{
    switch (kind) {
    case JL_JSON_OBJECT:
        return "an object";
    case JL_JSON_ARRAY:
        return "an array";
    case JL_JSON_STRING:
        return "a string";
    case JL_JSON_NUMBER:
        return "a number";
    case JL_JSON_TRUE:
    case JL_JSON_FALSE:
        return "a boolean";
    case JL_JSON_NULL:
        return "null";
    case JL_JSON_END:
    case JL_JSON_BAD:
        break;
    }
    return "not a value";
}

int jl_walk_fail_type(struct jl_walk *walk, const struct jl_path *at, const char *expected)
{
    const enum jl_json_kind kind = jl_json_peek(&walk->json);
    if (kind == JL_JSON_END || kind == JL_JSON_BAD) {
        walk->json.problem = "a value was expected";
        return jl_walk_fail_json(walk, at, JOULIE_E_PARSE);
    }
    return jl_decode_fail(walk->decode, JOULIE_E_TYPE, at, walk->base + walk->json.pos,
                          "%s was expected, this is %s", expected, kind_name(kind));
}

int jl_walk_fail_twice(struct jl_walk *walk, const struct jl_path *at, size_t pos)
{
    return jl_walk_fail(walk, JOULIE_E_PARSE, at, pos, JL_GIVEN_TWICE);
}

bool jl_walk_reports(struct jl_walk *walk, int code)
{
    const struct jl_decode *decode = walk->decode;
    if (!decode->on_problem || code == JOULIE_E_NOMEM || code == JOULIE_E_INTERNAL)
        return false;
    decode->on_problem(decode->problem_user, decode->err);
    return true;
}

bool jl_walk_goes_on(struct jl_walk *walk, const struct jl_json *start, int code)
{
    struct jl_json behind = *start;
    if (!walk->decode->on_problem || jl_json_skip(&behind) < 0 || !jl_walk_reports(walk, code))
        return false;
    walk->json = behind;
    return true;
}

int jl_walk_skip(struct jl_walk *walk, const struct jl_path *at)
{
    const int rc = jl_json_skip(&walk->json);
    return rc < 0 ? jl_walk_fail_json(walk, at, rc) : 0;
}

bool jl_walk_new_piece(struct jl_walk *walk, size_t needed)
{
    const size_t left = (walk->json.len - walk->json.pos) / 2;
    size_t size = left < SMALLEST_PIECE ? SMALLEST_PIECE : left;
    size = size > LARGEST_PIECE ? LARGEST_PIECE : size;
    char *piece = needed <= size ? jl_arena_alloc(walk->decode->arena, size) : NULL;
    if (!piece)
        return false;
    walk->piece = piece;
    walk->piece_len = size;
    return true;
}
