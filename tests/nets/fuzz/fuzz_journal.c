/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The cap journal: any bytes can be read, or are refused as those of a newer version; what is open
 * is in order, each key once, and says the same when it is written again; junk lines change nothing
 * but their count; a text read in two pieces is the text read at once; and a record that was put is
 * read back.
 */

#include <string.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/crc32.h"
#include "base/text.h"
#include "base/time.h"
#include "caps/journal.h"
#include "fuzz/fuzz.h"

static struct jl_journal read_journal(struct jl_arena *arena, const char *text, size_t len)
{
    struct jl_journal journal;
    FUZZ_REQUIRE(jl_journal_read(arena, text, len, &journal, NULL) == 0);
    return journal;
}

static void require_same(const struct jl_journal *a, const struct jl_journal *b)
{
    FUZZ_REQUIRE(a->open_count == b->open_count);
    for (size_t i = 0; i < a->open_count; i++) {
        const struct jl_journal_entry *first = &a->open[i];
        const struct jl_journal_entry *second = &b->open[i];
        FUZZ_REQUIRE(jl_same(first->key, second->key) && first->value == second->value);
        FUZZ_REQUIRE(first->unit == second->unit && first->since_ms == second->since_ms);
        FUZZ_REQUIRE(first->has_enabled == second->has_enabled);
        FUZZ_REQUIRE(first->enabled == second->enabled);
        FUZZ_REQUIRE(first->has_written == second->has_written);
        FUZZ_REQUIRE(first->written == second->written);
        FUZZ_REQUIRE(first->has_earlier == second->has_earlier);
        FUZZ_REQUIRE(first->earlier == second->earlier);
    }
}

static size_t family_of(const char *key)
{
    return jl_starts_with(key, "gpu/")       ? 0
           : jl_starts_with(key, "rapl/")    ? 1
           : jl_starts_with(key, "cpufreq/") ? 2
                                             : 3;
}

static void check_open(const struct jl_journal *journal)
{
    for (size_t i = 0; i < journal->open_count; i++) {
        const struct jl_journal_entry *entry = &journal->open[i];
        FUZZ_REQUIRE(!jl_is_empty(entry->key) && jl_utf8_valid(entry->key, strlen(entry->key)));
        FUZZ_REQUIRE(jl_journal_entry_of(journal, entry->key) == entry);
        FUZZ_REQUIRE(entry->has_written || entry->written == 0);
        FUZZ_REQUIRE(!entry->has_earlier || entry->earlier != entry->written);
        if (i == 0)
            continue;
        const char *before = journal->open[i - 1].key;
        const size_t family = family_of(entry->key);
        FUZZ_REQUIRE(family_of(before) < family ||
                     (family_of(before) == family && jl_compare(before, entry->key) < 0));
    }
}

static void check_again(struct jl_arena *arena, const struct jl_journal *journal)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jl_journal copy;
    jl_journal_put_open(&text, journal);
    const struct jl_journal again = read_journal(arena, text.data, text.len);
    FUZZ_REQUIRE(again.skipped == 0);
    require_same(journal, &again);
    FUZZ_REQUIRE(jl_journal_copy(arena, journal, &copy) == 0);
    FUZZ_REQUIRE(copy.skipped == journal->skipped);
    require_same(journal, &copy);
}

/* Before each line but the first the same line with a mark, which makes it junk. */
static void check_junk(struct jl_arena *arena, const char *text, size_t len,
                       const struct jl_journal *journal)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer mixed = { 0 };
    size_t lines = 0;
    size_t at = 0;
    for (struct jl_text rest = { text, len }; rest.len > 0; at++) {
        const size_t end = jl_text_find(rest, '\n');
        const size_t taken = end < rest.len ? end + 1 : end;
        if (at > 0) {
            jl_put_char(&mixed, '#');
            jl_put(&mixed, rest.ptr, end);
            jl_put_char(&mixed, '\n');
            lines++;
        }
        jl_put(&mixed, rest.ptr, taken);
        rest = (struct jl_text){ rest.ptr + taken, rest.len - taken };
    }
    const struct jl_journal same = read_journal(arena, mixed.data, mixed.len);
    FUZZ_REQUIRE(same.skipped == journal->skipped + lines);
    require_same(journal, &same);
}

static void check_pieces(struct jl_arena *arena, const char *text, size_t len,
                         const struct jl_journal *journal)
{
    const char *cut = len > 0 ? memchr(text + len / 2, '\n', len - len / 2) : NULL;
    if (cut == NULL)
        return;
    const size_t first = (size_t)(cut - text) + 1;
    struct jl_journal whole = read_journal(arena, text, first);
    FUZZ_REQUIRE(jl_journal_read_on(arena, text + first, len - first, &whole, NULL) == 0);
    FUZZ_REQUIRE(whole.skipped == journal->skipped);
    require_same(journal, &whole);
}

static void check_text(const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_journal journal = { .skipped = SIZE_MAX };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = jl_journal_read(&arena, text, len, &journal, &err);
    if (rc != 0) {
        FUZZ_REQUIRE(rc == JOULIE_E_UNSUPPORTED && err.code == rc && err.line > 0);
        FUZZ_REQUIRE(journal.skipped == SIZE_MAX);
        return;
    }
    check_open(&journal);
    check_again(&arena, &journal);
    check_junk(&arena, text, len, &journal);
    check_pieces(&arena, text, len, &journal);
}

/* Chance finds no checksum: every line gets the one it needs. */
static void check_with_checksums(const char *text, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer good = { 0 };
    jl_journal_put_head(&good);
    for (struct jl_text rest = { text, len }; rest.len > 0;) {
        const struct jl_text line = jl_text_cut(&rest, '\n');
        const uint32_t crc = jl_crc32(line.ptr, line.len);
        for (int shift = 28; shift >= 0; shift -= 4)
            jl_put_char(&good, digits[crc >> shift & 15]);
        jl_put_char(&good, ' ');
        jl_put(&good, line.ptr, line.len);
        jl_put_char(&good, '\n');
    }
    check_text(good.data, good.len);
}

/* ---- a record of the bytes ---- */

struct bytes {
    const uint8_t *at;
    size_t left;
};

static uint64_t take(struct bytes *bytes)
{
    uint64_t value = 0;
    const size_t len = bytes->left < sizeof value ? bytes->left : sizeof value;
    if (len > 0)
        memcpy(&value, bytes->at, len);
    bytes->at += len;
    bytes->left -= len;
    return value;
}

static void require_read_back(const struct jl_journal_record *record)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    jl_journal_put_head(&line);
    jl_journal_put(&line, record);
    for (size_t i = 0; i < line.len; i++)
        FUZZ_REQUIRE(line.data[i] == '\n' || (line.data[i] >= ' ' && line.data[i] < 0x7f));
    const struct jl_journal journal = read_journal(&arena, line.data, line.len);
    FUZZ_REQUIRE(journal.skipped == 0);
    if (record->op == JL_JOURNAL_RESTORED) {
        FUZZ_REQUIRE(journal.open_count == 0);
        return;
    }
    const bool is_write = record->op == JL_JOURNAL_WRITE;
    FUZZ_REQUIRE(journal.open_count == 1);
    const struct jl_journal_entry *entry = &journal.open[0];
    FUZZ_REQUIRE(jl_same(entry->key, record->key));
    FUZZ_REQUIRE(entry->value == (is_write ? record->baseline : record->value));
    FUZZ_REQUIRE(entry->has_written == is_write);
    FUZZ_REQUIRE(!is_write || entry->written == record->value);
    FUZZ_REQUIRE(record->unit == JL_UNIT_UNKNOWN || entry->unit == record->unit);
    FUZZ_REQUIRE(jl_same(entry->owner, record->owner));
    FUZZ_REQUIRE(entry->has_enabled == record->has_enabled);
    FUZZ_REQUIRE(entry->enabled == (record->has_enabled && record->enabled));
    const int64_t since_ms = record->at_ms > 0 ? record->at_ms : 0; /* there is none before 1970 */
    FUZZ_REQUIRE(entry->since_ms <= since_ms && since_ms - entry->since_ms < 1000);
}

static void check_record(const uint8_t *data, size_t size)
{
    struct bytes bytes = { data, size };
    const uint64_t flags = take(&bytes);
    struct jl_journal_record record = {
        .op = (enum jl_journal_op)(1 + flags % 3),
        .unit = (enum jl_journal_unit)(flags >> 8 & 3),
        .has_enabled = (flags & 4) != 0,
        .enabled = (flags & 8) != 0,
        .value = take(&bytes),
        .baseline = take(&bytes),
        .at_ms = (int64_t)take(&bytes),
    };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    record.key = jl_arena_copy(&arena, (const char *)bytes.at, bytes.left);
    record.owner = flags & 16 ? record.key : NULL;
    FUZZ_REQUIRE(record.key != NULL);
    if (jl_is_instant(record.at_ms) && !jl_is_empty(record.key) &&
        jl_utf8_valid(record.key, strlen(record.key)))
        require_read_back(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    check_text((const char *)data, size);
    check_with_checksums((const char *)data, size);
    check_record(data, size);
    return 0;
}
