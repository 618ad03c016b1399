/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the parts of a scan share. Running out of memory is remembered in the scan: loops stop, the
 * caller looks once, at the end. */

#include "host/scan.h"

#define JL_SCAN_ITEMS_MAX 65536     /* policies, CPUs, NUMA nodes, GPUs */
#define JL_SCAN_ENTRIES_MAX 1048576 /* names in all folders of a scan together */
#define JL_SCAN_WARNINGS_MAX 256
#define JL_SCAN_WORD_BYTES 128 /* of a text of one line */

struct jl_scan {
    const struct jl_root *root;
    struct jl_arena *arena; /* of the facts */
    struct jl_host_facts *facts;
    size_t entries; /* names that were listed */
    int code;       /* 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT */
};

struct jl_spot {                  /* an open folder */
    struct jl_root root;          /* its descriptor is the folder's */
    const struct jl_spot *parent; /* NULL = the root of the scan */
    const char *name;             /* below the parent */
};

struct jl_listing {
    struct jl_arena arena;
    const char **names; /* in byte order, all printable */
    size_t count;
};

/* False when the folder is not there, or was refused with a warning. parent NULL = the root. */
bool jl_spot_enter(struct jl_scan *scan, const struct jl_spot *parent, const char *name,
                   struct jl_spot *out);
void jl_spot_leave(struct jl_spot *spot);
void jl_spot_list(struct jl_scan *scan, const struct jl_spot *spot, struct jl_listing *out);
void jl_listing_clear(struct jl_listing *listing);

/* The path of a file in a folder, in the arena of the facts; name NULL = of the folder. */
const char *jl_spot_path(struct jl_scan *scan, const struct jl_spot *spot, const char *name);
void jl_spot_warn(struct jl_scan *scan, const struct jl_spot *spot, const char *name,
                  const char *reason);

/* The warning that a failed reading deserves; some deserve none. */
void jl_spot_warn_of(struct jl_scan *scan, const struct jl_spot *spot, const char *name, int code,
                     int sys_errno);

/* Files; what is there and cannot be read gets a warning. spot NULL = name is a path from the root.
 */
struct jl_fact jl_spot_number(struct jl_scan *scan, const struct jl_spot *spot, const char *name);
/* The same where the kernel writes -1 for "none": JOULIE_E_RANGE. */
struct jl_fact jl_spot_id(struct jl_scan *scan, const struct jl_spot *spot, const char *name);
/* A printable text of one line without its LF; NULL = unknown. */
const char *jl_spot_word(struct jl_scan *scan, const struct jl_spot *spot, const char *name);
/* Any text, into an arena that lives as long as the caller needs it. */
bool jl_spot_text(struct jl_scan *scan, const struct jl_spot *spot, const char *name, size_t limit,
                  struct jl_arena *arena, struct jl_text *out);
/* A piece of a text as a word of the facts; NULL when it is empty, too long or not printable. */
const char *jl_scan_keep(struct jl_scan *scan, struct jl_text text);

/* Room for one more item of a growing array, zeroed; NULL when there are too many (with a warning
 * at the folder) or memory ran out. */
void *jl_scan_add(struct jl_scan *scan, const struct jl_spot *spot, void **items, size_t *count,
                  size_t size);

/* The number in a name such as policy12: decimal without leading zeros, below JL_SCAN_ITEMS_MAX. */
bool jl_scan_numbered(const char *name, const char *prefix, uint32_t *out);
/* Length of the hexadecimal digits at the start. */
size_t jl_scan_hex(const char *text);
/* Whole names: # stands for decimal digits, % for hexadecimal ones, * for any of letters, digits
 * and
 * ._:- in any number; everything else for itself. */
bool jl_scan_matches(const char *name, const char *pattern);
#define JL_PCI_ADDRESS "%:%:%.#" /* 0000:3b:00.0, the last part of a PCI function's path */
#define JL_PCI_BUS "pci%:%"      /* pci0000:00 */

void jl_scan_powercap(struct jl_scan *scan);
void jl_scan_cpufreq(struct jl_scan *scan);
void jl_scan_topology(struct jl_scan *scan);
void jl_scan_cpuinfo(struct jl_scan *scan);
void jl_scan_memory(struct jl_scan *scan); /* and NUMA nodes */
void jl_scan_pci(struct jl_scan *scan);

#define JL_POWERCAP_PATH "sys/devices/virtual/powercap"
#define JL_CPU_PATH "sys/devices/system/cpu"
#define JL_CPUFREQ_PATH JL_CPU_PATH "/cpufreq"
#define JL_CPUINFO_BYTES ((size_t)32 << 20) /* some 2 KiB for each CPU */
