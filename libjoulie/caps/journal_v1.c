/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Reads the journal of versions 0.1 and 0.2: one record per line, CRC-32 of the JSON as 8 hex
 * digits, a blank, compact JSON, LF (docs/rules/enforcement.md#version-1). Called by joulie-rescue
 * --from-v1, which links no other reader of JSON, and by the question journal.
 */

#include "caps/journal_v1.h"

#include <string.h>

#include <joulie/error.h>

#include "base/json_string.h"
#include "base/number.h"
#include "base/time.h"

/* ---- one line ---- */

struct line {
    struct jl_text rest;      /* of the JSON */
    struct jl_arena *scratch; /* of the strings */
    struct jl_journal_record record;
    unsigned seen; /* bit i: member i of the table */
};

static bool take_char(struct line *line, char c)
{
    if (line->rest.len == 0 || line->rest.ptr[0] != c)
        return false;
    line->rest = (struct jl_text){ line->rest.ptr + 1, line->rest.len - 1 };
    return true;
}

/* Bytes of the string whose opening quote was taken, up to the closing one; SIZE_MAX = none. */
static size_t string_length(struct jl_text rest)
{
    size_t len = 0;
    while (len < rest.len && rest.ptr[len] != '"') {
        const bool is_escape = rest.ptr[len] == '\\';
        const size_t step = is_escape ? jl_json_escape_length(rest.ptr + len, rest.len - len) : 1;
        if (step == 0 || (unsigned char)rest.ptr[len] < ' ')
            return SIZE_MAX;
        len += step;
    }
    return len < rest.len && jl_utf8_valid(rest.ptr, len) ? len : SIZE_MAX;
}

static int read_string(struct line *line, void *out)
{
    const size_t len = take_char(line, '"') ? string_length(line->rest) : SIZE_MAX;
    char *text = len < SIZE_MAX ? jl_arena_alloc(line->scratch, len + 1) : NULL;
    if (len == SIZE_MAX)
        return JOULIE_E_PARSE;
    if (text == NULL)
        return jl_arena_code(line->scratch);
    const size_t length = jl_json_unescape((struct jl_text){ line->rest.ptr, len }, text);
    text[length] = '\0';
    line->rest = (struct jl_text){ line->rest.ptr + len + 1, line->rest.len - len - 1 };
    *(const char **)out = text;
    return strlen(text) == length ? 0 : JOULIE_E_PARSE;
}

static int read_word(struct line *line, const struct jl_words *words, void *out)
{
    const char *word = NULL;
    const int rc = read_string(line, &word);
    if (rc < 0)
        return rc;
    *(int *)out = jl_word_value(words, jl_text(word));
    return *(int *)out != 0 ? 0 : JOULIE_E_ENUM;
}

static int read_op(struct line *line, void *out)
{
    return read_word(line, &jl_journal_op_words, out);
}

static int read_unit(struct line *line, void *out)
{
    return read_word(line, &jl_journal_unit_words, out);
}

/* What stands before the next comma or brace. */
static struct jl_text take_literal(struct line *line)
{
    struct jl_text *rest = &line->rest;
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != ',' && rest->ptr[len] != '}')
        len++;
    const struct jl_text literal = { rest->ptr, len };
    *rest = (struct jl_text){ rest->ptr + len, rest->len - len };
    return literal;
}

static int read_u64(struct line *line, void *out)
{
    const struct jl_text number = take_literal(line);
    if (number.len > 1 && number.ptr[0] == '0')
        return JOULIE_E_PARSE;
    return jl_parse_u64(number.ptr, number.len, out);
}

static int read_enabled(struct line *line, void *out)
{
    const struct jl_text word = take_literal(line);
    line->record.has_enabled = true;
    *(bool *)out = jl_text_is(word, "true");
    return *(bool *)out || jl_text_is(word, "false") ? 0 : JOULIE_E_TYPE;
}

static int read_time(struct line *line, void *out)
{
    const char *text = NULL;
    const int rc = read_string(line, &text);
    return rc < 0 ? rc : jl_parse_time(text, strlen(text), out);
}

#define IN(op) (1u << (op))
#define IN_ALL (IN(JL_JOURNAL_BASELINE) | IN(JL_JOURNAL_WRITE) | IN(JL_JOURNAL_RESTORED))
#define TO(member) offsetof(struct jl_journal_record, member)

static const struct {
    const char *name;
    int (*read)(struct line *line, void *out);
    size_t offset;      /* in the record */
    unsigned needed_in; /* operations */
} members[] = {
    { "op", read_op, TO(op), IN_ALL },
    { "key", read_string, TO(key), IN_ALL },
    { "value", read_u64, TO(value), IN(JL_JOURNAL_BASELINE) | IN(JL_JOURNAL_WRITE) },
    { "baseline", read_u64, TO(baseline), IN(JL_JOURNAL_WRITE) },
    { "unit", read_unit, TO(unit), 0 },
    { "enabled", read_enabled, TO(enabled), 0 },
    { "owner", read_string, TO(owner), 0 },
    { "at", read_time, TO(at_ms), IN_ALL },
};

static int read_member(struct line *line)
{
    const char *name = NULL;
    const int rc = read_string(line, &name);
    if (rc < 0)
        return rc;
    size_t i = 0;
    while (i < JL_COUNT(members) && !jl_same(name, members[i].name))
        i++;
    if (i == JL_COUNT(members) || (line->seen & 1u << i) || !take_char(line, ':'))
        return JOULIE_E_PARSE;
    line->seen |= 1u << i;
    return members[i].read(line, (char *)&line->record + members[i].offset);
}

/* An operation that was not seen is one that needs everything. */
static bool is_whole(const struct line *line)
{
    const unsigned op = line->record.op != JL_JOURNAL_UNKNOWN ? IN(line->record.op) : IN_ALL;
    for (size_t i = 0; i < JL_COUNT(members); i++) {
        if ((members[i].needed_in & op) && !(line->seen & 1u << i))
            return false;
    }
    return !jl_is_empty(line->record.key);
}

/* As those versions wrote it: no blanks, no other member. */
static int read_json(struct line *line)
{
    if (!take_char(line, '{'))
        return JOULIE_E_TYPE;
    do {
        const int rc = read_member(line);
        if (rc < 0)
            return rc;
    } while (take_char(line, ','));
    return take_char(line, '}') && line->rest.len == 0 && is_whole(line) ? 0 : JOULIE_E_PARSE;
}

/* ---- whole texts ---- */

/* One line without its LF. */
static int read_line(struct jl_arena *arena, struct jl_arena *scratch, const char *text, size_t len,
                     struct jl_journal *journal)
{
    if (!jl_journal_is_sealed(text, len)) {
        journal->skipped++;
        return 0;
    }
    jl_arena_reset(scratch);
    struct line line = {
        .rest = { text + JL_JOURNAL_SEAL_BYTES, len - JL_JOURNAL_SEAL_BYTES },
        .scratch = scratch,
    };
    const int rc = read_json(&line);
    if (rc == JOULIE_E_NOMEM)
        return rc;
    if (rc < 0) {
        journal->skipped++;
        return 0;
    }
    return jl_journal_take(arena, journal, &line.record);
}

static int read_lines(struct jl_arena *arena, const char *text, size_t len,
                      struct jl_journal *journal)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { 0 };
    struct jl_text left = { text, len };
    int rc = 0;
    while (rc == 0 && left.len > 0) {
        const size_t end = jl_text_find(left, '\n');
        if (end == left.len) {
            journal->skipped++; /* torn: it may hold less than was meant */
            return 0;
        }
        rc = read_line(arena, &scratch, left.ptr, end, journal);
        left = (struct jl_text){ left.ptr + end + 1, left.len - end - 1 };
    }
    return rc;
}

int jl_journal_v1_read(struct jl_arena *arena, const char *text, size_t len, struct jl_journal *out)
{
    struct jl_journal journal = { 0 };
    const int rc = read_lines(arena, text, len, &journal);
    if (rc == 0)
        *out = journal;
    return rc;
}
