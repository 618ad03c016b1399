/* SPDX-License-Identifier: Apache-2.0 */

/* Finding joulie-capd, or starting it. The agent and joulie cap call it. */

#include "runtime/keeper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <joulie/host.h>

#include "base/error.h"
#include "base/text.h"
#include "runtime/file.h"
#include "runtime/machine_clock.h"
#include "runtime/spawn.h"

#define SOCKET "/run/joulie/capd.sock"
#define NAME "joulie-capd"
#define RESCUE "joulie-rescue" /* beside it */
#define ITS_FD 3
#define MS_PER_S 1000
#define NS_PER_MS 1000000
#define END_MS 10000
#define END_PAUSE_MS 2
#define LET_GO_MS 2000 /* a client's death is seen at once, but not while others have the CPU */
#define LET_GO_PAUSE_MS 50

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

/* ---- the program ---- */

static bool is_program(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return false;
    errno = EACCES; /* of a folder */
    return S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

/* Where /proc is not mounted there is the name by which this program was started. */
static bool find_beside(char out[PATH_MAX])
{
    const ssize_t len = readlink("/proc/self/exe", out, PATH_MAX - sizeof NAME);
    if (len > 0)
        out[len] = '\0';
    else
        snprintf(out, PATH_MAX - sizeof NAME, "%s", (const char *)getauxval(AT_EXECFN));
    char *const slash = strrchr(out, '/');
    if (slash)
        memcpy(slash + 1, NAME, sizeof NAME);
    return slash && is_program(out);
}

int jd_keeper_find(const char *named, char out[PATH_MAX], struct joulie_error *err)
{
    if (!named)
        return find_beside(out) ? 0
                                : jl_fail(err, JOULIE_E_IO, NAME,
                                          "it writes the limits, and is not beside this program; "
                                          "CAPD_PROGRAM says where it is");
    if (strlen(named) >= PATH_MAX)
        return jl_fail(err, JOULIE_E_IO, "CAPD_PROGRAM", "the path is too long");
    memcpy(out, named, strlen(named) + 1);
    return is_program(out) ? 0 : jd_fail_system(named, err);
}

/* ---- starting it ---- */

#define MOST_WORDS 16

/* What other boots left is judged before, and the journal of this one made: joulie-capd writes
 * nothing without it, and says so itself where this failed. */
static void prepare(const struct jd_keeper_start *how)
{
    static const char *const nothing[] = { NULL };
    const char *const words[] = {
        RESCUE,
        "--prepare",
        "--state-dir-may-vanish", /* where it may be was judged before */
        "--wait",
        "0",
        "--root",
        how->root,
        how->state_dir ? "--state-dir" : NULL,
        how->state_dir,
        NULL,
    };
    const struct jd_spawn_file file = { STDERR_FILENO, STDOUT_FILENO };
    char path[PATH_MAX + sizeof RESCUE];
    pid_t pid = 0;
    snprintf(path, sizeof path, "%s", how->program);
    char *const slash = strrchr(path, '/');
    memcpy(slash ? slash + 1 : path, RESCUE, sizeof RESCUE);
    const struct jd_spawn spawn = {
        .path = path,
        .arguments = words,
        .environment = nothing,
        .files = &file,
        .file_count = 1,
        .keeps_input = true,
    };
    if (jd_spawn(&spawn, &pid) != 0)
        return;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

int jd_keeper_spawn(const struct jd_keeper_start *how, int its_end, pid_t *out_pid,
                    struct joulie_error *err)
{
    const char *words[MOST_WORDS] = { NAME, "--root", how->root };
    static const char *const nothing[] = { NULL };
    char floor_pct[24];
    char takeover_s[24];
    size_t count = 3;
    if (how->state_dir) {
        words[count++] = "--state-dir";
        words[count++] = how->state_dir;
    }
    if (how->floor_pct) {
        snprintf(floor_pct, sizeof floor_pct, "%d", (int)*how->floor_pct);
        words[count++] = "--floor-pct";
        words[count++] = floor_pct;
    }
    if (how->takeover_ms) {
        snprintf(takeover_s, sizeof takeover_s, "%lld",
                 (long long)((*how->takeover_ms + MS_PER_S - 1) / MS_PER_S));
        words[count++] = "--takeover";
        words[count++] = takeover_s;
    }
    if (!how->ramps)
        words[count++] = "--no-ramp";
    if (how->may_enable)
        words[count++] = "--allow-enable";
    const int log_fd = how->log_fd ? *how->log_fd : STDERR_FILENO;
    const struct jd_spawn_file files[] = { { its_end, ITS_FD }, { log_fd, STDERR_FILENO } };
    const struct jd_spawn spawn = {
        .path = how->program,
        .arguments = words,
        .environment = nothing,
        .files = files,
        .file_count = JL_COUNT(files),
        .keeps_input = true, /* it lets go of it by itself: a machine may have no /dev/null */
        .is_session = true,
    };
    prepare(how);
    errno = jd_spawn(&spawn, out_pid);
    return errno == 0 ? 0 : jd_fail_system(how->program, err);
}

int jd_keeper_start(const struct jd_keeper_start *how, pid_t *out_pid, int *out_fd,
                    struct joulie_error *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return jd_fail_system("a pair of sockets", err);
    const int rc = jd_keeper_spawn(how, ends[1], out_pid, err);
    close(ends[1]);
    if (rc == 0)
        *out_fd = ends[0];
    else
        close(ends[0]);
    return rc;
}

static void pause_ms(int64_t ms)
{
    const struct timespec pause = { .tv_nsec = ms * NS_PER_MS };
    nanosleep(&pause, NULL);
}

void jd_keeper_wait(pid_t pid)
{
    const int64_t end_ms = jd_clock_ms() + END_MS;
    while (pid > 0 && waitpid(pid, NULL, WNOHANG) == 0 && jd_clock_ms() < end_ms)
        pause_ms(END_PAUSE_MS);
}

int jd_keeper_claim(struct joulie_host *host, struct joulie_error *err)
{
    const int64_t end_ms = jd_clock_ms() + LET_GO_MS;
    const int rc = joulie_host_claim(host, jd_clock_now().now_ms, err);
    for (int again = rc; again == JOULIE_E_CONFLICT && jd_clock_ms() < end_ms;) {
        pause_ms(LET_GO_PAUSE_MS);
        again = joulie_host_claim(host, jd_clock_now().now_ms, NULL);
        if (again == 0)
            return 0; /* else the first words stay: a connection can be lost meanwhile */
    }
    return rc;
}
