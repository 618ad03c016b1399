/* SPDX-License-Identifier: Apache-2.0 */

/* The file of --status: written beside and renamed, so that a reader never sees half of it. */

#include "agent/status_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/file.h"

#define STATUS_MODE 0644 /* who may read it is for its folder to say */

int jd_status_file_open(struct jd_status_file *status, const char *path, struct joulie_error *err)
{
    struct stat facts;
    status->is_standard = jl_same(path, "-");
    if (!path || status->is_standard)
        return 0;
    const bool is_there = stat(path, &facts) == 0;
    if (is_there && !S_ISREG(facts.st_mode))
        return jl_fail(err, JOULIE_E_IO, "", "%s: is not a regular file", path);
    char *real = is_there ? realpath(path, NULL) : NULL;
    status->path = jl_strdup(real ? real : path);
    free(real);
    return status->path ? 0 : jl_fail_memory(err);
}

void jd_status_file_close(struct jd_status_file *status)
{
    jl_free(status->path);
    *status = (struct jd_status_file){ 0 };
}

static int write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        const ssize_t put = write(fd, bytes, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return -1;
        bytes += put;
        len -= (size_t)put;
    }
    return 0;
}

/* A reader that does not read must not stop the agent. */
static int write_standard(const struct jl_buffer *text)
{
    struct pollfd ready = { .fd = STDOUT_FILENO, .events = POLLOUT };
    errno = EAGAIN;
    return poll(&ready, 1, 0) == 1 ? write_all(STDOUT_FILENO, text->data, text->len) : -1;
}

/* A new file with all of the text on the disk; a file system without fsync has done what it can. */
static int write_new(const char *path, const struct jl_buffer *text)
{
    JL_CLEANUP(jd_closep)
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, STATUS_MODE);
    if (fd < 0 || fchmod(fd, STATUS_MODE) != 0 || write_all(fd, text->data, text->len) != 0)
        return -1;
    return fsync(fd) == 0 || errno == EINVAL ? 0 : -1;
}

/* FOLDER/.NAME.PID beside FOLDER/NAME; the number keeps two agents out of each other's way. */
static void put_beside(struct jl_buffer *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    jl_put(out, path, (size_t)(name - path));
    jl_put_char(out, '.');
    jl_put_string(out, name);
    jl_put_char(out, '.');
    jl_put_i64(out, getpid());
}

static int replace(const char *path, const struct jl_buffer *text)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer beside = { 0 };
    int rc = -1;
    errno = ENOMEM;
    put_beside(&beside, path);
    if (!beside.is_failed) {
        unlink(beside.data); /* of a process that had our number and was killed here */
        rc = write_new(beside.data, text);
        if (rc == 0)
            rc = rename(beside.data, path);
        const int number = errno;
        if (rc != 0)
            unlink(beside.data);
        errno = number;
    }
    return rc;
}

bool jd_status_file_write(struct jd_status_file *status, const struct jl_buffer *text)
{
    int rc = 0;
    if (status->is_standard)
        rc = write_standard(text);
    else if (status->path)
        rc = replace(status->path, text);
    const char *name = status->is_standard ? "standard output" : status->path;
    if (rc != 0 && !status->is_failed)
        jd_log(status->log, JOULIE_LOG_LEVEL_ERROR, "status",
               "%s: %s; it is tried again each interval", name, strerror(errno));
    else if (rc == 0 && status->is_failed)
        jd_log(status->log, JOULIE_LOG_LEVEL_INFO, "status", "%s: can be written again", name);
    status->is_failed = rc != 0;
    return rc == 0;
}
