/* SPDX-License-Identifier: Apache-2.0 */
/* Folders, files and links in memory. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parts.h"

#define LINKS_MAX 40               /* as the kernel */
#define FILE_MAX ((off_t)16 << 20) /* no file of a host is larger */

struct fk_node *fk_node_new(struct fk *fk, enum fk_kind kind, unsigned mode)
{
    struct fk_node *node = fk_alloc(1, sizeof *node);
    node->kind = kind;
    node->mode = mode;
    node->inode = ++fk->last_inode;
    node->lock_fd = -1;
    node->next = fk->nodes;
    fk->nodes = node;
    fk_touch(fk, node);
    return node;
}

void fk_touch(struct fk *fk, struct fk_node *node)
{
    node->mtime_ns = fk->epoch_ns + fk->now_us * 1000 + (int64_t)(++fk->changes % 1000);
}

void fk_set_epoch(struct fk *fk, int64_t epoch_ns)
{
    for (struct fk_node *node = fk->nodes; node; node = node->next)
        node->mtime_ns += epoch_ns - fk->epoch_ns;
    fk->epoch_ns = epoch_ns;
}

struct fk_entry *fk_entry(struct fk_names *names, const char *name, size_t len)
{
    for (size_t i = 0; i < names->count; i++) {
        struct fk_entry *entry = &names->items[i];
        if (strncmp(entry->name, name, len) == 0 && entry->name[len] == '\0')
            return entry;
    }
    return NULL;
}

void fk_attach(struct fk *fk, struct fk_node *folder, const char *name, struct fk_node *node)
{
    struct fk_names *names = &folder->names;
    names->items = fk_grow(names->items, &names->capacity, names->count + 1, sizeof *names->items);
    names->items[names->count++] =
        (struct fk_entry){ fk_copy(name, strlen(name)), node, ++fk->last_order };
    free(node->name);
    node->name = fk_copy(name, strlen(name));
    node->parent = folder;
    fk_touch(fk, folder);
}

void fk_detach(struct fk_node *node)
{
    struct fk_names *names = &node->parent->names;
    struct fk_entry *entry = fk_entry(names, node->name, strlen(node->name));
    free(entry->name);
    *entry = names->items[--names->count];
    node->parent = NULL;
}

void fk_names_copy(struct fk_names *to, const struct fk_names *from)
{
    for (size_t i = 0; i < to->count; i++)
        free(to->items[i].name);
    to->items = fk_grow(to->items, &to->capacity, from->count, sizeof *to->items);
    for (size_t i = 0; i < from->count; i++) {
        to->items[i] = from->items[i];
        to->items[i].name = fk_copy(from->items[i].name, strlen(from->items[i].name));
    }
    to->count = from->count;
}

static int walk(struct fk *fk, struct fk_node *from, const char *path, int links,
                struct fk_place *out);

/* The folder that a link in the middle of a path leads to. */
static int follow(struct fk *fk, struct fk_node **node, int links)
{
    while ((*node)->kind == FK_LINK) {
        struct fk_place place;
        if (++links > LINKS_MAX)
            return -ELOOP;
        const int rc = walk(fk, (*node)->parent, (*node)->target, links, &place);
        if (rc < 0)
            return rc;
        if (!place.node)
            return -ENOENT;
        *node = place.node;
    }
    return (*node)->kind == FK_FOLDER ? 0 : -ENOTDIR;
}

static int walk(struct fk *fk, struct fk_node *from, const char *path, int links,
                struct fk_place *out)
{
    if (path[0] == '\0')
        return -ENOENT;
    struct fk_node *folder = path[0] == '/' ? fk->root : from;
    struct fk_place place = { .folder = folder, .node = folder };
    for (const char *at = path; *at;) {
        at += strspn(at, "/");
        const size_t len = strcspn(at, "/");
        if (len == 0)
            break;
        if (len >= sizeof place.name)
            return -ENAMETOOLONG;
        if (!place.node)
            return -ENOENT;
        const int rc = follow(fk, &place.node, links);
        if (rc < 0)
            return rc;
        place.folder = place.node;
        memcpy(place.name, at, len);
        place.name[len] = '\0';
        if (strcmp(place.name, ".") == 0) {
            place.node = place.folder;
        } else if (strcmp(place.name, "..") == 0) {
            place.node = place.folder->parent ? place.folder->parent : place.folder;
        } else {
            const struct fk_entry *entry = fk_entry(&place.folder->names, at, len);
            place.node = entry ? entry->node : NULL;
        }
        at += len;
        place.must_be_folder = *at == '/';
    }
    *out = place;
    return 0;
}

int fk_walk(struct fk *fk, struct fk_node *from, const char *path, struct fk_place *out)
{
    const int rc = walk(fk, from, path, 0, out);
    if (rc < 0 || !out->must_be_folder || !out->node)
        return rc;
    return follow(fk, &out->node, 0);
}

struct fk_node *fk_find(struct fk *fk, struct fk_node *from, const char *path)
{
    struct fk_place place;
    if (path[0] == '\0')
        return from;
    return fk_walk(fk, from, path, &place) < 0 ? NULL : place.node;
}

static void put_path(struct fk *fk, const struct fk_node *node)
{
    if (!node->parent)
        return;
    put_path(fk, node->parent);
    if (fk->path.len > 0)
        jl_put_char(&fk->path, '/');
    jl_put_string(&fk->path, node->name);
}

const char *fk_path(struct fk *fk, const struct fk_node *node)
{
    jl_buffer_reset(&fk->path);
    jl_put(&fk->path, "", 0);
    put_path(fk, node);
    return fk->path.data ? fk->path.data : "";
}

/* ---- from the disk ---- */

static int complain(char *why, size_t why_size, const char *path, const char *what)
{
    snprintf(why, why_size, "%s: %s", path, what);
    return -1;
}

static int load_file(struct fk_node *node, int folder_fd, const char *name, off_t size, char *path,
                     char *why, size_t why_size)
{
    if (size > FILE_MAX)
        return complain(why, why_size, path, "a file this large is of no host");
    const int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return complain(why, why_size, path, strerror(errno));
    char part[4096];
    ssize_t got;
    while ((got = read(fd, part, sizeof part)) > 0 && node->bytes.len <= (size_t)FILE_MAX)
        fk_bytes_put(&node->bytes, node->bytes.len, part, (size_t)got);
    const int error = errno;
    close(fd);
    return got < 0 ? complain(why, why_size, path, strerror(error)) : 0;
}

static int load_folder(struct fk *fk, struct fk_node *folder, int fd, const char *path, char *why,
                       size_t why_size);

static int load_one(struct fk *fk, struct fk_node *folder, int fd, const char *name, char *path,
                    char *why, size_t why_size)
{
    struct stat status;
    if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return complain(why, why_size, path, strerror(errno));
    const enum fk_kind kind = S_ISDIR(status.st_mode)   ? FK_FOLDER
                              : S_ISLNK(status.st_mode) ? FK_LINK
                              : S_ISREG(status.st_mode) ? FK_FILE
                                                        : FK_OTHER;
    struct fk_node *node = fk_node_new(fk, kind, status.st_mode & 07777);
    fk_attach(fk, folder, name, node);
    if (kind == FK_LINK) {
        char target[4096];
        const ssize_t len = readlinkat(fd, name, target, sizeof target);
        if (len < 0)
            return complain(why, why_size, path, strerror(errno));
        node->target = fk_copy(target, (size_t)len);
    }
    if (kind == FK_FILE)
        return load_file(node, fd, name, status.st_size, path, why, why_size);
    if (kind != FK_FOLDER)
        return 0;
    const int inner = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return complain(why, why_size, path, strerror(errno));
    return load_folder(fk, node, inner, path, why, why_size);
}

static int is_name(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Closes fd. */
static int load_folder(struct fk *fk, struct fk_node *folder, int fd, const char *path, char *why,
                       size_t why_size)
{
    struct dirent **names = NULL;
    const int count = scandirat(fd, ".", &names, is_name, alphasort);
    int rc = count < 0 ? complain(why, why_size, path, strerror(errno)) : 0;
    for (int i = 0; i < count; i++) {
        char inner[4096];
        const int len = snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        if (rc == 0 && (len < 0 || (size_t)len >= sizeof inner))
            rc = complain(why, why_size, path, "this path is too long");
        if (rc == 0)
            rc = load_one(fk, folder, fd, names[i]->d_name, inner, why, why_size);
        free(names[i]);
    }
    free(names);
    close(fd);
    return rc;
}

static void mark_kernel(struct fk_node *node)
{
    node->is_kernel = true;
    node->live = FK_FIXED;
    for (size_t i = 0; i < node->names.count; i++)
        mark_kernel(node->names.items[i].node);
}

int fk_load_tree(struct fk *fk, const char *tree, char *why, size_t why_size)
{
    static const char *const kernel[] = { "sys", "proc", "fake" };
    fk->root = fk_node_new(fk, FK_FOLDER, 0755);
    const int fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return complain(why, why_size, tree, strerror(errno));
    if (load_folder(fk, fk->root, fd, tree, why, why_size) < 0)
        return -1;
    if (!fk_find(fk, fk->root, "sys") && !fk_find(fk, fk->root, "proc"))
        return complain(why, why_size, tree, "this is no tree of a host: neither sys nor proc");
    for (size_t i = 0; i < JL_COUNT(kernel); i++) {
        struct fk_node *node = fk_find(fk, fk->root, kernel[i]);
        if (node)
            mark_kernel(node);
    }
    return 0;
}
