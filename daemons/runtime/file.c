/* SPDX-License-Identifier: Apache-2.0 */

/* Files read whole and files replaced at once: what agents, the simulator and the command line do
 * with the names that people give them. */

#include "runtime/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "runtime/json.h"

#define CHUNK_BYTES ((size_t)1 << 16)
/* Times of files are coarse: one that was written so shortly before it was read may be written
 * again without another time or size. */
#define FRESH_S 2

int jd_fail_system(const char *what, struct joulie_error *err)
{
    const int number = errno;
    jl_fail(err, JOULIE_E_IO, "", "%s%s%s", what, what[0] ? ": " : "", strerror(number));
    if (err)
        err->sys_errno = number;
    return JOULIE_E_IO;
}

void jd_closep(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* ---- reading ---- */

static int fail_size(const char *name, size_t most_bytes, struct joulie_error *err)
{
    const bool is_gib = most_bytes >= (size_t)1 << 30;
    return jl_fail(err, JOULIE_E_LIMIT, "", "%s%slarger than %zu %s", name, name[0] ? ": " : "",
                   most_bytes >> (is_gib ? 30 : 20), is_gib ? "GiB" : "MiB");
}

/* 1 = again, 0 = end of the file, or a code. */
static int read_chunk(int fd, const char *name, size_t most_bytes, struct jl_buffer *out,
                      struct joulie_error *err)
{
    char chunk[CHUNK_BYTES];
    const ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR)
        return 1;
    if (got < 0 && errno == EAGAIN) { /* someone left the pipe non-blocking */
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        poll(&wait, 1, -1);
        return 1;
    }
    if (got < 0)
        return jd_fail_system(name, err);
    if (got == 0)
        return 0;
    if ((size_t)got > most_bytes - out->len)
        return fail_size(name, most_bytes, err);
    jl_put(out, chunk, (size_t)got);
    return out->is_failed ? jl_fail_memory(err) : 1;
}

int jd_read_descriptor(int fd, const char *name, size_t most_bytes, struct jl_buffer *out,
                       struct joulie_error *err)
{
    struct stat facts;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > (off_t)most_bytes)
        return fail_size(name, most_bytes, err);
    int rc = 1;
    while (rc > 0)
        rc = read_chunk(fd, name, most_bytes, out, err);
    return rc;
}

int jd_read_file(const char *path, size_t most_bytes, struct jl_buffer *out,
                 struct joulie_error *err)
{
    JL_CLEANUP(jd_closep) const int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? jd_fail_system(path, err) : jd_read_descriptor(fd, path, most_bytes, out, err);
}

/* ---- files that change ---- */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool is_settled(const struct stat *facts)
{
    struct timespec now = { 0 };
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec - facts->st_mtim.tv_sec > FRESH_S || now.tv_sec < facts->st_mtim.tv_sec;
}

bool jd_polled_may_differ(const struct jd_polled_file *file)
{
    struct stat facts;
    return !file->is_settled || stat(file->path, &facts) != 0 ||
           !is_same_file(&facts, &file->facts);
}

int jd_polled_read(struct jd_polled_file *file, size_t most_bytes, struct jl_buffer *out,
                   struct joulie_error *err)
{
    JL_CLEANUP(jd_closep)
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    file->is_settled = false;
    if (fd < 0 || fstat(fd, &file->facts) != 0)
        return jd_fail_system("", err);
    file->is_settled = is_settled(&file->facts);
    if (!S_ISREG(file->facts.st_mode))
        return jl_fail(err, JOULIE_E_IO, "", "is not a regular file");
    return jd_read_descriptor(fd, "", most_bytes, out, err);
}

void jd_put_place(struct jl_buffer *out, const char *path, const struct joulie_error *err)
{
    jl_put_string(out, path);
    if (err->line > 0) {
        jl_put_char(out, ':');
        jl_put_i64(out, err->line);
    }
    jl_put_string(out, ": ");
    if (err->where[0] && !jl_starts_with(err->where, "line ")) {
        jl_put_string(out, err->where);
        jl_put_string(out, ": ");
    }
    jl_put_string(out, err->message);
}

/* ---- writing ---- */

int jd_make_folder(const char *folder, struct joulie_error *err)
{
    struct stat facts;
    if (mkdir(folder, 0777) == 0)
        return 0;
    if (errno != EEXIST || stat(folder, &facts) != 0)
        return jd_fail_system(folder, err);
    if (!S_ISDIR(facts.st_mode)) {
        errno = ENOTDIR;
        return jd_fail_system(folder, err);
    }
    return access(folder, W_OK | X_OK) == 0 ? 0 : jd_fail_system(folder, err);
}

static int write_all(const char *path, const char *mode, const char *bytes, size_t len,
                     struct joulie_error *err)
{
    FILE *file = fopen(path, mode);
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
        return write_all(path, "we", bytes, len, err);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer partial = { 0 };
    jd_put_format(&partial, "%s.partial", path);
    if (partial.is_failed)
        return jl_fail_memory(err);
    int rc = write_all(partial.data, "we", bytes, len, err);
    if (rc == 0 && rename(partial.data, path) != 0)
        rc = jd_fail_system(path, err);
    if (rc < 0)
        unlink(partial.data);
    return rc;
}

static int join(struct jl_buffer *out, const char *folder, const char *name,
                struct joulie_error *err)
{
    jd_put_format(out, "%s/%s", folder, name);
    return out->is_failed ? jl_fail_memory(err) : 0;
}

int jd_write_file(const char *folder, const char *name, const char *bytes, size_t len,
                  struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    const int rc = join(&path, folder, name, err);
    return rc < 0 ? rc : jd_write_bytes(path.data, bytes, len, err);
}

int jd_append_file(const char *folder, const char *name, const char *bytes, size_t len,
                   struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    const int rc = join(&path, folder, name, err);
    return rc < 0 ? rc : write_all(path.data, "ae", bytes, len, err);
}
