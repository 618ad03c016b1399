/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_PATH */

/* Asks libjoulie/host/state_place.c about a folder by its name: programs that write themselves do,
 * before they open anything. */

#include "runtime/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/state_place.h"

#define USUAL_FOLDER "var/lib/joulie"

/* The folder, or the nearest one above it that is there already; -1 = none can be opened. */
static int open_nearest(char path[PATH_MAX])
{
    for (;;) {
        const int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 || errno != ENOENT || strcmp(path, "/") == 0 || strcmp(path, ".") == 0)
            return fd;
        char *const slash = strrchr(path, '/');
        if (!slash)
            memcpy(path, ".", sizeof ".");
        else
            slash[slash == path] = '\0';
    }
}

int jd_check_state_folder(const char *root, const char *state_dir, struct joulie_error *err)
{
    char named[PATH_MAX];
    char path[PATH_MAX];
    if (state_dir)
        snprintf(named, sizeof named, "%s", state_dir);
    else
        snprintf(named, sizeof named, "%s/" USUAL_FOLDER, root);
    memcpy(path, named, sizeof path);
    const int fd = open_nearest(path);
    if (fd < 0)
        return 0; /* who opens it says why */
    const int rc = jl_check_state_place(fd, named, err);
    close(fd);
    return rc;
}
