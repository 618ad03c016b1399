/* SPDX-License-Identifier: Apache-2.0 */
/* The table of system calls over the model: counted, and able to stop before any of them. */

#include <errno.h>

#include "parts.h"

static int enter(struct fk *fk)
{
    if (fk->is_stopped)
        return -EIO;
    if (fk->stop_in > 0 && --fk->stop_in == 0) {
        fk->is_stopped = true;
        if (fk->stop)
            fk->stop(fk->stop_user);
        return -EIO;
    }
    fk->counts.calls++;
    return 0;
}

/* A negative descriptor (AT_FDCWD) is the root. */
static struct fk_node *folder_of(struct fk *fk, int fd)
{
    return fd < 0 ? fk->root : fk_vfs_folder(fk, fd);
}

static int os_open(void *user, int dir_fd, const char *name, unsigned flags)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    if (rc < 0)
        return rc;
    struct fk_node *folder = folder_of(fk, dir_fd);
    return folder ? fk_vfs_open(fk, folder, name, flags, 0600) : -ENOENT;
}

static int os_close(void *user, int fd)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    return rc < 0 ? rc : fk_vfs_close(fk, fd);
}

static int64_t os_pread(void *user, int fd, void *bytes, size_t len, uint64_t offset)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    return rc < 0 ? rc : fk_vfs_pread(fk, fd, bytes, len, offset);
}

static int64_t os_pwrite(void *user, int fd, const void *bytes, size_t len, uint64_t offset)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    if (rc < 0)
        return rc;
    fk->counts.writes++;
    return fk_vfs_pwrite(fk, fd, bytes, len, offset);
}

static int64_t os_append(void *user, int fd, const void *bytes, size_t len)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    if (rc < 0)
        return rc;
    fk->counts.writes++;
    return fk_vfs_append(fk, fd, bytes, len);
}

static void describe(const struct fk_node *node, struct jl_os_file *out)
{
    *out = (struct jl_os_file){
        .kind = node->kind == FK_FILE     ? JL_OS_FILE
                : node->kind == FK_FOLDER ? JL_OS_FOLDER
                : node->kind == FK_LINK   ? JL_OS_LINK
                                          : JL_OS_OTHER,
        .mode = node->kind == FK_LINK ? 0777 : node->mode,
        .uid = jl_os_uid(), /* everything belongs to who runs the test */
        .size_bytes = fk_size(node),
        .inode = node->inode,
        .mtime_ns = node->mtime_ns,
    };
}

static int os_stat(void *user, int dir_fd, const char *name, struct jl_os_file *out)
{
    struct fk *fk = user;
    struct fk_node *node = NULL;
    int rc = enter(fk);
    if (rc < 0)
        return rc;
    struct fk_node *folder = folder_of(fk, dir_fd);
    rc = folder ? fk_vfs_stat(fk, folder, name, &node) : -ENOENT;
    if (rc == 0)
        describe(node, out);
    return rc;
}

static int os_fstat(void *user, int fd, struct jl_os_file *out)
{
    struct fk *fk = user;
    struct fk_node *node = NULL;
    int rc = enter(fk);
    if (rc < 0)
        return rc;
    rc = fk_vfs_fstat(fk, fd, &node);
    if (rc == 0)
        describe(node, out);
    return rc;
}

static int64_t os_list(void *user, int fd, char *names, size_t size)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    return rc < 0 ? rc : fk_vfs_list(fk, fd, names, size);
}

static int os_truncate(void *user, int fd, uint64_t size)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    return rc < 0 ? rc : fk_vfs_ftruncate(fk, fd, size);
}

static int os_sync(void *user, int fd)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    if (rc < 0)
        return rc;
    fk->counts.syncs++;
    return fk_vfs_sync(fk, fd);
}

static int os_rename(void *user, int dir_fd, const char *from, int to_fd, const char *to)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    if (rc < 0)
        return rc;
    struct fk_node *source = folder_of(fk, dir_fd);
    struct fk_node *target = folder_of(fk, to_fd);
    return source && target ? fk_vfs_rename(fk, source, from, target, to) : -ENOENT;
}

static int os_unlink(void *user, int dir_fd, const char *name)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    if (rc < 0)
        return rc;
    struct fk_node *folder = folder_of(fk, dir_fd);
    return folder ? fk_vfs_unlink(fk, folder, name) : -ENOENT;
}

static int os_mkdir(void *user, int dir_fd, const char *name)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    if (rc < 0)
        return rc;
    struct fk_node *folder = folder_of(fk, dir_fd);
    return folder ? fk_vfs_mkdir(fk, folder, name, 0700) : -ENOENT;
}

static int os_lock(void *user, int fd)
{
    struct fk *fk = user;
    const int rc = enter(fk);
    return rc < 0 ? rc : fk_vfs_lock(fk, fd);
}

struct jl_os fk_os(struct fk *fk)
{
    return (struct jl_os){
        .user = fk,
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

int fk_open_folder(struct fk *fk, const char *path)
{
    return fk_vfs_open(fk, fk->root, path[0] == '\0' ? "." : path, JL_OS_FOLDER_FD, 0);
}

struct jl_os_counts fk_counts(const struct fk *fk)
{
    return fk->counts;
}

void fk_stop_at(struct fk *fk, uint64_t n, void (*callback)(void *user), void *user)
{
    fk->stop_in = n;
    fk->stop = callback;
    fk->stop_user = user;
}

bool fk_is_stopped(const struct fk *fk)
{
    return fk->is_stopped;
}
