/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which powercap zone is what: packages, their memory, the twin behind MMIO, and what is left
 * alone. Zones are known by their name files, never by their numbers. Rules:
 * docs/rules/rapl.md#zones.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/facts.h"

enum jl_zone_role {
    JL_ZONE_IGNORED, /* another control type, or an unknown name */
    JL_ZONE_PACKAGE, /* package-N, package-N-die-M: energy counts, limits may be written */
    JL_ZONE_DRAM,    /* reported apart */
    JL_ZONE_CORE,    /* inside the package: not counted */
    JL_ZONE_UNCORE,
    JL_ZONE_PSYS,      /* includes everything: never summed, never written */
    JL_ZONE_MMIO_TWIN, /* same counter as the package of that name, a second pair of limits */
    JL_ZONE_DUPLICATE, /* a second zone of one name and package */
};

struct jl_zone_view { /* of one zone */
    enum jl_zone_role role;
    bool is_controllable; /* a package, not of MMIO alone, whose constraint long_term does not read
                             0 or fail */
    uint32_t package;     /* N; of dram, core, uncore that of the parent */
    bool has_die;
    uint32_t die;
    size_t twin;       /* of an MMIO twin: index of its package zone; of a package: of its twin;
                          SIZE_MAX = none */
    size_t long_term;  /* index into constraints; SIZE_MAX = none */
    size_t short_term; /* index into constraints; SIZE_MAX = none */
};

/* views has room for count. order gets the packages by package and die number; returns how many. */
size_t jl_zones_view(const struct jl_zone *zones, size_t count, struct jl_zone_view *views,
                     size_t *order);
/* Sockets among the packages of an order: the dies of one socket count once. */
size_t jl_zones_sockets(const struct jl_zone_view *views, const size_t *order, size_t packages);
