/* SPDX-License-Identifier: Apache-2.0 */

/* One request of the HTTP server and its answer: what a handler reads, replies, streams, or cuts.
 * http_server.c makes the calls and ends them. */

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/http_inner.h"

#define US_PER_S 1e6
#define BLOCK_BYTES 4096               /* for peers of HTTP/1.0, which get no chunks */
#define KEPT_BYTES ((size_t)256 << 10) /* memory that an emptied stream keeps */

struct jd_call *jd_call_new(struct jd_server *server, struct MHD_Connection *connection,
                            struct jd_peer *peer, const char *target)
{
    struct jd_call *call = jl_calloc(1, sizeof *call);
    if (!call)
        return NULL;
    call->server = server;
    call->connection = connection;
    call->peer = peer;
    call->start_us = jd_clock_now().monotonic_us;
    const int rc = target ? jd_target_parse(&call->target, target) : JOULIE_E_PARSE;
    if (rc < 0)
        call->refusal = rc == JOULIE_E_PARSE ? MHD_HTTP_BAD_REQUEST : MHD_HTTP_SERVICE_UNAVAILABLE;
    peer->call = call;
    return call;
}

void jd_call_free(struct jd_call *call)
{
    call->peer->call = NULL;
    if (call->is_watched)
        jd_loop_remove(call->server->loop, &call->gone_watch);
    if (call->response)
        MHD_destroy_response(call->response);
    jd_target_clear(&call->target);
    jl_buffer_clear(&call->body);
    jl_buffer_clear(&call->headers);
    jl_buffer_clear(&call->stream);
    jl_free(call);
}

/* ---- waiting ---- */

static void wake(struct jd_call *call)
{
    if (!call->is_waiting || call->server->is_closing)
        return;
    call->is_waiting = false;
    MHD_resume_connection(call->connection);
    jd_server_wake(call->server);
}

void jd_calls_resume(struct jd_server *server)
{
    for (struct jd_peer *peer = server->peers; peer; peer = peer->next) {
        if (peer->call && peer->call->is_waiting)
            MHD_resume_connection(peer->call->connection);
    }
}

/* What waits is lost. */
static void give_up(struct jd_call *call)
{
    call->is_aborted = true;
    jl_buffer_clear(&call->stream);
    call->stream_sent = 0;
    jd_peer_cut(call->peer);
    wake(call);
}

static void on_hang_up(void *user)
{
    struct jd_call *call = user;
    jd_loop_remove(call->server->loop, &call->gone_watch);
    call->is_watched = false;
    if (!call->is_over && !call->is_aborted)
        give_up(call);
}

/* The library skips a connection that is suspended. */
static void wait_for_more(struct jd_call *call)
{
    if (!call->is_watched) {
        call->gone_watch = (struct jd_watch){
            .fd = call->peer->fd, .events = EPOLLRDHUP, .ready = on_hang_up, .user = call
        };
        call->is_watched = jd_loop_add(call->server->loop, &call->gone_watch, NULL) == 0;
    }
    call->is_waiting = true;
    MHD_suspend_connection(call->connection);
}

/* ---- a request ---- */

const char *jd_call_method(const struct jd_call *call)
{
    return call->method;
}

const char *jd_call_path(const struct jd_call *call)
{
    return call->target.path;
}

const char *jd_call_header(const struct jd_call *call, const char *name)
{
    return MHD_lookup_connection_value(call->connection, MHD_HEADER_KIND, name);
}

const char *jd_call_query(const struct jd_call *call, const char *name)
{
    const struct jl_map map = { call->target.query, call->target.query_count };
    return jl_map_get(&map, name);
}

const char *jd_call_body(const struct jd_call *call, size_t *out_len)
{
    *out_len = call->body.len;
    return call->body.len > 0 ? call->body.data : "";
}

const char *jd_call_segment(const struct jd_call *call, size_t index)
{
    return index < call->target.segment_count ? call->target.segments[index] : NULL;
}

size_t jd_call_segments(const struct jd_call *call)
{
    return call->target.segment_count;
}

void jd_call_set_user(struct jd_call *call, void *user)
{
    call->user = user;
}

void *jd_call_user(const struct jd_call *call)
{
    return call->user;
}

void jd_call_route(struct jd_call *call, const char *route)
{
    call->route = route;
}

const char *jd_call_routed(const struct jd_call *call)
{
    return call->route;
}

void jd_call_on_gone(struct jd_call *call, void (*gone)(void *user, struct jd_call *call),
                     void *user)
{
    call->gone = gone;
    call->gone_user = user;
}

/* ---- its answer ---- */

static void report_answer(const struct jd_call *call)
{
    const struct jd_server_options *options = &call->server->options;
    const int64_t took_us = jd_clock_now().monotonic_us - call->start_us;
    if (options->on_answer)
        options->on_answer(options->user, call, call->status, (double)took_us / US_PER_S);
}

void jd_call_put_header(struct jd_call *call, const char *name, const char *value)
{
    jl_put(&call->headers, name, strlen(name) + 1);
    jl_put(&call->headers, value, strlen(value) + 1);
}

static bool add_headers(struct jd_call *call, const char *content_type)
{
    struct MHD_Response *response = call->response;
    bool is_good = !call->headers.is_failed;
    if (content_type)
        is_good = MHD_add_response_header(response, "Content-Type", content_type) && is_good;
    if (call->server->is_draining)
        is_good = MHD_add_response_header(response, "Connection", "close") && is_good;
    for (size_t at = 0; is_good && at < call->headers.len;) {
        const char *name = call->headers.data + at;
        const char *value = name + strlen(name) + 1;
        is_good = MHD_add_response_header(response, name, value) == MHD_YES;
        at = (size_t)(value - call->headers.data) + strlen(value) + 1;
    }
    return is_good;
}

/* Without a response the connection is cut. */
static void answer(struct jd_call *call, enum jd_answer kind, int status, const char *content_type,
                   struct MHD_Response *response)
{
    call->answer = kind;
    call->status = status;
    call->response = response;
    if (!response || !add_headers(call, content_type))
        give_up(call);
    wake(call);
}

void jd_call_reply(struct jd_call *call, int status, const char *content_type, const char *body,
                   size_t len)
{
    char *copy = jl_calloc(len + 1, 1);
    struct MHD_Response *response = NULL;
    if (copy) {
        if (len > 0)
            memcpy(copy, body, len);
        response = MHD_create_response_from_buffer_with_free_callback(len, copy, jl_free);
        if (!response)
            jl_free(copy);
    }
    call->is_over = true;
    answer(call, JD_ANSWER_WHOLE, status, content_type, response);
    report_answer(call);
}

void jd_call_text(struct jd_call *call, int status, const char *text)
{
    jd_call_reply(call, status, "text/plain; charset=utf-8", text, strlen(text));
}

static size_t waiting_bytes(const struct jd_call *call)
{
    return call->stream.len - call->stream_sent;
}

static void forget_sent(struct jd_call *call)
{
    struct jl_buffer *stream = &call->stream;
    const size_t left = waiting_bytes(call);
    if (left == 0 && stream->capacity > KEPT_BYTES) {
        jl_buffer_clear(stream);
    } else if (left <= call->stream_sent) {
        memmove(stream->data, stream->data + call->stream_sent, left);
        stream->len = left;
    } else {
        return;
    }
    call->stream_sent = 0;
}

/* The library holds back the headers, and small pieces, until more comes; nothing may come. */
static void push_out(const struct jd_call *call)
{
    const int on = 1;
    setsockopt(call->peer->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static ssize_t read_stream(void *user, uint64_t position, char *out, size_t most)
{
    struct jd_call *call = user;
    (void)position;
    const size_t waiting = waiting_bytes(call);
    if (waiting > 0) {
        const size_t count = waiting < most ? waiting : most;
        memcpy(out, call->stream.data + call->stream_sent, count);
        call->stream_sent += count;
        forget_sent(call);
        return (ssize_t)count;
    }
    if (call->is_aborted)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (call->is_over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    push_out(call);
    wait_for_more(call);
    return 0;
}

void jd_call_stream(struct jd_call *call, int status, const char *content_type)
{
    answer(
        call, JD_ANSWER_STREAM, status, content_type,
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, call, NULL));
}

bool jd_stream_put(struct jd_call *call, const char *bytes, size_t len)
{
    if (call->is_aborted)
        return false;
    const bool has_room = len <= call->server->options.most_waiting - waiting_bytes(call);
    if (has_room)
        jl_put(&call->stream, bytes, len);
    if (!has_room || call->stream.is_failed) {
        call->server->counts.cut++;
        give_up(call);
        return false;
    }
    wake(call);
    return true;
}

void jd_stream_end(struct jd_call *call)
{
    call->is_over = true;
    report_answer(call);
    wake(call);
}

void jd_call_abort(struct jd_call *call)
{
    call->is_over = true;
    call->is_aborted = true;
    wake(call);
}

enum MHD_Result jd_call_go_on(struct jd_call *call)
{
    if (call->answer == JD_ANSWER_NONE && !call->is_aborted) {
        wait_for_more(call);
        return MHD_YES;
    }
    if (!call->response || (call->is_aborted && call->answer != JD_ANSWER_STREAM))
        return MHD_NO;
    jd_peer_enter(call->peer,
                  call->answer == JD_ANSWER_STREAM ? JD_PHASE_WORKING : JD_PHASE_SENDING);
    return MHD_queue_response(call->connection, (unsigned)call->status, call->response);
}

void jd_call_finish(struct jd_call *call)
{
    if (call->is_handed && !call->is_over) {
        if (call->answer == JD_ANSWER_STREAM)
            report_answer(call);
        if (call->gone)
            call->gone(call->gone_user, call);
    }
    jd_call_free(call);
}
