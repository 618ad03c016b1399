/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MSG_CMSG_CLOEXEC */

/* One packet over a socket, its reply, and a descriptor that comes with it. */

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/text.h"
#include "enforce/client.h"
#include "host/os.h"
#include "host/root.h"

#define LONGEST_MS 30000 /* a disk that is slow to sync stands behind it */

static int fail(struct joulie_error *err, const char *message)
{
    return jl_fail(err, JOULIE_E_IO, "keeper", "%s", message);
}

static int fail_errno(struct joulie_error *err, int number)
{
    return jl_root_fail(err, "keeper", "the connection is lost", number);
}

/* Whether something can be read (or sent) within the time. */
static bool is_ready(int fd, short events)
{
    struct pollfd one = { .fd = fd, .events = events };
    int got = 0;
    do
        got = poll(&one, 1, LONGEST_MS);
    while (got < 0 && errno == EINTR);
    return got > 0;
}

/* What the other end said before it closed is read all the same: a broken pipe is no error here. */
static int send_packet(int fd, const struct jl_packet *packet, struct joulie_error *err)
{
    for (;;) {
        const ssize_t sent =
            send(fd, packet->request, packet->request_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0 || (errno == EPIPE && packet->reply != NULL))
            return 0;
        if (errno == EAGAIN && packet->reply == NULL)
            return 0; /* a beat behind others that were not read yet */
        if (errno != EINTR && errno != EAGAIN)
            return fail_errno(err, errno);
        if (errno == EAGAIN && !is_ready(fd, POLLOUT))
            return fail(err, "it takes no packet");
    }
}

/* The one that came, if it is taken; there is room for two, and those nobody takes are closed. */
static int take_descriptor(struct msghdr *message, bool is_taken)
{
    const struct cmsghdr *control = CMSG_FIRSTHDR(message);
    int fds[2] = { -1, -1 };
    if (control == NULL || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
        return -1;
    const size_t bytes = control->cmsg_len - CMSG_LEN(0);
    memcpy(fds, CMSG_DATA(control), bytes < sizeof fds ? bytes : sizeof fds);
    if (is_taken && bytes == sizeof fds[0])
        return fds[0];
    const struct jl_os os = jl_os_linux(NULL);
    for (size_t i = 0; i < JL_COUNT(fds); i++)
        jl_fd_close(&os, &fds[i]);
    return -1;
}

static int receive_packet(int fd, struct jl_packet *packet, struct joulie_error *err)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } rights;
    struct iovec part = { .iov_base = packet->reply, .iov_len = sizeof *packet->reply };
    for (bool was_reset = false;;) {
        struct msghdr message = { .msg_iov = &part,
                                  .msg_iovlen = 1,
                                  .msg_control = &rights,
                                  .msg_controllen = sizeof rights };
        const ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (got > 0) {
            packet->reply_bytes = (size_t)got;
            const bool is_whole = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
            packet->fd = take_descriptor(&message, packet->takes_fd && is_whole);
            return is_whole ? 0 : fail(err, "its reply is longer than any can be");
        }
        if (got == 0)
            return fail(err, "the connection is closed");
        if (errno == ECONNRESET && !was_reset)
            was_reset = true; /* what it said before that is still there */
        else if (errno == EAGAIN && !is_ready(fd, POLLIN))
            return fail(err, "it does not answer");
        else if (errno != EAGAIN && errno != EINTR)
            return fail_errno(err, errno);
    }
}

int jl_exchange_by_socket(void *user, struct jl_packet *packet, struct joulie_error *err)
{
    const int fd = (int)(intptr_t)user;
    const int rc = send_packet(fd, packet, err);
    return rc == 0 && packet->reply != NULL ? receive_packet(fd, packet, err) : rc;
}
