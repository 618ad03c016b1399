/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <joulie/error.h>

#include "enforce/client.h"
#include "support/test.h"

/* Descriptors that come with replies (docs/rules/enforcement.md#packets). */

static struct jl_wire_reply reply; /* too large for the stack of a test */
static struct jl_client client;
static int ends[2];

/* The lowest number that is free: as before when nothing stayed open. */
static int free_number(void)
{
    const int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    assert_true(fd >= 0);
    close(fd);
    return fd;
}

static int connect_both(void **state)
{
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    memset(&client, 0, sizeof client);
    memset(&reply, 0, sizeof reply);
    jl_client_connect(&client, jl_exchange_by_socket, (void *)(intptr_t)ends[0]);
    reply.head = (struct jl_wire_head){ .version = JL_WIRE_VERSION, .kind = JL_WIRE_ENERGY };
    return 0;
}

static int close_both(void **state)
{
    (void)state;
    jl_client_clear(&client);
    close(ends[0]);
    close(ends[1]);
    return 0;
}

/* The reply lies there before the request comes. */
static void answer_with(size_t fd_count, size_t bytes)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int) * 4)];
    } rights = { .bytes = { 0 } };
    struct iovec part = { .iov_base = &reply, .iov_len = bytes };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    const int fds[4] = { ends[1], ends[1], ends[1], ends[1] };
    assert_true(fd_count <= JL_COUNT(fds));
    if (fd_count > 0) {
        message.msg_control = &rights;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
        rights.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS,
                                        .cmsg_len = CMSG_LEN(sizeof(int) * fd_count) };
        memcpy(CMSG_DATA(&rights.head), fds, sizeof(int) * fd_count);
    }
    assert_int_equal(sendmsg(ends[1], &message, 0), (ssize_t)bytes);
}

static size_t whole(void)
{
    return jl_wire_reply_bytes((enum jl_wire_kind)reply.head.kind, reply.head.count);
}

static void the_one_that_was_asked_for_is_the_callers(void **state)
{
    (void)state;
    const int free_before = free_number();
    int fd = -1;
    answer_with(1, whole());
    assert_int_equal(jl_client_energy(&client, "package-0", &fd, NULL), 0);
    assert_int_equal(fd, free_before);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    close(fd);
}

static void one_that_comes_with_a_reply_that_is_not_believed_is_the_callers_to_close(void **state)
{
    (void)state;
    int fd = -1;
    reply.head.version = JL_WIRE_VERSION + 1;
    answer_with(1, whole());
    assert_int_equal(jl_client_energy(&client, "package-0", &fd, NULL), JOULIE_E_IO);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    assert_false(jl_client_is_there(&client));
}

static void two_are_none(void **state)
{
    (void)state;
    const int free_before = free_number();
    int fd = 7;
    answer_with(2, whole());
    assert_int_equal(jl_client_energy(&client, "package-0", &fd, NULL), JOULIE_E_IO);
    assert_int_equal(fd, -1);
    assert_int_equal(free_number(), free_before);
}

static void more_than_there_is_room_for_are_an_end_of_the_connection(void **state)
{
    (void)state;
    const int free_before = free_number();
    int fd = 7;
    answer_with(4, whole());
    assert_int_equal(jl_client_energy(&client, "package-0", &fd, NULL), JOULIE_E_IO);
    assert_int_equal(fd, -1);
    assert_false(jl_client_is_there(&client));
    assert_int_equal(free_number(), free_before);
}

static void one_that_nobody_asked_for_is_closed(void **state)
{
    (void)state;
    const int free_before = free_number();
    reply.head.kind = JL_WIRE_LEAVE;
    answer_with(1, whole());
    assert_int_equal(jl_client_leave(&client, NULL), 0);
    assert_int_equal(free_number(), free_before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, connect_both, close_both)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_one_that_was_asked_for_is_the_callers),
        TEST(one_that_comes_with_a_reply_that_is_not_believed_is_the_callers_to_close),
        TEST(two_are_none),
        TEST(more_than_there_is_room_for_are_an_end_of_the_connection),
        TEST(one_that_nobody_asked_for_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
