/* SPDX-License-Identifier: Apache-2.0 */

/* The order of a write: journal first, then the write, then the proof by reading; a failure in a
 * group takes back what the group had changed. Called by write.c and by joulie-capd. */

#include "enforce/keep.h"

#include "base/error.h"
#include "power/rapl.h"

/* ---- the journal ---- */

/* What gives back the control as it is now. */
static uint64_t baseline_of(const struct jl_keep *keep, const struct jl_control_file *file)
{
    uint64_t most_uw = 0;
    if (jl_is_limit_kind(file->kind))
        return jl_control_file_is_low(file, file->now.value, &most_uw) && keep->gives_back_maximum
                   ? most_uw
                   : file->now.value;
    return file->kind == JL_CONTROL_FREQ_MAX
               ? jl_cpufreq_baseline_max_khz(file->range, file->now.value)
               : jl_cpufreq_baseline_min_khz(file->range, file->now.value);
}

/* The first value wins for as long as the key is open, so this is what is given back, whatever is
 * written in between. */
static struct jl_journal_record record_baseline(const struct jl_keep *keep,
                                                const struct jl_control_file *file, int64_t now_ms)
{
    return (struct jl_journal_record){
        .op = JL_JOURNAL_BASELINE,
        .key = file->key,
        .value = baseline_of(keep, file),
        .unit = jl_is_limit_kind(file->kind) ? JL_UNIT_UW : JL_UNIT_KHZ,
        .has_enabled = file->enabled.code == 0,
        .enabled = file->enabled.code == 0 && file->enabled.value != 0,
        .owner = keep->owner,
        .at_ms = now_ms,
    };
}

/* It repeats the baseline: where the baseline's lines were lost, its lines alone can give back. */
static struct jl_journal_record record_write(const struct jl_keep *keep,
                                             const struct jl_control_file *file, uint64_t value,
                                             int64_t now_ms)
{
    const struct jl_journal_entry *entry = jl_journal_find(keep->journal, file->key);
    struct jl_journal_record record = record_baseline(keep, file, now_ms);
    record.op = JL_JOURNAL_WRITE;
    record.baseline = record.value;
    record.value = value;
    if (entry == NULL)
        return record;
    record.baseline = entry->value;
    record.unit = entry->unit;
    record.has_enabled = entry->has_enabled;
    record.enabled = entry->enabled;
    record.owner = entry->owner;
    return record;
}

/* Baselines of controls that are touched for the first time, and the writes to come; one sync when
 * there is a baseline among them. */
static int write_ahead(const struct jl_keep *keep, const struct jl_keep_item *items, size_t count,
                       int64_t now_ms, struct joulie_error *err)
{
    struct jl_journal_record *records =
        JL_NEW_ARRAY(keep->memory, 2 * count + 1, struct jl_journal_record);
    size_t used = 0;
    if (records == NULL)
        return jl_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (jl_journal_find(keep->journal, items[i].file->key) == NULL)
            records[used++] = record_baseline(keep, items[i].file, now_ms);
    }
    const bool is_synced = used > 0;
    for (size_t i = 0; i < count; i++)
        records[used++] = record_write(keep, items[i].file, items[i].value, now_ms);
    const int rc = used > 0 ? jl_journal_append(keep->journal, records, used, is_synced, err) : 0;
    if (rc == 0 && used > 0)
        (void)jl_journal_compact(keep->journal, NULL); /* a controller writes for weeks */
    return rc;
}

/* ---- one write ---- */

/* An unset limit must not wrap in the register, and 0 is a limit of 0 W. */
static bool is_writable_value(const struct jl_control_file *file, uint64_t value)
{
    return !jl_is_limit_kind(file->kind) || (value >= file->unit && value <= JL_RAPL_LIMIT_MAX_UW);
}

static void write_number(const struct jl_keep *keep, struct jl_keep_item *item)
{
    item->wrote = jl_control_file_write(keep->root, item->file, item->value, false, &item->result);
}

/* Only where the journal knows what to put back. */
static void switch_on(const struct jl_keep *keep, struct jl_keep_item *item)
{
    const struct jl_control_file *file = item->file;
    const struct jl_journal_entry *entry = jl_journal_find(keep->journal, file->key);
    if (!keep->may_enable || file->kind != JL_CONTROL_LONG || entry == NULL ||
        !entry->has_enabled || file->enabled.code != 0 || file->enabled.value != 0)
        return;
    jl_control_file_switch(keep->root, item->file, true);
    item->is_switched = true;
}

/* What is there before a write, if it can be read. */
static void note_before(struct jl_keep_item *item)
{
    item->has_before = item->file->now.code == 0;
    item->before = item->file->now.value;
}

static void tell(const struct jl_keep *keep, const struct jl_keep_item *item)
{
    if (keep->made != NULL)
        keep->made(keep->user, item);
}

/* ---- a group ---- */

static bool has_moved(const struct jl_keep_item *item)
{
    return item->has_before && item->result.read_back != item->before;
}

static void take_one_back(const struct jl_keep *keep, struct jl_keep_item *item, int64_t now_ms)
{
    struct jl_keep_item back = { .file = item->file, .value = item->before, .is_way_back = true };
    note_before(&back);
    if (item->is_switched)
        jl_control_file_switch(keep->root, item->file, false);
    const struct jl_journal_record record = record_write(keep, item->file, back.value, now_ms);
    /* going back is not stopped by a journal that is full: the baseline is in it */
    (void)jl_journal_append(keep->journal, &record, 1, false, NULL);
    write_number(keep, &back);
    tell(keep, &back);
    if (item->wrote == JL_WROTE_VERIFIED)
        item->wrote = back.wrote == JL_WROTE_VERIFIED ? JL_WROTE_REVERTED : back.wrote;
}

/* In reverse order, to the value that each control had before the group. What ignored the write is
 * left as it is. */
static void take_back(const struct jl_keep *keep, struct jl_keep_item *items, size_t count,
                      int64_t now_ms)
{
    for (size_t i = count; i-- > 0;) {
        struct jl_keep_item *item = &items[i];
        const bool is_ignored = item->wrote == JL_WROTE_DISAGREES && !has_moved(item);
        if (item->result.is_taken && item->has_before && !is_ignored)
            take_one_back(keep, item, now_ms);
    }
}

/* Every cap on a machine is written through here, behind its records in the journal. */
int jl_keep_write(const struct jl_keep *keep, struct jl_keep_item *items, size_t count,
                  bool is_group, int64_t now_ms, struct joulie_error *err)
{
    const int rc = write_ahead(keep, items, count, now_ms, err);
    bool has_failed = false;
    size_t done = 0;
    for (; done < count && !(is_group && has_failed); done++) {
        struct jl_keep_item *item = &items[done];
        note_before(item);
        item->wrote = JL_WROTE_FAILED;
        if (rc == 0 && is_writable_value(item->file, item->value))
            write_number(keep, item);
        if (item->wrote == JL_WROTE_VERIFIED)
            switch_on(keep, item);
        tell(keep, item);
        has_failed |= item->wrote != JL_WROTE_VERIFIED;
    }
    if (is_group && has_failed) {
        take_back(keep, items, done, now_ms);
        for (size_t i = done; i < count; i++)
            items[i].wrote = JL_WROTE_REVERTED; /* not tried */
    }
    return rc;
}
