/* SPDX-License-Identifier: Apache-2.0 */

/* Whether a root is this machine: what decides between a recorded host and hardware that a write
 * would change. */

#include "runtime/live.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/arena.h"
#include "base/buffer.h"

static bool is_slash(const char *path)
{
    struct stat named;
    struct stat slash;
    return stat(path, &named) == 0 && stat("/", &slash) == 0 && named.st_dev == slash.st_dev &&
           named.st_ino == slash.st_ino;
}

/* A machine that is mounted elsewhere, as /host in a container, is live as well: its sys is the
 * kernel's. */
static bool has_kernel_sys(const char *root)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    struct statfs facts;
    jl_put_string(&path, root);
    jl_put_string(&path, "/sys");
    return jl_buffer_code(&path) != 0 ||
           (statfs(path.data, &facts) == 0 && facts.f_type == SYSFS_MAGIC);
}

bool jd_is_live(const char *root)
{
    return is_slash(root) || has_kernel_sys(root);
}
