/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* accept4 */

/*
 * New connections of the HTTP server (docs/rules/programs.md#http-server), which hands them to its
 * library. The library's own way of accepting is not used: when the process has no free descriptor
 * once, it ends for as long as the connections that are open stay.
 */

#include "runtime/http_accept.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/machine_clock.h"

#define AT_ONCE 64 /* then others have their turn */
#define PAUSE_MS 100

static void wait_a_while(struct jd_acceptor *acceptor)
{
    jd_loop_remove(acceptor->loop, &acceptor->watch);
    jd_timer_set(acceptor->loop, &acceptor->timer, jd_clock_ms() + PAUSE_MS);
}

/* false = nobody else waits, or nobody can be let in now. */
static bool let_in_one(struct jd_acceptor *acceptor)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof address;
    if (!acceptor->has_room(acceptor->user)) {
        wait_a_while(acceptor);
        return false;
    }
    const int fd =
        accept4(acceptor->fd, (struct sockaddr *)&address, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        acceptor->take(acceptor->user, fd, (const struct sockaddr *)&address, len);
        return true;
    }
    switch (errno) {
    case EAGAIN:
        return false;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        acceptor->starved++;
        wait_a_while(acceptor);
        return false;
    default: /* of a connection that was over before it began */
        return true;
    }
}

static void on_waiting(void *user)
{
    int count = 0;
    while (count < AT_ONCE && let_in_one(user))
        count++;
}

static void go_on(void *user)
{
    struct jd_acceptor *acceptor = user;
    jd_timer_set(acceptor->loop, &acceptor->timer, JD_NEVER_MS);
    if (jd_loop_add(acceptor->loop, &acceptor->watch, NULL) < 0)
        jd_timer_set(acceptor->loop, &acceptor->timer, jd_clock_ms() + PAUSE_MS);
}

int jd_acceptor_open(struct jd_acceptor *acceptor, struct jd_loop *loop, struct joulie_error *err)
{
    acceptor->loop = loop;
    acceptor->watch =
        (struct jd_watch){ .fd = acceptor->fd, .ready = on_waiting, .user = acceptor };
    acceptor->timer = (struct jd_timer){ .fire = go_on, .user = acceptor };
    if (jd_timer_set(loop, &acceptor->timer, JD_NEVER_MS) < 0)
        return jl_fail_memory(err);
    return jd_loop_add(loop, &acceptor->watch, err);
}

void jd_acceptor_close(struct jd_acceptor *acceptor)
{
    if (acceptor->fd < 0)
        return;
    if (acceptor->loop) {
        jd_timer_stop(acceptor->loop, &acceptor->timer);
        jd_loop_remove(acceptor->loop, &acceptor->watch);
    }
    close(acceptor->fd);
    acceptor->fd = -1;
}
