/* SPDX-License-Identifier: Apache-2.0 */

/* Opens files and folders below a root descriptor, following no link and leaving it by no path.
 * Every read and write of a machine goes through it. */

#include "host/root.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

#define NAME_BYTES 256 /* NAME_MAX of Linux and a NUL */

int jl_root_fail(struct joulie_error *err, const char *where, const char *what, int number)
{
    const int rc = jl_fail(err, JOULIE_E_IO, where, "%s%s%s", what, *what != '\0' ? ": " : "",
                           jl_root_errno_text(number));
    jl_error_set_errno(err, number);
    return rc;
}

int jl_root_open(struct jl_os os, const char *path, struct jl_root *out, struct joulie_error *err)
{
    const int fd = jl_os_open_folder(path);
    if (fd < 0)
        return jl_root_fail(err, path, "", -fd);
    *out = (struct jl_root){ os, fd };
    return 0;
}

void jl_root_close(struct jl_root *root)
{
    jl_fd_close(&root->os, &root->fd);
}

void jl_fd_close(const struct jl_os *os, int *fd)
{
    if (*fd >= 0)
        os->close(os->user, *fd);
    *fd = -1;
}

/* ---- the way down ---- */

struct place { /* a folder on the way; the root's own descriptor is only borrowed */
    const struct jl_root *root;
    int fd;
};

static void leave(struct place *place)
{
    if (place->fd != place->root->fd)
        jl_fd_close(&place->root->os, &place->fd);
    place->fd = -1;
}

/* The next component; its length, 0 at the end of the path, or negative errno. */
static int next_name(const char **path, char name[NAME_BYTES])
{
    const char *at = *path;
    while (*at == '/')
        at++;
    size_t len = 0;
    while (at[len] != '\0' && at[len] != '/')
        len++;
    if (len >= NAME_BYTES)
        return -ENAMETOOLONG;
    memcpy(name, at, len);
    name[len] = '\0';
    *path = at + len;
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? -EINVAL : (int)len;
}

/* Why a folder could not be opened: with O_DIRECTORY a link reads as "not a folder". */
static int why_no_folder(const struct place *place, const char *name, int code)
{
    struct jl_os_file found;
    const struct jl_os *os = &place->root->os;
    if (code == -ENOTDIR && os->stat(os->user, place->fd, name, &found) == 0 &&
        found.kind == JL_OS_LINK)
        return -ELOOP;
    return code;
}

static int open_folder(const struct place *place, const char *name, bool is_made)
{
    const struct jl_os *os = &place->root->os;
    int fd = os->open(os->user, place->fd, name, JL_OS_FOLDER_FD);
    if (fd == -ENOENT && is_made) {
        int rc = os->mkdir(os->user, place->fd, name);
        if (rc == 0)
            rc = os->sync(os->user, place->fd); /* what is synced in it must be found again */
        if (rc < 0 && rc != -EEXIST)
            return rc;
        fd = os->open(os->user, place->fd, name, JL_OS_FOLDER_FD);
    }
    return fd < 0 ? why_no_folder(place, name, fd) : fd;
}

/* Goes to the folder that holds the last component, which is left in name ("" for an empty path).
 * The place must be left also after a failure. */
static int go(struct place *place, const char *path, bool is_made, char name[NAME_BYTES])
{
    int rc = next_name(&path, name);
    while (rc > 0) {
        char next[NAME_BYTES];
        rc = next_name(&path, next);
        if (rc <= 0)
            break;
        const int fd = open_folder(place, name, is_made);
        if (fd < 0)
            return fd;
        leave(place);
        place->fd = fd;
        memcpy(name, next, sizeof next);
    }
    return rc;
}

static int folder_at(const struct jl_root *root, const char *path, bool is_made)
{
    char name[NAME_BYTES];
    JL_CLEANUP(leave) struct place place = { root, root->fd };
    const int rc = go(&place, path, is_made, name);
    if (rc < 0)
        return rc;
    return open_folder(&place, name[0] != '\0' ? name : ".", is_made);
}

int jl_root_folder(const struct jl_root *root, const char *path)
{
    return folder_at(root, path, false);
}

int jl_root_make_folder(const struct jl_root *root, const char *path)
{
    return folder_at(root, path, true);
}

int jl_root_stat(const struct jl_root *root, const char *path, struct jl_os_file *out)
{
    char name[NAME_BYTES];
    JL_CLEANUP(leave) struct place place = { root, root->fd };
    const int rc = go(&place, path, false, name);
    if (rc < 0)
        return rc;
    return root->os.stat(root->os.user, place.fd, name[0] != '\0' ? name : ".", out);
}

/* ---- files ---- */

static int refusal(const struct jl_os_file *found)
{
    switch (found->kind) {
    case JL_OS_FILE:
        return 0;
    case JL_OS_FOLDER:
        return -EISDIR;
    case JL_OS_LINK:
        return -ELOOP;
    case JL_OS_OTHER:
        break;
    }
    return -ENXIO;
}

static int open_file(const struct place *place, const char *name, unsigned flags)
{
    const struct jl_os *os = &place->root->os;
    struct jl_os_file found;
    int rc = os->stat(os->user, place->fd, name, &found);
    if (rc == 0)
        rc = refusal(&found);
    if (rc < 0 && !(rc == -ENOENT && (flags & JL_OS_CREATE)))
        return rc;
    const int fd = os->open(os->user, place->fd, name, flags);
    if (fd < 0)
        return fd;
    rc = os->fstat(os->user, fd, &found); /* it may have been replaced in between */
    if (rc == 0)
        rc = refusal(&found);
    if (rc < 0)
        os->close(os->user, fd);
    return rc < 0 ? rc : fd;
}

int jl_root_file(const struct jl_root *root, const char *path, unsigned flags)
{
    char name[NAME_BYTES];
    JL_CLEANUP(leave) struct place place = { root, root->fd };
    const int rc = go(&place, path, false, name);
    if (rc < 0)
        return rc;
    return name[0] != '\0' ? open_file(&place, name, flags) : -EISDIR;
}
