/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the file of a time zone of the system. Called by the program joulie for each question. */

#include "runtime/zoneinfo.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/zone_name.h"

#define SYSTEM_FOLDER "/usr/share/zoneinfo"

static const char magic[] = { 'T', 'Z', 'i', 'f' };

/* All of a regular file of a sensible size; a pipe is not waited for. */
static char *read_all(int fd, size_t *out_len)
{
    struct stat file;
    if (fstat(fd, &file) < 0 || !S_ISREG(file.st_mode) || file.st_size < (off_t)sizeof magic ||
        (uint64_t)file.st_size > JD_ZONEINFO_FILE_BYTES)
        return NULL;
    const size_t len = (size_t)file.st_size;
    char *bytes = malloc(len);
    size_t at = 0;
    while (bytes && at < len) {
        const ssize_t got = read(fd, bytes + at, len - at);
        if (got <= 0) {
            free(bytes);
            return NULL;
        }
        at += (size_t)got;
    }
    *out_len = len;
    return bytes;
}

int jd_zoneinfo_find(void *user, const char *name, const void **out_bytes, size_t *out_len)
{
    struct jd_zoneinfo *zones = user;
    char path[4096];
    size_t len = 0;
    if (!jl_is_zone_name(name, strlen(name)))
        return -1;
    const char *folder = zones->folder ? zones->folder : SYSTEM_FOLDER;
    const int path_len = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (path_len < 0 || (size_t)path_len >= sizeof path)
        return -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    char *bytes = read_all(fd, &len);
    close(fd);
    if (!bytes || memcmp(bytes, magic, sizeof magic) != 0) { /* zone.tab and its like */
        free(bytes);
        return -1;
    }
    free(zones->bytes);
    zones->bytes = bytes;
    *out_bytes = bytes;
    *out_len = len;
    return 0;
}

void jd_zoneinfo_clear(struct jd_zoneinfo *zones)
{
    free(zones->bytes);
    zones->bytes = NULL;
}
