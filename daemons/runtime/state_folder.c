/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A journal that is lost while the machine goes on makes the next agent take a cap for what it
 * found (docs/rules/enforcement.md#state-folder). What a machine keeps in memory only goes with it,
 * and its firmware resets the limits; what a container keeps so goes earlier.
 */

#include "runtime/state_folder.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "runtime/json.h"

#define USUAL_FOLDER "var/lib/joulie"
#define HOST_PID_NAMESPACE 0xEFFFFFFCU /* PROC_PID_INIT_INO of the kernel */
#define EMPTY_DIR "/kubernetes.io~empty-dir/"
#define MOUNTS "/proc/self/mountinfo"

/* What the folder is on, for a person; NULL = on nothing that is kept in memory or a layer. */
static const char *kind_of(const char *path)
{
    struct statfs facts;
    if (statfs(path, &facts) != 0)
        return NULL;
    switch ((unsigned long)facts.f_type) {
    case TMPFS_MAGIC:
        return "a tmpfs";
    case RAMFS_MAGIC:
        return "a ramfs";
    case OVERLAYFS_SUPER_MAGIC:
        return "the container's own overlay";
    default:
        return NULL;
    }
}

static bool is_below(const char *path, const char *mount_point)
{
    const size_t len = strlen(mount_point);
    return strncmp(path, mount_point, len) == 0 &&
           (path[len] == '/' || path[len] == '\0' || jl_same(mount_point, "/"));
}

/* A line is "ID PARENT DEVICE FOLDER MOUNT-POINT …". The folder of its file system that is mounted
 * where the path is: "/" of a whole one. The last of the longest mount points counts. */
static void find_mounted(const char *path, char out[PATH_MAX])
{
    char line[2 * PATH_MAX];
    size_t best = 0;
    FILE *const mounts = fopen(MOUNTS, "re");
    snprintf(out, PATH_MAX, "/");
    while (mounts && fgets(line, sizeof line, mounts)) {
        char folder[PATH_MAX];
        char mount_point[PATH_MAX];
        if (sscanf(line, "%*s %*s %*s %4095s %4095s", folder, mount_point) != 2 ||
            !is_below(path, mount_point) || strlen(mount_point) < best)
            continue;
        best = strlen(mount_point);
        snprintf(out, PATH_MAX, "%s", folder);
    }
    if (mounts)
        fclose(mounts);
}

/* A container's own file systems are mounted as a whole; of one of the machine it is given a
 * folder. */
static const char *container_kind_of(const char *path)
{
    char folder[PATH_MAX];
    find_mounted(path, folder);
    if (strstr(folder, EMPTY_DIR))
        return "an emptyDir";
    return jl_same(folder, "/") ? kind_of(path) : NULL;
}

/* The folder, or the nearest one above it that is there already. */
static bool find(const char *path, char out[PATH_MAX])
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer copy = { 0 };
    jl_put_string(&copy, path);
    if (copy.is_failed)
        return false;
    while (!realpath(copy.data, out)) {
        char *const slash = strrchr(copy.data, '/');
        if (errno != ENOENT || !slash)
            return errno == ENOENT && realpath(".", out);
        if (slash == copy.data)
            return realpath("/", out) != NULL;
        *slash = '\0';
    }
    return true;
}

/* Whether pid 1 of the machine has the same folder by this name. true where nobody can say: a
 * program without rights on pid 1 runs on the machine itself. */
static bool is_of_machine(const char *path)
{
    struct stat own;
    struct stat other;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer there = { 0 };
    if (stat("/proc/self/ns/pid", &own) == 0 && own.st_ino != HOST_PID_NAMESPACE)
        return false;
    jd_put_format(&there, "/proc/1/root%s", path);
    if (there.is_failed || stat(path, &own) != 0)
        return true;
    if (stat(there.data, &other) != 0)
        return errno != ENOENT;
    return own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

int jd_check_state_folder(const char *root, const char *state_dir, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer named = { 0 };
    char path[PATH_MAX];
    if (state_dir)
        jl_put_string(&named, state_dir);
    else
        jd_put_format(&named, "%s/" USUAL_FOLDER, root);
    if (named.is_failed)
        return jl_fail_memory(err);
    if (!find(named.data, path))
        return 0; /* who opens it says why */
    const char *const kind = container_kind_of(path);
    if (!kind || is_of_machine(path))
        return 0;
    return jl_fail(
        err, JOULIE_E_CONFLICT, "",
        "%.200s is on %s and goes with this container: what the limits were before a cap "
        "would be lost. Mount a folder of the machine there, or say "
        "STATE_DIR_MAY_VANISH=true",
        named.data, kind);
}
