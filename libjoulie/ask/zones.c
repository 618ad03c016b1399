/* SPDX-License-Identifier: Apache-2.0 */

/* Time zones of a question: the caller's bytes, parsed once for each name. Called by the questions
 * `cron.active` and `autoscale` while they read their schedules. */

#include "ask/zones.h"

#include "base/error.h"
#include "base/text.h"

void jl_ask_zones_init(struct jl_ask_zones *zones, const struct jl_ask *ask)
{
    *zones = (struct jl_ask_zones){ .ask = ask };
    zones->why.struct_size = sizeof zones->why;
}

static int read_zone(struct jl_ask_zones *zones, const char *name, struct jl_time_zone **out)
{
    const struct jl_ask *ask = zones->ask;
    const void *bytes = NULL;
    size_t len = 0;
    if (ask->find_zone == NULL || ask->find_zone(ask->user, name, &bytes, &len) != 0)
        return jl_fail(&zones->why, JOULIE_E_PARSE, "", "there is no time zone %s", name);
    const int rc = jl_zone_parse(bytes, len, ask->arena, out, &zones->why);
    if (rc < 0)
        return jl_fail(&zones->why, rc, "", "time zone %s: %s", name, zones->why.message);
    return 0;
}

int jl_ask_find_zone(void *user, const char *name, const struct jl_time_zone **out)
{
    struct jl_ask_zones *zones = user;
    struct jl_arena *arena = zones->ask->arena;
    struct jl_time_zone *zone = NULL;
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
    struct jl_ask_zone *known = JL_NEW(arena, struct jl_ask_zone);
    const char *copy = jl_arena_string(arena, name);
    if (known == NULL || copy == NULL)
        return jl_fail(&zones->why, jl_arena_code(arena), "", "there is no memory");
    *known = (struct jl_ask_zone){ copy, zone, zones->known };
    zones->known = known;
    *out = zone;
    return 0;
}
