/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One epoll loop: descriptors, one period, signals. No threads; callbacks run one after another. */

#include <stdbool.h>
#include <stdint.h>

#include <joulie/error.h>

/* One descriptor that is waited for; the caller's storage, unchanged while it is in a loop. */
struct jd_watch {
    int fd;
    void (*ready)(void *user);
    void *user;
};

struct jd_loop {
    int epoll_fd;
    int timer_fd;
    int signal_fd;
    bool is_stopped;
    void *user; /* first argument of the two below */
    /* intervals: since the last call, 1 when the loop was in time. */
    void (*on_period)(void *user, uint64_t intervals);
    void (*on_signal)(void *user, int signal);
    struct jd_watch timer;
    struct jd_watch signals;
};

/* Makes sure that the descriptors 0 to 2 are taken, so that no file that is opened later becomes
 * standard error; to be called first of all. One that was closed still fails when it is used. false
 * = they cannot be taken. */
bool jd_hold_standard_files(void);

/* Takes the signals out of normal delivery: from here on they wait for the loop. Children inherit
 * that. */
void jd_signals_hold(const int *signals, int count);

/* Opens a loop whose signals were held; the first period ends period_ms from now, and each next one
 * is counted from the one before, so that nothing drifts. 0 or JOULIE_E_IO. */
int jd_loop_open(struct jd_loop *loop, int64_t period_ms, const int *signals, int signal_count,
                 struct joulie_error *err);
int jd_loop_add(struct jd_loop *loop, struct jd_watch *watch, struct joulie_error *err);
void jd_loop_remove(struct jd_loop *loop, struct jd_watch *watch);
/* Until jd_loop_stop(). 0 or JOULIE_E_IO. */
int jd_loop_run(struct jd_loop *loop, struct joulie_error *err);
void jd_loop_stop(struct jd_loop *loop);
void jd_loop_close(struct jd_loop *loop);
