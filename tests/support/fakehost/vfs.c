/* SPDX-License-Identifier: Apache-2.0 */
/* What a process can do with the files, as Linux does it, with the faults in between. */

#include <errno.h>
#include <string.h>

#include "parts.h"

#define FIRST_FD 1000 /* no descriptor of the real process is meant by accident */
#define JOURNAL_MAX ((uint64_t)1 << 30)
#define DOTS 2

enum { DOT = 1, DOT_DOT = 2 }; /* fk_file.listed of the two first names */

/* ---- descriptors ---- */

static struct fk_file *file_of(struct fk *fk, int fd)
{
    const size_t index = (size_t)(fd - FIRST_FD);
    if (fd < FIRST_FD || index >= fk->file_count || !fk->files[index].node)
        return NULL;
    return &fk->files[index];
}

static int new_fd(struct fk *fk, struct fk_node *node, unsigned flags)
{
    size_t index = 0;
    while (index < fk->file_count && fk->files[index].node)
        index++;
    if (index == fk->file_count)
        fk->files = fk_grow(fk->files, &fk->file_capacity, ++fk->file_count, sizeof *fk->files);
    fk->files[index] = (struct fk_file){ .node = node, .life = node->life, .flags = flags };
    return FIRST_FD + (int)index;
}

static bool is_gone(const struct fk_file *file)
{
    return file->life != file->node->life;
}

int fk_vfs_close(struct fk *fk, int fd)
{
    struct fk_file *file = file_of(fk, fd);
    if (!file)
        return -EBADF;
    if (file->node->lock_fd == fd)
        file->node->lock_fd = -1;
    file->node = NULL;
    return 0;
}

void fk_close_all(struct fk *fk)
{
    for (size_t i = 0; i < fk->file_count; i++)
        (void)fk_vfs_close(fk, FIRST_FD + (int)i);
}

struct fk_node *fk_vfs_folder(struct fk *fk, int fd)
{
    const struct fk_file *file = file_of(fk, fd);
    return file && file->node->kind == FK_FOLDER && !is_gone(file) ? file->node : NULL;
}

/* ---- opening ---- */

static bool may_change(unsigned flags)
{
    return (flags & (JL_OS_WRITE | JL_OS_WRITE_ONLY)) != 0;
}

/* Root may read everything; a file without a write bit has no store function, for root neither. */
static int permission(const struct fk *fk, const struct fk_node *node, unsigned flags)
{
    const bool is_read = !(flags & JL_OS_WRITE_ONLY);
    const unsigned bits = fk->is_root ? 0777 : 0007;
    if (may_change(flags) && node->is_kernel && !(node->mode & 0222 & bits))
        return -EACCES;
    if (fk->is_root || !node->is_kernel)
        return 0;
    return is_read && !(node->mode & 0004) ? -EACCES : 0;
}

/* The path that a new name will have. */
static const char *new_path(struct fk *fk, const struct fk_place *place)
{
    fk_path(fk, place->folder);
    if (fk->path.len > 0)
        jl_put_char(&fk->path, '/');
    jl_put_string(&fk->path, place->name);
    return fk->path.data;
}

static const char *place_path(struct fk *fk, const struct fk_place *place)
{
    return place->node ? fk_path(fk, place->node) : new_path(fk, place);
}

static int create(struct fk *fk, const struct fk_place *place, unsigned mode)
{
    if (place->must_be_folder)
        return -EISDIR;
    if (place->folder->is_kernel)
        return -EACCES;
    struct fk_node *node = fk_node_new(fk, FK_FILE, mode);
    fk_attach(fk, place->folder, place->name, node);
    return 0;
}

static int check_open(struct fk *fk, const struct fk_place *place, unsigned flags)
{
    const struct fk_node *node = place->node;
    if (node->kind == FK_LINK)
        return flags & JL_OS_FOLDER_FD ? -ENOTDIR : -ELOOP;
    if (node->kind == FK_FOLDER)
        return may_change(flags) || (flags & JL_OS_CREATE) ? -EISDIR : 0;
    if (flags & JL_OS_FOLDER_FD)
        return -ENOTDIR;
    if (node->kind == FK_OTHER)
        return may_change(flags) ? -ENXIO : 0;
    return permission(fk, node, flags);
}

int fk_vfs_open(struct fk *fk, struct fk_node *from, const char *path, unsigned flags,
                unsigned mode)
{
    struct fk_place place;
    int rc = fk_walk(fk, from, path, &place);
    if (rc < 0)
        return rc;
    rc = fk_rule_error(fk, FK_OP_OPEN, place_path(fk, &place));
    if (rc < 0)
        return rc;
    if (!place.node && !(flags & JL_OS_CREATE))
        return -ENOENT;
    if (place.node && (flags & JL_OS_CREATE) && (flags & JL_OS_EXCLUSIVE))
        return -EEXIST;
    if ((may_change(flags) || !place.node) && fk_rule_readonly(fk, place_path(fk, &place)))
        return -EROFS;
    if (!place.node) {
        rc = create(fk, &place, mode);
        if (rc < 0)
            return rc;
        place.node = place.folder->names.items[place.folder->names.count - 1].node;
    } else {
        rc = check_open(fk, &place, flags);
        if (rc < 0)
            return rc;
    }
    return new_fd(fk, place.node, flags);
}

/* ---- reading ---- */

static int64_t read_kernel(struct fk *fk, struct fk_node *node, void *bytes, size_t len,
                           uint64_t offset)
{
    struct jl_buffer text = { 0 };
    const int rc = fk_live_read(fk, node, &text);
    size_t count = 0;
    if (rc == 0 && offset < text.len) {
        count = text.len - (size_t)offset < len ? text.len - (size_t)offset : len;
        memcpy(bytes, text.data + offset, count);
    }
    jl_buffer_clear(&text);
    return rc < 0 ? rc : (int64_t)count;
}

int64_t fk_vfs_pread(struct fk *fk, int fd, void *bytes, size_t len, uint64_t offset)
{
    struct fk_file *file = file_of(fk, fd);
    if (!file || (file->flags & JL_OS_WRITE_ONLY))
        return -EBADF;
    if (is_gone(file))
        return -ENODEV;
    struct fk_node *node = file->node;
    if (node->kind == FK_FOLDER)
        return -EISDIR;
    const int error = fk_rule_error(fk, FK_OP_READ, fk_path(fk, node));
    if (error < 0)
        return error;
    const int64_t got = read_kernel(fk, node, bytes, len, offset);
    if (node->is_kernel && offset == 0)
        fk_rule_read(fk, node, fk_path(fk, node));
    return got;
}

/* ---- writing ---- */

static int64_t write_kernel(struct fk *fk, struct fk_node *node, const char *bytes, size_t len)
{
    const struct fk_rule *round = fk_rule_use(fk, FK_OP_ROUND, fk_path(fk, node));
    const uint64_t unit_uw = round ? round->value : FK_POWER_UNIT_UW;
    const int rc = fk_live_write(fk, node, bytes, len, unit_uw);
    return rc < 0 ? rc : (int64_t)len;
}

static int64_t write_ordinary(struct fk *fk, struct fk_node *node, const char *bytes, size_t len,
                              uint64_t offset)
{
    const struct fk_rule *brief = fk_rule_use(fk, FK_OP_SHORT, fk_path(fk, node));
    if (brief && brief->value < len)
        len = (size_t)brief->value;
    if (offset > JOURNAL_MAX || len > JOURNAL_MAX)
        return -EFBIG;
    const uint64_t old = node->bytes.len;
    const uint64_t end = offset + len;
    uint64_t growth = end > old ? end - old : 0;
    if (growth > fk->space_left) {
        const uint64_t missing = growth - fk->space_left;
        if (missing >= len)
            return -ENOSPC;
        len -= (size_t)missing;
        growth -= missing;
    }
    if (fk->space_left != UINT64_MAX)
        fk->space_left -= growth;
    fk_bytes_put(&node->bytes, (size_t)offset, bytes, len);
    fk_touch(fk, node);
    return (int64_t)len;
}

static int64_t write_to(struct fk *fk, struct fk_file *file, const void *bytes, size_t len,
                        uint64_t offset)
{
    struct fk_node *node = file->node;
    if (is_gone(file))
        return -ENODEV;
    if (node->kind != FK_FILE)
        return -EINVAL;
    node->writes++;
    const int error = fk_rule_error(fk, FK_OP_WRITE, fk_path(fk, node));
    if (error < 0)
        return error;
    if (fk_rule_use(fk, FK_OP_IGNORE, fk_path(fk, node)))
        return (int64_t)len;
    if (node->is_kernel)
        return write_kernel(fk, node, bytes, len);
    return write_ordinary(fk, node, bytes, len, offset);
}

int64_t fk_vfs_pwrite(struct fk *fk, int fd, const void *bytes, size_t len, uint64_t offset)
{
    struct fk_file *file = file_of(fk, fd);
    if (!file || !may_change(file->flags))
        return -EBADF;
    /* Linux appends here too, whatever the offset. */
    if (file->flags & JL_OS_APPEND)
        offset = file->node->bytes.len;
    return write_to(fk, file, bytes, len, offset);
}

int64_t fk_vfs_append(struct fk *fk, int fd, const void *bytes, size_t len)
{
    struct fk_file *file = file_of(fk, fd);
    if (!file || !may_change(file->flags))
        return -EBADF;
    const bool is_append = (file->flags & JL_OS_APPEND) != 0;
    const uint64_t offset = is_append ? file->node->bytes.len : file->position;
    const int64_t done = write_to(fk, file, bytes, len, offset);
    if (done > 0)
        file->position = offset + (uint64_t)done;
    return done;
}

int fk_vfs_truncate(struct fk *fk, struct fk_node *node, uint64_t size)
{
    if (node->kind == FK_FOLDER)
        return -EISDIR;
    if (node->kind != FK_FILE)
        return -EINVAL;
    const int error = fk_rule_error(fk, FK_OP_TRUNCATE, fk_path(fk, node));
    if (error < 0)
        return error;
    if (fk_rule_readonly(fk, fk_path(fk, node)))
        return -EROFS;
    if (node->is_kernel)
        return 0; /* sysfs takes it and does nothing */
    if (size > JOURNAL_MAX)
        return -EFBIG;
    fk_bytes_resize(&node->bytes, (size_t)size);
    fk_touch(fk, node);
    return 0;
}

int fk_vfs_ftruncate(struct fk *fk, int fd, uint64_t size)
{
    const struct fk_file *file = file_of(fk, fd);
    if (!file)
        return -EBADF;
    if (!may_change(file->flags))
        return -EINVAL;
    return is_gone(file) ? -ENODEV : fk_vfs_truncate(fk, file->node, size);
}

int fk_vfs_sync(struct fk *fk, int fd)
{
    const struct fk_file *file = file_of(fk, fd);
    if (!file)
        return -EBADF;
    struct fk_node *node = file->node;
    const int error = fk_rule_error(fk, FK_OP_SYNC, fk_path(fk, node));
    if (error < 0 || node->is_kernel)
        return error;
    if (node->kind == FK_FOLDER)
        fk_names_copy(&node->kept_names, &node->names);
    else
        fk_bytes_set(&node->kept_bytes, node->bytes.data, node->bytes.len);
    return 0;
}

int fk_vfs_lock(struct fk *fk, int fd)
{
    const struct fk_file *file = file_of(fk, fd);
    if (!file)
        return -EBADF;
    struct fk_node *node = file->node;
    const int error = fk_rule_error(fk, FK_OP_LOCK, fk_path(fk, node));
    if (error < 0)
        return error;
    if (node->lock_fd >= 0 && node->lock_fd != fd)
        return -EWOULDBLOCK;
    node->lock_fd = fd;
    return 0;
}

/* ---- names ---- */

uint64_t fk_size(const struct fk_node *node)
{
    switch (node->kind) {
    case FK_FOLDER:
        return node->is_kernel ? 0 : FK_SYSFS_SIZE;
    case FK_LINK:
        return strlen(node->target);
    case FK_FILE:
        break;
    case FK_OTHER:
        return 0;
    }
    if (!node->is_kernel)
        return node->bytes.len;
    const struct fk_node *top = node;
    while (top->parent && top->parent->parent)
        top = top->parent;
    return strcmp(top->name, "proc") == 0 ? 0 : FK_SYSFS_SIZE;
}

int fk_vfs_stat(struct fk *fk, struct fk_node *from, const char *path, struct fk_node **out)
{
    struct fk_place place;
    int rc = fk_walk(fk, from, path, &place);
    if (rc < 0)
        return rc;
    rc = fk_rule_error(fk, FK_OP_STAT, place_path(fk, &place));
    if (rc < 0)
        return rc;
    if (!place.node)
        return -ENOENT;
    *out = place.node;
    return 0;
}

int fk_vfs_fstat(struct fk *fk, int fd, struct fk_node **out)
{
    const struct fk_file *file = file_of(fk, fd);
    if (!file)
        return -EBADF;
    *out = file->node; /* a vanished attribute can still be asked for its mode */
    return 0;
}

/* The next name in the order of a kernel: none that anybody may rely on. */
static const struct fk_entry *next_entry(const struct fk_node *folder, uint64_t before)
{
    const struct fk_entry *best = NULL;
    for (size_t i = 0; i < folder->names.count; i++) {
        const struct fk_entry *entry = &folder->names.items[i];
        if (entry->order < before && (!best || entry->order > best->order))
            best = entry;
    }
    return best;
}

/* A name and what the position is after it; NULL = the end. */
static const char *next_name(const struct fk_file *file, uint64_t *listed)
{
    if (*listed < DOT_DOT)
        return ++*listed == DOT ? "." : "..";
    const struct fk_entry *entry =
        next_entry(file->node, *listed == DOT_DOT ? UINT64_MAX : *listed - DOTS);
    if (!entry)
        return NULL;
    *listed = entry->order + DOTS;
    return entry->name;
}

int64_t fk_vfs_list(struct fk *fk, int fd, char *names, size_t size)
{
    struct fk_file *file = file_of(fk, fd);
    if (!file)
        return -EBADF;
    if (file->node->kind != FK_FOLDER)
        return -ENOTDIR;
    if (is_gone(file))
        return -ENOENT;
    const int error = fk_rule_error(fk, FK_OP_LIST, fk_path(fk, file->node));
    if (error < 0)
        return error;
    size_t used = 0;
    for (;;) {
        uint64_t listed = file->listed;
        const char *name = next_name(file, &listed);
        if (!name)
            return (int64_t)used;
        const size_t len = strlen(name) + 1;
        if (len > size - used)
            return used > 0 ? (int64_t)used : -EINVAL;
        memcpy(names + used, name, len);
        used += len;
        file->listed = listed;
    }
}

void fk_vfs_rewind(struct fk *fk, int fd)
{
    struct fk_file *file = file_of(fk, fd);
    if (file)
        file->listed = 0;
}

static int check_change(struct fk *fk, enum fk_op op, const struct fk_place *place)
{
    const int error = fk_rule_error(fk, op, place_path(fk, place));
    if (error < 0)
        return error;
    if (fk_rule_readonly(fk, place_path(fk, place)))
        return -EROFS;
    return place->folder->is_kernel || (place->node && place->node->is_kernel) ? -EPERM : 0;
}

static bool is_above(const struct fk_node *node, const struct fk_node *below)
{
    for (; below; below = below->parent) {
        if (below == node)
            return true;
    }
    return false;
}

/* Whether the target may be replaced by the source. */
static int check_replace(const struct fk_node *source, const struct fk_node *target)
{
    if (source->kind == FK_FOLDER && target->kind != FK_FOLDER)
        return -ENOTDIR;
    if (source->kind != FK_FOLDER && target->kind == FK_FOLDER)
        return -EISDIR;
    return target->names.count > 0 ? -ENOTEMPTY : 0;
}

int fk_vfs_rename(struct fk *fk, struct fk_node *from_folder, const char *from,
                  struct fk_node *to_folder, const char *to)
{
    struct fk_place source;
    struct fk_place target;
    int rc = fk_walk(fk, from_folder, from, &source);
    if (rc == 0)
        rc = fk_walk(fk, to_folder, to, &target);
    if (rc == 0 && !source.node)
        rc = -ENOENT;
    if (rc == 0)
        rc = check_change(fk, FK_OP_RENAME, &source);
    if (rc == 0)
        rc = check_change(fk, FK_OP_RENAME, &target);
    if (rc < 0 || source.node == target.node)
        return rc;
    if (is_above(source.node, target.folder))
        return -EINVAL;
    if (target.node && is_above(target.node, source.folder))
        return -ENOTEMPTY;
    if (target.node) {
        rc = check_replace(source.node, target.node);
        if (rc < 0)
            return rc;
        fk_detach(target.node);
    }
    fk_detach(source.node);
    fk_attach(fk, target.folder, target.name, source.node);
    return 0;
}

static int remove_name(struct fk *fk, struct fk_node *from, const char *path, bool is_folder)
{
    struct fk_place place;
    int rc = fk_walk(fk, from, path, &place);
    if (rc < 0)
        return rc;
    if (!place.node)
        return -ENOENT;
    rc = check_change(fk, FK_OP_UNLINK, &place);
    if (rc < 0)
        return rc;
    if (is_folder != (place.node->kind == FK_FOLDER))
        return is_folder ? -ENOTDIR : -EISDIR;
    if (place.node->names.count > 0)
        return -ENOTEMPTY;
    if (!place.node->parent)
        return -EBUSY;
    fk_touch(fk, place.node->parent);
    fk_detach(place.node);
    return 0;
}

int fk_vfs_unlink(struct fk *fk, struct fk_node *from, const char *path)
{
    return remove_name(fk, from, path, false);
}

int fk_vfs_rmdir(struct fk *fk, struct fk_node *from, const char *path)
{
    return remove_name(fk, from, path, true);
}

int fk_vfs_mkdir(struct fk *fk, struct fk_node *from, const char *path, unsigned mode)
{
    struct fk_place place;
    int rc = fk_walk(fk, from, path, &place);
    if (rc < 0)
        return rc;
    if (place.node)
        return -EEXIST;
    rc = check_change(fk, FK_OP_MKDIR, &place);
    if (rc < 0)
        return rc;
    fk_attach(fk, place.folder, place.name, fk_node_new(fk, FK_FOLDER, mode));
    return 0;
}
