/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The process that writes this machine for the agent (docs/rules/enforcement.md#capd): a
 * joulie-capd that listens, or one that the agent starts. The connection to it, that it hears of an
 * agent that steps, and another one when it is gone. It gives back when the agent is.
 */

#include <joulie/host.h>

#include "runtime/keeper.h"
#include "runtime/log.h"
#include "runtime/loop.h"
#include "runtime/starter.h"

struct jd_writer {
    const char *path;             /* of its socket; NULL = it is started */
    struct jd_keeper_start start; /* by these words */
    pid_t pid;                    /* that was started last; 0 = none */
    struct jd_starter starter;    /* who does it, where this process may not */
    struct jd_loop *loop;
    struct jd_log *log;
    struct joulie_host *host;
    bool (*is_stepping)(void *user);
    void *user;
    struct jd_watch watch; /* fd -1 = there is no connection */
    struct jd_timer timer;
    int64_t connected_ms;
    int64_t visit_ms; /* not before: of an agent that only observes */
    bool has_claimed; /* once: from then on the connection is made again */
    bool is_logged;   /* that it cannot be */
};

/* Last of all that a start can fail at: becomes the client of joulie-capd, which takes the machine
 * over with it. 0 or a code. */
int jd_writer_claim(struct jd_writer *writer, struct joulie_error *err);
/* After SIGCHLD: what was started and ended leaves nothing. That it is gone is seen by its socket.
 */
void jd_writer_reap(struct jd_writer *writer);
/* Each step: one that could not be reached is looked for again. */
void jd_writer_check(struct jd_writer *writer);
/* An agent that only observes is no client, which would keep others from being one: now and then it
 * asks for the energy counters that it may not open, for the step until jd_writer_leave(). True =
 * it does. */
bool jd_writer_visit(struct jd_writer *writer, struct joulie_host *host);
void jd_writer_leave(struct jd_writer *writer, struct joulie_host *host);
/* The connection ends; what is in force is given back by joulie-capd, unless it was told to leave
 * it. One that was started and has nothing to do is waited for: the lock goes with it. */
void jd_writer_close(struct jd_writer *writer, bool has_left);
