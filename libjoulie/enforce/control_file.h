/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The files of one control, a number of the kernel that may be written: opened, read, written with
 * proof, and given back. Nothing here knows a host, a spec or a journal file, so that the smallest
 * programs can link it (docs/rules/enforcement.md#write).
 */

#include "base/arena.h"
#include "caps/journal.h"
#include "host/facts.h"
#include "host/root.h"
#include "node/cap_life.h"
#include "power/cpufreq.h"

enum jl_control_kind {
    JL_CONTROL_LONG,     /* constraint long_term of a package zone, µW */
    JL_CONTROL_SHORT,    /* its short_term */
    JL_CONTROL_FREQ_MAX, /* scaling_max_freq of a policy, kHz */
    JL_CONTROL_FREQ_MIN,
};

struct jl_control_file {
    enum jl_control_kind kind;
    char *key;       /* in the journal */
    char *zone_name; /* that the file `name` must hold before a write; NULL for policies */
    char *folder;    /* of the zone or policy, below the root */
    char *path;      /* of the number */
    int fd;          /* -1 = not open */
    int fd_enabled;
    bool is_read_only; /* it opens for reading only */
    bool is_lost;
    struct jl_fact now;
    struct jl_fact enabled;  /* of a long-term limit */
    uint64_t unit;           /* smallest step */
    struct jl_fact max;      /* constraint_N_max_power_uw */
    struct jl_fact zone_max; /* that of the zone's long-term limit */
    struct jl_freq_range range;
};

struct jl_write_result {
    bool is_taken; /* the kernel took it, whatever reads back */
    uint64_t read_back;
};

/* Not open, nothing known of its values. */
struct jl_control_file jl_control_file_new(enum jl_control_kind kind);
bool jl_is_limit_kind(enum jl_control_kind kind); /* of a package, else a frequency */

/* The files of a key of the journal as they are now, its texts in the arena (control_find.c). 0,
 * JOULIE_E_NOT_FOUND or JOULIE_E_NOMEM. */
int jl_control_file_find(const struct jl_root *root, const char *key, struct jl_arena *arena,
                         struct jl_control_file *out);

/* The energy counter of a zone by its name, or of one inside it: package-0, package-0/dram. The
 * same codes. */
int jl_control_energy_find(const struct jl_root *root, const char *name, struct jl_arena *arena,
                           const char **out_path);

/* Opens for writing where that is meant and possible, else for reading. 0 or negative errno. */
int jl_control_file_open(const struct jl_root *root, struct jl_control_file *file, bool writes);
/* A descriptor outlives its zone: after ENODEV the same path is another file. What was read through
 * it is unknown from then on. */
void jl_control_file_close(const struct jl_root *root, struct jl_control_file *file);
/* Reads the number, and of a long-term limit also whether it is switched on. False: the device is
 * gone, and the file is closed. */
bool jl_control_file_read(const struct jl_root *root, struct jl_control_file *file, bool writes);

/* The name, the number and the proof by reading. It must have been read before. */
enum jl_wrote jl_control_file_write(const struct jl_root *root, struct jl_control_file *file,
                                    uint64_t value, bool is_restore, struct jl_write_result *out);
/* Whether what reads back of a package limit is what was written, up to a unit that is learned by
 * it. */
bool jl_control_file_floors(struct jl_control_file *file, uint64_t value, uint64_t read_back);
/* Of a zone; what it reads then is in file->enabled. */
void jl_control_file_switch(const struct jl_root *root, struct jl_control_file *file, bool is_on);

/* ---- giving back (docs/rules/enforcement.md#restore) ---- */

/* Whether a limit that was found is below the zone's believable maximum (*out_uw), where firmware
 * leaves it as a rule: it may be a cap whose journal was lost. */
bool jl_control_file_is_low(const struct jl_control_file *file, uint64_t found, uint64_t *out_uw);
/* What is written for a baseline: within what is safe for the device. */
uint64_t jl_control_file_bounded(const struct jl_control_file *file, uint64_t baseline);
/* Whether there is nothing to do. */
bool jl_control_file_is_back(const struct jl_control_file *file,
                             const struct jl_journal_entry *entry);
/* Of another boot: whether it still has what was written then, one of the last two, because the
 * record of a write stands before the write, which may not have come. */
bool jl_control_file_is_ours(const struct jl_control_file *file,
                             const struct jl_journal_entry *entry);
/* The number, then the switch if it was ours. */
enum jl_wrote jl_control_file_restore(const struct jl_root *root, struct jl_control_file *file,
                                      const struct jl_journal_entry *entry,
                                      struct jl_write_result *out);

const char *jl_wrote_word(enum jl_wrote wrote);
