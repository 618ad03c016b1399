/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/error.h"

#define EVENTS_AT_ONCE 16
#define MS_PER_S 1000
#define NS_PER_MS 1000000

static int fail_system(const char *call, struct joulie_error *err)
{
    const int number = errno;
    jl_fail(err, JOULIE_E_IO, "", "%s: %s", call, strerror(number));
    if (err)
        err->sys_errno = number;
    return JOULIE_E_IO;
}

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

int jd_loop_add(struct jd_loop *loop, struct jd_watch *watch, struct joulie_error *err)
{
    struct epoll_event event = { .events = EPOLLIN, .data = { .ptr = watch } };
    return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) == 0
               ? 0
               : fail_system("epoll_ctl", err);
}

void jd_loop_remove(struct jd_loop *loop, struct jd_watch *watch)
{
    epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
}

int jd_loop_open(struct jd_loop *loop, int64_t period_ms, const int *signals, int signal_count,
                 struct joulie_error *err)
{
    const sigset_t set = set_of(signals, signal_count);
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    loop->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    loop->is_stopped = false;
    if (loop->epoll_fd < 0 || loop->timer_fd < 0 || loop->signal_fd < 0 ||
        start_timer(loop->timer_fd, period_ms) != 0)
        return fail_system("event loop", err);
    loop->timer = (struct jd_watch){ .fd = loop->timer_fd, .ready = take_period, .user = loop };
    loop->signals = (struct jd_watch){ .fd = loop->signal_fd, .ready = take_signal, .user = loop };
    const int rc = jd_loop_add(loop, &loop->signals, err);
    return rc == 0 ? jd_loop_add(loop, &loop->timer, err) : rc;
}

int jd_loop_run(struct jd_loop *loop, struct joulie_error *err)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    while (!loop->is_stopped) {
        const int count = epoll_wait(loop->epoll_fd, events, EVENTS_AT_ONCE, -1);
        if (count < 0 && errno != EINTR)
            return fail_system("epoll_wait", err);
        for (int i = 0; i < count && !loop->is_stopped; i++) {
            const struct jd_watch *watch = events[i].data.ptr;
            watch->ready(watch->user);
        }
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
}
