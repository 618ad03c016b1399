/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The recorded zones of tests/support/fixtures/zoneinfo (see its README.md). */

#include "cron/zone.h"
#include "support/test.h"

struct zone_file {
    unsigned char bytes[8192];
    size_t len;
};

void zone_file_read(const char *name, struct zone_file *out);
struct jl_time_zone *zone_of(const char *name, struct jl_arena *arena);
