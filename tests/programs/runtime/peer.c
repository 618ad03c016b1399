/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/clock.h"
#include "support/test.h"

static void forget(struct talk *talk)
{
    struct talk **at = &talk->peer->talks;
    while (*at != talk)
        at = &(*at)->next;
    *at = talk->next;
    jd_loop_remove(talk->peer->loop, &talk->watch);
    close(talk->watch.fd);
    jl_buffer_clear(&talk->in);
    jl_buffer_clear(&talk->out);
    free(talk);
}

/* The length of the first whole request, 0 = not there yet. */
static size_t request_len(const struct talk *talk)
{
    const char *const text = talk->in.data;
    const char *const end = text ? strstr(text, "\r\n\r\n") : NULL;
    if (!end)
        return 0;
    const char *const field = strstr(text, "Content-Length: ");
    const size_t body = field && field < end ? strtoul(field + 16, NULL, 10) : 0;
    const size_t len = (size_t)(end - text) + 4 + body;
    return talk->in.len >= len ? len : 0;
}

static void write_out(struct talk *talk)
{
    while (talk->sent < talk->out.len) {
        const ssize_t put = send(talk->watch.fd, talk->out.data + talk->sent,
                                 talk->out.len - talk->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && errno == EAGAIN)
            break;
        if (put < 0) {
            talk->sent = talk->out.len;
            talk->ends = true;
            break;
        }
        talk->sent += (size_t)put;
    }
    const bool is_all = talk->sent >= talk->out.len;
    talk->watch.events = is_all ? EPOLLIN : EPOLLIN | EPOLLOUT;
    jd_loop_change(talk->peer->loop, &talk->watch, NULL);
}

static void on_ready(void *user)
{
    struct talk *const talk = user;
    struct peer *const peer = talk->peer;
    char bytes[4096];
    if (talk->watch.seen & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
        const ssize_t got = recv(talk->watch.fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN)) {
            forget(talk);
            return;
        }
        if (got > 0)
            jl_put(&talk->in, bytes, (size_t)got);
    }
    const size_t len = request_len(talk);
    if (len > 0) {
        char *const request = strndup(talk->in.data, len);
        memmove(talk->in.data, talk->in.data + len, talk->in.len - len + 1);
        talk->in.len -= len;
        peer->requests++;
        peer->handle(peer->user, talk, request);
        free(request);
        return; /* the talk may be gone */
    }
    write_out(talk);
    if (talk->ends && talk->sent >= talk->out.len)
        forget(talk);
}

static void on_accept(void *user)
{
    struct peer *const peer = user;
    const int fd = accept(peer->accept.fd, NULL, NULL);
    if (fd < 0)
        return;
    struct talk *const talk = calloc(1, sizeof *talk);
    assert_non_null(talk);
    talk->peer = peer;
    talk->next = peer->talks;
    talk->number = peer->connections++;
    talk->watch = (struct jd_watch){ .fd = fd, .ready = on_ready, .user = talk };
    peer->talks = talk;
    assert_int_equal(jd_loop_add(peer->loop, &talk->watch, NULL), 0);
}

void peer_open(struct peer *peer, struct jd_loop *loop,
               void (*handle)(void *user, struct talk *talk, const char *request), void *user)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof address;
    *peer = (struct peer){ .loop = loop, .handle = handle, .user = user };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    peer->port = ntohs(address.sin_port);
    snprintf(peer->url, sizeof peer->url, "http://127.0.0.1:%d", peer->port);
    peer->accept = (struct jd_watch){ .fd = fd, .ready = on_accept, .user = peer };
    assert_int_equal(jd_loop_add(loop, &peer->accept, NULL), 0);
}

void peer_close(struct peer *peer)
{
    while (peer->talks)
        forget(peer->talks);
    jd_loop_remove(peer->loop, &peer->accept);
    close(peer->accept.fd);
}

void talk_say(struct talk *talk, const char *bytes, size_t len)
{
    jl_put(&talk->out, bytes, len);
    write_out(talk);
}

void talk_text(struct talk *talk, const char *text)
{
    talk_say(talk, text, strlen(text));
}

void talk_reply(struct talk *talk, const char *status, const char *headers, const char *body)
{
    char head[1024];
    snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n%s\r\n", status,
             strlen(body), headers);
    jl_put_string(&talk->out, head);
    talk_text(talk, body);
}

void talk_end(struct talk *talk)
{
    talk->ends = true;
    if (talk->sent >= talk->out.len)
        forget(talk);
}

void talk_reset(struct talk *talk)
{
    const struct linger now = { .l_onoff = 1 };
    setsockopt(talk->watch.fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    forget(talk);
}

struct wait {
    struct jd_loop *loop;
    const bool *is_done;
    int64_t until_ms;
    struct jd_timer timer;
};

static void look(void *user)
{
    struct wait *const wait = user;
    if (*wait->is_done || jd_clock_ms() > wait->until_ms)
        jd_loop_stop(wait->loop);
    else
        jd_timer_set(wait->loop, &wait->timer, jd_clock_ms() + 1);
}

bool run_until(struct jd_loop *loop, const bool *is_done)
{
    struct wait wait = { .loop = loop,
                         .is_done = is_done,
                         .until_ms = jd_clock_ms() + DEADLINE_MS };
    wait.timer = (struct jd_timer){ .fire = look, .user = &wait };
    loop->is_stopped = false;
    assert_int_equal(jd_timer_set(loop, &wait.timer, 0), 0);
    assert_int_equal(jd_loop_run(loop, NULL), 0);
    jd_timer_stop(loop, &wait.timer);
    return *is_done;
}
