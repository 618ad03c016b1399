/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* close_range, pipe2 */

/* The child that gives back when the agent is gone, and the agent's side of the pipe between them
 * (docs/rules/enforcement.md#restore). host.c and agent.c call it. */

#include "agent/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
#define DISABLE_FILE "/etc/joulie/disable"
#define CHECK_MS 250           /* between checks for a successor */
#define MOST_DESCRIPTORS 65536 /* that are closed one by one */
#define RENEW_MS 1000          /* a child that lived longer is replaced at once */
#define MS_PER_S 1000
#define NS_PER_MS 1000000

/* Silence is counted in slices of the child's own waiting: time in which it was itself stopped, or
 * frozen with the agent, is none. */
#define SLICE_MS 5000
#define MOST_SILENT_MS 35000 /* heartbeats come every JD_HEARTBEAT_MS */
#define HURRIED_MS 10000     /* while the kill switch is there */

#define FIRST_PAUSE_MS 250 /* before the second attempt to give back; doubles */
#define LONGEST_PAUSE_MS 16000

enum { PIPE_FD = 3, STATE_FD = 4 };

enum {
    WORD_CLAIMED = 'c',
    WORD_HEARTBEAT = 'h',
    WORD_LEAVE = 'l', /* the agent ends, and could not give everything back */
    WORD_GOOD_BYE = 'b'
};

/* --- the child ---------------------------------------------------------------------------------*/

struct watch {
    const struct jd_watchdog *setup;
    char *state_dir;  /* as a path */
    pid_t agent;      /* our parent as long as it lives */
    bool has_folder;  /* STATE_FD is it, wherever it is by now */
    struct stat lock; /* when the agent had claimed */
    bool has_lock;
    bool has_claimed;  /* the agent said so: from here on silence counts */
    int64_t silent_ms; /* since its last word */
    bool is_hurried;   /* the kill switch is there: nobody else is waited for */
    bool is_kill_logged;
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

/* Who takes the lock writes its number into it; who only holds it for a while does not. */
static bool has_successor(const struct watch *watch)
{
    struct stat now;
    return watch->has_lock && read_lock(watch, &now) &&
           (now.st_ino != watch->lock.st_ino || now.st_mtim.tv_sec != watch->lock.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != watch->lock.st_mtim.tv_nsec);
}

static void wait_ms(int64_t ms)
{
    const struct timespec pause = { .tv_sec = ms / MS_PER_S, .tv_nsec = ms % MS_PER_S * NS_PER_MS };
    nanosleep(&pause, NULL);
}

/* true = somebody else has the machine. */
static bool wait_for_successor(const struct watch *watch, int64_t most_ms)
{
    const int64_t end_ms = jd_clock_ms() + most_ms;
    for (;;) {
        const int64_t left_ms = end_ms - jd_clock_ms();
        if (has_successor(watch))
            return true;
        if (left_ms <= 0)
            return false;
        wait_ms(left_ms < CHECK_MS ? left_ms : CHECK_MS);
    }
}

/* The folder by its descriptor when /proc is there: it may have been moved since. */
static const char *folder_of(const struct watch *watch, char out[32])
{
    struct stat facts;
    snprintf(out, 32, "/proc/self/fd/%d", STATE_FD);
    return watch->has_folder && stat(out, &facts) == 0 ? out : watch->state_dir;
}

/* ---- giving back until nothing is left ---- */

/* 0 = nothing is left to do. What went wrong is logged when it is not what went wrong before. */
static int try_to_give_back(struct watch *watch, struct joulie_error *err)
{
    const struct jd_watchdog *setup = watch->setup;
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_error now = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;
    const bool is_first = !err->message[0];
    char folder[32];
    options.root = setup->root;
    options.state_dir = folder_of(watch, folder);
    options.enforces = 1;
    options.log = is_first ? jd_log_of_host : NULL;
    options.log_user = setup->log;
    int rc = joulie_host_open(&options, &host, &now);
    if (rc == 0)
        rc = joulie_host_claim(host, jd_clock_now().now_ms, &now);
    if (rc == 0) { /* while the lock is ours, so that who takes it later is seen */
        watch->has_lock = read_lock(watch, &watch->lock);
        rc = jd_restore(host, setup->log, "watchdog", !is_first, &now);
    }
    joulie_host_free(host);
    if (rc < 0 && !jl_same(now.message, err->message))
        jd_log_error(setup->log, "watchdog", "the caps cannot be given back yet", &now);
    *err = now;
    return rc;
}

/* With the folder went the journal, and what was found before. */
static bool is_journal_gone(const struct watch *watch)
{
    struct stat facts;
    if (!watch->has_folder)
        return watch->state_dir && stat(watch->state_dir, &facts) != 0 && errno == ENOENT;
    return fstat(STATE_FD, &facts) == 0 && facts.st_nlink == 0;
}

/* A zone that is away comes back with its driver, a lock that is busy is let go. An agent that
 * never claimed leaves a machine to whoever holds it. */
static int give_back(struct watch *watch)
{
    struct jd_log *log = watch->setup->log;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int64_t pause_ms = FIRST_PAUSE_MS;
    for (;;) {
        const int rc = try_to_give_back(watch, &err);
        if (rc == 0)
            return 0;
        if (rc == JOULIE_E_CONFLICT && !watch->has_lock)
            return 0;
        if (is_journal_gone(watch)) {
            jd_log(log, JOULIE_LOG_LEVEL_ERROR, "watchdog",
                   watch->has_folder
                       ? "the state folder was removed: nobody knows what to give back"
                       : "there is no state folder: nothing was capped from it");
            return watch->has_folder ? 1 : 0;
        }
        if (wait_for_successor(watch, pause_ms)) {
            jd_log(log, JOULIE_LOG_LEVEL_INFO, "watchdog", "another agent took over");
            return 0;
        }
        pause_ms = 2 * pause_ms < LONGEST_PAUSE_MS ? 2 * pause_ms : LONGEST_PAUSE_MS;
    }
}

/* ---- waiting for the agent's end ---- */

static bool is_switched_off(const struct watch *watch)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    struct stat facts;
    jl_put_string(&path, watch->setup->root);
    jl_put_string(&path, DISABLE_FILE);
    return jl_buffer_code(&path) == 0 && lstat(path.data, &facts) == 0;
}

/* A hung agent holds the lock and might go on with old facts at any time, so it has to die first:
 * what follows is what follows every death. */
static void end_silent(struct watch *watch)
{
    if (watch->silent_ms < HURRIED_MS || getppid() != watch->agent)
        return;
    watch->is_hurried = is_switched_off(watch);
    if (watch->silent_ms < MOST_SILENT_MS && !watch->is_hurried)
        return;
    if (!watch->is_kill_logged)
        jd_log(watch->setup->log, JOULIE_LOG_LEVEL_ERROR, "watchdog",
               "the agent, process %d, has been silent for %lld s: it is killed", (int)watch->agent,
               (long long)(watch->silent_ms / MS_PER_S));
    watch->is_kill_logged = true;
    kill(watch->agent, SIGKILL);
}

enum end { END_NONE, END_GOOD_BYE, END_LEFT, END_DEATH };

static enum end take_word(struct watch *watch, char word)
{
    watch->silent_ms = 0;
    if (word == WORD_CLAIMED && watch->state_dir)
        keep_folder(watch);
    watch->has_claimed |= word == WORD_CLAIMED;
    return word == WORD_GOOD_BYE ? END_GOOD_BYE : word == WORD_LEAVE ? END_LEFT : END_NONE;
}

static enum end wait_for_word(struct watch *watch)
{
    struct pollfd wait = { .fd = PIPE_FD, .events = POLLIN };
    char word = 0;
    const int ready = poll(&wait, 1, watch->has_claimed ? SLICE_MS : -1);
    if (ready == 0) {
        watch->silent_ms += SLICE_MS;
        end_silent(watch);
        return END_NONE;
    }
    const ssize_t got = ready > 0 ? read(PIPE_FD, &word, 1) : -1;
    return got == 1 ? take_word(watch, word) : got == 0 ? END_DEATH : END_NONE;
}

static int watch_over(const struct jd_watchdog *setup, pid_t agent)
{
    struct watch watch = { .setup = setup, .agent = agent };
    struct jl_buffer path = { 0 };
    put_state_dir(setup, &path);
    watch.state_dir = jl_buffer_take(&path);
    enum end end = END_NONE;
    while (end == END_NONE)
        end = wait_for_word(&watch);
    if (end == END_GOOD_BYE)
        return 0;
    jd_log(setup->log, JOULIE_LOG_LEVEL_WARN, "watchdog",
           end == END_LEFT ? "the agent ended with caps in force"
                           : "the agent is gone without a good-bye");
    if (end == END_DEATH && !watch.is_hurried && wait_for_successor(&watch, setup->timeout_ms)) {
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
    /* a child that is stopped must not stop us by a full pipe */
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return jl_fail(err, JOULIE_E_IO, "", "the watchdog's pipe: %s", strerror(errno));
    const pid_t agent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        leave_agent(ends);
        _exit(watch_over(watchdog, agent));
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
    watchdog->started_ms = jd_clock_ms();
    if (watchdog->has_claimed)
        jd_watchdog_claimed(watchdog);
    return 0;
}

/* A child that is gone cannot be written to; SIGCHLD says so by itself. One that does not read
 * misses words: without a good-bye it finds nothing to give back. */
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

void jd_watchdog_beat(const struct jd_watchdog *watchdog)
{
    if (watchdog->pid > 0)
        say(watchdog, WORD_HEARTBEAT);
}

void jd_watchdog_check(struct jd_watchdog *watchdog)
{
    if (watchdog->pid <= 0 || waitpid(watchdog->pid, NULL, WNOHANG) != watchdog->pid)
        return;
    close(watchdog->pipe);
    watchdog->pid = 0;
    watchdog->is_lost = true;
    jd_log(watchdog->log, JOULIE_LOG_LEVEL_WARN, "watchdog", "it died; another one is started");
    if (jd_clock_ms() - watchdog->started_ms >= RENEW_MS)
        jd_watchdog_renew(watchdog);
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

static void let_go(struct jd_watchdog *watchdog, char word)
{
    if (watchdog->pid <= 0)
        return;
    say(watchdog, word);
    close(watchdog->pipe);
    watchdog->pid = 0;
}

void jd_watchdog_leave(struct jd_watchdog *watchdog)
{
    let_go(watchdog, WORD_LEAVE);
}

void jd_watchdog_good_bye(struct jd_watchdog *watchdog)
{
    let_go(watchdog, WORD_GOOD_BYE);
}
