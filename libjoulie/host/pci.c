/* SPDX-License-Identifier: Apache-2.0 */

/* Display controllers on the PCI buses. A later release controls them; now it is only said that
 * they are there. */

#include "base/sort.h"
#include "host/parts.h"

#define DEEPEST_FUNCTION 16 /* bridges behind bridges */
#define DISPLAY_CLASS 0x03  /* upper byte of the class */
#define CLASS_BITS 16       /* below it: subclass and interface */

struct branch {
    const struct jl_spot *spot;
    size_t depth;
};

/* 0x10de; false when it is not there or no such number. */
static bool read_hex(struct jl_scan *scan, const struct jl_spot *spot, const char *file,
                     uint32_t *out)
{
    const char *text = jl_spot_word(scan, spot, file);
    if (!jl_starts_with(text, "0x"))
        return false;
    const size_t len = jl_scan_hex(text + 2);
    if (len == 0 || len > 8 || text[2 + len] != '\0')
        return false;
    uint32_t value = 0;
    for (size_t i = 0; i < len; i++) {
        const char c = jl_lower(text[2 + i]);
        value = value * 16 + (uint32_t)(jl_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    *out = value;
    return true;
}

/* A virtual function shares the device that its physfn links to. */
static bool is_virtual_function(const struct jl_spot *spot)
{
    struct jl_os_file found;
    return jl_root_stat(&spot->root, "physfn", &found) == 0;
}

static void read_function(struct jl_scan *scan, const struct jl_spot *spot)
{
    struct jl_host_facts *facts = scan->facts;
    struct jl_pci_gpu gpu = { .address = spot->name };
    if (!read_hex(scan, spot, "class", &gpu.class_id) ||
        gpu.class_id >> CLASS_BITS != DISPLAY_CLASS || is_virtual_function(spot) ||
        !read_hex(scan, spot, "vendor", &gpu.vendor_id) ||
        !read_hex(scan, spot, "device", &gpu.device_id))
        return;
    gpu.numa_node = jl_spot_id(scan, spot, "numa_node");
    gpu.address = jl_scan_keep(scan, jl_text(spot->name));
    struct jl_pci_gpu *item =
        jl_scan_add(scan, spot, (void **)&facts->gpus, &facts->gpu_count, sizeof *item);
    if (item != NULL)
        *item = gpu;
}

static void read_branch(struct jl_scan *scan, const struct branch *branch, const char *name)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    JL_CLEANUP(jl_listing_clear) struct jl_listing listing = { .count = 0 };
    if (!jl_spot_enter(scan, branch->spot, name, &spot))
        return;
    if (jl_scan_matches(name, JL_PCI_ADDRESS))
        read_function(scan, &spot);
    jl_spot_list(scan, &spot, &listing);
    const struct branch below = { &spot, branch->depth + 1 };
    for (size_t i = 0; i < listing.count && scan->code == 0; i++) {
        if (!jl_scan_matches(listing.names[i], JL_PCI_ADDRESS) &&
            !jl_scan_matches(listing.names[i], JL_PCI_BUS))
            continue;
        if (branch->depth < DEEPEST_FUNCTION)
            read_branch(scan, &below, listing.names[i]);
        else
            jl_spot_warn(scan, &spot, listing.names[i], "is deeper than PCI buses can be");
    }
}

static int compare_gpus(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(((const struct jl_pci_gpu *)a)->address,
                      ((const struct jl_pci_gpu *)b)->address);
}

void jl_scan_pci(struct jl_scan *scan)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    JL_CLEANUP(jl_listing_clear) struct jl_listing listing = { .count = 0 };
    struct jl_host_facts *facts = scan->facts;
    if (!jl_spot_enter(scan, NULL, "sys/devices", &spot))
        return;
    jl_spot_list(scan, &spot, &listing);
    const struct branch branch = { &spot, 0 };
    for (size_t i = 0; i < listing.count && scan->code == 0; i++) {
        if (!jl_scan_matches(listing.names[i], JL_PCI_BUS))
            continue;
        facts->has_pci = true;
        read_branch(scan, &branch, listing.names[i]);
    }
    if (scan->code == 0)
        scan->code =
            jl_sort(facts->gpus, facts->gpu_count, sizeof *facts->gpus, compare_gpus, NULL);
}
