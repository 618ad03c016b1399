/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Giving back what a journal holds, in its order (docs/rules/enforcement.md#restore): one loop for
 * the agent, `joulie cap restore` and joulie-rescue. Who calls it says where a control's files are,
 * and hears what came of each.
 */

#include "enforce/control_file.h"
#include "enforce/journal_file.h"

struct jl_gift { /* one entry, and what came of it */
    const struct jl_journal_entry *entry;
    struct jl_control_file *file; /* NULL: this machine has no such control now */
    uint64_t value;               /* that is given back: the entry's, bounded */
    bool is_tried;                /* else it was back already, or is not tried now */
    bool is_back;
    struct jl_fact before;
    enum jl_wrote wrote; /* when it was tried */
    struct jl_write_result result;
};

struct jl_give_back {
    const struct jl_root *root;
    struct jl_journal_file *journal; /* where it is noted; NULL = nowhere */
    struct jl_arena *memory;         /* of the copies while it runs */
    void *user;
    /* The files of a key, just read; NULL = there are none now. */
    struct jl_control_file *(*find)(void *user, const char *key);
    /* It stays as it is; NULL = none does. */
    bool (*keeps)(void *user, const struct jl_journal_entry *entry);
    /* Whether it is to be tried now; NULL = always. */
    bool (*may_try)(void *user, const struct jl_gift *gift);
    void (*tell)(void *user, const struct jl_gift *gift);
};

/* What is known of an entry before it is written, into the gift; whether it is to be written. */
bool jl_gift_is_due(const struct jl_give_back *how, struct jl_gift *gift);

/* How many are not back. With a journal each that is back is noted there with one sync at the end;
 * one that could not be noted counts as not back. err is about the journal: E_NOMEM when nothing
 * could be tried. */
size_t jl_give_back(const struct jl_give_back *how, const struct jl_journal *open, int64_t now_ms,
                    struct joulie_error *err);

/* Of other boots: only what is not open in own and still has what was written then
 * (docs/rules/enforcement.md#other-boots). *out_is_settled: each was judged, and is back where it
 * had to be. */
size_t jl_give_back_others(const struct jl_give_back *how, const struct jl_journal *others,
                           const struct jl_journal *own, bool *out_is_settled);
