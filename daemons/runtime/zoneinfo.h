/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Files of the system's tz database, for questions and profiles whose cron rules name a time zone:
 * the library opens no file itself. */

#include <stddef.h>

#define JD_ZONEINFO_FILE_BYTES ((size_t)1 << 20)

struct jd_zoneinfo { /* zeroed: the system's folder */
    const char *folder;
    char *bytes; /* of the zone that was found last */
};

/*
 * A find_zone of joulie/ask.h and joulie_zone_fn of joulie/autoscale.h; user is a struct
 * jd_zoneinfo. The bytes stay until the next call. Links are followed: they are how the database
 * gives one zone two names, and it belongs to the system. No name leads out of the folder. 0, or
 * -1: no such zone, no TZif file, above JD_ZONEINFO_FILE_BYTES, unreadable.
 */
int jd_zoneinfo_find(void *user, const char *name, const void **out_bytes, size_t *out_len);
void jd_zoneinfo_clear(struct jd_zoneinfo *zones);
