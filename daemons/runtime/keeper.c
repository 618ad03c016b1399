/* SPDX-License-Identifier: Apache-2.0 */

/* Finding joulie-capd. The agent and joulie cap call it. */

#include "runtime/keeper.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "runtime/file.h"

#define SOCKET "/run/joulie/capd.sock"

const char *jd_keeper_socket(const char *root, const char *state_dir)
{
    return jl_same(root, "/") && !state_dir && access(SOCKET, F_OK) == 0 ? SOCKET : NULL;
}

int jd_keeper_connect(const char *path, int *out_fd, struct joulie_error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path)
        return jl_fail(err, JOULIE_E_RANGE, path, "the path of a socket is shorter");
    memcpy(address.sun_path, path, strlen(path));
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
        *out_fd = fd;
        return 0;
    }
    const int rc = jd_fail_system(path, err);
    if (fd >= 0)
        close(fd);
    return rc;
}
