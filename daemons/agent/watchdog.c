/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* close_range, pipe2 */

/* The child that gives back when the agent is gone, and the agent's side of the pipe between them
 * (docs/rules/enforcement.md#restore). host.c and agent.c call it. */

#include "agent/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <joulie/host.h>

#include "agent/host.h"
#include "base/buffer.h"
#include "base/error.h"
#include "runtime/clock.h"

#define NAME "joulie-watchdog" /* as ps shows it; 15 bytes at most */
#define DEFAULT_STATE_DIR "/var/lib/joulie"
#define LOCK_FILE "writer.lock" /* docs/rules/enforcement.md#journal */
#define CHECK_MS 250            /* between checks for a successor */
#define MOST_DESCRIPTORS 65536  /* that are closed one by one */
#define NS_PER_MS 1000000

enum { PIPE_FD = 3, STATE_FD = 4 };

enum { WORD_CLAIMED = 'c', WORD_GOOD_BYE = 'b' };

/* --- the child ---------------------------------------------------------------------------------*/

struct watch {
    const struct jd_watchdog *setup;
    char *state_dir;  /* as a path */
    bool has_folder;  /* STATE_FD is it, wherever it is by now */
    struct stat lock; /* when the agent had claimed */
    bool has_lock;
};

static void put_state_dir(const struct jd_watchdog *setup, struct jl_buffer *out)
{
    jl_put_string(out, setup->state_dir ? setup->state_dir : setup->root);
    jl_put_string(out, setup->state_dir ? "" : DEFAULT_STATE_DIR);
}

/* A kernel before 5.9, and the filter of some containers, have no close_range(). */
static void close_from(int first)
{
    struct rlimit most = { .rlim_cur = MOST_DESCRIPTORS };
    if (close_range((unsigned)first, ~0U, 0) == 0)
        return;
    (void)getrlimit(RLIMIT_NOFILE, &most);
    const int end = most.rlim_cur < MOST_DESCRIPTORS ? (int)most.rlim_cur : MOST_DESCRIPTORS;
    for (int fd = first; fd < end; fd++)
        close(fd);
}

/* No descriptor of the agent stays open here: whoever waits for one of them to close, waits for the
 * agent only. The writing end of the pipe goes by itself, whatever becomes of the others: with it
 * open here, the end of the agent would never be seen. */
static void leave_agent(const int ends[2])
{
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT };
    setsid();
    prctl(PR_SET_NAME, NAME);
    for (size_t i = 0; i < JL_COUNT(ignored); i++)
        signal(ignored[i], SIG_IGN);
    close(ends[1]);
    dup2(ends[0], PIPE_FD);
    close_from(STATE_FD);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    if (null > STDERR_FILENO)
        close(null);
}

static bool read_lock(const struct watch *watch, struct stat *out)
{
    return watch->has_folder ? fstatat(STATE_FD, LOCK_FILE, out, AT_SYMLINK_NOFOLLOW) == 0 : false;
}

static void keep_folder(struct watch *watch)
{
    const int fd = open(watch->state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    watch->has_folder = fd >= 0 && (fd == STATE_FD || dup2(fd, STATE_FD) == STATE_FD);
    if (fd >= 0 && fd != STATE_FD)
        close(fd);
    watch->has_lock = read_lock(watch, &watch->lock);
}

/* Who takes the lock writes its number into it. */
static bool has_successor(const struct watch *watch)
{
    struct stat now;
    return watch->has_lock && read_lock(watch, &now) &&
           (now.st_ino != watch->lock.st_ino || now.st_mtim.tv_sec != watch->lock.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != watch->lock.st_mtim.tv_nsec);
}

/* true = somebody else has the machine. */
static bool wait_for_successor(const struct watch *watch)
{
    const int64_t end_ms = jd_clock_ms() + watch->setup->timeout_ms;
    for (;;) {
        const int64_t left_ms = end_ms - jd_clock_ms();
        if (has_successor(watch))
            return true;
        if (left_ms <= 0)
            return false;
        const int64_t pause_ms = left_ms < CHECK_MS ? left_ms : CHECK_MS;
        const struct timespec pause = { .tv_sec = 0, .tv_nsec = pause_ms * NS_PER_MS };
        nanosleep(&pause, NULL);
    }
}

/* The folder by its descriptor when /proc is there: it may have been moved since. */
static const char *folder_of(const struct watch *watch, char out[32])
{
    struct stat facts;
    snprintf(out, 32, "/proc/self/fd/%d", STATE_FD);
    return watch->has_folder && stat(out, &facts) == 0 ? out : watch->state_dir;
}

static int give_back(const struct watch *watch)
{
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;
    struct jd_log *log = watch->setup->log;
    char folder[32];
    options.root = watch->setup->root;
    options.state_dir = folder_of(watch, folder);
    options.enforces = 1;
    options.log = jd_log_of_host;
    options.log_user = log;
    int rc = joulie_host_open(&options, &host, &err);
    if (rc == 0)
        rc = joulie_host_claim(host, jd_clock_now().now_ms, &err);
    if (rc == JOULIE_E_CONFLICT)
        jd_log(log, JOULIE_LOG_LEVEL_INFO, "watchdog", "another agent has the machine: %s",
               err.message);
    else if (rc < 0)
        jd_log_error(log, "watchdog", "the caps cannot be given back", &err);
    else
        rc = jd_restore(host, log, "watchdog");
    joulie_host_free(host);
    return rc == 0 || rc == JOULIE_E_CONFLICT ? 0 : 1;
}

static int watch_over(const struct jd_watchdog *setup)
{
    struct watch watch = { .setup = setup };
    struct jl_buffer path = { 0 };
    put_state_dir(setup, &path);
    watch.state_dir = jl_buffer_take(&path);
    for (;;) {
        char word = 0;
        const ssize_t got = read(PIPE_FD, &word, 1);
        if (got == 1 && word == WORD_GOOD_BYE)
            return 0;
        if (got == 1 && watch.state_dir)
            keep_folder(&watch);
        if (got == 0)
            break;
    }
    jd_log(setup->log, JOULIE_LOG_LEVEL_WARN, "watchdog", "the agent is gone without a good-bye");
    if (wait_for_successor(&watch)) {
        jd_log(setup->log, JOULIE_LOG_LEVEL_INFO, "watchdog", "another agent took over");
        return 0;
    }
    return give_back(&watch);
}

/* --- the agent's side --------------------------------------------------------------------------*/

int jd_watchdog_start(struct jd_watchdog *watchdog, struct joulie_error *err)
{
    int ends[2];
    if (watchdog->timeout_ms == 0)
        return 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return jl_fail(err, JOULIE_E_IO, "", "the watchdog's pipe: %s", strerror(errno));
    const pid_t pid = fork();
    if (pid == 0) {
        leave_agent(ends);
        _exit(watch_over(watchdog));
    }
    const int number = errno;
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return jl_fail(err, JOULIE_E_IO, "", "the watchdog cannot be started: %s",
                       strerror(number));
    }
    watchdog->pid = pid;
    watchdog->pipe = ends[1];
    if (watchdog->has_claimed)
        jd_watchdog_claimed(watchdog);
    return 0;
}

/* A child that is gone cannot be written to; SIGCHLD says so by itself. */
static void say(const struct jd_watchdog *watchdog, char word)
{
    ssize_t put;
    do
        put = write(watchdog->pipe, &word, 1);
    while (put < 0 && errno == EINTR);
}

void jd_watchdog_claimed(struct jd_watchdog *watchdog)
{
    watchdog->has_claimed = true;
    if (watchdog->pid > 0)
        say(watchdog, WORD_CLAIMED);
}

void jd_watchdog_check(struct jd_watchdog *watchdog)
{
    if (watchdog->pid <= 0 || waitpid(watchdog->pid, NULL, WNOHANG) != watchdog->pid)
        return;
    close(watchdog->pipe);
    watchdog->pid = 0;
    watchdog->is_lost = true;
    jd_log(watchdog->log, JOULIE_LOG_LEVEL_WARN, "watchdog", "it died; another one is started");
}

void jd_watchdog_renew(struct jd_watchdog *watchdog)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (!watchdog->is_lost)
        return;
    if (jd_watchdog_start(watchdog, &err) < 0)
        jd_log_error(watchdog->log, "watchdog", "no child", &err);
    watchdog->is_lost = watchdog->pid == 0;
}

void jd_watchdog_leave(struct jd_watchdog *watchdog)
{
    if (watchdog->pid <= 0)
        return;
    close(watchdog->pipe);
    watchdog->pid = 0;
}

void jd_watchdog_good_bye(struct jd_watchdog *watchdog)
{
    if (watchdog->pid > 0)
        say(watchdog, WORD_GOOD_BYE);
    jd_watchdog_leave(watchdog);
}
