/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the file of a time zone below the system's folder, for schedules that name one. */

#include "host/zoneinfo.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/zone_name.h"
#include "host/root.h"

static const char magic[] = { 'T', 'Z', 'i', 'f' };

static void close_fd(const int *fd)
{
    const struct jl_os os = jl_os_linux(NULL);
    if (*fd >= 0)
        os.close(os.user, *fd);
}

/* A descriptor of the zone's file, or negative errno. */
static int open_zone(const char *root, const char *name, struct jl_arena *arena)
{
    const char *const parts[] = { root, "/" JL_ZONEINFO_FOLDER };
    const char *path = jl_arena_join(arena, parts, JL_COUNT(parts));
    if (path == NULL)
        return -ENOMEM;
    JL_CLEANUP(close_fd) const int folder = jl_os_open_folder(path);
    return folder < 0 ? folder : jl_os_open_followed(folder, name);
}

static int read_zone(int fd, struct jl_buffer *out, int *sys_errno)
{
    const struct jl_os os = jl_os_linux(NULL);
    struct jl_os_file file;
    const int rc = os.fstat(os.user, fd, &file);
    if (rc < 0) {
        *sys_errno = -rc;
        return JOULIE_E_IO;
    }
    if (file.kind != JL_OS_FILE) /* "America" is a folder */
        return JOULIE_E_PARSE;
    return jl_fd_bytes(&os, fd, JL_ZONEINFO_FILE_BYTES, out, sys_errno);
}

static int report(int rc, const char *name, int sys_errno, struct joulie_error *err)
{
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    if (rc == JOULIE_E_LIMIT)
        return jl_fail(err, rc, "", "the file of time zone %s is above 1 MiB", name);
    if (rc == JOULIE_E_IO) {
        jl_fail(err, rc, "", "time zone %s: %s", name, jl_root_errno_text(sys_errno));
        if (err != NULL)
            err->sys_errno = sys_errno;
        return rc;
    }
    return jl_fail(err, rc, "", "the tz database of this system has no time zone %s", name);
}

int jl_zoneinfo_read(const char *root, const char *name, struct jl_arena *arena,
                     struct jl_text *out, struct joulie_error *err)
{
    if (!jl_is_zone_name(name, strlen(name)))
        return jl_fail(err, JOULIE_E_PARSE, "", "\"%.64s\" is no name of a time zone", name);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer bytes = { 0 };
    JL_CLEANUP(close_fd) const int fd = open_zone(root, name, arena);
    int sys_errno = -fd;
    if (fd == -ENOMEM)
        return report(JOULIE_E_NOMEM, name, 0, err);
    if (fd == -ENOENT || fd == -ENOTDIR)
        return report(JOULIE_E_PARSE, name, 0, err);
    if (fd < 0)
        return report(JOULIE_E_IO, name, sys_errno, err);
    int rc = read_zone(fd, &bytes, &sys_errno);
    if (rc == 0 && (bytes.len < sizeof magic || memcmp(bytes.data, magic, sizeof magic) != 0))
        rc = JOULIE_E_PARSE; /* zone.tab and its like */
    if (rc < 0)
        return report(rc, name, sys_errno, err);
    const char *copy = jl_arena_copy(arena, bytes.data, bytes.len);
    if (copy == NULL)
        return jl_fail(err, jl_arena_code(arena), "", "there is no memory for time zone %s", name);
    *out = (struct jl_text){ copy, bytes.len };
    return 0;
}
