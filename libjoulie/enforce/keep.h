/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes to controls under the protection of the journal (docs/rules/enforcement.md#write): what
 * gives a control back is in the journal before it is written, the proof is read, and a group that
 * fails goes back. Nothing here knows a host or a spec: write.c calls it for a host that writes
 * itself, and joulie-capd for its clients.
 */

#include "enforce/control_file.h"
#include "enforce/journal_file.h"

struct jl_keep_item { /* a number for one control, and what came of it */
    struct jl_control_file *file;
    uint64_t value;
    enum jl_wrote wrote;
    bool has_before;
    uint64_t before;
    struct jl_write_result result;
    bool is_switched; /* its limit was switched on with it, or that was tried */
    bool is_way_back; /* to the value before a group that failed */
};

struct jl_keep {
    const struct jl_root *root;
    struct jl_journal_file *journal;
    struct jl_arena *memory; /* of one call */
    const char *owner;       /* of the keys that are opened */
    bool may_enable;         /* a limit that is switched off is switched on with a cap */
    bool gives_back_maximum; /* instead of a limit that was found below it */
    void *user;
    /* Each item that was tried, and each that went back; NULL = nobody is told. */
    void (*made)(void *user, const struct jl_keep_item *item);
};

/* Journal, write, read back; the files were read before. With is_group a failure takes the others
 * back. 0, or the journal took nothing, and nothing was written: the code of jl_journal_append().
 */
int jl_keep_write(const struct jl_keep *keep, struct jl_keep_item *items, size_t count,
                  bool is_group, int64_t now_ms, struct joulie_error *err);
