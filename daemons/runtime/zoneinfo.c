/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the file of a time zone of the system. Called by the program joulie for each question. */

#include "runtime/zoneinfo.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/zone_name.h"
#include "runtime/file.h"

#define SYSTEM_FOLDER "/usr/share/zoneinfo"

static const char magic[] = { 'T', 'Z', 'i', 'f' };

/* A pipe is not waited for. */
static bool is_file(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
}

int jd_zoneinfo_find(void *user, const char *name, const void **out_bytes, size_t *out_len)
{
    struct jd_zoneinfo *zones = user;
    char path[4096];
    if (!jl_is_zone_name(name, strlen(name)))
        return -1;
    const int path_len =
        snprintf(path, sizeof path, "%s/%s", zones->folder ? zones->folder : SYSTEM_FOLDER, name);
    if (path_len < 0 || (size_t)path_len >= sizeof path)
        return -1;
    JL_CLEANUP(jd_closep) const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer file = { 0 };
    if (fd < 0 || !is_file(fd) ||
        jd_read_descriptor(fd, path, JD_ZONEINFO_FILE_BYTES, &file, NULL) < 0 ||
        file.len < sizeof magic || memcmp(file.data, magic, sizeof magic) != 0)
        return -1; /* zone.tab and its like have no magic */
    *out_len = file.len;
    jl_free(zones->bytes);
    zones->bytes = jl_buffer_take(&file);
    *out_bytes = zones->bytes;
    return 0;
}

void jd_zoneinfo_clear(struct jd_zoneinfo *zones)
{
    jl_free(zones->bytes);
    zones->bytes = NULL;
}
