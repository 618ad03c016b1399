/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A host as files that hold no secret of it. Only what is on a list is taken (what a scan reads,
 * and what the control of GPUs will need), and of /proc/cpuinfo and meminfo only lines on a list:
 * no serial numbers, host names, addresses, UUIDs or asset tags. The boot id is replaced by one
 * that is the same everywhere; energy counters are rounded down to whole joules. A text that looks
 * like a UUID or a MAC address is left out wherever it stands.
 */

#include "base/buffer.h"
#include "host/facts.h"
#include "host/root.h"

#define JL_SNAPSHOT_BOOT_ID "00000000-0000-4000-8000-000000000000"
#define JL_SNAPSHOT_ENTRIES_MAX 1048576

struct jl_snapshot_entry { /* borrowed for the call */
    const char *path;      /* below the root, without a slash in front */
    bool is_folder;
    uint32_t mode;     /* permission bits */
    const char *bytes; /* of a file; a file that the driver refuses to read has none */
    size_t len;
};

/* Folders come before what is in them. Other than 0 stops and is the answer. */
typedef int jl_snapshot_sink(void *user, const struct jl_snapshot_entry *entry);

struct jl_snapshot {
    jl_snapshot_sink *sink;
    void *user;
    struct jl_arena *arena;           /* of the warnings */
    struct jl_host_warning *warnings; /* out: what was left out and why */
    size_t warning_count;
};

/* 0, JOULIE_E_NOMEM, JOULIE_E_LIMIT, or what the sink answered. */
int jl_host_snapshot(const struct jl_root *root, struct jl_snapshot *snapshot);

enum jl_scrub {
    JL_SCRUB_TEXT,    /* as it is, when it is short and harmless */
    JL_SCRUB_ENERGY,  /* a number of microjoules, down to whole joules */
    JL_SCRUB_CPUINFO, /* lines of a list */
    JL_SCRUB_MEMINFO, /* the line of the total */
    JL_SCRUB_BOOT_ID, /* JL_SNAPSHOT_BOOT_ID in its place */
};

/* NULL and what may leave, or why nothing may. Memory failures are the buffer's. */
const char *jl_scrub(enum jl_scrub scrub, struct jl_text text, struct jl_buffer *out);
