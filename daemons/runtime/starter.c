/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* closefrom, MSG_CMSG_CLOEXEC */

/* Asking is a packet of one byte with the end of a pair of sockets that joulie-capd gets: made by
 * who asks, because its number is the one that others are told. The answer is an error. */

#include "runtime/starter.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "runtime/file.h"
#include "runtime/privileges.h"

#define ITS_FD 3
#define LONGEST_S 10 /* until it answers */

union rights { /* room for one descriptor */
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/* The packet with a descriptor, or -1: it goes, and was taken. */
static struct msghdr message_with(struct iovec *byte, union rights *rights, int fd)
{
    *rights = (union rights){ .head = { .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS,
                                        .cmsg_len = CMSG_LEN(sizeof fd) } };
    memcpy(CMSG_DATA(&rights->head), &fd, sizeof fd);
    return (struct msghdr){ .msg_iov = byte,
                            .msg_iovlen = 1,
                            .msg_control = rights,
                            .msg_controllen = CMSG_LEN(sizeof fd) };
}

/* ---- the process ---- */

/* false: nobody will ask any more. */
static bool serve_once(const struct jd_keeper_start *how, pid_t *capd)
{
    char byte = 0;
    int its_end = -1;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    union rights rights;
    struct iovec part = { .iov_base = &byte, .iov_len = 1 };
    struct msghdr message = message_with(&part, &rights, -1);
    const ssize_t got = recvmsg(ITS_FD, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0)
        return got < 0 && errno == EINTR;
    memcpy(&its_end, CMSG_DATA(&rights.head), sizeof its_end);
    (void)jd_keeper_spawn(how, its_end, capd, &err);
    jd_closep(&its_end);
    return send(ITS_FD, &err, sizeof err, MSG_NOSIGNAL) == (ssize_t)sizeof err;
}

/* A signal for the whole terminal ends who asks, and this one with it. */
static _Noreturn void serve(const struct jd_keeper_start *how, int fd)
{
    static const struct jd_user same = { 0 };
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD };
    pid_t capd = 0;
    for (size_t i = 0; i < JL_COUNT(ignored); i++)
        signal(ignored[i], SIG_IGN);
    prctl(PR_SET_NAME, "joulie-starter");
    if ((fd != ITS_FD && dup2(fd, ITS_FD) < 0) || jd_drop_privileges(&same, NULL) < 0)
        _exit(1);
    closefrom(ITS_FD + 1);
    while (serve_once(how, &capd))
        ;
    jd_keeper_wait(capd);
    _exit(0);
}

/* ---- who asks ---- */

int jd_starter_open(struct jd_starter *starter, const struct jd_keeper_start *how,
                    struct joulie_error *err)
{
    static const struct timeval longest = { .tv_sec = LONGEST_S };
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return jd_fail_system("a pair of sockets", err);
    const pid_t pid = fork();
    if (pid == 0)
        serve(how, ends[1]);
    const int rc = pid < 0 ? jd_fail_system("a process that starts joulie-capd", err) : 0;
    close(ends[1]);
    if (rc < 0) {
        close(ends[0]);
        return rc;
    }
    (void)setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    *starter = (struct jd_starter){ .is_open = true, .pid = pid, .fd = ends[0] };
    return 0;
}

static bool ask(int fd, int its_end, struct joulie_error *out)
{
    char byte = 0;
    ssize_t got = -1;
    union rights rights;
    struct iovec part = { .iov_base = &byte, .iov_len = 1 };
    const struct msghdr message = message_with(&part, &rights, its_end);
    if (sendmsg(fd, &message, MSG_NOSIGNAL) != 1)
        return false;
    do
        got = recv(fd, out, sizeof *out, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *out;
}

int jd_starter_start(struct jd_starter *starter, int *out_fd, struct joulie_error *err)
{
    int ends[2];
    struct joulie_error said = JOULIE_INIT(struct joulie_error);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return jd_fail_system("a pair of sockets", err);
    if (starter->pid == 0 || !ask(starter->fd, ends[1], &said)) {
        starter->pid = 0;
        (void)jl_fail(&said, JOULIE_E_IO, "joulie-capd", "the process that starts it is gone");
    }
    close(ends[1]);
    if (said.code == 0)
        *out_fd = ends[0];
    else
        close(ends[0]);
    return jl_error_return(&said, said.code, err);
}

void jd_starter_close(const struct jd_starter *starter, bool waits)
{
    if (starter->is_open)
        close(starter->fd);
    if (waits)
        jd_keeper_wait(starter->pid);
}
