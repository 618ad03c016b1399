/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One epoll loop: descriptors, timers, one period, signals. No threads; callbacks run one after
 * another. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

struct epoll_event;

/* One descriptor that is waited for; the caller's storage, unchanged while it is in a loop. */
struct jd_watch {
    int fd;
    uint32_t events; /* EPOLLIN, EPOLLOUT; 0 = EPOLLIN */
    uint32_t seen;   /* what ready() is called for */
    void (*ready)(void *user);
    void *user;
};

/* Fires once, at or after a time; the caller's storage, zeroed at the start. */
struct jd_timer {
    void (*fire)(void *user);
    void *user;
    int64_t at_ms;  /* CLOCK_MONOTONIC */
    uint64_t order; /* of jd_timer_set(): those of one time fire in it */
    size_t index;   /* in the loop's heap, from 1; 0 = not set */
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
    struct jd_timer **timers; /* a heap, the earliest first */
    size_t timer_count;
    size_t timer_capacity;
    uint64_t timer_order;     /* of the newest */
    int64_t fired_ms;         /* what was due before it has fired */
    struct epoll_event *seen; /* of the round that runs; a watch that is removed leaves it */
    int seen_count;
};

/* Makes sure that the descriptors 0 to 2 are taken, so that no file that is opened later becomes
 * standard error; to be called first of all. One that was closed still fails when it is used. false
 * = they cannot be taken. */
bool jd_hold_standard_files(void);

/* Takes the signals out of normal delivery: from here on they wait for the loop. Children inherit
 * that. */
void jd_signals_hold(const int *signals, int count);

/* Opens a loop whose signals were held; period_ms 0 = no period. The first period ends period_ms
 * from now, and each next one is counted from the one before, so that nothing drifts. 0 or
 * JOULIE_E_IO. */
int jd_loop_open(struct jd_loop *loop, int64_t period_ms, const int *signals, int signal_count,
                 struct joulie_error *err);
int jd_loop_add(struct jd_loop *loop, struct jd_watch *watch, struct joulie_error *err);
void jd_loop_remove(struct jd_loop *loop, struct jd_watch *watch); /* also from a callback */
/* After watch->events was changed. */
int jd_loop_change(struct jd_loop *loop, struct jd_watch *watch, struct joulie_error *err);

/* Never, for a timer that stays set, so that setting it anew cannot fail; when it fires it is set
 * to this first of all, before another timer takes its index in the heap. */
#define JD_NEVER_MS (INT64_MAX / 2)

/* Sets a timer, or sets it anew. 0 or JOULIE_E_NOMEM, which one that is set already never gives. */
int jd_timer_set(struct jd_loop *loop, struct jd_timer *timer, int64_t at_ms);
void jd_timer_stop(struct jd_loop *loop, struct jd_timer *timer); /* one that is not set: nothing */
/* Until jd_loop_stop(). 0 or JOULIE_E_IO. */
int jd_loop_run(struct jd_loop *loop, struct joulie_error *err);
void jd_loop_stop(struct jd_loop *loop);
void jd_loop_close(struct jd_loop *loop);
