/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One process per run: what it made comes back through a pipe, and nothing that happens to it
 * happens to the others. experiment.c calls this (docs/rules/experiments.md#results).
 */

#define _GNU_SOURCE /* dladdr, pipe2 */

#include "experiment_runs.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <joulie/version.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "runtime/file.h"
#include "runtime/json.h"

#define MOST_RESULT_BYTES ((size_t)1 << 20)
#define MOST_LIBRARY_BYTES ((size_t)1 << 28)
#define CHUNK_BYTES 4096

/* What a process writes first; a failure is followed by its struct joulie_error. */
#define IS_RESULT '+'
#define IS_FAILURE '-'

struct worker {
    size_t run;
    pid_t pid; /* 0 = none */
    int fd;    /* what it writes */
    struct jl_buffer text;
};

struct pool {
    const struct jd_runs *runs;
    struct worker *workers;
    struct pollfd *polls; /* of the workers, and the signals' behind them */
    size_t next;          /* run that may have to be started */
    size_t count;         /* of all runs */
    size_t done;          /* with a result */
    size_t kept;          /* of them, those whose result was there */
    sigset_t before;
    int signal_fd;
    int signal;
};

/* ---- results that are kept ---- */

static int path_of(const struct pool *pool, size_t run, const char *end, struct jl_arena *arena,
                   const char **out, struct joulie_error *err)
{
    struct joulie_experiment_run about = JOULIE_INIT(struct joulie_experiment_run);
    joulie_experiment_run_at(pool->runs->experiment, run, &about, NULL);
    *out = JL_JOIN(arena, pool->runs->cache, "/", about.key, end);
    return *out ? 0 : jl_fail_memory(err);
}

/* One that is absent, cut, changed or of another build is simulated again. */
static int take_kept(struct pool *pool, size_t run, bool *out_is_there, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const char *path;
    *out_is_there = false;
    int rc = path_of(pool, run, ".json", &arena, &path, err);
    if (rc < 0 || jd_read_file(path, MOST_RESULT_BYTES, &text, NULL) < 0 || text.len == 0)
        return rc;
    rc = joulie_experiment_put_result(pool->runs->experiment, run, text.data, text.len, err);
    *out_is_there = rc == 0;
    return rc == JOULIE_E_NOMEM ? rc : 0;
}

/* Another process may keep the same result now: each writes a file of its own, and the last rename
 * wins. */
static int keep(const struct pool *pool, size_t run, const struct jl_buffer *text,
                struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const char *path;
    const char *own;
    char end[32];
    snprintf(end, sizeof end, ".%ld.new", (long)getpid());
    int rc = path_of(pool, run, ".json", &arena, &path, err);
    if (rc == 0)
        rc = path_of(pool, run, end, &arena, &own, err);
    if (rc == 0)
        rc = jd_write_bytes(own, text->data, text->len, err);
    if (rc == 0 && rename(own, path) != 0) {
        rc = jd_fail_system(path, err);
        unlink(own);
    }
    return rc;
}

/* ---- a process ---- */

static void write_all(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len > 0) {
        const ssize_t wrote = write(fd, at, len);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return; /* nobody reads it any more */
        at += wrote;
        len -= (size_t)wrote;
    }
}

__attribute__((noreturn)) static void work(const struct pool *pool, size_t run, int fd)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *result = NULL;
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &pool->before, NULL);
    const int rc = joulie_experiment_simulate(pool->runs->experiment, run, &result, &err);
    const char first = rc == 0 ? IS_RESULT : IS_FAILURE;
    write_all(fd, &first, 1);
    if (rc == 0)
        write_all(fd, result, strlen(result));
    else
        write_all(fd, &err, sizeof err);
    _exit(0);
}

static int start(const struct pool *pool, struct worker *worker, size_t run,
                 struct joulie_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return jd_fail_system("pipe", err);
    const pid_t pid = fork();
    if (pid == 0)
        work(pool, run, ends[1]);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return jd_fail_system("fork", err);
    }
    *worker = (struct worker){ .run = run, .pid = pid, .fd = ends[0] };
    return 0;
}

static int wait_for(struct worker *worker)
{
    int status = 0;
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(worker->fd);
    worker->pid = 0;
    worker->fd = -1;
    return status;
}

static void stop_all(struct pool *pool)
{
    for (size_t i = 0; i < pool->runs->jobs; i++) {
        struct worker *worker = &pool->workers[i];
        if (worker->pid > 0) {
            kill(worker->pid, SIGKILL);
            wait_for(worker);
        }
        jl_buffer_clear(&worker->text);
    }
}

/* ---- all of them ---- */

static void show_progress(const struct pool *pool)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%zu of %zu runs, %zu of them kept from before", pool->done,
                pool->count, pool->kept);
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

/* What a process made, or why there is nothing. */
static int take_answer(struct pool *pool, size_t run, const struct jl_buffer *text, int status,
                       struct joulie_error *err)
{
    struct jl_buffer result = *text;
    if (text->is_failed)
        return jl_fail_memory(err);
    if (text->len == 1 + sizeof *err && text->data[0] == IS_FAILURE) {
        struct joulie_error theirs;
        memcpy(&theirs, text->data + 1, sizeof theirs);
        return jl_error_return(&theirs, theirs.code, err);
    }
    if (text->len < 2 || text->data[0] != IS_RESULT || status != 0)
        return jl_fail(err, JOULIE_E_INTERNAL, "", "a run ended without a result (%s %d)",
                       WIFSIGNALED(status) ? "signal" : "status",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    result.data++;
    result.len--;
    int rc =
        joulie_experiment_put_result(pool->runs->experiment, run, result.data, result.len, err);
    if (rc == 0)
        rc = keep(pool, run, &result, err);
    pool->done += rc == 0;
    return rc;
}

static int read_worker(struct pool *pool, struct worker *worker, struct joulie_error *err)
{
    char chunk[CHUNK_BYTES];
    const ssize_t got = read(worker->fd, chunk, sizeof chunk);
    if (got < 0)
        return errno == EINTR ? 0 : jd_fail_system("pipe", err);
    if (got > 0) {
        jl_put(&worker->text, chunk, (size_t)got);
        return 0;
    }
    struct jl_buffer text = worker->text;
    worker->text = (struct jl_buffer){ 0 };
    const int status = wait_for(worker);
    const int rc = take_answer(pool, worker->run, &text, status, err);
    jl_buffer_clear(&text);
    show_progress(pool);
    return rc;
}

/* The next run without a result, in a worker that has nothing to do. */
static int fill(struct pool *pool, struct worker *worker, struct joulie_error *err)
{
    while (pool->next < pool->count) {
        const size_t run = pool->next++;
        bool is_there = false;
        const int rc = pool->runs->is_fresh ? 0 : take_kept(pool, run, &is_there, err);
        if (rc < 0)
            return rc;
        if (!is_there)
            return start(pool, worker, run, err);
        pool->kept++;
        pool->done++;
    }
    return 0;
}

static int wait_some(struct pool *pool, struct joulie_error *err)
{
    const size_t jobs = pool->runs->jobs;
    int rc = 0;
    for (size_t i = 0; i < jobs; i++)
        pool->polls[i] = (struct pollfd){ .fd = pool->workers[i].pid > 0 ? pool->workers[i].fd : -1,
                                          .events = POLLIN };
    pool->polls[jobs] = (struct pollfd){ .fd = pool->signal_fd, .events = POLLIN };
    if (poll(pool->polls, jobs + 1, -1) < 0)
        return errno == EINTR ? 0 : jd_fail_system("poll", err);
    if (pool->polls[jobs].revents != 0) {
        struct signalfd_siginfo info;
        if (read(pool->signal_fd, &info, sizeof info) == sizeof info)
            pool->signal = (int)info.ssi_signo;
        return 0;
    }
    for (size_t i = 0; i < jobs && rc == 0; i++) {
        if (pool->polls[i].revents != 0)
            rc = read_worker(pool, &pool->workers[i], err);
    }
    return rc;
}

static int run_all(struct pool *pool, struct joulie_error *err)
{
    bool is_busy = true;
    while (is_busy && pool->signal == 0) {
        is_busy = false;
        for (size_t i = 0; i < pool->runs->jobs; i++) {
            struct worker *worker = &pool->workers[i];
            const int rc = worker->pid == 0 ? fill(pool, worker, err) : 0;
            if (rc < 0)
                return rc;
            is_busy |= worker->pid > 0;
        }
        show_progress(pool);
        const int rc = is_busy ? wait_some(pool, err) : 0;
        if (rc < 0)
            return rc;
    }
    return pool->signal;
}

/* SIGINT and SIGTERM are read where the pipes are. */
static int take_signals(struct pool *pool, struct joulie_error *err)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigprocmask(SIG_BLOCK, &ending, &pool->before);
    pool->signal_fd = signalfd(-1, &ending, SFD_CLOEXEC);
    return pool->signal_fd < 0 ? jd_fail_system("signalfd", err) : 0;
}

int jd_runs_do(const struct jd_runs *runs, struct joulie_error *err)
{
    struct pool pool = {
        .runs = runs,
        .count = joulie_experiment_runs(runs->experiment),
        .workers = jl_calloc(runs->jobs, sizeof *pool.workers),
        .polls = jl_calloc(runs->jobs + 1, sizeof *pool.polls),
        .signal_fd = -1,
    };
    int rc = pool.workers && pool.polls ? take_signals(&pool, err) : jl_fail_memory(err);
    if (rc == 0)
        rc = run_all(&pool, err);
    if (pool.workers)
        stop_all(&pool);
    if (pool.signal_fd >= 0) {
        close(pool.signal_fd);
        sigprocmask(SIG_SETMASK, &pool.before, NULL);
    }
    end_progress();
    if (rc > 0)
        fprintf(stderr, "%s: interrupted; %zu of %zu runs are kept in %s\n", jd_program, pool.done,
                pool.count, runs->cache);
    jl_free(pool.workers);
    jl_free(pool.polls);
    return rc;
}

/* ---- where results are kept ---- */

/* With the folders above it. */
static int make_folders(char *folder, struct joulie_error *err)
{
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int rc =
            mkdir(folder, 0777) != 0 && errno != EEXIST ? jd_fail_system(folder, err) : 0;
        *slash = '/';
        if (rc < 0)
            return rc;
    }
    return jd_make_folder(folder, err);
}

int jd_runs_folder(const char *given, struct jl_arena *arena, const char **out,
                   struct joulie_error *err)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *folder;
    if (given)
        folder = jl_arena_string(arena, given);
    else if (cache && cache[0] == '/')
        folder = JL_JOIN(arena, cache, "/joulie/experiments");
    else if (!jl_is_empty(home))
        folder = JL_JOIN(arena, home, "/.cache/joulie/experiments");
    else
        return jl_fail(err, JOULIE_E_REQUIRED, "--cache",
                       "neither HOME nor XDG_CACHE_HOME names a folder");
    *out = folder;
    return folder ? make_folders(folder, err) : jl_fail_memory(err);
}

const char *jd_runs_build(struct jl_arena *arena)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer bytes = { 0 };
    const char *(*const function)(void) = joulie_version;
    void *address;
    Dl_info info;
    char text[32];
    memcpy(&address, &function, sizeof address);
    if (dladdr(address, &info) == 0 || !info.dli_fname ||
        jd_read_file(info.dli_fname, MOST_LIBRARY_BYTES, &bytes, NULL) < 0)
        return "";
    snprintf(text, sizeof text, "%016llx", (unsigned long long)jl_hash(bytes.data, bytes.len));
    return jl_arena_string(arena, text);
}
