/* SPDX-License-Identifier: Apache-2.0 */

/* Writes and reads the cap journal as text (docs/rules/enforcement.md#journal). Called by enforce/
 * and by the rescue program; no file is opened here. */

#include "caps/journal.h"

#include <string.h>

#include <joulie/error.h>

#include "base/crc32.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/time.h"
#include "schema/json.h"

#define CRC_DIGITS 8
#define HEAD_BYTES (CRC_DIGITS + 1) /* the blank too */
#define FIRST_ROOM 8

const struct jl_words jl_journal_op_words = JL_WORDS({
    { JL_JOURNAL_BASELINE, "baseline" },
    { JL_JOURNAL_WRITE, "write" },
    { JL_JOURNAL_RESTORED, "restored" },
});

const struct jl_words jl_journal_unit_words = JL_WORDS({
    { JL_UNIT_UW, "uW" },
    { JL_UNIT_KHZ, "kHz" },
    { JL_UNIT_MW, "mW" },
});

/* In restore order; other keys come last. */
static const struct {
    const char *prefix;
    enum jl_journal_unit unit;
} families[] = {
    { "gpu/", JL_UNIT_MW },
    { "rapl/", JL_UNIT_UW },
    { "cpufreq/", JL_UNIT_KHZ },
};

static size_t family_of(const char *key)
{
    size_t family = 0;
    while (family < JL_COUNT(families) && !jl_starts_with(key, families[family].prefix))
        family++;
    return family;
}

static enum jl_journal_unit unit_of(const char *key)
{
    const size_t family = family_of(key);
    return family < JL_COUNT(families) ? families[family].unit : JL_UNIT_UNKNOWN;
}

/* ---- writing ---- */

static void put_key(struct jl_buffer *out, const char *name)
{
    jl_put_string(out, ",\"");
    jl_put_string(out, name);
    jl_put_string(out, "\":");
}

static void put_text(struct jl_buffer *out, const char *name, const char *text)
{
    put_key(out, name);
    jl_put_json_string(out, text, strlen(text));
}

static void put_u64(struct jl_buffer *out, const char *name, uint64_t value)
{
    put_key(out, name);
    jl_put_u64(out, value);
}

static void put_baseline(struct jl_buffer *out, const struct jl_journal_record *record)
{
    const char *unit = jl_word_of(&jl_journal_unit_words, (int)record->unit);
    put_u64(out, "value", record->value);
    if (unit != NULL)
        put_text(out, "unit", unit);
    if (record->has_enabled) {
        put_key(out, "enabled");
        jl_put_string(out, record->enabled ? "true" : "false");
    }
    if (record->owner != NULL)
        put_text(out, "owner", record->owner);
}

static void put_json(struct jl_buffer *out, const struct jl_journal_record *record)
{
    const char *op = jl_word_of(&jl_journal_op_words, (int)record->op);
    char at[JL_TIME_TEXT];
    jl_format_time(record->at_ms, at);
    jl_put_string(out, "{\"op\":\"");
    jl_put_string(out, op != NULL ? op : "");
    jl_put_char(out, '"');
    put_text(out, "key", record->key);
    if (record->op == JL_JOURNAL_BASELINE) {
        put_baseline(out, record);
    } else if (record->op == JL_JOURNAL_WRITE) {
        put_u64(out, "value", record->value);
        put_u64(out, "baseline", record->baseline);
    }
    put_text(out, "at", at);
    jl_put_char(out, '}');
}

static void format_crc(uint32_t crc, char out[CRC_DIGITS])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = CRC_DIGITS; i-- > 0; crc >>= 4)
        out[i] = digits[crc & 15];
}

void jl_journal_put(struct jl_buffer *out, const struct jl_journal_record *record)
{
    const size_t start = out->len;
    jl_put_string(out, "00000000 ");
    put_json(out, record);
    if (out->is_failed)
        return;
    const size_t json = start + HEAD_BYTES;
    format_crc(jl_crc32(out->data + json, out->len - json), out->data + start);
    jl_put_char(out, '\n');
}

void jl_journal_put_open(struct jl_buffer *out, const struct jl_journal *journal)
{
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
        if (!entry->has_written)
            continue;
        record.value = entry->written;
        jl_journal_put(out, &record);
    }
}

/* ---- one line ---- */

struct line {
    struct jl_json json;
    struct jl_arena *scratch; /* of the strings */
    struct jl_journal_record record;
    unsigned seen; /* bit i: member i of the table */
};

static int read_string(struct line *line, void *out)
{
    struct jl_json_string string;
    int rc = jl_json_string(&line->json, &string);
    if (rc < 0)
        return rc;
    const char *value = jl_json_value(&string, line->scratch, NULL, &rc);
    if (value == NULL)
        return rc;
    *(const char **)out = value;
    return 0;
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

static int read_u64(struct line *line, void *out)
{
    struct jl_text number;
    bool is_integer = false;
    const int rc = jl_json_number(&line->json, &number, &is_integer);
    return rc < 0 ? rc : jl_parse_u64(number.ptr, number.len, out);
}

static int read_enabled(struct line *line, void *out)
{
    const enum jl_json_kind kind = jl_json_peek(&line->json);
    line->record.has_enabled = true;
    *(bool *)out = kind == JL_JSON_TRUE;
    return kind == JL_JSON_TRUE || kind == JL_JSON_FALSE ? jl_json_literal(&line->json)
                                                         : JOULIE_E_TYPE;
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

static int read_member(struct line *line, const struct jl_json_string *name)
{
    int rc = 0;
    const char *text = jl_json_value(name, line->scratch, NULL, &rc);
    if (text == NULL)
        return rc;
    size_t i = 0;
    while (i < JL_COUNT(members) && !jl_same(text, members[i].name))
        i++;
    if (i == JL_COUNT(members))
        return jl_json_skip(&line->json);
    if (line->seen & 1u << i)
        return JOULIE_E_PARSE; /* which of the two was meant? */
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

static int read_json(struct line *line)
{
    struct jl_json_string name;
    bool more = true;
    if (jl_json_peek(&line->json) != JL_JSON_OBJECT)
        return JOULIE_E_TYPE;
    int rc = jl_json_open(&line->json);
    for (bool is_first = true; rc == 0; is_first = false) {
        rc = jl_json_member(&line->json, is_first, &name, &more);
        if (rc < 0 || !more)
            break;
        rc = read_member(line, &name);
    }
    if (rc == 0)
        rc = jl_json_finish(&line->json);
    return rc < 0 || is_whole(line) ? rc : JOULIE_E_REQUIRED;
}

static bool has_good_crc(const char *text, size_t len)
{
    char crc[CRC_DIGITS];
    if (len <= HEAD_BYTES || text[CRC_DIGITS] != ' ')
        return false;
    format_crc(jl_crc32(text + HEAD_BYTES, len - HEAD_BYTES), crc);
    return memcmp(crc, text, CRC_DIGITS) == 0;
}

/* ---- rounds ---- */

static int compare_keys(const char *a, const char *b)
{
    const int order = JL_ORDER(family_of(a), family_of(b));
    return order != 0 ? order : jl_compare(a, b);
}

/* The first place whose key is not before the key, or after it. */
static size_t place_of(const struct jl_journal *journal, const char *key, bool is_behind)
{
    size_t low = 0;
    size_t high = journal->open_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_keys(journal->open[middle].key, key) < is_behind)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct jl_journal *journal, size_t place, const char *key)
{
    return place < journal->open_count && jl_same(journal->open[place].key, key);
}

const struct jl_journal_entry *jl_journal_entry_of(const struct jl_journal *journal,
                                                   const char *key)
{
    const size_t place = place_of(journal, key, false);
    return is_at(journal, place, key) ? &journal->open[place] : NULL;
}

static int reserve(struct jl_arena *arena, struct jl_journal *journal, size_t count)
{
    size_t room = journal->open_room > 0 ? journal->open_room : FIRST_ROOM;
    if (count > JL_LIMIT_JOURNAL_KEYS)
        return JOULIE_E_LIMIT;
    if (count <= journal->open_room)
        return 0;
    while (room < count)
        room *= 2;
    struct jl_journal_entry *grown = JL_NEW_ARRAY(arena, room, struct jl_journal_entry);
    if (grown == NULL)
        return jl_arena_code(arena);
    if (journal->open_count > 0)
        memcpy(grown, journal->open, journal->open_count * sizeof *grown);
    journal->open = grown;
    journal->open_room = room;
    return 0;
}

/* A copy of the entry, its strings in the arena, at a place. */
static int insert(struct jl_arena *arena, struct jl_journal *journal, size_t place,
                  const struct jl_journal_entry *entry)
{
    struct jl_journal_entry own = *entry;
    const int rc = reserve(arena, journal, journal->open_count + 1);
    if (rc < 0)
        return rc;
    own.key = jl_arena_string(arena, entry->key);
    own.owner = jl_arena_string(arena, entry->owner);
    if (own.key == NULL || (own.owner == NULL && entry->owner != NULL))
        return jl_arena_code(arena);
    struct jl_journal_entry *at = &journal->open[place];
    memmove(at + 1, at, (journal->open_count - place) * sizeof *at);
    *at = own;
    journal->open_count++;
    return 0;
}

static void take_out(struct jl_journal *journal, size_t place)
{
    struct jl_journal_entry *at = &journal->open[place];
    journal->open_count--;
    memmove(at, at + 1, (journal->open_count - place) * sizeof *at);
}

static int open_round(struct jl_arena *arena, struct jl_journal *journal, size_t place,
                      const struct jl_journal_record *record)
{
    const bool is_baseline = record->op == JL_JOURNAL_BASELINE;
    const bool has_unit = is_baseline && record->unit != JL_UNIT_UNKNOWN;
    const struct jl_journal_entry entry = {
        .key = record->key,
        .value = is_baseline ? record->value : record->baseline,
        .unit = has_unit ? record->unit : unit_of(record->key),
        .has_enabled = is_baseline && record->has_enabled,
        .enabled = is_baseline && record->enabled,
        .owner = is_baseline ? record->owner : NULL,
        .since_ms = record->at_ms,
    };
    return insert(arena, journal, place, &entry);
}

static void note_write(struct jl_journal_entry *entry, uint64_t value)
{
    if (entry->has_written && entry->written != value) {
        entry->has_earlier = true;
        entry->earlier = entry->written;
    }
    entry->has_written = true;
    entry->written = value;
}

/* Within a round the first value wins: a later baseline would be our own cap. */
static int take(struct jl_arena *arena, struct jl_journal *journal,
                const struct jl_journal_record *record)
{
    const size_t place = place_of(journal, record->key, false);
    const bool is_open = is_at(journal, place, record->key);
    int rc = 0;
    if (record->op == JL_JOURNAL_RESTORED) {
        if (is_open)
            take_out(journal, place);
        return 0;
    }
    if (!is_open)
        rc = open_round(arena, journal, place, record);
    if (rc == 0 && record->op == JL_JOURNAL_WRITE)
        note_write(&journal->open[place], record->value);
    return rc;
}

/* ---- whole texts ---- */

/* One line without its LF. */
static int read_line(struct jl_arena *arena, struct jl_arena *scratch, const char *text, size_t len,
                     struct jl_journal *journal)
{
    if (!has_good_crc(text, len)) {
        journal->skipped++;
        return 0;
    }
    jl_arena_reset(scratch);
    struct line line = {
        .json = { .text = text + HEAD_BYTES, .len = len - HEAD_BYTES, .is_range_free = true },
        .scratch = scratch,
    };
    const int rc = read_json(&line);
    if (rc == JOULIE_E_NOMEM)
        return rc;
    if (rc < 0) {
        journal->skipped++;
        return 0;
    }
    return take(arena, journal, &line.record);
}

int jl_journal_read_on(struct jl_arena *arena, const char *text, size_t len,
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

int jl_journal_read(struct jl_arena *arena, const char *text, size_t len, struct jl_journal *out)
{
    struct jl_journal journal = { 0 };
    const int rc = jl_journal_read_on(arena, text, len, &journal);
    if (rc == 0)
        *out = journal;
    return rc;
}

int jl_journal_join(struct jl_arena *arena, const struct jl_journal *older,
                    struct jl_journal *journal)
{
    int rc = reserve(arena, journal, journal->open_count + older->open_count);
    for (size_t i = 0; rc == 0 && i < older->open_count; i++) {
        const struct jl_journal_entry *entry = &older->open[i];
        rc = insert(arena, journal, place_of(journal, entry->key, true), entry);
    }
    journal->skipped += older->skipped;
    return rc;
}

int jl_journal_copy(struct jl_arena *arena, const struct jl_journal *from, struct jl_journal *out)
{
    struct jl_journal copy = { 0 };
    const int rc = jl_journal_join(arena, from, &copy);
    if (rc == 0)
        *out = copy;
    return rc;
}
