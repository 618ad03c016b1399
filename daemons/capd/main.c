/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* close_range */

/* joulie-capd: options, everything that can fail to open, the sandbox, then clients. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "capd/capd.h"

#define SOCKET_FD 3
#define WAITING_MAX 8
#define MOST_DESCRIPTORS 65536 /* that are closed one by one */

/* A kernel before 5.9, and the filter of some containers, have no close_range(). */
static void close_from(int first)
{
    struct rlimit most = { .rlim_cur = MOST_DESCRIPTORS };
    if (close_range((unsigned)first, ~0U, 0) == 0)
        return;
    (void)getrlimit(RLIMIT_NOFILE, &most);
    const int end = most.rlim_cur < MOST_DESCRIPTORS ? (int)most.rlim_cur : MOST_DESCRIPTORS;
    for (int fd = first; fd < end; fd++)
        close(fd);
}

/* Whatever was open in who started it would stay open for as long as this lives; a signal that is
 * meant for the whole terminal must not end who gives back. */
static void leave_starter(int first_fd, bool has_client)
{
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    const int null = open("/dev/null", O_RDWR);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    if (null > STDERR_FILENO && null != SOCKET_FD)
        close(null);
    close_from(first_fd);
    for (size_t i = 0; i < JL_COUNT(ignored) && has_client; i++)
        signal(ignored[i], SIG_IGN);
    if (has_client)
        (void)setsid();
}

/* ---- the socket ---- */

static int option_of(int fd, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

/* Nobody listens there any more. */
static bool is_stale(const struct sockaddr_un *address)
{
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_refused =
        connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 && errno == ECONNREFUSED;
    close(fd);
    return is_refused;
}

static bool bind_to(int fd, const struct sockaddr_un *address)
{
    const struct sockaddr *name = (const struct sockaddr *)address;
    if (bind(fd, name, sizeof *address) == 0)
        return true;
    if (errno != EADDRINUSE || !is_stale(address))
        return false;
    return unlink(address->sun_path) == 0 && bind(fd, name, sizeof *address) == 0;
}

/* Who may connect is checked of each client; the mode keeps others from taking its time. */
static int listen_at(const struct jd_capd_options *options)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(options->listen) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    memcpy(address.sun_path, options->listen, strlen(options->listen));
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    umask(0117);
    const bool is_good =
        fd >= 0 && bind_to(fd, &address) &&
        (options->client_uid == 0 || chown(options->listen, options->client_uid, (gid_t)-1) == 0) &&
        listen(fd, WAITING_MAX) == 0;
    umask(077);
    return is_good ? fd : -errno;
}

static int open_socket(const struct jd_capd_options *options)
{
    if (options->listen != NULL)
        return listen_at(options);
    (void)fcntl(SOCKET_FD, F_SETFL, O_NONBLOCK);
    return option_of(SOCKET_FD, SO_DOMAIN) == AF_UNIX &&
                   option_of(SOCKET_FD, SO_TYPE) == SOCK_SEQPACKET
               ? SOCKET_FD
               : -ENOTSOCK;
}

/* ---- the machine ---- */

/* Who started this is told too: it may have no eyes on standard error. */
static int refuse(int client_fd, const struct joulie_error *err)
{
    jd_root_complain(err);
    if (client_fd >= 0)
        jd_capd_refuse(client_fd, err);
    return JD_ROOT_FAILED;
}

static int fail(int client_fd, const char *what, int number)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    (void)jl_root_fail(&err, what, "", number);
    return refuse(client_fd, &err);
}

static void say_given(const char *key, uint64_t value)
{
    jd_root_say("%s is given back: %llu", key, (unsigned long long)value);
}

static int open_machine(const struct jd_capd_options *options, int client_fd,
                        struct jl_keeper *keeper)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    keeper->bounds.floor_pct = (double)options->floor_pct;
    keeper->bounds.ramps = options->ramps;
    keeper->may_enable = options->may_enable;
    keeper->gave = say_given;
    if (jl_keeper_open(keeper, options->root, options->state_dir, &err) == 0)
        return JD_ROOT_GO_ON;
    return refuse(client_fd, &err);
}

/* Everything that can fail is open before the journal's lock is taken: who cannot start takes
 * nothing over. */
static int run(const struct jd_capd_options *options, struct jl_keeper *keeper)
{
    const int fd = open_socket(options);
    if (fd < 0)
        return fail(-1, options->listen != NULL ? options->listen : "descriptor 3", -fd);
    const int client_fd = option_of(fd, SO_ACCEPTCONN) == 0 ? fd : -1;
    const int status = open_machine(options, client_fd, keeper);
    if (status != JD_ROOT_GO_ON)
        return status;
    if (!jd_capd_enter_sandbox())
        return fail(client_fd, "the sandbox", errno);
    return jd_capd_serve(keeper, options, fd);
}

int main(int argc, char **argv)
{
    struct jd_capd_options options;
    int status = jd_capd_options(argc, argv, &options);
    if (status != JD_ROOT_GO_ON)
        return status;
    struct jl_keeper keeper = jl_keeper_new();
    leave_starter(options.listen != NULL ? SOCKET_FD : SOCKET_FD + 1,
                  options.listen == NULL && option_of(SOCKET_FD, SO_ACCEPTCONN) == 0);
    status = run(&options, &keeper);
    jl_keeper_close(&keeper);
    return status;
}
