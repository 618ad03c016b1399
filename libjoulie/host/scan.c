/* SPDX-License-Identifier: Apache-2.0 */
#include "host/scan.h"

#include <string.h>

#include "host/parts.h"

#define BOOT_ID_PATH "proc/sys/kernel/random/boot_id"

/* It becomes part of a file name (linux-power.md §15). */
static bool is_boot_id(const char *text)
{
    const size_t len = text != NULL ? strlen(text) : 0;
    for (size_t i = 0; i < len; i++) {
        const char c = jl_lower(text[i]);
        if (!jl_is_digit(c) && !(c >= 'a' && c <= 'f') && c != '-')
            return false;
    }
    return len > 0 && len <= 64;
}

static void scan_boot_id(struct jl_scan *scan)
{
    const char *text = jl_spot_word(scan, NULL, BOOT_ID_PATH);
    if (is_boot_id(text))
        scan->facts->boot_id = text;
    else if (text != NULL)
        jl_spot_warn(scan, NULL, BOOT_ID_PATH, "is no boot id");
}

const char *jl_host_boot_id(const struct jl_root *root, struct jl_arena *arena)
{
    struct jl_host_facts facts = { 0 };
    struct jl_scan scan = { .root = root, .arena = arena, .facts = &facts };
    scan_boot_id(&scan);
    return facts.boot_id;
}

int jl_host_scan(const struct jl_root *root, struct jl_arena *arena, struct jl_host_facts *out)
{
    struct jl_host_facts facts = { 0 };
    struct jl_scan scan = { .root = root, .arena = arena, .facts = &facts };
    scan_boot_id(&scan);
    jl_scan_cpuinfo(&scan);
    jl_scan_topology(&scan);
    jl_scan_cpufreq(&scan);
    jl_scan_memory(&scan);
    jl_scan_powercap(&scan);
    jl_scan_pci(&scan);
    if (scan.code == 0)
        *out = facts;
    return scan.code;
}

/* ---- one part again ---- */

static bool is_below(const char *path, const char *folder)
{
    const size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The facts without the warnings of one part, which will be given again. */
static void forget_warnings(struct jl_scan *scan, const struct jl_host_facts *old,
                            const char *folder)
{
    for (size_t i = 0; i < old->warning_count && scan->code == 0; i++) {
        if (is_below(old->warnings[i].where, folder))
            continue;
        struct jl_host_warning *kept = jl_scan_add(scan, NULL, (void **)&scan->facts->warnings,
                                                   &scan->facts->warning_count, sizeof *kept);
        if (kept != NULL)
            *kept = old->warnings[i];
    }
}

static int scan_again(const struct jl_root *root, struct jl_arena *arena, const char *folder,
                      void (*part)(struct jl_scan *scan), struct jl_host_facts *facts)
{
    struct jl_host_facts next = *facts;
    struct jl_scan scan = { .root = root, .arena = arena, .facts = &next };
    next.warnings = NULL;
    next.warning_count = 0;
    forget_warnings(&scan, facts, folder);
    part(&scan);
    if (scan.code == 0)
        *facts = next;
    return scan.code;
}

int jl_host_scan_zones(const struct jl_root *root, struct jl_arena *arena,
                       struct jl_host_facts *facts)
{
    return scan_again(root, arena, JL_POWERCAP_PATH, jl_scan_powercap, facts);
}

int jl_host_scan_policies(const struct jl_root *root, struct jl_arena *arena,
                          struct jl_host_facts *facts)
{
    return scan_again(root, arena, JL_CPUFREQ_PATH, jl_scan_cpufreq, facts);
}
