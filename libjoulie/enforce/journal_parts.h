/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What journal_file.c, journal_others.c and journal_write.c share. */

#include "enforce/journal_file.h"

#define JL_JOURNAL_NAME_BYTES 96
#define JL_JOURNAL_PREFIX "caps-"
#define JL_JOURNAL_PREFIX_V1 "journal-" /* of version 0.2 */
#define JL_MACHINE_FOLDERS 2
#define JL_JOURNAL_UNFINISHED ".new" /* behind the name: a replacement while it is written */

struct jl_journal_state {
    struct jl_arena arena;
    struct jl_journal journal;
};

struct jl_journal_other {
    const char *name;
    int64_t mtime_ns;
    bool is_read; /* its open keys are offered */
};

struct jl_journal_file {
    struct jl_root root; /* the state folder, borrowed */
    const char *folder;  /* its name in messages */
    uint32_t uid;        /* who must own it and the files */
    bool is_writer;
    bool is_read_only;                   /* a writer on a disk that took nothing so far */
    int lock_fd;                         /* -1 = none */
    int machine_fds[JL_MACHINE_FOLDERS]; /* locked too; -1 = none */
    char name[JL_JOURNAL_NAME_BYTES];    /* caps-<boot_id> */

    int fd; /* -1 = there is no file yet, or it is not ours to write */
    uint64_t inode;
    uint64_t size_bytes;
    uint64_t replaced_bytes; /* its size when it was last replaced */
    bool is_torn;            /* the last line has no LF */
    bool is_entry_synced;    /* the folder was synced with this file in it */
    bool must_replace;       /* it may hold more or less than what counts */

    struct jl_journal_state states[2]; /* one counts, in the other the next is made */
    unsigned current;

    struct jl_journal_state others;
    struct jl_journal_other *other_files; /* in the arena of others */
    size_t other_count;
};

/* What is known of an open journal: 0, or JOULIE_E_IO when others than the user own it or may write
 * it. path is for the message. */
int jl_journal_check_owner(const struct jl_journal_file *file, const char *path,
                           const struct jl_os_file *found, struct joulie_error *err);
/* All of a journal, checked as above. The codes of jl_journal_open(). */
int jl_journal_get(const struct jl_journal_file *file, const char *name, int fd,
                   struct jl_buffer *out, struct jl_os_file *found, struct joulie_error *err);

/* Locks what is written of a machine (machine_lock.c), into descriptors that are -1 before and are
 * to be closed also after a failure. 0, JOULIE_E_IO, or JOULIE_E_CONFLICT with errno EBUSY: another
 * process has it, with another state folder. */
int jl_machine_lock(const struct jl_root *root, int fds[JL_MACHINE_FOLDERS],
                    struct joulie_error *err);

int jl_journal_fail_v1(const char *name, struct joulie_error *err); /* JOULIE_E_UNSUPPORTED */
/* JOULIE_E_IO for a negative errno, JOULIE_E_NOMEM for -ENOMEM. */
int jl_journal_fail(struct joulie_error *err, const char *where, const char *what, int64_t code);
