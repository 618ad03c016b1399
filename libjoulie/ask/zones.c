/* SPDX-License-Identifier: Apache-2.0 */

/* Time zones that cron schedules name, for the questions that have such schedules. */

#include "ask/zones.h"

#include "base/error.h"
#include "base/text.h"
#include "host/zoneinfo.h"

void jl_ask_zones_init(struct jl_ask_zones *zones, struct jl_arena *arena)
{
    *zones = (struct jl_ask_zones){ .arena = arena, .root = "/" };
    zones->why.struct_size = sizeof zones->why;
}

static int read_zone(struct jl_ask_zones *zones, const char *name, struct jl_zone **out)
{
    struct jl_text bytes;
    int rc = jl_zoneinfo_read(zones->root, name, zones->arena, &bytes, &zones->why);
    if (rc < 0)
        return rc;
    rc = jl_zone_parse(bytes.ptr, bytes.len, zones->arena, out, &zones->why);
    if (rc < 0)
        return jl_fail(&zones->why, rc, "", "time zone %s: %s", name, zones->why.message);
    return 0;
}

int jl_ask_find_zone(void *user, const char *name, const struct jl_zone **out)
{
    struct jl_ask_zones *zones = user;
    struct jl_zone *zone = NULL;
    *out = NULL;
    if (jl_is_empty(name) || jl_same(name, "UTC"))
        return 0;
    for (const struct jl_ask_zone *known = zones->known; known != NULL; known = known->next) {
        if (jl_same(known->name, name)) {
            *out = known->zone;
            return 0;
        }
    }
    const int rc = read_zone(zones, name, &zone);
    if (rc < 0)
        return rc;
    struct jl_ask_zone *known = JL_NEW(zones->arena, struct jl_ask_zone);
    const char *copy = jl_arena_string(zones->arena, name);
    if (known == NULL || copy == NULL)
        return jl_fail(&zones->why, jl_arena_code(zones->arena), "", "there is no memory");
    *known = (struct jl_ask_zone){ copy, zone, zones->known };
    zones->known = known;
    *out = zone;
    return 0;
}
