/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* struct ucred, accept4 */

/* Clients one after another, and what follows their end (docs/rules/enforcement.md#capd): a time
 * in which another one may take over, then giving back until it is done. */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "capd/capd.h"

#define HURRIED_MS 10000 /* silence while the kill switch is there */
#define FIRST_PAUSE_MS 250
#define LONGEST_PAUSE_MS 16000
#define ACCEPT_PAUSE_MS 100
#define FOREVER_MS INT64_MAX

/* Time is counted in slices of this process's own waiting: time in which it was itself stopped, or
 * frozen with its client, is none. */
#define SLICE_MS 5000

enum phase {
    IDLE,     /* nothing is left to do */
    SERVING,  /* a client said hello */
    TAKEOVER, /* what the one before wrote is in force, for a while */
    GIVING,   /* it is given back, until it is done */
};

struct serving {
    struct jl_keeper *keeper;
    const struct jd_capd_options *options;
    int listen_fd; /* -1 = there is one client only, who started this */
    int client_fd; /* -1 = none */
    int32_t client_pid;
    int64_t silent_ms; /* the client, since its last packet */
    enum phase phase;
    int64_t waited_ms; /* in this phase, or since the last attempt */
    int64_t pause_ms;  /* before the next attempt */
    bool keeps_local;  /* no client of this process wrote */
    bool owes_nothing; /* its only client never said hello */
    size_t said_left;  /* at the last attempt */
    char said[sizeof((struct joulie_error *)0)->message];
    int status;
};

static int64_t clock_ms(clockid_t clock)
{
    struct timespec now = { 0 };
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- phases ---- */

static void enter(struct serving *serving, enum phase phase, int64_t wait_ms)
{
    serving->phase = phase;
    serving->waited_ms = 0;
    serving->pause_ms = wait_ms;
    serving->said_left = 0;
    serving->said[0] = '\0';
    if (phase == IDLE || phase == TAKEOVER)
        jl_keeper_release(serving->keeper);
}

/* With the folder went the journal. */
static bool is_folder_gone(const struct serving *serving)
{
    struct stat facts;
    if (fstat(serving->keeper->state_fd, &facts) != 0 || facts.st_nlink > 0)
        return false;
    jd_root_say("the state folder was removed: nobody knows what to give back");
    return true;
}

static void lose_client(struct serving *serving, bool is_silent)
{
    struct jl_keeper *keeper = serving->keeper;
    close(serving->client_fd);
    serving->client_fd = -1;
    keeper->holder_pid = 0;
    if (!keeper->has_client) {
        serving->owes_nothing = serving->listen_fd < 0; /* nobody else can come to this one */
        if (serving->owes_nothing)
            enter(serving, GIVING, FIRST_PAUSE_MS / 2);
        return;
    }
    keeper->has_client = false;
    if (keeper->leaves || jl_journal_now(keeper->journal)->open_count == 0)
        enter(serving, IDLE, FOREVER_MS);
    else if (is_silent || is_folder_gone(serving))
        enter(serving, GIVING, FIRST_PAUSE_MS / 2);
    else
        enter(serving, TAKEOVER, serving->options->takeover_ms);
    serving->keeps_local = false;
}

/* ---- giving back ---- */

/* Once, however often it is tried. */
static void say_left(struct serving *serving, size_t left, const struct joulie_error *err)
{
    if (err->code < 0 && strcmp(err->message, serving->said) != 0)
        jd_root_complain(err);
    if (left != serving->said_left && left > 0)
        jd_root_say("%zu controls cannot be given back yet", left);
    memcpy(serving->said, err->message, sizeof serving->said);
    serving->said_left = left;
}

/* A journal of a newer version, which gives back itself; or one that cannot be used, of an earlier
 * process: that is said, and waits for the next start. */
static bool is_for_others(const struct serving *serving, int rc)
{
    return rc == JOULIE_E_UNSUPPORTED ||
           (rc < 0 && rc != JOULIE_E_CONFLICT && serving->owes_nothing);
}

static void try_to_give_back(struct serving *serving)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_keeper *keeper = serving->keeper;
    const int rc = jl_keeper_reclaim(keeper, &err);
    const size_t left =
        rc == 0 ? jl_keeper_give_back(keeper, serving->keeps_local, clock_ms(CLOCK_REALTIME), &err)
                : 0;
    const bool is_theirs = rc == JOULIE_E_CONFLICT &&
                           (keeper->is_taken_over || (serving->listen_fd < 0 && !keeper->has_lock));
    if (!is_theirs || keeper->is_taken_over)
        say_left(serving, left, &err);
    jl_keeper_release(keeper); /* for joulie-rescue, and whoever comes */
    serving->waited_ms = 0;
    serving->pause_ms = least(2 * serving->pause_ms, LONGEST_PAUSE_MS);
    if (is_for_others(serving, rc))
        serving->status = JD_ROOT_REFUSED;
    if ((rc == 0 && left == 0) || is_for_others(serving, rc) || is_theirs ||
        is_folder_gone(serving))
        enter(serving, IDLE, FOREVER_MS);
}

/* ---- packets ---- */

/* Never waits: who does not read is as good as gone. */
static bool send_reply(int socket_fd, const struct jl_wire_reply *reply,
                       const struct jl_keeper_answer *answer)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } rights = { .bytes = { 0 } };
    struct iovec part = { .iov_base = (void *)(uintptr_t)reply, .iov_len = answer->bytes };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (answer->fd >= 0) {
        message.msg_control = &rights;
        message.msg_controllen = sizeof rights;
        rights.head.cmsg_level = SOL_SOCKET;
        rights.head.cmsg_type = SCM_RIGHTS;
        rights.head.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&rights.head), &answer->fd, sizeof(int));
    }
    ssize_t sent = 0;
    do
        sent = sendmsg(socket_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)answer->bytes;
}

static struct jl_wire_request request; /* too large for the stack */
static struct jl_wire_reply reply;

void jd_capd_refuse(int socket_fd, const struct joulie_error *err)
{
    const struct jl_keeper_answer answer = jl_keeper_refuse(JL_WIRE_HELLO, err, &reply);
    (void)send_reply(socket_fd, &reply, &answer);
}

/* An empty packet looks like the end of the connection, and is one. */
static void take_packet(struct serving *serving)
{
    const ssize_t len =
        recv(serving->client_fd, &request, sizeof request, MSG_DONTWAIT | MSG_TRUNC);
    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (len <= 0) {
        lose_client(serving, false);
        return;
    }
    const struct jl_keeper_time now = { clock_ms(CLOCK_REALTIME), clock_ms(CLOCK_MONOTONIC) };
    struct jl_keeper_answer answer =
        jl_keeper_answer(serving->keeper, &request, (size_t)len, now, &reply);
    serving->silent_ms = 0;
    const bool is_sent = answer.bytes == 0 || send_reply(serving->client_fd, &reply, &answer);
    jl_fd_close(&serving->keeper->root.os, &answer.fd);
    if (serving->keeper->has_client && serving->phase != SERVING)
        enter(serving, SERVING, FOREVER_MS);
    if (answer.ends)
        jd_root_say("process %d is refused: %s", serving->client_pid, reply.message);
    if (!is_sent || answer.ends)
        lose_client(serving, false);
}

/* ---- who connects ---- */

static int check_peer(const struct serving *serving, int fd, struct ucred *peer,
                      struct joulie_error *err)
{
    socklen_t size = sizeof *peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) != 0)
        return jl_root_fail(err, "", "the peer is not known", errno);
    if (peer->uid != 0 && peer->uid != jl_os_uid() && peer->uid != serving->options->client_uid)
        return jl_fail(err, JOULIE_E_IO, "", "user %u may not set caps", peer->uid);
    return serving->client_fd < 0
               ? 0
               : jl_fail(err, JOULIE_E_CONFLICT, "", "process %d is the client of joulie-capd",
                         serving->client_pid);
}

static void take_client(struct serving *serving)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct ucred peer = { 0 };
    const int fd = accept4(serving->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
            (void)poll(NULL, 0, ACCEPT_PAUSE_MS); /* it is still there: this must not be a circle */
        return;
    }
    if (check_peer(serving, fd, &peer, &err) == 0) {
        serving->client_fd = fd;
        serving->client_pid = peer.pid;
        serving->keeper->holder_pid = peer.pid; /* it is the one to be ended */
        serving->silent_ms = 0;
        return;
    }
    jd_capd_refuse(fd, &err);
    close(fd);
}

/* ---- waiting ---- */

static bool is_silent(const struct serving *serving)
{
    struct jl_os_file found;
    return serving->silent_ms >= serving->options->silence_ms ||
           (serving->silent_ms >= HURRIED_MS &&
            jl_root_stat(&serving->keeper->root, JL_DISABLE_PATH, &found) == 0);
}

/* -1 = nothing is due. */
static int64_t due_ms(const struct serving *serving)
{
    int64_t left_ms = least(SLICE_MS, serving->pause_ms - serving->waited_ms);
    if (serving->client_fd >= 0)
        left_ms = least(left_ms, serving->options->silence_ms - serving->silent_ms);
    else if (serving->phase == IDLE)
        return -1;
    return left_ms > 0 ? left_ms : 0;
}

static void wait_for_news(struct serving *serving)
{
    struct pollfd news[] = { { .fd = serving->client_fd, .events = POLLIN },
                             { .fd = serving->listen_fd, .events = POLLIN } };
    const int64_t before_ms = clock_ms(CLOCK_MONOTONIC);
    (void)poll(news, JL_COUNT(news), (int)due_ms(serving));
    const int64_t gone_ms = least(clock_ms(CLOCK_MONOTONIC) - before_ms, SLICE_MS);
    serving->silent_ms += gone_ms;
    serving->waited_ms += gone_ms;
    if (serving->client_fd >= 0 && news[0].revents != 0)
        take_packet(serving);
    if (serving->listen_fd >= 0 && news[1].revents != 0)
        take_client(serving);
}

static void pass_time(struct serving *serving)
{
    if (serving->client_fd >= 0 && is_silent(serving)) {
        jd_root_say("process %d is silent: it counts as gone", serving->client_pid);
        lose_client(serving, true);
    }
    if (serving->waited_ms < serving->pause_ms)
        return;
    if (serving->phase == TAKEOVER)
        enter(serving, GIVING, FIRST_PAUSE_MS / 2);
    try_to_give_back(serving);
}

/* A process before this one may have left something: as if its client had just gone. */
int jd_capd_serve(struct jl_keeper *keeper, const struct jd_capd_options *options, int socket_fd)
{
    struct ucred peer = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int is_listening = 0;
    socklen_t size = sizeof is_listening;
    struct serving serving = {
        .keeper = keeper, .options = options, .client_fd = -1, .keeps_local = true
    };
    (void)getsockopt(socket_fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size);
    (void)check_peer(&serving, socket_fd, &peer, &err); /* who started this is not judged */
    serving.client_pid = peer.pid;
    keeper->holder_pid = is_listening ? 0 : peer.pid;
    serving.listen_fd = is_listening ? socket_fd : -1;
    serving.client_fd = is_listening ? -1 : socket_fd;
    enter(&serving, is_listening ? TAKEOVER : IDLE,
          is_listening ? options->takeover_ms : FOREVER_MS);
    while (serving.phase != IDLE || serving.client_fd >= 0 || serving.listen_fd >= 0) {
        wait_for_news(&serving);
        pass_time(&serving);
    }
    return serving.status;
}
