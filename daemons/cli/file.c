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

static int write_text(const char *path, const char *text, struct joulie_error *err)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return jd_fail_system(path, err);
    const size_t len = strlen(text);
    const int rc =
        fwrite(text, 1, len, file) == len && fflush(file) == 0 ? 0 : jd_fail_system(path, err);
    return fclose(file) == 0 || rc < 0 ? rc : jd_fail_system(path, err);
}

static void put_path(struct jl_buffer *out, const char *folder, const char *name,
                     const char *ending)
{
    jl_put_string(out, folder);
    jl_put_char(out, '/');
    jl_put_string(out, name);
    jl_put_string(out, ending);
}

int jd_write_file(const char *folder, const char *name, const char *text, struct joulie_error *err)
{
    struct jl_buffer path = { 0 };
    struct jl_buffer partial = { 0 };
    int rc = JOULIE_E_NOMEM;
    put_path(&path, folder, name, "");
    put_path(&partial, folder, name, ".partial");
    if (path.is_failed || partial.is_failed) {
        jl_fail_memory(err);
    } else {
        rc = write_text(partial.data, text, err);
        if (rc == 0 && rename(partial.data, path.data) != 0)
            rc = jd_fail_system(path.data, err);
        if (rc < 0)
            unlink(partial.data);
    }
    jl_buffer_clear(&path);
    jl_buffer_clear(&partial);
    return rc;
}
