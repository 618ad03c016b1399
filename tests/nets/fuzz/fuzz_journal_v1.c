/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The journal of versions 0.1 and 0.2: any bytes can be read; what is open says the same as a
 * journal of version 2; junk lines change nothing but their count; and a record that was put is
 * read back.
 */

#include <string.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/crc32.h"
#include "base/text.h"
#include "base/time.h"
#include "caps/journal_v1.h"
#include "fuzz/fuzz.h"

static struct jl_journal read_journal(struct jl_arena *arena, const char *text, size_t len)
{
    struct jl_journal journal;
    FUZZ_REQUIRE(jl_journal_v1_read(arena, text, len, &journal) == 0);
    return journal;
}

/* Version 2 has whole seconds, and none before 1970. */
static bool is_same_time(int64_t first_ms, int64_t second_ms)
{
    return first_ms < 0 ? second_ms == first_ms || second_ms == 0
                        : second_ms <= first_ms && first_ms - second_ms < 1000;
}

static void require_same(const struct jl_journal *a, const struct jl_journal *b)
{
    FUZZ_REQUIRE(a->open_count == b->open_count);
    for (size_t i = 0; i < a->open_count; i++) {
        const struct jl_journal_entry *first = &a->open[i];
        const struct jl_journal_entry *second = &b->open[i];
        FUZZ_REQUIRE(jl_same(first->key, second->key) && first->value == second->value);
        FUZZ_REQUIRE(first->unit == second->unit);
        FUZZ_REQUIRE(is_same_time(first->since_ms, second->since_ms));
        FUZZ_REQUIRE(first->has_enabled == second->has_enabled);
        FUZZ_REQUIRE(first->enabled == second->enabled);
        FUZZ_REQUIRE(first->has_written == second->has_written);
        FUZZ_REQUIRE(first->written == second->written);
        FUZZ_REQUIRE(first->has_earlier == second->has_earlier);
        FUZZ_REQUIRE(first->earlier == second->earlier);
    }
}

static void check_again(struct jl_arena *arena, const struct jl_journal *journal)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jl_journal again;
    jl_journal_put_open(&text, journal);
    FUZZ_REQUIRE(jl_journal_read(arena, text.data, text.len, &again, NULL) == 0);
    FUZZ_REQUIRE(again.skipped == 0);
    require_same(journal, &again);
}

/* Before each line the same line with a mark, which makes it junk. */
static void check_junk(struct jl_arena *arena, const char *text, size_t len,
                       const struct jl_journal *journal)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer mixed = { 0 };
    size_t lines = 0;
    for (struct jl_text rest = { text, len }; rest.len > 0; lines++) {
        const size_t end = jl_text_find(rest, '\n');
        const size_t taken = end < rest.len ? end + 1 : end;
        jl_put_char(&mixed, '#');
        jl_put(&mixed, rest.ptr, end);
        jl_put_char(&mixed, '\n');
        jl_put(&mixed, rest.ptr, taken);
        rest = (struct jl_text){ rest.ptr + taken, rest.len - taken };
    }
    const struct jl_journal same = read_journal(arena, mixed.data, mixed.len);
    FUZZ_REQUIRE(same.skipped == journal->skipped + lines);
    require_same(journal, &same);
}

static void check_text(const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_journal journal = read_journal(&arena, text, len);
    check_again(&arena, &journal);
    check_junk(&arena, text, len, &journal);
}

/* Chance finds no checksum: every line gets the one it needs. */
static void check_with_checksums(const char *text, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer good = { 0 };
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
    jl_journal_v1_put(&line, record);
    FUZZ_REQUIRE(memchr(line.data, '\n', line.len) == line.data + line.len - 1);
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
    FUZZ_REQUIRE(is_write || record->unit == JL_UNIT_UNKNOWN || entry->unit == record->unit);
    FUZZ_REQUIRE(is_write || jl_same(entry->owner, record->owner));
    FUZZ_REQUIRE(is_write || entry->has_enabled == record->has_enabled);
    FUZZ_REQUIRE(is_write || entry->enabled == (record->has_enabled && record->enabled));
    FUZZ_REQUIRE(record->at_ms - entry->since_ms >= 0 && record->at_ms - entry->since_ms < 1000);
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
