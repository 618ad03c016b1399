/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* getdents64 */

/* The only file of the library that makes system calls, beside enforce/client_socket.c: each
 * function below is one, made again only when a signal came in between. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* renameat */
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/os.h"

static void count(void *user)
{
    struct jl_os_counts *counts = user;
    if (counts != NULL)
        counts->calls++;
}

static void count_write(void *user)
{
    struct jl_os_counts *counts = user;
    if (counts != NULL)
        counts->writes++;
}

static int64_t result(int64_t got)
{
    return got < 0 ? -errno : got;
}

/* A file system in user space answers EINTR where the kernel's own never would. */
#define AGAIN(user, got, call) \
    do {                       \
        count(user);           \
        (got) = (call);        \
    } while ((got) < 0 && errno == EINTR)

static int os_open(void *user, int dir_fd, const char *name, unsigned flags)
{
    int how = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    how |= flags & JL_OS_WRITE ? O_RDWR : flags & JL_OS_WRITE_ONLY ? O_WRONLY : O_RDONLY;
    how |= flags & JL_OS_FOLDER_FD ? O_DIRECTORY : 0;
    how |= flags & JL_OS_CREATE ? O_CREAT : 0;
    how |= flags & JL_OS_EXCLUSIVE ? O_EXCL : 0;
    how |= flags & JL_OS_APPEND ? O_APPEND : 0;
    int fd = 0;
    AGAIN(user, fd, openat(dir_fd, name, how, 0600));
    return (int)result(fd);
}

static int os_close(void *user, int fd)
{
    count(user); /* also after EINTR the descriptor is gone */
    return (int)result(close(fd));
}

static int64_t os_pread(void *user, int fd, void *bytes, size_t len, uint64_t offset)
{
    ssize_t got = 0;
    AGAIN(user, got, pread(fd, bytes, len, (off_t)offset));
    return result(got);
}

static int64_t os_pwrite(void *user, int fd, const void *bytes, size_t len, uint64_t offset)
{
    ssize_t got = 0;
    count_write(user);
    AGAIN(user, got, pwrite(fd, bytes, len, (off_t)offset));
    return result(got);
}

static int64_t os_append(void *user, int fd, const void *bytes, size_t len)
{
    ssize_t got = 0;
    count_write(user);
    AGAIN(user, got, write(fd, bytes, len));
    return result(got);
}

static void describe(const struct stat *from, struct jl_os_file *out)
{
    *out = (struct jl_os_file){
        .kind = S_ISREG(from->st_mode)   ? JL_OS_FILE
                : S_ISDIR(from->st_mode) ? JL_OS_FOLDER
                : S_ISLNK(from->st_mode) ? JL_OS_LINK
                                         : JL_OS_OTHER,
        .mode = from->st_mode & 07777,
        .uid = from->st_uid,
        .size_bytes = from->st_size > 0 ? (uint64_t)from->st_size : 0,
        .device = from->st_dev,
        .inode = from->st_ino,
        .mtime_ns = from->st_mtim.tv_sec * INT64_C(1000000000) + from->st_mtim.tv_nsec,
    };
}

static int os_stat(void *user, int dir_fd, const char *name, struct jl_os_file *out)
{
    struct stat found;
    count(user);
    if (fstatat(dir_fd, name, &found, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    describe(&found, out);
    return 0;
}

static int os_fstat(void *user, int fd, struct jl_os_file *out)
{
    struct stat found;
    count(user);
    if (fstat(fd, &found) < 0)
        return -errno;
    describe(&found, out);
    return 0;
}

static int64_t os_list(void *user, int fd, char *names, size_t size)
{
    union { /* aligned for records */
        struct dirent64 first;
        char bytes[JL_OS_LIST_BYTES];
    } records;

    count(user);
    const ssize_t got = getdents64(fd, &records, size < sizeof records ? size : sizeof records);
    if (got < 0)
        return -errno;
    size_t used = 0; /* a name takes less room than its record */
    for (size_t at = 0; at < (size_t)got;) {
        const struct dirent64 *record = (const void *)(records.bytes + at);
        const size_t bytes = strlen(record->d_name) + 1;
        memcpy(names + used, record->d_name, bytes);
        used += bytes;
        at += record->d_reclen;
    }
    return (int64_t)used;
}

static int os_truncate(void *user, int fd, uint64_t size)
{
    int got = 0;
    AGAIN(user, got, ftruncate(fd, (off_t)size));
    return (int)result(got);
}

static int os_sync(void *user, int fd)
{
    struct jl_os_counts *counts = user;
    int got = 0;
    if (counts != NULL)
        counts->syncs++;
    AGAIN(user, got, fsync(fd));
    return (int)result(got);
}

static int os_rename(void *user, int dir_fd, const char *from, int to_fd, const char *to)
{
    count(user);
    return (int)result(renameat(dir_fd, from, to_fd, to));
}

static int os_unlink(void *user, int dir_fd, const char *name)
{
    count(user);
    return (int)result(unlinkat(dir_fd, name, 0));
}

static int os_mkdir(void *user, int dir_fd, const char *name)
{
    count(user);
    return (int)result(mkdirat(dir_fd, name, 0700));
}

static int os_lock(void *user, int fd)
{
    int got = 0;
    AGAIN(user, got, flock(fd, LOCK_EX | LOCK_NB));
    return (int)result(got);
}

struct jl_os jl_os_linux(struct jl_os_counts *counts)
{
    return (struct jl_os){
        .user = counts,
        .open = os_open,
        .close = os_close,
        .pread = os_pread,
        .pwrite = os_pwrite,
        .append = os_append,
        .stat = os_stat,
        .fstat = os_fstat,
        .list = os_list,
        .truncate = os_truncate,
        .sync = os_sync,
        .rename = os_rename,
        .unlink = os_unlink,
        .mkdir = os_mkdir,
        .lock = os_lock,
    };
}

int jl_os_open_folder(const char *path)
{
    int fd = 0;
    AGAIN(NULL, fd, openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return (int)result(fd);
}

int jl_os_read_link(int dir_fd, const char *name, char *out, size_t size)
{
    const ssize_t got = readlinkat(dir_fd, name, out, size - 1);
    if (got < 0)
        return -errno;
    out[got] = '\0';
    return (int)got;
}

int64_t jl_os_pid(void)
{
    return getpid();
}

uint32_t jl_os_uid(void)
{
    return geteuid();
}
