/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a service manager that waits for it is told: ready, what goes on, alive, stopping
 * (docs/rules/programs.md#service-manager). One datagram for each, to the socket that NOTIFY_SOCKET
 * names; where it names none, nothing here does anything. A call never waits: what the socket does
 * not take is offered again at the next one.
 */

#include <stdbool.h>
#include <stdint.h>

#include <joulie/error.h>

#define JD_NOTIFY_NAME_BYTES 108 /* as of an address */
#define JD_NOTIFY_STATUS_BYTES 160

struct jd_notify { /* zeroed at the start */
    bool is_asked; /* there is a socket */
    int fd;
    char name[JD_NOTIFY_NAME_BYTES]; /* of the socket: a path, or @ and an abstract name */
    int64_t watchdog_ms; /* longest time between two signs of life; 0 = nobody waits for them */
    bool is_ready;       /* READY=1 was said */
    char status[JD_NOTIFY_STATUS_BYTES]; /* the line that the manager has */
};

/* Takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID out of the environment, so that no child of
 * this program speaks for it. 0, or a code when the socket cannot be used. */
int jd_notify_open(struct jd_notify *notify, struct joulie_error *err);
/* Says READY=1 the first time, and what goes on whenever that is another line than before. */
void jd_notify_ready(struct jd_notify *notify, const char *status);
void jd_notify_alive(struct jd_notify *notify); /* WATCHDOG=1, where it is waited for */
void jd_notify_stopping(struct jd_notify *notify);
/* How often a loop should say that it is alive, and look for news; 0 = nobody listens. */
int64_t jd_notify_period_ms(const struct jd_notify *notify);
void jd_notify_close(struct jd_notify *notify);
