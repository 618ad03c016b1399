/* SPDX-License-Identifier: Apache-2.0 */

/* Everything that a machine says about itself, gathered by the scanners beside this file. Called
 * when a host is opened and when one of its devices vanished. */

#include "host/scan.h"

#include "host/boot_id.h"
#include "host/parts.h"

static void scan_boot_id(struct jl_scan *scan)
{
    const char *text = jl_spot_word(scan, NULL, JL_BOOT_ID_PATH);
    if (jl_is_boot_id(text))
        scan->facts->boot_id = text;
    else if (text != NULL)
        jl_spot_warn(scan, NULL, JL_BOOT_ID_PATH, "is no boot id");
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
