/* SPDX-License-Identifier: Apache-2.0 */

/* Whole files into memory, with a limit. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "cli.h"
#include "runtime/file.h"

#define CHUNK_BYTES ((size_t)1 << 18)

static bool is_too_large(int fd, size_t most_bytes)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > (off_t)most_bytes;
}

static int fail_size(const char *file, size_t most_bytes, struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_LIMIT, "", "%s: larger than %s", file,
                   most_bytes == JL_LIMIT_OBJECT_BYTES ? "16 MiB" : "1 GiB");
}

/* 1 = again, 0 = end of the file, or a code. */
static int read_chunk(int fd, const char *file, size_t most_bytes, struct jl_buffer *out,
                      char *chunk, struct joulie_error *err)
{
    const ssize_t got = read(fd, chunk, CHUNK_BYTES);
    if (got < 0 && errno == EINTR)
        return 1;
    if (got < 0 && errno == EAGAIN) { /* someone left the pipe non-blocking */
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        poll(&wait, 1, -1);
        return 1;
    }
    if (got < 0)
        return jd_fail_system(file, err);
    if (got == 0)
        return 0;
    if ((size_t)got > most_bytes - out->len)
        return fail_size(file, most_bytes, err);
    jl_put(out, chunk, (size_t)got);
    return out->is_failed ? jl_fail_memory(err) : 1;
}

static int read_file(const char *file, size_t most_bytes, struct jl_buffer *out,
                     struct joulie_error *err)
{
    static char chunk[CHUNK_BYTES];
    const bool is_standard = !file || jl_same(file, "-");
    const char *name = is_standard ? "standard input" : file;
    const int fd = is_standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return jd_fail_system(name, err);
    int rc = is_too_large(fd, most_bytes) ? fail_size(name, most_bytes, err) : 1;
    while (rc > 0)
        rc = read_chunk(fd, name, most_bytes, out, chunk, err);
    if (!is_standard)
        close(fd);
    return rc;
}

int jd_read(const char *file, struct jl_buffer *out, struct joulie_error *err)
{
    return read_file(file, JL_LIMIT_DOCUMENT_BYTES, out, err);
}

int jd_read_object(const char *file, struct jl_buffer *out, struct joulie_error *err)
{
    return read_file(file, JL_LIMIT_OBJECT_BYTES, out, err);
}
