/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The time zones that a question's cron schedules name, as the caller's find_zone gives them. */

#include "ask/ask.h"
#include "cron/cron.h"

struct jl_ask_zone {
    const char *name;
    const struct jl_time_zone *zone;
    struct jl_ask_zone *next;
};

struct jl_ask_zones {
    const struct jl_ask *ask;  /* with the caller's find_zone; zones live in its arena */
    struct jl_ask_zone *known; /* those that were asked for */
    struct joulie_error why;   /* of the last failure, its where is empty */
};

void jl_ask_zones_init(struct jl_ask_zones *zones, const struct jl_ask *ask);

/* For struct jl_zone_finder; user is a struct jl_ask_zones. Each zone is asked for once. "" and
 * "UTC" give NULL, which is UTC. 0 or a code with zones->why. */
int jl_ask_find_zone(void *user, const char *name, const struct jl_time_zone **out);
