/* SPDX-License-Identifier: Apache-2.0 */
/* journal: a line of the cap journal, or what a journal leaves to restore (linux-power.md §15). */
#include "caps/journal.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"

struct record_in {
    uint64_t has;
    enum jl_journal_op op;
    const char *key;
    struct jl_raw value; /* raw: up to 2^64 - 1 exactly */
    struct jl_raw baseline;
    enum jl_journal_unit unit;
    bool enabled;
    const char *owner;
    int64_t at_ms;
};

enum {
    RECORD_OP,
    RECORD_KEY,
    RECORD_VALUE,
    RECORD_UNIT,
    RECORD_ENABLED,
    RECORD_OWNER,
    RECORD_BASELINE,
    RECORD_AT,
};

struct journal_in {
    uint64_t has;
    struct record_in record;
    const char *text;
};

enum { IN_RECORD, IN_TEXT };

struct open_out {
    uint64_t has;
    const char *key;
    struct jl_raw value;
};

enum { OPEN_KEY, OPEN_VALUE };

struct journal_out {
    uint64_t has;
    const char *line;
    struct jl_list open; /* struct open_out */
    int64_t skipped;
};

enum { OUT_LINE, OUT_OPEN, OUT_SKIPPED };

static const struct jl_row record_rows[] = {
    [RECORD_OP] = JL_ENUM(record_in, op, "op", &jl_journal_op_words, .flags = JL_REQUIRED,
                          .doc = "baseline before the first write to a control, write before each, "
                                 "restored after its value was given back."),
    [RECORD_KEY] = JL_STRING(record_in, key, "key", .flags = JL_REQUIRED,
                             .doc = "Control, such as rapl/package-0/long_term."),
    [RECORD_VALUE] = JL_RAW(record_in, value, "value",
                            .doc = "What was found (baseline) or is written (write), an integer."),
    [RECORD_UNIT] = JL_ENUM(record_in, unit, "unit", &jl_journal_unit_words,
                            .doc = "Unit of a baseline's value."),
    [RECORD_ENABLED] = JL_BOOLEAN(record_in, enabled, "enabled",
                                  .doc = "baseline: what the control's enabled read."),
    [RECORD_OWNER] =
        JL_STRING(record_in, owner, "owner", .doc = "baseline: api, or local:NAME of a lease."),
    [RECORD_BASELINE] = JL_RAW(record_in, baseline, "baseline",
                               .doc = "write: the value of the baseline, an integer."),
    [RECORD_AT] = JL_TIME(record_in, at_ms, "at", .flags = JL_REQUIRED,
                          .doc = "Instant; the fraction of a second is dropped."),
};
static const struct jl_table record_table = JL_TABLE(record_in, record_rows);

static const struct jl_row in_rows[] = {
    [IN_RECORD] =
        JL_OBJECT(journal_in, record, "record", &record_table, .doc = "A record to write."),
    [IN_TEXT] = JL_STRING(journal_in, text, "text", .doc = "A journal to read."),
};
static const struct jl_table in_table = JL_TABLE(journal_in, in_rows);

static const struct jl_row open_rows[] = {
    [OPEN_KEY] = JL_STRING(open_out, key, "key", .doc = "Control."),
    [OPEN_VALUE] = JL_RAW(open_out, value, "value", .doc = "What to give back, an integer."),
};
static const struct jl_table open_table = JL_TABLE(open_out, open_rows);

static const struct jl_row out_rows[] = {
    [OUT_LINE] = JL_STRING(journal_out, line, "line", .doc = "The record's line with its LF."),
    [OUT_OPEN] = JL_LIST(journal_out, open, "open", &open_table,
                         .doc = "What is still to be given back, in that order."),
    [OUT_SKIPPED] =
        JL_INTEGER(journal_out, skipped, "skipped", .doc = "Lines that were damaged or torn."),
};
static const struct jl_table out_table = JL_TABLE(journal_out, out_rows);

/* As other integers of questions: 1.0 and 1e3 are some too. */
static int parse_integer(const struct jl_raw *raw, uint64_t *out)
{
    double value = 0;
    int rc = jl_parse_u64(raw->text, raw->len, out);
    if (rc != JOULIE_E_PARSE)
        return rc;
    rc = jl_parse_double(raw->text, raw->len, &value);
    if (rc < 0)
        return rc == JOULIE_E_PARSE ? JOULIE_E_TYPE : rc;
    if (!(value >= 0 && value < 18446744073709551616.0))
        return JOULIE_E_RANGE;
    *out = (uint64_t)value;
    return (double)*out == value ? 0 : JOULIE_E_TYPE;
}

static int take_integer(struct jl_ask *ask, const struct record_in *record, unsigned bit,
                        const struct jl_raw *raw, const char *where, uint64_t *out)
{
    if (!JL_HAS(record, bit))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, where, "this record needs it");
    const int rc = parse_integer(raw, out);
    if (rc == JOULIE_E_RANGE)
        return jl_ask_fail(ask, rc, where, "not between 0 and 18446744073709551615");
    return rc < 0 ? jl_ask_fail(ask, rc, where, "an integer was expected") : 0;
}

static int answer_line(struct jl_ask *ask, const struct record_in *input,
                       struct journal_out *result)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    struct jl_journal_record record = {
        .op = input->op,
        .key = input->key,
        .unit = input->unit,
        .has_enabled = JL_HAS(input, RECORD_ENABLED),
        .enabled = input->enabled,
        .owner = input->owner,
        .at_ms = input->at_ms,
    };
    int rc = 0;
    if (record.op != JL_JOURNAL_RESTORED)
        rc = take_integer(ask, input, RECORD_VALUE, &input->value, "record.value", &record.value);
    if (rc == 0 && record.op == JL_JOURNAL_WRITE)
        rc = take_integer(ask, input, RECORD_BASELINE, &input->baseline, "record.baseline",
                          &record.baseline);
    if (rc < 0)
        return rc;
    jl_journal_put(&line, &record);
    if (jl_buffer_code(&line) < 0)
        return jl_fail_memory(ask->err);
    JL_PUT(result, OUT_LINE, line, jl_arena_copy(ask->arena, line.data, line.len));
    return result->line != NULL ? 0 : jl_fail_memory(ask->err);
}

static int put_open(struct jl_ask *ask, const struct jl_journal *journal, struct open_out *items)
{
    for (size_t i = 0; i < journal->open_count; i++) {
        char digits[JL_DOUBLE_TEXT];
        const size_t len = jl_format_u64(journal->open[i].value, digits);
        struct jl_raw value = { .text = jl_arena_copy(ask->arena, digits, len), .len = len };
        if (value.text == NULL)
            return jl_fail_memory(ask->err);
        JL_PUT(&items[i], OPEN_KEY, key, journal->open[i].key);
        JL_PUT(&items[i], OPEN_VALUE, value, value);
    }
    return 0;
}

static int answer_open(struct jl_ask *ask, const char *text, struct journal_out *result)
{
    struct jl_journal journal;
    const int rc = jl_journal_read(ask->arena, text, strlen(text), &journal);
    if (rc < 0)
        return rc == JOULIE_E_NOMEM ? jl_fail_memory(ask->err)
                                    : jl_ask_fail(ask, rc, "text", "too many open keys");
    struct open_out *items = JL_NEW_ARRAY(ask->arena, journal.open_count, struct open_out);
    if (items == NULL)
        return jl_fail_memory(ask->err);
    JL_PUT(result, OUT_OPEN, open, ((struct jl_list){ items, journal.open_count }));
    JL_PUT(result, OUT_SKIPPED, skipped, (int64_t)journal.skipped);
    return put_open(ask, &journal, items);
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct journal_in *input = in;
    int rc = 0;
    if (!JL_HAS(input, IN_RECORD) && !JL_HAS(input, IN_TEXT))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "text", "a record or a text is needed");
    if (JL_HAS(input, IN_RECORD))
        rc = answer_line(ask, &input->record, out);
    if (rc == 0 && JL_HAS(input, IN_TEXT))
        rc = answer_open(ask, input->text, out);
    return rc;
}

const struct jl_question jl_question_journal = {
    .name = "journal",
    .summary = "Write a line of the cap journal, or read what a journal leaves to restore",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
