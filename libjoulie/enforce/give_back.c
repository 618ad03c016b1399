/* SPDX-License-Identifier: Apache-2.0 */

/* Gives back what a journal holds (docs/rules/enforcement.md#restore). Called by restore.c for a
 * host, and by joulie-rescue. */

#include "enforce/give_back.h"

#include "base/error.h"

bool jl_gift_is_due(const struct jl_give_back *how, struct jl_gift *gift)
{
    struct jl_control_file *file = gift->file;
    if (file == NULL)
        return false;
    gift->before = file->now;
    gift->value = jl_control_file_bounded(file, gift->entry->value);
    gift->is_back = jl_control_file_is_back(file, gift->entry);
    return !gift->is_back && (how->may_try == NULL || how->may_try(how->user, gift));
}

static void give_one(const struct jl_give_back *how, struct jl_gift *gift)
{
    if (!jl_gift_is_due(how, gift))
        return;
    gift->is_tried = true;
    gift->wrote = jl_control_file_restore(how->root, gift->file, gift->entry, &gift->result);
    gift->is_back = gift->wrote == JL_WROTE_VERIFIED;
}

/* ---- this boot ---- */

static int note(const struct jl_give_back *how, const struct jl_journal_record *records,
                size_t count, struct joulie_error *err)
{
    if (how->journal == NULL || count == 0)
        return 0;
    const int rc = jl_journal_append(how->journal, records, count, true, err);
    if (rc == 0)
        (void)jl_journal_compact(how->journal, err); /* it may hold more than it must */
    return rc;
}

size_t jl_give_back(const struct jl_give_back *how, const struct jl_journal *open, int64_t now_ms,
                    struct joulie_error *err)
{
    struct jl_journal entries = { 0 }; /* a copy: noting a restore changes the journal */
    size_t done = 0;
    size_t failed = 0;
    struct jl_journal_record *records =
        JL_NEW_ARRAY(how->memory, open->open_count + 1, struct jl_journal_record);
    if (records == NULL || jl_journal_copy(how->memory, open, &entries) < 0) {
        (void)jl_fail_memory(err);
        return open->open_count;
    }
    for (size_t i = 0; i < entries.open_count; i++) {
        const struct jl_journal_entry *entry = &entries.open[i];
        if (how->keeps != NULL && how->keeps(how->user, entry))
            continue;
        struct jl_gift gift = { .entry = entry, .file = how->find(how->user, entry->key) };
        give_one(how, &gift);
        how->tell(how->user, &gift);
        failed += !gift.is_back;
        if (gift.is_back)
            records[done++] = (struct jl_journal_record){ .op = JL_JOURNAL_RESTORED,
                                                          .key = entry->key,
                                                          .at_ms = now_ms };
    }
    return note(how, records, done, err) < 0 ? failed + done : failed; /* back, and still open */
}

/* ---- other boots ---- */

/* False: it cannot be judged, or is not back where it must be. */
static bool settle(const struct jl_give_back *how, const struct jl_journal_entry *entry,
                   size_t *failed)
{
    struct jl_gift gift = { .entry = entry, .file = how->find(how->user, entry->key) };
    if (gift.file == NULL || gift.file->now.code != 0)
        return false;
    if (!jl_control_file_is_ours(gift.file, entry))
        return true;
    give_one(how, &gift);
    how->tell(how->user, &gift);
    *failed += gift.is_tried && !gift.is_back;
    return gift.is_back;
}

size_t jl_give_back_others(const struct jl_give_back *how, const struct jl_journal *others,
                           const struct jl_journal *own, bool *out_is_settled)
{
    size_t failed = 0;
    *out_is_settled = true;
    for (size_t i = 0; i < others->open_count; i++) {
        const struct jl_journal_entry *entry = &others->open[i];
        if (jl_journal_entry_of(own, entry->key) == NULL && !settle(how, entry, &failed))
            *out_is_settled = false;
    }
    return failed;
}
