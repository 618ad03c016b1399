/* SPDX-License-Identifier: Apache-2.0 */

/*
 * journal: a line of the cap journal, or what a journal leaves to restore
 * (docs/rules/enforcement.md#journal).
 */
#include "caps/journal.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"
#include "caps/journal_v1.h"

#define RECORD record_in
#define MEMBERS                                                                                 \
    ENUM(op, "op", jl_journal_op, jl_journal_op_words,                                          \
         "baseline before the first write to a control, write before each, restored after its " \
         "value was given back.",                                                               \
         REQUIRED)                                                                              \
    STRING(key, "key", "Control, such as rapl/package-0/long_term.", REQUIRED)                  \
    /* raw: up to 2^64 - 1 exactly */                                                           \
    RAW(value, "value", "What was found (baseline) or is written (write), an integer.")         \
    ENUM(unit, "unit", jl_journal_unit, jl_journal_unit_words, "Unit of a baseline's value.")   \
    BOOLEAN(enabled, "enabled", "baseline: what the control's enabled read.")                   \
    STRING(owner, "owner", "baseline: api, or local:NAME of a lease.")                          \
    RAW(baseline, "baseline", "write: the value of the baseline, an integer.")                  \
    TIME(at_ms, "at", "Instant; the fraction of a second is dropped.", REQUIRED)
#include "schema/record.h"

#define RECORD journal_in
#define MEMBERS                                                                                   \
    OBJECT(record, "record", record_in, "A record to write.")                                     \
    STRING(text, "text", "A journal to read.")                                                    \
    INTEGER(version, "version",                                                                   \
            "Format, 1 (of 0.1 and 0.2) or 2; default: as the text begins, else 1.", AT_LEAST(1), \
            AT_MOST(2))
#include "schema/record.h"

#define RECORD open_out
#define MEMBERS                    \
    STRING(key, "key", "Control.") \
    RAW(value, "value", "What to give back, an integer.")
#include "schema/record.h"

#define RECORD journal_out
#define MEMBERS                                                                          \
    STRING(line, "line", "The record's line with its LF; in version 2 a write has two.") \
    LIST(open, "open", open_out, "What is still to be given back, in that order.")       \
    INTEGER(skipped, "skipped", "Lines that were damaged or torn.")
#include "schema/record.h"

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

static int answer_line(struct jl_ask *ask, const struct record_in *input, bool is_v1,
                       struct journal_out *result)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    struct jl_journal_record record = {
        .op = input->op,
        .key = input->key,
        .unit = input->unit,
        .has_enabled = input->given.enabled,
        .enabled = input->enabled,
        .owner = input->owner,
        .at_ms = input->at_ms,
    };
    int rc = 0;
    if (record.op != JL_JOURNAL_RESTORED)
        rc = take_integer(ask, input, JL_INDEX(record_in, value), &input->value, "record.value",
                          &record.value);
    if (rc == 0 && record.op == JL_JOURNAL_WRITE)
        rc = take_integer(ask, input, JL_INDEX(record_in, baseline), &input->baseline,
                          "record.baseline", &record.baseline);
    if (rc < 0)
        return rc;
    if (is_v1)
        jl_journal_v1_put(&line, &record);
    else
        jl_journal_put(&line, &record);
    if (jl_buffer_code(&line) < 0)
        return jl_fail_memory(ask->err);
    JL_SET(result, line, jl_arena_copy(ask->arena, line.data, line.len));
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
        JL_SET(&items[i], key, journal->open[i].key);
        JL_SET(&items[i], value, value);
    }
    return 0;
}

static int answer_open(struct jl_ask *ask, const char *text, bool is_v1, struct journal_out *result)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_journal journal;
    const size_t len = strlen(text);
    const int rc = is_v1 ? jl_journal_v1_read(ask->arena, text, len, &journal)
                         : jl_journal_read(ask->arena, text, len, &journal, &err);
    if (rc == JOULIE_E_UNSUPPORTED)
        return jl_ask_fail(ask, rc, "text", "%s", err.message);
    if (rc < 0)
        return rc == JOULIE_E_NOMEM ? jl_fail_memory(ask->err)
                                    : jl_ask_fail(ask, rc, "text", "too many open keys");
    struct open_out *items = JL_NEW_LIST(ask, result, open, journal.open_count, struct open_out);
    if (items == NULL)
        return jl_fail_memory(ask->err);
    JL_SET(result, skipped, (int64_t)journal.skipped);
    return put_open(ask, &journal, items);
}

static int answer_journal(struct jl_ask *ask, const struct journal_in *input,
                          struct journal_out *out)
{
    const bool begins_as_v2 = input->given.text && jl_starts_with(input->text, JL_JOURNAL_NAME);
    const bool is_v1 = input->given.version ? input->version == 1 : !begins_as_v2;
    int rc = 0;
    if (!input->given.record && !input->given.text)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "text", "a record or a text is needed");
    if (input->given.record)
        rc = answer_line(ask, &input->record, is_v1, out);
    if (rc == 0 && input->given.text)
        rc = answer_open(ask, input->text, is_v1, out);
    return rc;
}

JL_QUESTION(journal, "journal",
            "Write a line of the cap journal, or read what a journal leaves to restore");
