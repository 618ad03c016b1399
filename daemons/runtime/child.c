/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pidfd_open, pipe2 */

/* One run of another program (docs/rules/programs.md#commands): its end is read from a descriptor
 * of the process, its output from a pipe, its time from a timer of the loop. */

#include "runtime/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "runtime/file.h"
#include "runtime/machine_clock.h"
#include "runtime/spawn.h"

#define CHUNK_BYTES 4096
#define MOST_CHUNKS 16 /* of a pipe of the usual size, that are read behind the end */

/* ---- whether it can be run ---- */

static int fail_path(const char *path, int code, int number, struct joulie_error *err)
{
    jl_fail(err, code, path, "%s", strerror(number));
    if (err)
        err->sys_errno = number;
    return code;
}

static int check_kernel(struct joulie_error *err)
{
    const int fd = pidfd_open(getpid(), 0);
    if (fd < 0)
        return jd_fail_system("pidfd_open", err);
    close(fd);
    return 0;
}

int jd_child_check(const char *path, struct joulie_error *err)
{
    struct stat facts;
    if (path[0] != '/')
        return jl_fail(err, JOULIE_E_RANGE, path, "no absolute path");
    if (stat(path, &facts) != 0)
        return fail_path(path, JOULIE_E_IO, errno, err);
    if (!S_ISREG(facts.st_mode))
        return jl_fail(err, JOULIE_E_RANGE, path, "no regular file");
    if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
        return fail_path(path, JOULIE_E_IO, errno, err);
    return check_kernel(err);
}

/* ---- its end ---- */

static void stop_reading(struct jd_child *child)
{
    if (child->reading.fd < 0)
        return;
    jd_loop_remove(child->loop, &child->reading);
    close(child->reading.fd);
    child->reading.fd = -1;
}

static void forget(struct jd_child *child)
{
    jd_timer_stop(child->loop, &child->timer);
    stop_reading(child);
    jd_loop_remove(child->loop, &child->exit);
    close(child->exit.fd);
    child->pid = 0;
}

/* The first bytes make room for the last ones. */
static void keep(struct jd_child *child, const char *bytes, size_t len)
{
    const size_t over =
        child->len + len > child->output_bytes ? child->len + len - child->output_bytes : 0;
    memmove(child->output, child->output + over, child->len - over);
    memcpy(child->output + child->len - over, bytes, len);
    child->len += len - over;
    child->dropped += over;
}

/* true = there may be more. */
static bool read_chunk(struct jd_child *child)
{
    char chunk[CHUNK_BYTES];
    const ssize_t got = read(child->reading.fd, chunk, sizeof chunk);
    if (got > 0)
        keep(child, chunk, (size_t)got);
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        stop_reading(child);
    return got > 0;
}

static void on_output(void *user)
{
    read_chunk(user);
}

static void read_rest(struct jd_child *child)
{
    int chunks = 0;
    while (child->reading.fd >= 0 && chunks++ < MOST_CHUNKS && read_chunk(child))
        ;
}

/* As long as its leader was not waited for, nobody else has the number of the group. */
static void end_group(const struct jd_child *child, int number)
{
    kill(-child->pid, number);
}

static void on_exit(void *user)
{
    struct jd_child *child = user;
    siginfo_t info = { 0 };
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != child->pid)
        return;
    end_group(child, SIGKILL); /* what it left behind */
    waitpid(child->pid, NULL, 0);
    read_rest(child);
    const struct jd_child_result result = {
        .end = child->is_ended              ? JD_CHILD_TIMED_OUT
               : info.si_code == CLD_EXITED ? JD_CHILD_EXITED
                                            : JD_CHILD_SIGNALLED,
        .number = info.si_status,
        .output = child->output,
        .len = child->len,
        .dropped = child->dropped,
    };
    forget(child);
    child->on_done(child->user, &result);
}

static void on_timer(void *user)
{
    struct jd_child *child = user;
    end_group(child, child->is_ended ? SIGKILL : SIGTERM);
    if (!child->is_ended)
        jd_timer_set(child->loop, &child->timer, jd_clock_ms() + child->grace_ms);
    child->is_ended = true;
}

/* ---- its start ---- */

/* Nothing of this process but standard input from nowhere, the pipe, and standard error where it is
 * to be shown. 0 or an errno. */
static int spawn(struct jd_child *child, const struct jd_child_options *options, int output)
{
    const struct jd_spawn_file files[] = { { output, STDOUT_FILENO }, { output, STDERR_FILENO } };
    const struct jd_spawn how = {
        .path = options->path,
        .arguments = options->arguments,
        .environment = options->environment,
        .files = files,
        .file_count = options->is_error_shown ? 1 : JL_COUNT(files),
        .close_from = STDERR_FILENO + 1,
    };
    return jd_spawn(&how, &child->pid);
}

/* It runs; what it takes to hear of it. */
static int watch(struct jd_child *child, int output, int64_t timeout_ms, struct joulie_error *err)
{
    const int fd = pidfd_open(child->pid, 0);
    if (fd < 0)
        return jd_fail_system("pidfd_open", err);
    child->exit = (struct jd_watch){ .fd = fd, .ready = on_exit, .user = child };
    child->reading = (struct jd_watch){ .fd = output, .ready = on_output, .user = child };
    child->timer = (struct jd_timer){ .fire = on_timer, .user = child };
    int rc = jd_loop_add(child->loop, &child->exit, err);
    if (rc == 0)
        rc = jd_loop_add(child->loop, &child->reading, err);
    if (rc == 0 && jd_timer_set(child->loop, &child->timer, jd_clock_ms() + timeout_ms) < 0)
        rc = jl_fail_memory(err);
    if (rc == 0)
        return 0;
    jd_loop_remove(child->loop, &child->reading);
    jd_loop_remove(child->loop, &child->exit);
    close(fd);
    return rc;
}

/* What was spawned is watched, or killed. */
static int start(struct jd_child *child, const struct jd_child_options *options, const int ends[2],
                 struct joulie_error *err)
{
    const int number = spawn(child, options, ends[1]);
    if (number != 0)
        return fail_path(options->path, JOULIE_E_IO, number, err);
    fcntl(ends[0], F_SETFL, O_NONBLOCK); /* of this end only */
    const int rc = watch(child, ends[0], options->timeout_ms, err);
    if (rc == 0)
        return 0;
    end_group(child, SIGKILL);
    waitpid(child->pid, NULL, 0);
    return rc;
}

int jd_child_start(struct jd_child *child, struct jd_loop *loop,
                   const struct jd_child_options *options, struct joulie_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return jd_fail_system("pipe", err);
    *child = (struct jd_child){ .loop = loop,
                                .on_done = options->on_done,
                                .user = options->user,
                                .grace_ms = options->grace_ms };
    child->output = options->output ? options->output : child->own_output;
    child->output_bytes = options->output ? options->output_bytes : sizeof child->own_output;
    signal(SIGCHLD, SIG_DFL); /* ignored, as a parent may leave it, a child cannot be waited for */
    const int rc = start(child, options, ends, err);
    close(ends[1]);
    if (rc == 0)
        return 0;
    child->pid = 0;
    close(ends[0]);
    return rc;
}

bool jd_child_runs(const struct jd_child *child)
{
    return child->pid > 0;
}

void jd_child_limit(struct jd_child *child, int64_t at_ms)
{
    if (jd_child_runs(child) && !child->is_ended && child->timer.at_ms > at_ms)
        jd_timer_set(child->loop, &child->timer, at_ms);
}

/* One that cannot be ended yet, in the middle of a call of the kernel, is left to whoever inherits
 * it: nobody waits for it here. */
void jd_child_close(struct jd_child *child)
{
    if (!jd_child_runs(child))
        return;
    end_group(child, SIGKILL);
    waitpid(child->pid, NULL, WNOHANG);
    forget(child);
}
