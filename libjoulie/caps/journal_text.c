/* SPDX-License-Identifier: Apache-2.0 */

/* Writes and reads the cap journal as text, version 2 (docs/rules/enforcement.md#journal). Called
 * by enforce/, also in the programs that link no JSON; no file is opened here. */

#include <string.h>

#include <joulie/error.h>

#include "base/crc32.h"
#include "base/error.h"
#include "base/number.h"
#include "caps/journal.h"

#define CRC_DIGITS (JL_JOURNAL_SEAL_BYTES - 1)
#define ABSENT "-"
#define MS_PER_S 1000
#define LAST_S UINT64_C(253402300799) /* of the year 9999 */

static const char digits[] = "0123456789ABCDEF";

/* ---- checksums ---- */

static void format_crc(uint32_t crc, char out[CRC_DIGITS])
{
    for (size_t i = CRC_DIGITS; i-- > 0; crc >>= 4)
        out[i] = jl_lower(digits[crc & 15]);
}

void jl_journal_seal(struct jl_buffer *out, size_t start)
{
    const size_t rest = start + JL_JOURNAL_SEAL_BYTES;
    if (out->is_failed)
        return;
    format_crc(jl_crc32(out->data + rest, out->len - rest), out->data + start);
    jl_put_char(out, '\n');
}

bool jl_journal_is_sealed(const char *text, size_t len)
{
    char crc[CRC_DIGITS];
    if (len <= JL_JOURNAL_SEAL_BYTES || text[CRC_DIGITS] != ' ')
        return false;
    format_crc(jl_crc32(text + JL_JOURNAL_SEAL_BYTES, len - JL_JOURNAL_SEAL_BYTES), crc);
    return memcmp(crc, text, CRC_DIGITS) == 0;
}

/* ---- writing ---- */

static void put_word(struct jl_buffer *out, const char *word)
{
    jl_put_char(out, ' ');
    jl_put_string(out, word != NULL ? word : ABSENT);
}

/* Printable ASCII stands for itself, but for the sign of an escape and the one of an absent word.
 */
void jl_journal_put_text(struct jl_buffer *out, const char *text)
{
    if (jl_same(text, ABSENT)) {
        jl_put_string(out, "%2D");
        return;
    }
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c > ' ' && c < 0x7f && c != '%') {
            jl_put_char(out, *text);
            continue;
        }
        jl_put_char(out, '%');
        jl_put_char(out, digits[c >> 4]);
        jl_put_char(out, digits[c & 15]);
    }
}

static void put_text(struct jl_buffer *out, const char *text)
{
    if (text == NULL) {
        put_word(out, NULL);
        return;
    }
    jl_put_char(out, ' ');
    jl_journal_put_text(out, text);
}

static void put_line(struct jl_buffer *out, enum jl_journal_op op,
                     const struct jl_journal_record *record, uint64_t value)
{
    const bool is_baseline = op == JL_JOURNAL_BASELINE;
    const size_t start = out->len;
    jl_put_string(out, "00000000");
    put_word(out, jl_word_of(&jl_journal_op_words, (int)op));
    put_text(out, record->key);
    if (op == JL_JOURNAL_RESTORED) {
        put_word(out, NULL);
    } else {
        jl_put_char(out, ' ');
        jl_put_u64(out, value);
    }
    put_word(out, is_baseline ? jl_word_of(&jl_journal_unit_words, (int)record->unit) : NULL);
    put_word(out, !is_baseline || !record->has_enabled ? NULL : record->enabled ? "1" : "0");
    put_text(out, is_baseline ? record->owner : NULL);
    jl_put_char(out, ' ');
    jl_put_u64(out, record->at_ms > 0 ? (uint64_t)record->at_ms / MS_PER_S : 0);
    jl_journal_seal(out, start);
}

void jl_journal_put_head(struct jl_buffer *out)
{
    jl_put_string(out, JL_JOURNAL_HEAD "\n");
}

void jl_journal_put(struct jl_buffer *out, const struct jl_journal_record *record)
{
    if (record->op == JL_JOURNAL_WRITE)
        put_line(out, JL_JOURNAL_BASELINE, record, record->baseline);
    put_line(out, record->op, record, record->value);
}

void jl_journal_put_open(struct jl_buffer *out, const struct jl_journal *journal)
{
    jl_journal_put_head(out);
    for (size_t i = 0; i < journal->open_count; i++) {
        const struct jl_journal_entry *entry = &journal->open[i];
        struct jl_journal_record record = {
            .op = JL_JOURNAL_BASELINE,
            .key = entry->key,
            .value = entry->value,
            .baseline = entry->value,
            .unit = entry->unit,
            .has_enabled = entry->has_enabled,
            .enabled = entry->enabled,
            .owner = entry->owner,
            .at_ms = entry->since_ms,
        };
        jl_journal_put(out, &record);
        jl_journal_put(out, &record);
        record.op = JL_JOURNAL_WRITE;
        record.value = entry->earlier;
        if (entry->has_earlier)
            jl_journal_put(out, &record);
        record.value = entry->written;
        if (entry->has_written)
            jl_journal_put(out, &record);
    }
}

/* ---- the words of a line ---- */

enum word { OP, KEY, VALUE, UNIT, ENABLED, OWNER, AT, WORDS };

static const char *const word_names[WORDS] = { "op",      "key",   "value", "unit",
                                               "enabled", "owner", "time" };

static bool is_absent(struct jl_text word)
{
    return jl_text_is(word, ABSENT);
}

/* Exactly WORDS of them, none empty. */
static bool cut_words(struct jl_text line, struct jl_text words[WORDS])
{
    for (size_t i = 0; i < WORDS; i++) {
        const bool is_last = line.len == jl_text_find(line, ' ');
        words[i] = jl_text_cut(&line, ' ');
        if (words[i].len == 0 || is_last != (i == WORDS - 1))
            return false;
    }
    return true;
}

/* The text of a word; 0, JOULIE_E_PARSE or a code of the arena. */
static int read_text(struct jl_arena *arena, struct jl_text word, const char **out)
{
    char *text = jl_arena_copy(arena, word.ptr, word.len);
    size_t len = 0;
    if (text == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < word.len; i++, len++) {
        text[len] = word.ptr[i];
        if (word.ptr[i] != '%')
            continue;
        const int high = i + 2 < word.len ? jl_hex_digit(word.ptr[i + 1]) : -1;
        const int low = i + 2 < word.len ? jl_hex_digit(word.ptr[i + 2]) : -1;
        if (high < 0 || low < 0 || high + low == 0)
            return JOULIE_E_PARSE;
        text[len] = (char)(high << 4 | low);
        i += 2;
    }
    text[len] = '\0';
    *out = text;
    return jl_utf8_valid(text, len) && strlen(text) == len ? 0 : JOULIE_E_PARSE;
}

static int read_time(struct jl_text word, int64_t *out_ms)
{
    uint64_t seconds = 0;
    if (jl_parse_u64(word.ptr, word.len, &seconds) < 0 || seconds > LAST_S)
        return JOULIE_E_PARSE;
    *out_ms = (int64_t)seconds * MS_PER_S;
    return 0;
}

static int read_word(struct jl_arena *arena, enum word which, struct jl_text word,
                     struct jl_journal_record *out)
{
    switch (which) {
    case OP:
        out->op = (enum jl_journal_op)jl_word_value(&jl_journal_op_words, word);
        return out->op != JL_JOURNAL_UNKNOWN ? 0 : JOULIE_E_PARSE;
    case KEY:
        return is_absent(word) ? JOULIE_E_PARSE : read_text(arena, word, &out->key);
    case VALUE:
        if (is_absent(word))
            return out->op == JL_JOURNAL_RESTORED ? 0 : JOULIE_E_PARSE;
        return jl_parse_u64(word.ptr, word.len, &out->value);
    case UNIT:
        out->unit = (enum jl_journal_unit)jl_word_value(&jl_journal_unit_words, word);
        return out->unit != JL_UNIT_UNKNOWN || is_absent(word) ? 0 : JOULIE_E_PARSE;
    case ENABLED:
        out->has_enabled = !is_absent(word);
        out->enabled = jl_text_is(word, "1");
        return !out->has_enabled || out->enabled || jl_text_is(word, "0") ? 0 : JOULIE_E_PARSE;
    case OWNER:
        return is_absent(word) ? 0 : read_text(arena, word, &out->owner);
    case AT:
        return read_time(word, &out->at_ms);
    case WORDS:
        break;
    }
    return JOULIE_E_PARSE;
}

/* ---- whole texts ---- */

static int fail_newer(const struct jl_journal *journal, struct joulie_error *err, const char *what)
{
    jl_fail(err, JOULIE_E_UNSUPPORTED, "", "line %u: this version does not know its %s",
            journal->lines, what);
    jl_error_set_line(err, journal->lines, 0);
    return JOULIE_E_UNSUPPORTED;
}

/* Another number is another version; anything else is a line that was damaged. */
static int read_head(struct jl_text line, struct jl_journal *journal, struct joulie_error *err)
{
    const size_t len = sizeof JL_JOURNAL_NAME - 1;
    uint64_t version = 0;
    journal->has_head = jl_text_is(line, JL_JOURNAL_HEAD);
    if (!journal->has_head && line.len > len && memcmp(line.ptr, JL_JOURNAL_NAME, len) == 0 &&
        jl_parse_u64(line.ptr + len, line.len - len, &version) == 0)
        return fail_newer(journal, err, "format");
    return 0;
}

static int read_record(struct jl_arena *arena, struct jl_arena *scratch, struct jl_text line,
                       struct jl_journal *journal, struct joulie_error *err)
{
    struct jl_text words[WORDS];
    struct jl_journal_record record = { 0 };
    if (!cut_words(line, words))
        return fail_newer(journal, err, "form");
    for (unsigned i = 0; i < WORDS; i++) {
        const int rc = read_word(scratch, (enum word)i, words[i], &record);
        if (rc == JOULIE_E_NOMEM)
            return rc;
        if (rc < 0)
            return fail_newer(journal, err, word_names[i]);
    }
    /* its baseline is lost, and with it what to give back */
    if (record.op == JL_JOURNAL_WRITE && jl_journal_entry_of(journal, record.key) == NULL) {
        journal->skipped++;
        return 0;
    }
    return jl_journal_take(arena, journal, &record);
}

/* One line without its LF. */
static int read_line(struct jl_arena *arena, struct jl_arena *scratch, struct jl_text line,
                     struct jl_journal *journal, struct joulie_error *err)
{
    if (journal->lines++ == 0) {
        const int rc = read_head(line, journal, err);
        if (rc < 0 || journal->has_head)
            return rc;
    }
    if (!jl_journal_is_sealed(line.ptr, line.len)) {
        journal->skipped++;
        return 0;
    }
    jl_arena_reset(scratch);
    const struct jl_text words = { line.ptr + JL_JOURNAL_SEAL_BYTES,
                                   line.len - JL_JOURNAL_SEAL_BYTES };
    return read_record(arena, scratch, words, journal, err);
}

int jl_journal_read_on(struct jl_arena *arena, const char *text, size_t len,
                       struct jl_journal *journal, struct joulie_error *err)
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
        rc = read_line(arena, &scratch, jl_text_cut(&left, '\n'), journal, err);
    }
    return rc;
}

int jl_journal_read(struct jl_arena *arena, const char *text, size_t len, struct jl_journal *out,
                    struct joulie_error *err)
{
    struct jl_journal journal = { 0 };
    const int rc = jl_journal_read_on(arena, text, len, &journal, err);
    if (rc == 0)
        *out = journal;
    return rc;
}
