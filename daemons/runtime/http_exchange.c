/* SPDX-License-Identifier: Apache-2.0 */

/* One request of the HTTP server and its answer: what a handler reads, replies, streams, or cuts.
 * http_server.c makes the exchanges and ends them. */

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/http_server_parts.h"

#define US_PER_S 1e6
#define BLOCK_BYTES 4096               /* for peers of HTTP/1.0, which get no chunks */
#define KEPT_BYTES ((size_t)256 << 10) /* memory that an emptied stream keeps */

struct jd_exchange *jd_exchange_new(struct jd_server *server, struct MHD_Connection *connection,
                                    struct jd_peer *peer, const char *target)
{
    struct jd_exchange *exchange = jl_calloc(1, sizeof *exchange);
    if (!exchange)
        return NULL;
    exchange->server = server;
    exchange->connection = connection;
    exchange->peer = peer;
    exchange->start_us = jd_clock_now().monotonic_us;
    const int rc = target ? jd_target_parse(&exchange->target, target) : JOULIE_E_PARSE;
    if (rc < 0)
        exchange->refusal =
            rc == JOULIE_E_PARSE ? MHD_HTTP_BAD_REQUEST : MHD_HTTP_SERVICE_UNAVAILABLE;
    peer->exchange = exchange;
    return exchange;
}

/* ---- waiting ---- */

static void wake(struct jd_exchange *exchange)
{
    if (!exchange->is_waiting || exchange->server->is_closing)
        return;
    exchange->is_waiting = false;
    MHD_resume_connection(exchange->connection);
    jd_server_wake(exchange->server);
}

void jd_exchanges_resume(struct jd_server *server)
{
    for (struct jd_peer *peer = server->peers; peer; peer = peer->next) {
        if (peer->exchange && peer->exchange->is_waiting)
            MHD_resume_connection(peer->exchange->connection);
    }
}

/* What waits is lost. */
static void give_up(struct jd_exchange *exchange)
{
    exchange->is_aborted = true;
    jl_buffer_clear(&exchange->stream);
    exchange->stream_sent = 0;
    jd_peer_cut(exchange->peer);
    wake(exchange);
}

static void on_hang_up(void *user)
{
    struct jd_exchange *exchange = user;
    jd_loop_remove(exchange->server->loop, &exchange->gone_watch);
    exchange->is_watched = false;
    if (!exchange->is_over && !exchange->is_aborted)
        give_up(exchange);
}

/* The library skips a connection that is suspended. */
static void wait_for_more(struct jd_exchange *exchange)
{
    if (!exchange->is_watched) {
        exchange->gone_watch = (struct jd_watch){
            .fd = exchange->peer->fd, .events = EPOLLRDHUP, .ready = on_hang_up, .user = exchange
        };
        exchange->is_watched =
            jd_loop_add(exchange->server->loop, &exchange->gone_watch, NULL) == 0;
    }
    exchange->is_waiting = true;
    MHD_suspend_connection(exchange->connection);
}

/* ---- a request ---- */

const char *jd_exchange_method(const struct jd_exchange *exchange)
{
    return exchange->method;
}

const char *jd_exchange_path(const struct jd_exchange *exchange)
{
    return exchange->target.path;
}

const char *jd_exchange_header(const struct jd_exchange *exchange, const char *name)
{
    return MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, name);
}

const char *jd_exchange_query(const struct jd_exchange *exchange, const char *name)
{
    const struct jl_map map = { exchange->target.query, exchange->target.query_count };
    return jl_map_get(&map, name);
}

const char *jd_exchange_body(const struct jd_exchange *exchange, size_t *out_len)
{
    *out_len = exchange->body.len;
    return exchange->body.len > 0 ? exchange->body.data : "";
}

bool jd_exchange_is_json(const struct jd_exchange *exchange)
{
    struct jl_text type = jl_text(jd_exchange_header(exchange, "Content-Type"));
    return jl_same_nocase(jl_text_trim(jl_text_cut(&type, ';')), "application/json");
}

bool jd_exchange_want_json(struct jd_exchange *exchange)
{
    static const char why[] = "{\"error\":\"the content type has to be application/json\"}\n";
    if (jd_exchange_is_json(exchange))
        return true;
    jd_exchange_reply(exchange, 415, "application/json", why, sizeof why - 1);
    return false;
}

const char *jd_exchange_segment(const struct jd_exchange *exchange, size_t index)
{
    return index < exchange->target.segment_count ? exchange->target.segments[index] : NULL;
}

size_t jd_exchange_segments(const struct jd_exchange *exchange)
{
    return exchange->target.segment_count;
}

void jd_exchange_set_user(struct jd_exchange *exchange, void *user)
{
    exchange->user = user;
}

void *jd_exchange_user(const struct jd_exchange *exchange)
{
    return exchange->user;
}

void jd_exchange_route(struct jd_exchange *exchange, const char *route)
{
    exchange->route = route;
}

const char *jd_exchange_routed(const struct jd_exchange *exchange)
{
    return exchange->route;
}

void jd_exchange_on_gone(struct jd_exchange *exchange,
                         void (*gone)(void *user, struct jd_exchange *exchange), void *user)
{
    exchange->gone = gone;
    exchange->gone_user = user;
}

/* ---- its answer ---- */

static void report_answer(const struct jd_exchange *exchange)
{
    const struct jd_server_options *options = &exchange->server->options;
    const int64_t took_us = jd_clock_now().monotonic_us - exchange->start_us;
    if (options->on_answer)
        options->on_answer(options->user, exchange, exchange->status, (double)took_us / US_PER_S);
}

void jd_exchange_put_header(struct jd_exchange *exchange, const char *name, const char *value)
{
    jl_put(&exchange->headers, name, strlen(name) + 1);
    jl_put(&exchange->headers, value, strlen(value) + 1);
}

static bool add_headers(struct jd_exchange *exchange, const char *content_type)
{
    struct MHD_Response *response = exchange->response;
    bool is_good = !exchange->headers.is_failed;
    if (content_type)
        is_good = MHD_add_response_header(response, "Content-Type", content_type) && is_good;
    if (exchange->server->is_draining)
        is_good = MHD_add_response_header(response, "Connection", "close") && is_good;
    for (size_t at = 0; is_good && at < exchange->headers.len;) {
        const char *name = exchange->headers.data + at;
        const char *value = name + strlen(name) + 1;
        is_good = MHD_add_response_header(response, name, value) == MHD_YES;
        at = (size_t)(value - exchange->headers.data) + strlen(value) + 1;
    }
    return is_good;
}

/* Without a response the connection is cut. */
static void answer(struct jd_exchange *exchange, enum jd_answer_kind kind, int status,
                   const char *content_type, struct MHD_Response *response)
{
    exchange->answer = kind;
    exchange->status = status;
    exchange->response = response;
    if (!response || !add_headers(exchange, content_type))
        give_up(exchange);
    wake(exchange);
}

void jd_exchange_reply(struct jd_exchange *exchange, int status, const char *content_type,
                       const char *body, size_t len)
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
    exchange->is_over = true;
    answer(exchange, JD_ANSWER_WHOLE, status, content_type, response);
    report_answer(exchange);
}

void jd_exchange_text(struct jd_exchange *exchange, int status, const char *text)
{
    jd_exchange_reply(exchange, status, "text/plain; charset=utf-8", text, strlen(text));
}

static size_t waiting_bytes(const struct jd_exchange *exchange)
{
    return exchange->stream.len - exchange->stream_sent;
}

static void forget_sent(struct jd_exchange *exchange)
{
    struct jl_buffer *stream = &exchange->stream;
    const size_t left = waiting_bytes(exchange);
    if (left == 0 && stream->capacity > KEPT_BYTES) {
        jl_buffer_clear(stream);
    } else if (left <= exchange->stream_sent) {
        memmove(stream->data, stream->data + exchange->stream_sent, left);
        stream->len = left;
    } else {
        return;
    }
    exchange->stream_sent = 0;
}

/* The library holds back the headers, and small pieces, until more comes; nothing may come. */
static void push_out(const struct jd_exchange *exchange)
{
    const int on = 1;
    setsockopt(exchange->peer->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static ssize_t read_stream(void *user, uint64_t position, char *out, size_t most)
{
    struct jd_exchange *exchange = user;
    (void)position;
    const size_t waiting = waiting_bytes(exchange);
    if (waiting > 0) {
        const size_t count = waiting < most ? waiting : most;
        memcpy(out, exchange->stream.data + exchange->stream_sent, count);
        exchange->stream_sent += count;
        forget_sent(exchange);
        return (ssize_t)count;
    }
    if (exchange->is_aborted)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (exchange->is_over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    push_out(exchange);
    wait_for_more(exchange);
    return 0;
}

void jd_exchange_stream(struct jd_exchange *exchange, int status, const char *content_type)
{
    answer(exchange, JD_ANSWER_STREAM, status, content_type,
           MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, exchange,
                                             NULL));
}

bool jd_stream_put(struct jd_exchange *exchange, const char *bytes, size_t len)
{
    if (exchange->is_aborted)
        return false;
    const bool has_room = len <= exchange->server->options.most_waiting - waiting_bytes(exchange);
    if (has_room)
        jl_put(&exchange->stream, bytes, len);
    if (!has_room || exchange->stream.is_failed) {
        exchange->server->counts.cut++;
        give_up(exchange);
        return false;
    }
    wake(exchange);
    return true;
}

void jd_stream_end(struct jd_exchange *exchange)
{
    exchange->is_over = true;
    report_answer(exchange);
    wake(exchange);
}

void jd_exchange_abort(struct jd_exchange *exchange)
{
    exchange->is_over = true;
    exchange->is_aborted = true;
    wake(exchange);
}

enum MHD_Result jd_exchange_go_on(struct jd_exchange *exchange)
{
    if (exchange->answer == JD_ANSWER_NONE && !exchange->is_aborted) {
        wait_for_more(exchange);
        return MHD_YES;
    }
    if (!exchange->response || (exchange->is_aborted && exchange->answer != JD_ANSWER_STREAM))
        return MHD_NO;
    jd_peer_enter(exchange->peer,
                  exchange->answer == JD_ANSWER_STREAM ? JD_PHASE_WORKING : JD_PHASE_SENDING);
    return MHD_queue_response(exchange->connection, (unsigned)exchange->status, exchange->response);
}

static void free_exchange(struct jd_exchange *exchange)
{
    exchange->peer->exchange = NULL;
    if (exchange->is_watched)
        jd_loop_remove(exchange->server->loop, &exchange->gone_watch);
    if (exchange->response)
        MHD_destroy_response(exchange->response);
    jd_target_clear(&exchange->target);
    jl_buffer_clear(&exchange->body);
    jl_buffer_clear(&exchange->headers);
    jl_buffer_clear(&exchange->stream);
    jl_free(exchange);
}

void jd_exchange_finish(struct jd_exchange *exchange)
{
    if (exchange->is_handed && !exchange->is_over) {
        if (exchange->answer == JD_ANSWER_STREAM)
            report_answer(exchange);
        if (exchange->gone)
            exchange->gone(exchange->gone_user, exchange);
    }
    free_exchange(exchange);
}
