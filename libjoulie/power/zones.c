/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which powercap zone is a package, its memory, a twin behind MMIO, or nothing of ours. Called by
 * node/ and enforce/ after a scan, and by the question `rapl.zones`. Implements
 * docs/rules/rapl.md#zones.
 */

#include "power/zones.h"

#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"

#define PACKAGE "package-"
#define DIE "-die-"
#define PSYS "psys"

/* ---- names ---- */

/* As the kernel prints it: digits, no leading zero. */
static bool is_number(const char *digits, size_t len, uint32_t *out)
{
    uint64_t value = 0;
    if (len == 0 || (len > 1 && digits[0] == '0') || jl_parse_u64(digits, len, &value) < 0 ||
        value > UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* package-N or package-N-die-M */
static bool is_package(const char *name, struct jl_zone_view *view)
{
    if (!jl_starts_with(name, PACKAGE))
        return false;
    const char *number = name + strlen(PACKAGE);
    const size_t len = jl_text_find(jl_text(number), '-');
    const char *rest = number + len;
    uint32_t package = 0;
    uint32_t die = 0;
    const bool has_die = *rest != '\0';
    if (!is_number(number, len, &package))
        return false;
    if (has_die && (!jl_starts_with(rest, DIE) ||
                    !is_number(rest + strlen(DIE), strlen(rest) - strlen(DIE), &die)))
        return false;
    view->package = package;
    view->has_die = has_die;
    view->die = die;
    return true;
}

/* psys or psys-N */
static bool is_psys(const char *name)
{
    uint32_t number = 0;
    if (!jl_starts_with(name, PSYS))
        return false;
    const char *rest = name + strlen(PSYS);
    return *rest == '\0' || (*rest == '-' && is_number(rest + 1, strlen(rest + 1), &number));
}

static enum jl_zone_role role_inside(const char *name)
{
    if (jl_same(name, "dram"))
        return JL_ZONE_DRAM;
    if (jl_same(name, "core"))
        return JL_ZONE_CORE;
    return jl_same(name, "uncore") ? JL_ZONE_UNCORE : JL_ZONE_IGNORED;
}

/* ---- packages ---- */

static bool is_mmio(const struct jl_zone *zone)
{
    return jl_same(zone->control_type, "intel-rapl-mmio");
}

static bool is_rapl(const struct jl_zone *zone)
{
    return jl_same(zone->control_type, "intel-rapl") || is_mmio(zone);
}

/* By package and die; a package without dies is before those with. */
static int compare_packages(const struct jl_zone_view *a, const struct jl_zone_view *b)
{
    int order = JL_ORDER(a->package, b->package);
    if (order == 0)
        order = a->has_die - b->has_die;
    return order != 0 ? order : JL_ORDER(a->die, b->die);
}

/* Puts a package into the order; finds the one that is there already instead. */
static size_t place(const struct jl_zone_view *views, size_t index, size_t *order, size_t packages)
{
    size_t at = packages;
    while (at > 0 && compare_packages(&views[order[at - 1]], &views[index]) > 0)
        at--;
    if (at > 0 && compare_packages(&views[order[at - 1]], &views[index]) == 0)
        return order[at - 1];
    memmove(order + at + 1, order + at, (packages - at) * sizeof *order);
    order[at] = index;
    return index;
}

static void find_constraints(const struct jl_zone *zone, struct jl_zone_view *view)
{
    for (size_t i = zone->constraint_count; i-- > 0;) {
        const char *name = zone->constraints[i].name;
        if (jl_same(name, "long_term"))
            view->long_term = i;
        else if (jl_same(name, "short_term"))
            view->short_term = i;
    }
}

/* Old kernels show limits of AMD processors that read 0 or fail. A
 * limit that was not read yet may be good. */
static bool is_writable(const struct jl_zone *zone, const struct jl_zone_view *view)
{
    if (view->long_term == SIZE_MAX || is_mmio(zone))
        return false;
    const struct jl_fact *limit = &zone->constraints[view->long_term].limit_uw;
    return limit->code == 0 ? limit->value > 0 : limit->code == JOULIE_E_UNSUPPORTED;
}

/* What a package zone is when first (maybe itself) is the first zone of that package. */
static void settle_package(const struct jl_zone *zones, struct jl_zone_view *views, size_t index,
                           size_t first)
{
    struct jl_zone_view *view = &views[index];
    if (first == index) {
        view->role = JL_ZONE_PACKAGE;
        view->is_controllable = is_writable(&zones[index], view);
    } else if (is_mmio(&zones[index]) && !is_mmio(&zones[first]) && views[first].twin == SIZE_MAX) {
        view->role = JL_ZONE_MMIO_TWIN;
        view->twin = first;
        views[first].twin = index;
    } else {
        view->role = JL_ZONE_DUPLICATE;
    }
}

/* The packages of MMIO come after those of the registers, whose twins they are. */
static size_t view_packages(const struct jl_zone *zones, size_t count, bool of_mmio, size_t placed,
                            struct jl_zone_view *views, size_t *order)
{
    size_t packages = placed;
    for (size_t i = 0; i < count; i++) {
        if (zones[i].name == NULL || !is_rapl(&zones[i]) || is_mmio(&zones[i]) != of_mmio ||
            !is_package(zones[i].name, &views[i]))
            continue;
        const size_t first = place(views, i, order, packages);
        settle_package(zones, views, i, first);
        packages += first == i;
    }
    return packages;
}

/* ---- the others ---- */

static bool is_taken(const struct jl_zone *zones, const struct jl_zone_view *views, size_t index,
                     enum jl_zone_role role)
{
    for (size_t i = 0; i < index; i++) {
        if (views[i].role == role && zones[i].parent == zones[index].parent)
            return true;
    }
    return false;
}

/* dram, core and uncore belong to the package that holds them; those of a twin or a duplicate show
 * counters that are there already. */
static void view_inside(const struct jl_zone *zones, size_t count, size_t index,
                        struct jl_zone_view *views)
{
    const size_t parent = zones[index].parent;
    const enum jl_zone_role role = role_inside(zones[index].name);
    struct jl_zone_view *view = &views[index];
    if (role == JL_ZONE_IGNORED || parent >= count)
        return;
    const enum jl_zone_role of_parent = views[parent].role;
    if (of_parent != JL_ZONE_PACKAGE && of_parent != JL_ZONE_MMIO_TWIN &&
        of_parent != JL_ZONE_DUPLICATE)
        return;
    view->package = views[parent].package;
    view->has_die = views[parent].has_die;
    view->die = views[parent].die;
    view->role = of_parent != JL_ZONE_PACKAGE || is_taken(zones, views, index, role)
                     ? JL_ZONE_DUPLICATE
                     : role;
}

size_t jl_zones_view(const struct jl_zone *zones, size_t count, struct jl_zone_view *views,
                     size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        views[i] = (struct jl_zone_view){ .twin = SIZE_MAX,
                                          .long_term = SIZE_MAX,
                                          .short_term = SIZE_MAX };
        find_constraints(&zones[i], &views[i]);
    }
    size_t packages = view_packages(zones, count, false, 0, views, order);
    packages = view_packages(zones, count, true, packages, views, order);
    for (size_t i = 0; i < count; i++) {
        if (zones[i].name == NULL || !is_rapl(&zones[i]) || views[i].role != JL_ZONE_IGNORED)
            continue;
        if (is_psys(zones[i].name))
            views[i].role = JL_ZONE_PSYS;
        else
            view_inside(zones, count, i, views);
    }
    return packages;
}

size_t jl_zones_sockets(const struct jl_zone_view *views, const size_t *order, size_t packages)
{
    size_t sockets = 0;
    for (size_t i = 0; i < packages; i++)
        sockets += i == 0 || views[order[i]].package != views[order[i - 1]].package;
    return sockets;
}
