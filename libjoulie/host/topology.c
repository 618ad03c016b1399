/* SPDX-License-Identifier: Apache-2.0 */

/* Which CPU is on which package, die and core, for scan.c. */

#include "base/sort.h"
#include "host/parts.h"

static void read_cpu(struct jl_scan *scan, const struct jl_spot *folder, const char *name,
                     uint32_t number)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    struct jl_host_facts *facts = scan->facts;
    if (!jl_spot_enter(scan, folder, name, &spot))
        return;
    struct jl_cpu *cpu =
        jl_scan_add(scan, folder, (void **)&facts->cpus, &facts->cpu_count, sizeof *cpu);
    if (cpu == NULL)
        return;
    const struct jl_fact online = jl_spot_number(scan, &spot, "online");
    *cpu = (struct jl_cpu){
        .number = number,
        .is_online = online.code != 0 || online.value != 0, /* CPUs that must stay have no file */
        .package = jl_spot_id(scan, &spot, "topology/physical_package_id"),
        .die = jl_spot_id(scan, &spot, "topology/die_id"),
        .core = jl_spot_id(scan, &spot, "topology/core_id"),
    };
}

static int compare_cpus(const void *a, const void *b, void *user)
{
    const struct jl_cpu *left = a;
    const struct jl_cpu *right = b;
    (void)user;
    return (left->number > right->number) - (left->number < right->number);
}

void jl_scan_topology(struct jl_scan *scan)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    JL_CLEANUP(jl_listing_clear) struct jl_listing listing = { .count = 0 };
    struct jl_host_facts *facts = scan->facts;
    if (!jl_spot_enter(scan, NULL, JL_CPU_PATH, &spot))
        return;
    jl_spot_list(scan, &spot, &listing);
    for (size_t i = 0; i < listing.count && scan->code == 0; i++) {
        uint32_t number = 0;
        if (jl_scan_numbered(listing.names[i], "cpu", &number))
            read_cpu(scan, &spot, listing.names[i], number);
    }
    if (scan->code == 0)
        scan->code =
            jl_sort(facts->cpus, facts->cpu_count, sizeof *facts->cpus, compare_cpus, NULL);
}
