/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The journal in its state folder: one writer by a lock, append only, synced before the first write
 * to a control. Rules: docs/rules/enforcement.md#journal. Pure text: caps/journal.h.
 *
 *   caps-<boot_id>       of this boot
 *   caps-<boot_id>.new   its replacement while it is written; without meaning after a crash
 *   old/                 of earlier boots, never read again
 *   writer.lock          flock of the writer, its pid inside
 *   journal-<boot_id>    of version 0.2: while one holds something, nothing is read or written here
 */

#include <joulie/error.h>

#include "caps/journal.h"
#include "host/root.h"

#define JL_JOURNAL_REPLACE_BYTES (UINT64_C(1) << 20) /* a longer journal may be replaced */

#define JL_JOURNAL_LOCK "writer.lock"
#define JL_STATE_FOLDER "var/lib/joulie" /* below the root */
#define JL_DISABLE_FOLDER "etc/joulie"   /* too: while this file is there nothing is capped */
#define JL_DISABLE_NAME "disable"
#define JL_DISABLE_PATH JL_DISABLE_FOLDER "/" JL_DISABLE_NAME

struct jl_journal_file;

/* The state folder: JL_STATE_FOLDER, found as everything below the root, or one that the caller
 * names and that may be anywhere. Its descriptor, or a negative errno. */
int jl_journal_open_folder(const struct jl_root *root, const char *state_dir);
int jl_journal_make_folder(const struct jl_root *root, const char *state_dir); /* if need be */

struct jl_journal_setup {
    struct jl_os os;
    int folder_fd;                 /* the state folder, mode 0700; borrowed: must stay open */
    const char *folder;            /* its name in messages; borrowed; NULL = none */
    const char *boot_id;           /* NULL, or anything that is no name for a file = "unknown" */
    bool is_writer;                /* takes writer.lock; a reader changes nothing */
    const struct jl_root *machine; /* a writer locks what is written there too; NULL = nothing */
    bool may_have_v1; /* journals of version 0.2 are no obstacle: the caller gives them back */
    int64_t pid;      /* written into the lock, for messages */
    uint32_t uid;     /* who must own folder and files */
};

/*
 * Opens (a writer: locks) and reads the journal of this boot; it need not exist. Journals of other
 * boots are read too: their open keys are in jl_journal_others(). A writer moves to old/ those that
 * leave nothing open; the others stay where they are, and are offered again after a crash, until
 * jl_journal_put_others_away(). One that cannot be read stays too, and is not offered.
 * JOULIE_E_CONFLICT: another writer holds the lock, its pid in err->message; with errno EBUSY one
 * with another state folder holds the machine. JOULIE_E_UNSUPPORTED:
 * a newer version wrote it, or version 0.2 did and left something. JOULIE_E_IO (with errno EPERM:
 * not of this user alone), JOULIE_E_NOMEM, JOULIE_E_LIMIT (more than 64 MiB).
 */
int jl_journal_open(const struct jl_journal_setup *setup, struct jl_journal_file **out,
                    struct joulie_error *err);
/* The same without a look at other boots, for who knows that they were judged. */
int jl_journal_open_own(const struct jl_journal_setup *setup, struct jl_journal_file **out,
                        struct joulie_error *err);
void jl_journal_close(struct jl_journal_file *file); /* gives up the lock */

/* What is open now, in restore order; valid until the next append or compact. */
const struct jl_journal *jl_journal_now(const struct jl_journal_file *file);
const struct jl_journal_entry *jl_journal_find(const struct jl_journal_file *file, const char *key);

/*
 * What other boots left open (kexec, hibernation: docs/rules/enforcement.md#other-boots). A key
 * comes once for each journal that has it open, the one that was last changed first. Valid until it
 * is put away.
 */
const struct jl_journal *jl_journal_others(const struct jl_journal_file *file);

/* Whether a name in the state folder is that of a journal of version 0.2. */
bool jl_journal_is_v1(const char *name);

/*
 * Moves them to old/, where nobody asks for them again: only after each of their keys was given
 * back, or is open in the journal of this boot, or is known to need neither. 0 or JOULIE_E_IO; then
 * those that were not moved are still there.
 */
int jl_journal_put_others_away(struct jl_journal_file *file, struct joulie_error *err);

/* Makes the journal of this boot where there is none: what is left of others was judged. 0,
 * JOULIE_E_IO or JOULIE_E_NOMEM. */
int jl_journal_make(struct jl_journal_file *file, struct joulie_error *err);
/* JOULIE_E_NOT_FOUND: nobody did that in this boot; JOULIE_E_UNSUPPORTED: version 0.2 left
 * something since. */
int jl_journal_check_made(const struct jl_journal_file *file, struct joulie_error *err);

/*
 * Appends records in order; a baseline makes two identical lines. is_synced: returns after fsync
 * (of the folder too when the file is new). 0 or JOULIE_E_IO with err (ENOSPC, EROFS, EIO, a short
 * write): then nothing of it counts, and the caller writes no hardware. JOULIE_E_NOMEM,
 * JOULIE_E_LIMIT and JOULIE_E_PARSE (a record that no reader would take: an empty key, bytes that
 * are no UTF-8) come before anything is written.
 */
int jl_journal_append(struct jl_journal_file *file, const struct jl_journal_record *records,
                      size_t count, bool is_synced, struct joulie_error *err);

/*
 * Replaces the file by one that holds no more than what is open, when no key is open or it passed
 * 1 MiB (and the half of it can go); else does nothing. After a failure the old one counts.
 */
int jl_journal_compact(struct jl_journal_file *file, struct joulie_error *err);
