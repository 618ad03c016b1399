/* SPDX-License-Identifier: Apache-2.0 */
/* A mounted folder whose files are those of the model: errors and vanishing zones included. One
 * thread, nothing is cached by the kernel. */

#define FUSE_USE_VERSION 31

#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faces.h"

static struct fk *enter(void)
{
    struct fk_serve *serve = fuse_get_context()->private_data;
    fk_catch_up(serve);
    return serve->fk;
}

/* "/sys/x" to "sys/x", "/" to ".". */
static const char *below_root(const char *path)
{
    return path[1] == '\0' ? "." : path + 1;
}

static int fd_of(const struct fuse_file_info *info)
{
    return (int)info->fh;
}

static unsigned flags_of(int flags)
{
    unsigned out = (flags & O_ACCMODE) == O_RDWR     ? JL_OS_WRITE
                   : (flags & O_ACCMODE) == O_WRONLY ? JL_OS_WRITE_ONLY
                                                     : JL_OS_READ;
    if (flags & O_APPEND)
        out |= JL_OS_APPEND;
    return out;
}

static void fill_stat(const struct fk_node *node, struct stat *out)
{
    static const mode_t kinds[] = {
        [FK_FILE] = S_IFREG, [FK_FOLDER] = S_IFDIR, [FK_LINK] = S_IFLNK, [FK_OTHER] = S_IFIFO
    };
    *out = (struct stat){
        .st_ino = node->inode,
        .st_mode = kinds[node->kind] | node->mode,
        .st_nlink = node->kind == FK_FOLDER ? 2 : 1,
        .st_uid = geteuid(),
        .st_gid = getegid(),
        .st_size = (off_t)fk_size(node),
        .st_mtim = { node->mtime_ns / 1000000000, node->mtime_ns % 1000000000 },
    };
    out->st_ctim = out->st_atim = out->st_mtim;
}

static int op_getattr(const char *path, struct stat *out, struct fuse_file_info *info)
{
    struct fk *fk = enter();
    struct fk_node *node = NULL;
    const int rc = info ? fk_vfs_fstat(fk, fd_of(info), &node)
                        : fk_vfs_stat(fk, fk->root, below_root(path), &node);
    if (rc == 0)
        fill_stat(node, out);
    return rc;
}

static int op_readlink(const char *path, char *out, size_t size)
{
    struct fk *fk = enter();
    struct fk_node *node = NULL;
    const int rc = fk_vfs_stat(fk, fk->root, below_root(path), &node);
    if (rc < 0 || node->kind != FK_LINK)
        return rc < 0 ? rc : -EINVAL;
    snprintf(out, size, "%s", node->target);
    return 0;
}

static int open_with(const char *path, struct fuse_file_info *info, unsigned flags, mode_t mode)
{
    struct fk *fk = enter();
    const int fd = fk_vfs_open(fk, fk->root, below_root(path), flags, mode & 07777);
    if (fd < 0)
        return fd;
    info->fh = (uint64_t)fd;
    info->direct_io = 1;
    return 0;
}

static int op_open(const char *path, struct fuse_file_info *info)
{
    return open_with(path, info, flags_of(info->flags), 0);
}

static int op_create(const char *path, mode_t mode, struct fuse_file_info *info)
{
    unsigned flags = flags_of(info->flags) | JL_OS_CREATE;
    if (info->flags & O_EXCL)
        flags |= JL_OS_EXCLUSIVE;
    return open_with(path, info, flags, mode);
}

static int op_opendir(const char *path, struct fuse_file_info *info)
{
    return open_with(path, info, JL_OS_FOLDER_FD, 0);
}

static int op_release(const char *path, struct fuse_file_info *info)
{
    (void)path;
    return fk_vfs_close(enter(), fd_of(info));
}

static int op_read(const char *path, char *bytes, size_t size, off_t offset,
                   struct fuse_file_info *info)
{
    (void)path;
    return (int)fk_vfs_pread(enter(), fd_of(info), bytes, size, (uint64_t)offset);
}

static int op_write(const char *path, const char *bytes, size_t size, off_t offset,
                    struct fuse_file_info *info)
{
    (void)path;
    return (int)fk_vfs_pwrite(enter(), fd_of(info), bytes, size, (uint64_t)offset);
}

static int op_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                      struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
    struct fk *fk = enter();
    char names[4096];
    int64_t got;
    (void)path;
    (void)offset;
    (void)flags;
    fk_vfs_rewind(fk, fd_of(info));
    while ((got = fk_vfs_list(fk, fd_of(info), names, sizeof names)) > 0) {
        for (const char *name = names; name < names + got; name += strlen(name) + 1) {
            if (fill(buffer, name, NULL, 0, 0))
                return -ENOMEM;
        }
    }
    return (int)got;
}

static int op_truncate(const char *path, off_t size, struct fuse_file_info *info)
{
    struct fk *fk = enter();
    struct fk_node *node = NULL;
    if (info)
        return fk_vfs_ftruncate(fk, fd_of(info), (uint64_t)size);
    const int rc = fk_vfs_stat(fk, fk->root, below_root(path), &node);
    return rc < 0 ? rc : fk_vfs_truncate(fk, node, (uint64_t)size);
}

static int op_fsync(const char *path, int is_data_only, struct fuse_file_info *info)
{
    (void)path;
    (void)is_data_only;
    return fk_vfs_sync(enter(), fd_of(info));
}

static int op_mkdir(const char *path, mode_t mode)
{
    struct fk *fk = enter();
    return fk_vfs_mkdir(fk, fk->root, below_root(path), mode & 07777);
}

static int op_unlink(const char *path)
{
    struct fk *fk = enter();
    return fk_vfs_unlink(fk, fk->root, below_root(path));
}

static int op_rmdir(const char *path)
{
    struct fk *fk = enter();
    return fk_vfs_rmdir(fk, fk->root, below_root(path));
}

static int op_rename(const char *from, const char *to, unsigned flags)
{
    struct fk *fk = enter();
    if (flags)
        return -EINVAL;
    return fk_vfs_rename(fk, fk->root, below_root(from), fk->root, below_root(to));
}

static int op_chmod(const char *path, mode_t mode, struct fuse_file_info *info)
{
    struct fk *fk = enter();
    struct fk_node *node = NULL;
    (void)info;
    const int rc = fk_vfs_stat(fk, fk->root, below_root(path), &node);
    if (rc == 0)
        node->mode = mode & 07777;
    return rc;
}

static int op_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *info)
{
    struct fk *fk = enter();
    struct fk_node *node = NULL;
    (void)times;
    (void)info;
    return fk_vfs_stat(fk, fk->root, below_root(path), &node);
}

static void *op_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    (void)connection;
    config->entry_timeout = 0;
    config->attr_timeout = 0;
    config->negative_timeout = 0;
    config->use_ino = 1;
    config->hard_remove = 1;
    config->nullpath_ok = 1;
    return fuse_get_context()->private_data;
}

static const struct fuse_operations operations = {
    .init = op_init,
    .getattr = op_getattr,
    .readlink = op_readlink,
    .open = op_open,
    .create = op_create,
    .opendir = op_opendir,
    .release = op_release,
    .releasedir = op_release,
    .read = op_read,
    .write = op_write,
    .readdir = op_readdir,
    .truncate = op_truncate,
    .fsync = op_fsync,
    .fsyncdir = op_fsync,
    .mkdir = op_mkdir,
    .unlink = op_unlink,
    .rmdir = op_rmdir,
    .rename = op_rename,
    .chmod = op_chmod,
    .utimens = op_utimens,
};

static void be_quiet(enum fuse_log_level level, const char *format, va_list arguments)
{
    (void)level;
    (void)format;
    (void)arguments;
}

static int serve_mounted(struct fk_serve *serve, struct fuse *fuse)
{
    struct fuse_session *session = fuse_get_session(fuse);
    if (fuse_set_signal_handlers(session) != 0) {
        snprintf(serve->why, sizeof serve->why, "signals cannot be handled");
        return -1;
    }
    fk_say_ready(serve, "FUSE");
    const int rc = fuse_loop(fuse); /* the signal that ended it is a success */
    fuse_remove_signal_handlers(session);
    if (rc < 0)
        fprintf(stderr, "joulie-fakehost: %s: %s\n", serve->folder, strerror(-rc));
    return 0;
}

int fk_serve_fuse(struct fk_serve *serve)
{
    char program[] = "joulie-fakehost";
    char option[] = "-o";
    /* Another user may only be let in by root or where /etc/fuse.conf says so. */
    char root_values[] = "fsname=joulie-fakehost,default_permissions,allow_other";
    char values[] = "fsname=joulie-fakehost,default_permissions";
    char *arguments[] = { program, option, geteuid() == 0 ? root_values : values, NULL };
    struct fuse_args args = FUSE_ARGS_INIT(3, arguments);
    if (access("/dev/fuse", R_OK | W_OK) != 0) {
        snprintf(serve->why, sizeof serve->why, "/dev/fuse: %s", strerror(errno));
        return -1;
    }
    fuse_set_log_func(be_quiet);
    struct fuse *fuse = fuse_new(&args, &operations, sizeof operations, serve);
    int rc = -1;
    if (fuse && fuse_mount(fuse, serve->folder) == 0) {
        fuse_set_log_func(NULL);
        rc = serve_mounted(serve, fuse);
        fuse_unmount(fuse);
    } else {
        snprintf(serve->why, sizeof serve->why, "%s cannot be mounted: %s", serve->folder,
                 strerror(errno));
    }
    if (fuse)
        fuse_destroy(fuse);
    fuse_opt_free_args(&args);
    return rc;
}
