/* SPDX-License-Identifier: Apache-2.0 */

/* Files that a command writes beside standard output. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli.h"

int jd_fail_system(const char *file, struct joulie_error *err)
{
    const int number = errno;
    jl_fail(err, JOULIE_E_IO, "", "%s: %s", file, strerror(number));
    err->sys_errno = number;
    return JOULIE_E_IO;
}

int jd_make_folder(const char *folder, struct joulie_error *err)
{
    return mkdir(folder, 0777) == 0 || errno == EEXIST ? 0 : jd_fail_system(folder, err);
}

static int write_all(const char *path, const char *bytes, size_t len, struct joulie_error *err)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return jd_fail_system(path, err);
    const int rc =
        fwrite(bytes, 1, len, file) == len && fflush(file) == 0 ? 0 : jd_fail_system(path, err);
    return fclose(file) == 0 || rc < 0 ? rc : jd_fail_system(path, err);
}

/* A device, a pipe: there is nothing to replace. */
static bool is_no_file(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode);
}

int jd_write_bytes(const char *path, const char *bytes, size_t len, struct joulie_error *err)
{
    if (is_no_file(path))
        return write_all(path, bytes, len, err);
    struct jl_buffer partial = { 0 };
    jl_put_string(&partial, path);
    jl_put_string(&partial, ".partial");
    int rc =
        jl_buffer_code(&partial) ? jl_fail_memory(err) : write_all(partial.data, bytes, len, err);
    if (rc == 0 && rename(partial.data, path) != 0)
        rc = jd_fail_system(path, err);
    if (rc < 0 && partial.data)
        unlink(partial.data);
    jl_buffer_clear(&partial);
    return rc;
}

int jd_write_file(const char *folder, const char *name, const char *text, struct joulie_error *err)
{
    struct jl_buffer path = { 0 };
    jl_put_string(&path, folder);
    jl_put_char(&path, '/');
    jl_put_string(&path, name);
    const int rc = jl_buffer_code(&path) ? jl_fail_memory(err)
                                         : jd_write_bytes(path.data, text, strlen(text), err);
    jl_buffer_clear(&path);
    return rc;
}
