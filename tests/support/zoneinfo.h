/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The recorded time zones of tests/support/fixtures/zoneinfo as a find_zone of joulie/ask.h. Takes
 * no memory: also for the test whose allocations fail. JOULIE_ZONES is the folder. */

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static inline int recorded_zone(void *user, const char *name, const void **out_bytes,
                                size_t *out_len)
{
    static char bytes[8192];
    char path[512];
    (void)user;
    snprintf(path, sizeof path, "%s/%s", JOULIE_ZONES, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (fd >= 0)
        close(fd);
    if (len <= 0)
        return -1;
    *out_bytes = bytes;
    *out_len = (size_t)len;
    return 0;
}
