/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The cap journal as text: one record per line, CRC-32 of the JSON as 8 hex digits, a blank,
 * compact JSON, LF. Reading never fails over a bad line: it is skipped and counted, and what the
 * other lines hold is enough (docs/rules/enforcement.md#journal).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/words.h"

enum jl_journal_op {
    JL_JOURNAL_UNKNOWN,
    JL_JOURNAL_BASELINE,
    JL_JOURNAL_WRITE,
    JL_JOURNAL_RESTORED
};

enum jl_journal_unit { JL_UNIT_UNKNOWN, JL_UNIT_UW, JL_UNIT_KHZ, JL_UNIT_MW };

extern const struct jl_words jl_journal_op_words;
extern const struct jl_words jl_journal_unit_words;

struct jl_journal_record {
    enum jl_journal_op op;
    const char *key;           /* rapl/package-0/long_term, cpufreq/policy0/max, gpu/GPU-… */
    uint64_t value;            /* baseline: what was found; write: what is written */
    uint64_t baseline;         /* write: repeats it */
    enum jl_journal_unit unit; /* baseline */
    bool has_enabled;
    bool enabled;      /* baseline: what `enabled` read */
    const char *owner; /* baseline: api, local:NAME; NULL = unknown */
    int64_t at_ms;     /* written in whole seconds */
};

/* One line with its LF; memory failures are the buffer's. */
void jl_journal_put(struct jl_buffer *out, const struct jl_journal_record *record);

struct jl_journal_entry { /* one open key */
    const char *key;
    uint64_t value;            /* what to give back */
    enum jl_journal_unit unit; /* by the baseline, else by the key */
    bool has_enabled;
    bool enabled;
    const char *owner; /* NULL when the baseline lines were lost */
    int64_t since_ms;
    bool has_written;
    uint64_t written; /* last value of a write record */
    bool has_earlier;
    uint64_t earlier; /* another one before it: in force when the last write did not happen */
};

struct jl_journal {
    struct jl_journal_entry *open; /* restore order: GPUs, RAPL, cpufreq; within each by key */
    size_t open_count;
    size_t open_room; /* of the array */
    size_t skipped;   /* lines */
};

/* 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT (more than JL_LIMIT_JOURNAL_KEYS at a time). */
int jl_journal_read(struct jl_arena *arena, const char *text, size_t len, struct jl_journal *out);

/* Reads on where an earlier text ended; after a failure the journal is not to be used. */
int jl_journal_read_on(struct jl_arena *arena, const char *text, size_t len,
                       struct jl_journal *journal);

/* Everything of it in another arena. 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT of the arena. */
int jl_journal_copy(struct jl_arena *arena, const struct jl_journal *from, struct jl_journal *out);

/* Adds what is open in an older journal; of one key the newer comes first. The same codes. */
int jl_journal_join(struct jl_arena *arena, const struct jl_journal *older,
                    struct jl_journal *journal);

/* The (newest) open entry of a key, or NULL. */
const struct jl_journal_entry *jl_journal_entry_of(const struct jl_journal *journal,
                                                   const char *key);

/*
 * The text of a journal that holds no more than what is open: each baseline as two lines and the
 * last two writes, which are compared with a value found after kexec or hibernation.
 */
void jl_journal_put_open(struct jl_buffer *out, const struct jl_journal *journal);
