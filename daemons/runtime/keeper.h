/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The joulie-capd that writes a machine for this process (docs/rules/enforcement.md#capd): one that
 * listens, or one that is started. */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <joulie/error.h>

struct joulie_host;

/* Where the one of the service manager listens (daemons/deploy/systemd/joulie-capd.socket), if it
 * is there, the root is the machine under its own name, and no other state folder is asked for
 * (NULL); else NULL. */
const char *jd_keeper_socket(const char *root, const char *state_dir);

/* *out_fd: a socket of packets, which closes on exec. 0, JOULIE_E_RANGE: too long a path, or
 * JOULIE_E_IO. */
int jd_keeper_connect(const char *path, int *out_fd, struct joulie_error *err);

/* What one that is started is to be told. */
struct jd_keeper_start {
    char program[PATH_MAX]; /* jd_keeper_find() */
    const char *root;
    const char *state_dir;   /* NULL = below the root */
    const double *floor_pct; /* NULL = its own default */
    /* From this process's death until its caps are given back, in whole seconds, rounded up; NULL =
     * its own default. */
    const int64_t *takeover_ms;
    bool ramps;
    bool may_enable;
    const int *log_fd; /* its standard error; NULL = this process's */
};

/* named: by an option, NULL = the one beside this program. 0, or JOULIE_E_IO: it is not there or
 * cannot be executed. */
int jd_keeper_find(const char *named, char out[PATH_MAX], struct joulie_error *err);

/* Starts it, with nothing of this process's environment, over a pair of sockets: *out_fd is this
 * end, which closes on exec. It leads a session of its own, outlives this process, and ends when
 * nothing is left to give back. 0 or JOULIE_E_IO. */
int jd_keeper_start(const struct jd_keeper_start *how, pid_t *out_pid, int *out_fd,
                    struct joulie_error *err);
/* The same over a pair that is there; its_end stays open here. */
int jd_keeper_spawn(const struct jd_keeper_start *how, int its_end, pid_t *out_pid,
                    struct joulie_error *err);
/* When the connection was ended with nothing left: until it is gone, and with it its lock; for at
 * most 10 s. pid 0 = none was started. */
void jd_keeper_wait(pid_t pid);

/* joulie_host_claim(), again and again for 2 s while another process has the machine: the
 * joulie-capd of a client that has just died needs a moment to let go. */
int jd_keeper_claim(struct joulie_host *host, struct joulie_error *err);
