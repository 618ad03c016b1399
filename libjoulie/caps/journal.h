/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The cap journal as text, version 2: "joulie-journal 2", then one record per line, seven words
 * behind the CRC-32 of the rest of the line. A line that is torn or damaged is skipped and counted,
 * and what the other lines hold is enough; a line whose checksum is right and that is not
 * understood is of a newer version, and the whole journal is refused
 * (docs/rules/enforcement.md#journal).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/words.h"

struct joulie_error;

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
    uint64_t baseline;         /* write: repeats it, as it does the next four */
    enum jl_journal_unit unit; /* baseline */
    bool has_enabled;
    bool enabled;      /* baseline: what `enabled` read */
    const char *owner; /* baseline: api, local:NAME; NULL = unknown */
    int64_t at_ms;     /* written in whole seconds since 1970; 0 before */
};

struct jl_journal_entry { /* one open key */
    const char *key;
    uint64_t value;            /* what to give back */
    enum jl_journal_unit unit; /* by the baseline, else by the key */
    bool has_enabled;
    bool enabled;
    const char *owner; /* NULL = unknown */
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
    size_t skipped;   /* lines that were damaged or torn, or write a key that nothing opened */
    uint32_t lines;   /* all */
    bool has_head;    /* the first said version 2 */
};

/* ---- what records come to (journal.c) ---- */

/* 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT (more than JL_LIMIT_JOURNAL_KEYS at a time). */
int jl_journal_take(struct jl_arena *arena, struct jl_journal *journal,
                    const struct jl_journal_record *record);

/* Everything of it in another arena. 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT of the arena. */
int jl_journal_copy(struct jl_arena *arena, const struct jl_journal *from, struct jl_journal *out);

/* Adds what is open in an older journal; of one key the newer comes first. The same codes. */
int jl_journal_join(struct jl_arena *arena, const struct jl_journal *older,
                    struct jl_journal *journal);

/* The (newest) open entry of a key, or NULL. */
const struct jl_journal_entry *jl_journal_entry_of(const struct jl_journal *journal,
                                                   const char *key);

/* ---- texts (journal_text.c) ---- */

#define JL_JOURNAL_NAME "joulie-journal "   /* and the version: how a journal begins */
#define JL_JOURNAL_HEAD JL_JOURNAL_NAME "2" /* its first line, without the LF */
#define JL_JOURNAL_HEAD_BYTES (sizeof JL_JOURNAL_HEAD)
#define JL_JOURNAL_SEAL_BYTES 9 /* the checksum in hexadecimal digits and a blank */

/* The line that a journal begins with. Memory failures of these are the buffer's. */
void jl_journal_put_head(struct jl_buffer *out);
/* The lines of a record: a write repeats the baseline in a line before its own, so that the loss of
 * the first ones costs nothing. */
void jl_journal_put(struct jl_buffer *out, const struct jl_journal_record *record);
/*
 * The text of a journal that holds no more than what is open: each baseline as two lines and the
 * last two writes, which are compared with a value found after kexec or hibernation.
 */
void jl_journal_put_open(struct jl_buffer *out, const struct jl_journal *journal);

/* A text as a word of a line: "%20" for a blank. */
void jl_journal_put_text(struct jl_buffer *out, const char *text);

/* Ends a line that began at start with JL_JOURNAL_SEAL_BYTES to be filled in. */
void jl_journal_seal(struct jl_buffer *out, size_t start);
/* Whether a line (without its LF) has the checksum of what it holds. */
bool jl_journal_is_sealed(const char *text, size_t len);

/* 0, or JOULIE_E_UNSUPPORTED: a newer version wrote it, err says in which line; JOULIE_E_NOMEM,
 * JOULIE_E_LIMIT. */
int jl_journal_read(struct jl_arena *arena, const char *text, size_t len, struct jl_journal *out,
                    struct joulie_error *err);

/* Reads on where an earlier text ended; after a failure the journal is not to be used. */
int jl_journal_read_on(struct jl_arena *arena, const char *text, size_t len,
                       struct jl_journal *journal, struct joulie_error *err);
