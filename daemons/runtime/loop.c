/* SPDX-License-Identifier: Apache-2.0 */

/* The event loop of a daemon over epoll: descriptors, a heap of timers on one timerfd, signals on
 * one signalfd. */

#include "runtime/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/file.h"
#include "runtime/machine_clock.h"

#define EVENTS_AT_ONCE 16
#define MS_PER_S 1000
#define NS_PER_MS 1000000

static sigset_t set_of(const int *signals, int count)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++)
        sigaddset(&set, signals[i]);
    return set;
}

bool jd_hold_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        const int how = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", how) != fd)
            return false;
    }
    return true;
}

void jd_signals_hold(const int *signals, int count)
{
    const sigset_t set = set_of(signals, count);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static void take_period(void *user)
{
    struct jd_loop *loop = user;
    uint64_t intervals = 0;
    if (read(loop->timer_fd, &intervals, sizeof intervals) == sizeof intervals)
        loop->on_period(loop->user, intervals);
}

static void take_signal(void *user)
{
    struct jd_loop *loop = user;
    struct signalfd_siginfo info;
    while (read(loop->signal_fd, &info, sizeof info) == sizeof info)
        loop->on_signal(loop->user, (int)info.ssi_signo);
}

static int start_timer(int fd, int64_t period_ms)
{
    const struct timespec period = { .tv_sec = period_ms / MS_PER_S,
                                     .tv_nsec = period_ms % MS_PER_S * NS_PER_MS };
    const struct itimerspec spec = { .it_interval = period, .it_value = period };
    return timerfd_settime(fd, 0, &spec, NULL);
}

static int report_kernel(const struct jd_loop *loop, int operation, struct jd_watch *watch,
                         struct joulie_error *err)
{
    struct epoll_event event = { .events = watch->events ? watch->events : EPOLLIN,
                                 .data = { .ptr = watch } };
    return epoll_ctl(loop->epoll_fd, operation, watch->fd, &event) == 0
               ? 0
               : jd_fail_system("epoll_ctl", err);
}

int jd_loop_add(struct jd_loop *loop, struct jd_watch *watch, struct joulie_error *err)
{
    return report_kernel(loop, EPOLL_CTL_ADD, watch, err);
}

int jd_loop_change(struct jd_loop *loop, struct jd_watch *watch, struct joulie_error *err)
{
    return report_kernel(loop, EPOLL_CTL_MOD, watch, err);
}

void jd_loop_remove(struct jd_loop *loop, struct jd_watch *watch)
{
    epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
    for (int i = 0; i < loop->seen_count; i++) {
        if (loop->seen[i].data.ptr == watch)
            loop->seen[i].data.ptr = NULL;
    }
}

/* ---- timers: a binary heap in loop->timers, places from 1 ---- */

static bool is_before(const struct jd_timer *a, const struct jd_timer *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void put_at(struct jd_loop *loop, struct jd_timer *timer, size_t index)
{
    loop->timers[index - 1] = timer;
    timer->index = index;
}

static void move_up(struct jd_loop *loop, struct jd_timer *timer)
{
    size_t index = timer->index;
    while (index > 1 && is_before(timer, loop->timers[index / 2 - 1])) {
        put_at(loop, loop->timers[index / 2 - 1], index);
        index /= 2;
    }
    put_at(loop, timer, index);
}

static void move_down(struct jd_loop *loop, struct jd_timer *timer)
{
    size_t index = timer->index;
    for (;;) {
        size_t below = index * 2;
        if (below < loop->timer_count && is_before(loop->timers[below], loop->timers[below - 1]))
            below++;
        if (below > loop->timer_count || is_before(timer, loop->timers[below - 1]))
            break;
        put_at(loop, loop->timers[below - 1], index);
        index = below;
    }
    put_at(loop, timer, index);
}

int jd_timer_set(struct jd_loop *loop, struct jd_timer *timer, int64_t at_ms)
{
    if (timer->index == 0) {
        const int rc = JL_GROW(&loop->timers, &loop->timer_capacity, loop->timer_count + 1);
        if (rc < 0)
            return rc;
        put_at(loop, timer, ++loop->timer_count);
    }
    timer->at_ms = at_ms > loop->fired_ms ? at_ms : loop->fired_ms; /* overtakes nobody */
    timer->order = ++loop->timer_order;
    move_up(loop, timer);
    move_down(loop, timer);
    return 0;
}

void jd_timer_stop(struct jd_loop *loop, struct jd_timer *timer)
{
    const size_t index = timer->index;
    if (index == 0)
        return;
    timer->index = 0;
    struct jd_timer *last = loop->timers[--loop->timer_count];
    if (last == timer)
        return;
    put_at(loop, last, index);
    move_up(loop, last);
    move_down(loop, last);
}

/* One that is set anew while this runs waits for the next round, so that descriptors get their
 * turn. */
static void fire_timers(struct jd_loop *loop)
{
    const int64_t now_ms = jd_clock_ms();
    const uint64_t newest = loop->timer_order;
    loop->fired_ms = now_ms;
    while (loop->timer_count > 0 && !loop->is_stopped) {
        struct jd_timer *first = loop->timers[0];
        if (first->at_ms > now_ms || first->order > newest)
            return;
        jd_timer_stop(loop, first);
        first->fire(first->user);
    }
}

/* For epoll_wait(). */
static int wait_ms(const struct jd_loop *loop)
{
    if (loop->timer_count == 0)
        return -1;
    const int64_t left_ms = loop->timers[0]->at_ms - jd_clock_ms();
    return left_ms <= 0 ? 0 : left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

int jd_loop_open(struct jd_loop *loop, int64_t period_ms, const int *signals, int signal_count,
                 struct joulie_error *err)
{
    const sigset_t set = set_of(signals, signal_count);
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    loop->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    loop->is_stopped = false;
    loop->timers = NULL;
    loop->timer_count = 0;
    loop->timer_capacity = 0;
    loop->timer_order = 0;
    loop->fired_ms = 0;
    loop->seen_count = 0;
    if (loop->epoll_fd < 0 || loop->timer_fd < 0 || loop->signal_fd < 0 ||
        start_timer(loop->timer_fd, period_ms) != 0)
        return jd_fail_system("event loop", err);
    loop->timer = (struct jd_watch){ .fd = loop->timer_fd, .ready = take_period, .user = loop };
    loop->signals = (struct jd_watch){ .fd = loop->signal_fd, .ready = take_signal, .user = loop };
    const int rc = jd_loop_add(loop, &loop->signals, err);
    return rc == 0 ? jd_loop_add(loop, &loop->timer, err) : rc;
}

int jd_loop_run(struct jd_loop *loop, struct joulie_error *err)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    while (!loop->is_stopped) {
        const int count = epoll_wait(loop->epoll_fd, events, EVENTS_AT_ONCE, wait_ms(loop));
        if (count < 0 && errno != EINTR)
            return jd_fail_system("epoll_wait", err);
        loop->seen = events;
        loop->seen_count = count;
        for (int i = 0; i < count && !loop->is_stopped; i++) {
            struct jd_watch *watch = events[i].data.ptr;
            if (!watch)
                continue;
            watch->seen = events[i].events;
            watch->ready(watch->user);
        }
        loop->seen_count = 0;
        fire_timers(loop);
    }
    return 0;
}

void jd_loop_stop(struct jd_loop *loop)
{
    loop->is_stopped = true;
}

void jd_loop_close(struct jd_loop *loop)
{
    int *const fds[] = { &loop->epoll_fd, &loop->timer_fd, &loop->signal_fd };
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (*fds[i] > 0)
            close(*fds[i]);
        *fds[i] = -1;
    }
    jl_free(loop->timers);
    loop->timers = NULL;
    loop->timer_count = 0;
    loop->timer_capacity = 0;
}
