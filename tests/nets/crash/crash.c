/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Preloaded into a program (LD_PRELOAD): counts the system calls that touch two folders, and ends
 * or disturbs the program right before any one of them. A call touches a folder when its path lies
 * below it, or its descriptor was opened below it. All of it is set by the environment:
 *
 *   CRASH_ROOT, CRASH_STATE   the folders, absolute
 *   CRASH_RECORD              a file that holds a struct record, up to date at every moment
 *   CRASH_COUNTS              a file: when it is opened, record.reported is the count so far
 *   CRASH_AT=N                before call N (from 1) of the process:
 *   CRASH_HOW=kill            SIGKILL (the default)
 *   CRASH_HOW=torn            the same, but of a write to CRASH_STATE half of the bytes arrive (a
 *                             kernel takes a number whole or not at all)
 *   CRASH_HOW=stop            SIGSTOP; it goes on when somebody says so
 *   CRASH_FAIL=N              open N (from 1, wherever; accept4() is one too) fails with
 *   CRASH_ERRNO=NUMBER
 *   CRASH_ROOM=BYTES          so much may still be written in CRASH_STATE, then ENOSPC
 *   CRASH_READ_ONLY=1         nothing in CRASH_STATE can be changed: EROFS
 *   CRASH_SPEEDUP=N           timers run N times as fast
 *   CRASH_TARGET=FILE         and
 *   CRASH_ACTS=N:FILE,N:term  before call N: FILE takes the place of CRASH_TARGET; SIGTERM to
 * itself
 *
 * Children after a fork are not counted and not disturbed.
 */

#define _GNU_SOURCE /* RTLD_NEXT */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { FDS = 4096, ACTS = 16, KINDS = 1 << 16 };

enum { JOURNAL_WRITE = 'j' }; /* kind of a write to the state folder; 'w' = to the host */

enum place { ELSEWHERE, ROOT, STATE };

struct record {
    uint64_t calls;      /* in both folders */
    uint64_t root_opens; /* of them: opened a folder itself, by a path of the caller's */
    uint64_t writes;     /* write and pwrite */
    uint64_t syncs;
    uint64_t reported;  /* calls without root_opens when the program reported its own count */
    uint64_t opens;     /* wherever; accept4() is one too */
    uint64_t unclaimed; /* of them, before the first flock() */
    char kinds[KINDS];  /* of call N at N - 1: what it is, a letter */
};

struct act {
    uint64_t at;
    const char *file; /* "term" or a path */
};

static struct {
    bool is_on;
    pid_t pid;
    const char *root;
    const char *state;
    const char *counts;
    uint64_t at;

    enum { KILL, TORN, STOP } how;

    uint64_t fail;
    uint64_t number;
    bool is_full;
    uint64_t room;
    bool is_read_only;
    uint64_t speedup;
    const char *target;
    struct act acts[ACTS];
    size_t act_count;
    unsigned char fds[FDS]; /* enum place */
    struct record spare;
    struct record *record;
} crash = { .record = &crash.spare };

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* ---- what is wanted ---- */

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

static void read_acts(char *text)
{
    for (char *part = strtok(text, ","); part != NULL; part = strtok(NULL, ",")) {
        char *file = strchr(part, ':');
        if (file == NULL || crash.act_count == ACTS)
            abort();
        crash.acts[crash.act_count++] =
            (struct act){ .at = strtoull(part, NULL, 10), .file = file + 1 };
    }
}

static struct record *map_record(const char *path)
{
    const int fd = REAL(open)(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || REAL(ftruncate)(fd, sizeof(struct record)) < 0)
        abort();
    void *map = mmap(NULL, sizeof(struct record), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REAL(close)(fd);
    if (map == MAP_FAILED)
        abort();
    return map;
}

__attribute__((constructor)) static void begin(void)
{
    crash.root = getenv("CRASH_ROOT");
    crash.state = getenv("CRASH_STATE");
    if (crash.root == NULL || crash.state == NULL)
        return;
    crash.pid = getpid();
    crash.counts = getenv("CRASH_COUNTS");
    crash.at = number_of("CRASH_AT");
    const char *how = getenv("CRASH_HOW");
    if (how != NULL)
        crash.how = strcmp(how, "torn") == 0 ? TORN : strcmp(how, "stop") == 0 ? STOP : KILL;
    crash.fail = number_of("CRASH_FAIL");
    crash.number = number_of("CRASH_ERRNO");
    crash.is_full = getenv("CRASH_ROOM") != NULL;
    crash.room = number_of("CRASH_ROOM");
    crash.is_read_only = getenv("CRASH_READ_ONLY") != NULL;
    crash.speedup = number_of("CRASH_SPEEDUP");
    crash.target = getenv("CRASH_TARGET");
    const char *acts = getenv("CRASH_ACTS");
    if (acts != NULL)
        read_acts(strdup(acts));
    const char *record = getenv("CRASH_RECORD");
    if (record != NULL)
        crash.record = map_record(record);
    crash.is_on = true;
}

/* ---- whose a call is ---- */

static bool is_below(const char *path, const char *folder)
{
    const size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static enum place place_of(int dir_fd, const char *path)
{
    if (!crash.is_on || getpid() != crash.pid)
        return ELSEWHERE;
    if (path != NULL && path[0] == '/') {
        if (is_below(path, crash.state))
            return STATE;
        return is_below(path, crash.root) ? ROOT : ELSEWHERE;
    }
    return dir_fd >= 0 && dir_fd < FDS ? (enum place)crash.fds[dir_fd] : ELSEWHERE;
}

static void mark(int fd, enum place place)
{
    if (fd >= 0 && fd < FDS)
        crash.fds[fd] = (unsigned char)place;
}

/* ---- what happens before a call ---- */

static void act(const struct act *what)
{
    if (strcmp(what->file, "term") == 0) {
        kill(crash.pid, SIGTERM);
    } else if (rename(what->file, crash.target) < 0) {
        perror(what->file);
        abort();
    }
}

static void die(void)
{
    kill(crash.pid, SIGKILL);
    for (;;)
        pause();
}

/* Counts; true when half of a write is still to be done before the end. */
static bool is_torn_now(char kind)
{
    const int before = errno;
    const uint64_t call = ++crash.record->calls;
    if (call <= KINDS)
        crash.record->kinds[call - 1] = kind;
    for (size_t i = 0; i < crash.act_count; i++)
        if (crash.acts[i].at == call)
            act(&crash.acts[i]);
    if (call == crash.at) {
        if (crash.how == STOP)
            kill(crash.pid, SIGSTOP);
        else if (crash.how == TORN && kind == JOURNAL_WRITE)
            return true;
        else
            die();
    }
    errno = before;
    return false;
}

static void count(char kind)
{
    (void)is_torn_now(kind);
}

static bool is_refused(enum place place, bool changes)
{
    if (place == STATE && changes && crash.is_read_only) {
        errno = EROFS;
        return true;
    }
    return false;
}

/* How much of a write finds room; -1 with errno when nothing does. */
static ssize_t room_for(enum place place, size_t len)
{
    if (place != STATE || !crash.is_full || len == 0)
        return (ssize_t)len;
    const uint64_t fits = len < crash.room ? len : crash.room;
    if (fits == 0) {
        errno = ENOSPC;
        return -1;
    }
    crash.room -= fits;
    return (ssize_t)fits;
}

/* ---- the calls ---- */

static bool is_failing_open(void)
{
    if (!crash.is_on || getpid() != crash.pid || ++crash.record->opens != crash.fail)
        return false;
    errno = (int)crash.number;
    return true;
}

static int open_at(int dir_fd, const char *path, int flags, mode_t mode)
{
    const enum place place = place_of(dir_fd, path);
    if (is_failing_open())
        return -1;
    if (place != ELSEWHERE) {
        count('o');
        if (strcmp(path, crash.root) == 0 || strcmp(path, crash.state) == 0)
            crash.record->root_opens++;
        if (is_refused(place, (flags & (O_CREAT | O_ACCMODE | O_TRUNC)) != 0))
            return -1;
        if (place == STATE && crash.is_full && crash.room == 0 && (flags & O_CREAT) != 0 &&
            faccessat(dir_fd, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0) {
            errno = ENOSPC; /* not even an entry in the folder */
            return -1;
        }
    }
    const int fd = REAL(openat)(dir_fd, path, flags, mode);
    if (place != ELSEWHERE)
        mark(fd, place);
    return fd;
}

#define MODE_OF(flags, mode)                        \
    mode_t mode = 0;                                \
    if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) { \
        va_list list;                               \
        va_start(list, flags);                      \
        mode = (mode_t)va_arg(list, unsigned);      \
        va_end(list);                               \
    }

EXPORT int open(const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return open_at(AT_FDCWD, path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return open_at(AT_FDCWD, path, flags, mode);
}

EXPORT int openat(int dir_fd, const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return open_at(dir_fd, path, flags, mode);
}

EXPORT int openat64(int dir_fd, const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return open_at(dir_fd, path, flags, mode);
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
    if (crash.is_on && crash.counts != NULL && strcmp(path, crash.counts) == 0)
        crash.record->reported = crash.record->calls - crash.record->root_opens;
    return REAL(fopen)(path, mode);
}

EXPORT int close(int fd)
{
    if (place_of(fd, NULL) != ELSEWHERE) {
        count('c');
        mark(fd, ELSEWHERE);
    }
    return REAL(close)(fd);
}

EXPORT ssize_t pread(int fd, void *bytes, size_t len, off_t offset)
{
    if (place_of(fd, NULL) != ELSEWHERE)
        count('r');
    return REAL(pread)(fd, bytes, len, offset);
}

EXPORT ssize_t pread64(int fd, void *bytes, size_t len, off64_t offset)
{
    return pread(fd, bytes, len, offset);
}

EXPORT ssize_t read(int fd, void *bytes, size_t len)
{
    if (place_of(fd, NULL) != ELSEWHERE)
        count('r');
    return REAL(read)(fd, bytes, len);
}

/* A write at an offset, or with -1 where the file stands. */
static ssize_t put(int fd, const void *bytes, size_t len, off_t offset)
{
    const enum place place = place_of(fd, NULL);
    bool is_torn = false;
    ssize_t fits = (ssize_t)len;
    if (place != ELSEWHERE) {
        crash.record->writes++;
        is_torn = is_torn_now(place == STATE ? JOURNAL_WRITE : 'w');
        if (is_refused(place, true))
            return -1;
        fits = room_for(place, is_torn ? len / 2 : len);
        if (fits < 0)
            return -1;
    }
    const ssize_t done = offset < 0 ? REAL(write)(fd, bytes, (size_t)fits)
                                    : REAL(pwrite)(fd, bytes, (size_t)fits, offset);
    if (is_torn)
        die();
    return done;
}

EXPORT ssize_t write(int fd, const void *bytes, size_t len)
{
    return put(fd, bytes, len, -1);
}

EXPORT ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    return put(fd, bytes, len, offset);
}

EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t offset)
{
    return put(fd, bytes, len, offset);
}

EXPORT int fstatat(int dir_fd, const char *path, struct stat *out, int flags)
{
    if (place_of(dir_fd, path) != ELSEWHERE)
        count('t');
    return REAL(fstatat)(dir_fd, path, out, flags);
}

EXPORT int fstatat64(int dir_fd, const char *path, struct stat64 *out, int flags)
{
    if (place_of(dir_fd, path) != ELSEWHERE)
        count('t');
    return REAL(fstatat64)(dir_fd, path, out, flags);
}

EXPORT int fstat64(int fd, struct stat64 *out)
{
    if (place_of(fd, NULL) != ELSEWHERE)
        count('t');
    return REAL(fstat64)(fd, out);
}

EXPORT int fstat(int fd, struct stat *out)
{
    if (place_of(fd, NULL) != ELSEWHERE)
        count('t');
    return REAL(fstat)(fd, out);
}

EXPORT ssize_t getdents64(int fd, void *buffer, size_t len)
{
    if (place_of(fd, NULL) != ELSEWHERE)
        count('l');
    return REAL(getdents64)(fd, buffer, len);
}

EXPORT int ftruncate(int fd, off_t len)
{
    const enum place place = place_of(fd, NULL);
    if (place != ELSEWHERE)
        count('x');
    return is_refused(place, true) ? -1 : REAL(ftruncate)(fd, len);
}

EXPORT int ftruncate64(int fd, off64_t len)
{
    return ftruncate(fd, len);
}

EXPORT int fsync(int fd)
{
    const enum place place = place_of(fd, NULL);
    if (place != ELSEWHERE) {
        crash.record->syncs++;
        count('s');
    }
    return REAL(fsync)(fd);
}

EXPORT int fdatasync(int fd)
{
    const enum place place = place_of(fd, NULL);
    if (place != ELSEWHERE) {
        crash.record->syncs++;
        count('s');
    }
    return REAL(fdatasync)(fd);
}

EXPORT int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    const enum place place = place_of(to_fd, to);
    if (place != ELSEWHERE)
        count('m');
    return is_refused(place, true) ? -1 : REAL(renameat)(from_fd, from, to_fd, to);
}

EXPORT int unlinkat(int dir_fd, const char *path, int flags)
{
    const enum place place = place_of(dir_fd, path);
    if (place != ELSEWHERE)
        count('u');
    return is_refused(place, true) ? -1 : REAL(unlinkat)(dir_fd, path, flags);
}

EXPORT int mkdirat(int dir_fd, const char *path, mode_t mode)
{
    const enum place place = place_of(dir_fd, path);
    if (place != ELSEWHERE)
        count('d');
    return is_refused(place, true) ? -1 : REAL(mkdirat)(dir_fd, path, mode);
}

EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
    return is_failing_open() ? -1 : REAL(accept4)(fd, address, len, flags);
}

EXPORT int flock(int fd, int operation)
{
    if (crash.record->unclaimed == 0)
        crash.record->unclaimed = crash.record->opens;
    if (place_of(fd, NULL) != ELSEWHERE)
        count('f');
    return REAL(flock)(fd, operation);
}

static struct timespec hurried(struct timespec time)
{
    const uint64_t ns_per_s = 1000000000;
    const uint64_t ns = ((uint64_t)time.tv_sec * ns_per_s + (uint64_t)time.tv_nsec) / crash.speedup;
    return (struct timespec){ .tv_sec = (time_t)(ns / ns_per_s), .tv_nsec = (long)(ns % ns_per_s) };
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *to, struct itimerspec *old)
{
    struct itimerspec wanted = *to;
    if (crash.speedup > 0)
        wanted = (struct itimerspec){ .it_interval = hurried(to->it_interval),
                                      .it_value = hurried(to->it_value) };
    return REAL(timerfd_settime)(fd, flags, &wanted, old);
}
