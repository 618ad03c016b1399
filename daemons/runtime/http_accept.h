/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* New connections of a server. Where none can be let in, because the process has no free descriptor
 * or the server no room, they wait in the kernel's queue and it is tried again. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "runtime/loop.h"

struct jd_acceptor {
    int fd; /* that listens, non-blocking; -1 = closed */
    bool (*has_room)(void *user);
    /* One that is non-blocking and closed on exec; it is the callee's. */
    void (*take)(void *user, int fd, const struct sockaddr *address, socklen_t len);
    void *user;
    uint64_t starved; /* times that there was no descriptor or no memory */
    struct jd_loop *loop;
    struct jd_watch watch;
    struct jd_timer timer; /* while they wait; always set */
};

/* With fd and the three behind it filled in. 0, JOULIE_E_NOMEM or JOULIE_E_IO; then it is to be
 * closed all the same. */
int jd_acceptor_open(struct jd_acceptor *acceptor, struct jd_loop *loop, struct joulie_error *err);
void jd_acceptor_close(struct jd_acceptor *acceptor); /* also twice */
