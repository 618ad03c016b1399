/* SPDX-License-Identifier: Apache-2.0 */
#include "cron/zones.h"

#include <stdio.h>

void zone_file_read(const char *name, struct zone_file *out)
{
    char path[256];
    snprintf(path, sizeof path, "tests/support/fixtures/zoneinfo/%s", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s cannot be read", path);
    out->len = fread(out->bytes, 1, sizeof out->bytes, file);
    fclose(file);
}

struct jl_time_zone *zone_of(const char *name, struct jl_arena *arena)
{
    struct zone_file file;
    struct jl_time_zone *zone = NULL;
    struct joulie_error err = { .struct_size = sizeof err };
    zone_file_read(name, &file);
    if (jl_zone_parse(file.bytes, file.len, arena, &zone, &err) != 0)
        fail_msg("%s: %s", name, err.message);
    return zone;
}
