/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Regular expressions as a program of small steps, all of whose threads run side by side over the
 * text (docs/rules/threads.md#regular-expressions). Jumps are relative, so a piece of program can
 * be moved and repeated. Called by the check of a profile and by matching.
 */

#include "threads/ere.h"

#include <string.h>

#include <joulie/error.h>

#include "base/number.h"

#define REPEATS_MAX 255 /* of an interval */

enum op { OP_BYTE, OP_ANY, OP_SET, OP_SPLIT, OP_JUMP, OP_START, OP_END, OP_FOUND };

struct step {
    enum op op;
    unsigned char byte;
    int16_t to;      /* OP_JUMP, OP_SPLIT: from here */
    int16_t other;   /* OP_SPLIT */
    uint8_t set[32]; /* OP_SET */
};

struct jl_ere {
    size_t count;
    struct step steps[];
};

struct compiler {
    struct jl_text pattern;
    size_t at;
    struct step *steps; /* of JL_ERE_STEPS */
    size_t count;
    int code; /* of the first failure */
};

static void fail(struct compiler *compiler, int code)
{
    if (compiler->code == 0)
        compiler->code = code;
}

static bool is_at(const struct compiler *compiler, char c)
{
    return compiler->at < compiler->pattern.len && compiler->pattern.ptr[compiler->at] == c;
}

static bool take(struct compiler *compiler, char c)
{
    const bool is_here = is_at(compiler, c);
    compiler->at += is_here;
    return is_here;
}

/* Room for n steps at a place, what stands there moves up; NULL after a failure. */
static struct step *open_room(struct compiler *compiler, size_t place, size_t n)
{
    if (compiler->code != 0 || compiler->count + n > JL_ERE_STEPS) {
        fail(compiler, JOULIE_E_LIMIT);
        return NULL;
    }
    memmove(compiler->steps + place + n, compiler->steps + place,
            (compiler->count - place) * sizeof *compiler->steps);
    memset(compiler->steps + place, 0, n * sizeof *compiler->steps);
    compiler->count += n;
    return compiler->steps + place;
}

static void put(struct compiler *compiler, size_t place, enum op op, size_t to, size_t other)
{
    struct step *step = open_room(compiler, place, 1);
    if (step != NULL)
        *step = (struct step){ .op = op, .to = (int16_t)to, .other = (int16_t)other };
}

/* Jumps back are given as what they are below 0. */
static void put_back(struct compiler *compiler, enum op op, size_t back)
{
    struct step *step = open_room(compiler, compiler->count, 1);
    if (step != NULL)
        *step = (struct step){ .op = op, .to = (int16_t) - (int)back, .other = 1 };
}

/* Another copy of what stands from start to end. */
static void repeat(struct compiler *compiler, size_t start, size_t end)
{
    struct step *copy = open_room(compiler, compiler->count, end - start);
    if (copy != NULL)
        memcpy(copy, compiler->steps + start, (end - start) * sizeof *copy);
}

/* ---- sets ---- */

struct class
{
    const char *name;
    const char *ranges; /* pairs of first and last byte */
};

static const struct class classes[] = {
    { "alpha", "AZaz" },   { "digit", "09" },      { "alnum", "09AZaz" },
    { "upper", "AZ" },     { "lower", "az" },      { "space", "\t\r  " },
    { "blank", "\t\t  " }, { "xdigit", "09AFaf" }, { "punct", "!/:@[`{~" },
    { "print", " ~" },     { "graph", "!~" },      { "cntrl", "\001\037\177\177" },
};

static void add_range(struct step *step, unsigned char first, unsigned char last)
{
    for (unsigned c = first; c <= last; c++)
        step->set[c / 8] |= (uint8_t)(1U << (c % 8));
}

/* [:name:], whose "[:" was taken. */
static void add_class(struct compiler *compiler, struct step *step)
{
    const struct jl_text rest = { compiler->pattern.ptr + compiler->at,
                                  compiler->pattern.len - compiler->at };
    const struct jl_text name = { rest.ptr, jl_text_find(rest, ':') };
    compiler->at += name.len;
    if (!take(compiler, ':') || !take(compiler, ']')) {
        fail(compiler, JOULIE_E_PARSE);
        return;
    }
    for (size_t i = 0; i < JL_COUNT(classes); i++) {
        if (!jl_text_is(name, classes[i].name))
            continue;
        for (const char *pair = classes[i].ranges; *pair != '\0'; pair += 2)
            add_range(step, (unsigned char)pair[0], (unsigned char)pair[1]);
        return;
    }
    fail(compiler, JOULIE_E_PARSE);
}

/* The set whose '[' was taken. */
static void put_set(struct compiler *compiler)
{
    struct step set = { .op = OP_SET };
    const bool is_inverse = take(compiler, '^');
    for (bool is_first = true; compiler->code == 0 && (is_first || !is_at(compiler, ']'));
         is_first = false) {
        if (compiler->at + 1 >= compiler->pattern.len) {
            fail(compiler, JOULIE_E_PARSE);
            break;
        }
        const char *next = compiler->pattern.ptr + compiler->at;
        if (next[0] == '[' && next[1] == ':') {
            compiler->at += 2;
            add_class(compiler, &set);
            continue;
        }
        const unsigned char first = (unsigned char)next[0];
        unsigned char last = first;
        compiler->at++;
        if (is_at(compiler, '-') && compiler->at + 1 < compiler->pattern.len &&
            compiler->pattern.ptr[compiler->at + 1] != ']') {
            last = (unsigned char)compiler->pattern.ptr[compiler->at + 1];
            compiler->at += 2;
        }
        if (last < first)
            fail(compiler, JOULIE_E_PARSE);
        else
            add_range(&set, first, last);
    }
    compiler->at++;
    for (size_t i = 0; is_inverse && i < sizeof set.set; i++)
        set.set[i] = (uint8_t)~set.set[i];
    struct step *step = open_room(compiler, compiler->count, 1);
    if (step != NULL)
        *step = set;
}

/* ---- grammar ---- */

static void put_either(struct compiler *compiler);

static void put_atom(struct compiler *compiler)
{
    const char c = compiler->pattern.ptr[compiler->at++];
    if (c == '(') {
        put_either(compiler);
        if (!take(compiler, ')'))
            fail(compiler, JOULIE_E_PARSE);
        return;
    }
    if (c == '[') {
        put_set(compiler);
        return;
    }
    if (c == '*' || c == '+' || c == '?' || c == '{' ||
        (c == '\\' && compiler->at == compiler->pattern.len)) {
        fail(compiler, JOULIE_E_PARSE);
        return;
    }
    const enum op op = c == '.' ? OP_ANY : c == '^' ? OP_START : c == '$' ? OP_END : OP_BYTE;
    struct step *step = open_room(compiler, compiler->count, 1);
    const char byte = c == '\\' ? compiler->pattern.ptr[compiler->at++] : c;
    if (step != NULL)
        *step = (struct step){ .op = op, .byte = (unsigned char)byte };
}

/* A number of an interval; none is a failure unless it may be absent. */
static size_t take_count(struct compiler *compiler, size_t absent)
{
    const size_t start = compiler->at;
    uint64_t value = 0;
    while (compiler->at < compiler->pattern.len && jl_is_digit(compiler->pattern.ptr[compiler->at]))
        compiler->at++;
    if (compiler->at == start) {
        if (absent == SIZE_MAX)
            fail(compiler, JOULIE_E_PARSE);
        return absent;
    }
    if (jl_parse_u64(compiler->pattern.ptr + start, compiler->at - start, &value) < 0 ||
        value > REPEATS_MAX)
        fail(compiler, JOULIE_E_PARSE);
    return (size_t)value;
}

/* {n}, {n,} or {n,m} of what begins at start; its '{' was taken. */
static void put_interval(struct compiler *compiler, size_t start)
{
    const size_t end = compiler->count;
    const size_t length = end - start;
    const size_t least = take_count(compiler, SIZE_MAX);
    size_t most = least;
    bool is_open = false;
    if (take(compiler, ',')) {
        is_open = is_at(compiler, '}');
        most = take_count(compiler, least);
    }
    if (!take(compiler, '}') || most < least)
        fail(compiler, JOULIE_E_PARSE);
    for (size_t i = 1; compiler->code == 0 && i < least; i++)
        repeat(compiler, start, end);
    if (compiler->code != 0)
        return;
    if (is_open && least > 0) {
        put_back(compiler, OP_SPLIT, length);
        return;
    }
    if (is_open) {
        put(compiler, start, OP_SPLIT, 1, length + 2);
        put_back(compiler, OP_JUMP, length + 1);
        return;
    }
    if (least == 0) { /* the first copy is optional too, or not there */
        if (most == 0)
            compiler->count = start;
        else
            put(compiler, start, OP_SPLIT, 1, length + 1);
    }
    const size_t body = least == 0 ? start + 1 : start;
    for (size_t i = least > 0 ? least : 1; compiler->code == 0 && i < most; i++) {
        put(compiler, compiler->count, OP_SPLIT, 1, length + 1);
        repeat(compiler, body, body + length);
    }
}

static void put_repeated(struct compiler *compiler)
{
    const size_t start = compiler->count;
    put_atom(compiler);
    while (compiler->code == 0) {
        const size_t length = compiler->count - start;
        if (take(compiler, '*')) {
            put(compiler, start, OP_SPLIT, 1, length + 2);
            put_back(compiler, OP_JUMP, length + 1);
        } else if (take(compiler, '+')) {
            put_back(compiler, OP_SPLIT, length);
        } else if (take(compiler, '?')) {
            put(compiler, start, OP_SPLIT, 1, length + 1);
        } else if (take(compiler, '{')) {
            put_interval(compiler, start);
        } else {
            break;
        }
    }
}

static void put_either(struct compiler *compiler)
{
    const size_t start = compiler->count;
    while (compiler->code == 0 && compiler->at < compiler->pattern.len && !is_at(compiler, '|') &&
           !is_at(compiler, ')'))
        put_repeated(compiler);
    if (compiler->code != 0 || !take(compiler, '|'))
        return;
    put(compiler, start, OP_SPLIT, 1, compiler->count - start + 2);
    const size_t jump = compiler->count;
    put(compiler, jump, OP_JUMP, 0, 0);
    put_either(compiler);
    if (compiler->code == 0)
        compiler->steps[jump].to = (int16_t)(compiler->count - jump);
}

int jl_ere_compile(struct jl_arena *arena, struct jl_text pattern, const struct jl_ere **out)
{
    struct step steps[JL_ERE_STEPS];
    struct compiler compiler = { .pattern = pattern, .steps = steps };
    put_either(&compiler);
    if (compiler.at < pattern.len)
        fail(&compiler, JOULIE_E_PARSE); /* a ')' too many */
    put(&compiler, compiler.count, OP_FOUND, 0, 0);
    if (compiler.code != 0)
        return compiler.code;
    struct jl_ere *ere = jl_arena_alloc(arena, sizeof *ere + compiler.count * sizeof steps[0]);
    if (ere == NULL)
        return jl_arena_code(arena);
    ere->count = compiler.count;
    memcpy(ere->steps, steps, compiler.count * sizeof steps[0]);
    *out = ere;
    return 0;
}

/* ---- search ---- */

/* The steps that wait for the next byte, each once. */
struct waiting {
    uint16_t at[JL_ERE_STEPS];
    size_t count;
    uint8_t seen[JL_ERE_STEPS / 8];
};

struct place { /* in the text */
    size_t pos;
    size_t end;
};

/* Adds a step and those that follow without a byte. True = an end was found. */
static bool add_step(const struct jl_ere *ere, struct waiting *waiting, size_t at,
                     const struct place *place)
{
    uint16_t open[JL_ERE_STEPS + 1];
    size_t count = 0;
    open[count++] = (uint16_t)at;
    while (count > 0) {
        at = open[--count];
        if ((waiting->seen[at / 8] >> (at % 8) & 1) != 0)
            continue;
        waiting->seen[at / 8] |= (uint8_t)(1U << (at % 8));
        const struct step *step = &ere->steps[at];
        if (step->op == OP_FOUND)
            return true;
        if (step->op == OP_SPLIT)
            open[count++] = (uint16_t)((int)at + step->other);
        if (step->op == OP_SPLIT || step->op == OP_JUMP)
            open[count++] = (uint16_t)((int)at + step->to);
        else if ((step->op == OP_START && place->pos == 0) ||
                 (step->op == OP_END && place->pos == place->end))
            open[count++] = (uint16_t)(at + 1);
        else if (step->op != OP_START && step->op != OP_END)
            waiting->at[waiting->count++] = (uint16_t)at;
    }
    return false;
}

static bool takes_byte(const struct step *step, unsigned char c)
{
    if (step->op == OP_SET)
        return (step->set[c / 8] >> (c % 8) & 1) != 0;
    return step->op == OP_ANY || step->byte == c;
}

bool jl_ere_finds(const struct jl_ere *ere, struct jl_text text)
{
    struct waiting lists[2];
    struct waiting *now = &lists[0];
    struct waiting *next = &lists[1];
    struct place place = { 0, text.len };
    memset(now->seen, 0, sizeof now->seen);
    now->count = 0;
    for (;; place.pos++) {
        if (add_step(ere, now, 0, &place)) /* it may begin at any byte */
            return true;
        if (place.pos == text.len)
            return false;
        const struct place behind = { place.pos + 1, text.len };
        memset(next->seen, 0, sizeof next->seen);
        next->count = 0;
        for (size_t i = 0; i < now->count; i++)
            if (takes_byte(&ere->steps[now->at[i]], (unsigned char)text.ptr[place.pos]) &&
                add_step(ere, next, (size_t)now->at[i] + 1, &behind))
                return true;
        struct waiting *other = now;
        now = next;
        next = other;
    }
}
