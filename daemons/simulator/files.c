/* SPDX-License-Identifier: Apache-2.0 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "simulator/debug.h"

static int fail(const char *path, struct joulie_error *err)
{
    const int number = errno;
    jl_fail(err, JOULIE_E_IO, "", "%s: %s", path, strerror(number));
    err->sys_errno = number;
    return JOULIE_E_IO;
}

static int write_file(const char *path, const char *mode, const char *bytes, size_t len,
                      struct joulie_error *err)
{
    FILE *file = fopen(path, mode);
    if (!file)
        return fail(path, err);
    const int rc = fwrite(bytes, 1, len, file) == len && fflush(file) == 0 ? 0 : fail(path, err);
    return fclose(file) == 0 || rc < 0 ? rc : fail(path, err);
}

static void put_path(struct jl_buffer *out, const char *folder, const char *name)
{
    jl_put_string(out, folder);
    jl_put_string(out, folder[0] ? "/" : "");
    jl_put_string(out, name);
}

int jd_replace_file(const char *folder, const char *name, const char *bytes, size_t len,
                    struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer partial = { 0 };
    put_path(&path, folder, name);
    put_path(&partial, folder, name);
    jl_put_string(&partial, ".partial");
    if (path.is_failed || partial.is_failed)
        return jl_fail_memory(err);
    int rc = write_file(partial.data, "we", bytes, len, err);
    if (rc == 0 && rename(partial.data, path.data) != 0)
        rc = fail(path.data, err);
    if (rc < 0)
        unlink(partial.data);
    return rc;
}

int jd_append_file(const char *folder, const char *name, const char *bytes, size_t len,
                   struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    put_path(&path, folder, name);
    return path.is_failed ? jl_fail_memory(err) : write_file(path.data, "ae", bytes, len, err);
}
