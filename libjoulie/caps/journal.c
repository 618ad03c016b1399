/* SPDX-License-Identifier: Apache-2.0 */

/* What the records of a journal come to: which keys are open, and with which value
 * (docs/rules/enforcement.md#journal). Texts are in journal_text.c and journal_v1.c. */

#include "caps/journal.h"

#include <string.h>

#include <joulie/error.h>

#include "base/limits.h"
#include "base/sort.h"

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
int jl_journal_take(struct jl_arena *arena, struct jl_journal *journal,
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
    struct jl_journal copy = { .lines = from->lines, .has_head = from->has_head };
    const int rc = jl_journal_join(arena, from, &copy);
    if (rc == 0)
        *out = copy;
    return rc;
}
