/* SPDX-License-Identifier: Apache-2.0 */

/* Power zones, from the real folders: /sys/class/powercap only has links to them. Source:
 * docs/rules/rapl.md. */

#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "host/parts.h"

#define DEEPEST_ZONE 4 /* zones inside each other; the kernel has two */
#define CONSTRAINTS_MAX 16

struct branch { /* where in the tree of zones */
    const char *control_type;
    const struct jl_spot *spot; /* of the folder that holds the zone */
    size_t parent;              /* index of its zone, SIZE_MAX = none */
    size_t depth;
};

/* ---- constraints ---- */

struct constraint_file {
    char name[64];
};

static struct constraint_file file_of(unsigned number, const char *what)
{
    struct constraint_file file = { "constraint_" };
    size_t len = strlen(file.name);
    len += jl_format_u64(number, file.name + len);
    memcpy(file.name + len, what, strlen(what) + 1);
    return file;
}

/* The number of constraint_N_…, or CONSTRAINTS_MAX when it is none. */
static unsigned constraint_of(const char *name)
{
    static const char prefix[] = "constraint_";
    if (!jl_starts_with(name, prefix))
        return CONSTRAINTS_MAX;
    const char *digits = name + strlen(prefix);
    const size_t len = jl_text_find(jl_text(digits), '_');
    uint64_t number = 0;
    const bool is_number = jl_parse_u64(digits, len, &number) == 0 && digits[len] == '_';
    return is_number && number < CONSTRAINTS_MAX ? (unsigned)number : CONSTRAINTS_MAX;
}

static void read_constraint(struct jl_scan *scan, const struct jl_spot *spot, unsigned number,
                            struct jl_zone_constraint *out)
{
    *out = (struct jl_zone_constraint){
        .number = number,
        .name = jl_spot_word(scan, spot, file_of(number, "_name").name),
        .limit_uw = jl_spot_number(scan, spot, file_of(number, "_power_limit_uw").name),
        .max_power_uw = jl_spot_number(scan, spot, file_of(number, "_max_power_uw").name),
        .time_window_us = jl_spot_number(scan, spot, file_of(number, "_time_window_us").name),
    };
}

static void read_constraints(struct jl_scan *scan, const struct jl_spot *spot,
                             const struct jl_listing *listing, struct jl_zone *zone)
{
    bool is_there[CONSTRAINTS_MAX + 1] = { false };
    for (size_t i = 0; i < listing->count; i++)
        is_there[constraint_of(listing->names[i])] = true;
    for (unsigned number = 0; number < CONSTRAINTS_MAX && scan->code == 0; number++) {
        if (!is_there[number])
            continue;
        struct jl_zone_constraint *constraint = jl_scan_add(
            scan, spot, (void **)&zone->constraints, &zone->constraint_count, sizeof *constraint);
        if (constraint != NULL)
            read_constraint(scan, spot, number, constraint);
    }
}

/* ---- zones ---- */

/* A zone's name is that of the folder around it, a colon and a number in hexadecimal. */
static bool is_zone_of(const char *name, const char *folder)
{
    const size_t len = strlen(folder);
    if (strncmp(name, folder, len) != 0 || name[len] != ':')
        return false;
    const char *number = name + len + 1;
    return number[0] != '\0' && number[jl_scan_hex(number)] == '\0';
}

static void read_zones_in(struct jl_scan *scan, const struct branch *branch,
                          const struct jl_listing *listing);

static void read_zone(struct jl_scan *scan, const struct branch *branch, const char *name)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    JL_CLEANUP(jl_listing_clear) struct jl_listing listing = { .count = 0 };
    if (!jl_spot_enter(scan, branch->spot, name, &spot))
        return;
    jl_spot_list(scan, &spot, &listing);
    struct jl_host_facts *facts = scan->facts;
    const size_t index = facts->zone_count;
    if (jl_scan_add(scan, branch->spot, (void **)&facts->zones, &facts->zone_count,
                    sizeof *facts->zones) == NULL)
        return;
    struct jl_zone zone = {
        .path = jl_spot_path(scan, &spot, NULL),
        .control_type = branch->control_type,
        .name = jl_spot_word(scan, &spot, "name"),
        .parent = branch->parent,
        .enabled = jl_spot_number(scan, &spot, "enabled"),
        .energy_uj = jl_spot_number(scan, &spot, "energy_uj"),
        .max_energy_range_uj = jl_spot_number(scan, &spot, "max_energy_range_uj"),
    };
    zone.dir = zone.path != NULL ? zone.path + strlen(zone.path) - strlen(name) : NULL;
    read_constraints(scan, &spot, &listing, &zone);
    facts->zones[index] = zone;
    const struct branch below = { branch->control_type, &spot, index, branch->depth + 1 };
    read_zones_in(scan, &below, &listing);
}

static void read_zones_in(struct jl_scan *scan, const struct branch *branch,
                          const struct jl_listing *listing)
{
    for (size_t i = 0; i < listing->count && scan->code == 0; i++) {
        const char *name = listing->names[i];
        if (!is_zone_of(name, branch->spot->name))
            continue;
        if (scan->facts->zone_count >= JL_LIMIT_ZONES) {
            jl_spot_warn(scan, branch->spot, name,
                         "and more zones are left out: there are too many");
            return;
        }
        if (branch->depth < DEEPEST_ZONE)
            read_zone(scan, branch, name);
        else
            jl_spot_warn(scan, branch->spot, name, "is deeper than zones can be");
    }
}

static void read_control_type(struct jl_scan *scan, const struct jl_spot *powercap,
                              const char *name)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    JL_CLEANUP(jl_listing_clear) struct jl_listing listing = { .count = 0 };
    if (!jl_spot_enter(scan, powercap, name, &spot))
        return;
    jl_spot_list(scan, &spot, &listing);
    scan->facts->control_types++;
    const struct branch branch = { jl_scan_keep(scan, jl_text(name)), &spot, SIZE_MAX, 0 };
    if (branch.control_type != NULL)
        read_zones_in(scan, &branch, &listing);
    else
        jl_spot_warn(scan, powercap, name, "is longer than the name of a control type can be");
}

void jl_scan_powercap(struct jl_scan *scan)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    JL_CLEANUP(jl_listing_clear) struct jl_listing listing = { .count = 0 };
    struct jl_host_facts *facts = scan->facts;
    facts->control_types = 0;
    facts->zones = NULL;
    facts->zone_count = 0;
    facts->has_powercap = jl_spot_enter(scan, NULL, JL_POWERCAP_PATH, &spot);
    if (!facts->has_powercap)
        return;
    jl_spot_list(scan, &spot, &listing);
    for (size_t i = 0; i < listing.count && scan->code == 0; i++)
        read_control_type(scan, &spot, listing.names[i]);
}
