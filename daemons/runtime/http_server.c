/* SPDX-License-Identifier: Apache-2.0 */

/* The HTTP server over libmicrohttpd (docs/rules/programs.md#http-server): connections and their
 * limits, requests until their body is there, draining. http_accept.c lets connections in,
 * http_exchange.c answers their requests. */

#include "runtime/http_server.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/http_admit.h"
#include "runtime/http_server_parts.h"

#define DEFAULT_BODY_BYTES ((size_t)1 << 20)
#define DEFAULT_WAITING_BYTES ((size_t)16 << 20)
#define DEFAULT_REQUEST_MS 10000
#define DEFAULT_IDLE_MS 60000
#define DEFAULT_CONNECTIONS 512
#define KEPT_FOR_OTHERS 16  /* connections that one address leaves to the others */
#define ON_THEIR_WAY_OUT 64 /* connections above the limit that are being closed */
#define MS_PER_S 1000

/* Of one connection, allocated lazily: a request line with its headers is at most half of it. */
#define POOL_BYTES ((size_t)64 << 10)

static const char too_large[] =
    "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/* ---- connections ---- */

static void set_deadline(struct jd_peer *peer, int64_t in_ms)
{
    if (jd_timer_set(peer->server->loop, &peer->deadline, jd_clock_ms() + in_ms) < 0)
        jd_peer_cut(peer);
}

void jd_peer_cut(struct jd_peer *peer)
{
    peer->is_cut = true;
    jd_timer_stop(peer->server->loop, &peer->deadline);
    shutdown(peer->fd, SHUT_RDWR);
}

static void cut_slow(void *user)
{
    struct jd_peer *peer = user;
    peer->server->counts.cut++;
    jd_peer_cut(peer);
}

void jd_peer_enter(struct jd_peer *peer, enum jd_peer_phase phase)
{
    const struct jd_server *server = peer->server;
    peer->phase = phase;
    peer->since_ms = jd_clock_ms();
    if (phase == JD_PHASE_WORKING || phase == JD_PHASE_SENDING)
        jd_timer_stop(server->loop, &peer->deadline);
    else if (phase == JD_PHASE_HEADERS && server->is_draining)
        jd_peer_cut(peer);
    else if (phase == JD_PHASE_HEADERS)
        set_deadline(peer,
                     peer->had_request ? server->options.idle_ms : server->options.request_ms);
}

static void read_address(struct MHD_Connection *connection, uint8_t out[JD_ADDRESS_BYTES])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct sockaddr_storage socket = { .ss_family = AF_UNSPEC };
    if (info && info->client_addr)
        memcpy(&socket, info->client_addr,
               info->client_addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                        : sizeof(struct sockaddr_in));
    jd_address_of(&socket, out);
}

static bool is_same_address(const struct jd_peer *a, const struct jd_peer *b)
{
    return memcmp(a->address, b->address, sizeof a->address) == 0;
}

/* The connection that a new one may push out: one without a request, then one that sends its body
 * slowly, then one that does not take its answer; of those the one that does so for longest. */
static struct jd_peer *find_idlest(const struct jd_server *server, const struct jd_peer *newcomer,
                                   bool of_its_address)
{
    const int64_t stuck_ms = jd_clock_ms() - server->options.request_ms;
    struct jd_peer *found = NULL;
    for (struct jd_peer *peer = server->peers; peer; peer = peer->next) {
        if (peer == newcomer || peer->is_cut || peer->phase == JD_PHASE_WORKING ||
            (peer->phase == JD_PHASE_SENDING && peer->since_ms > stuck_ms) ||
            (of_its_address && !is_same_address(peer, newcomer)))
            continue;
        if (!found || peer->phase < found->phase ||
            (peer->phase == found->phase && peer->since_ms <= found->since_ms))
            found = peer;
    }
    return found;
}

static void make_room(struct jd_server *server, struct jd_peer *newcomer)
{
    unsigned all = 0;
    unsigned same = 0;
    for (const struct jd_peer *peer = server->peers; peer; peer = peer->next) {
        all += !peer->is_cut;
        same += !peer->is_cut && is_same_address(peer, newcomer);
    }
    const unsigned most = server->options.most_connections;
    const unsigned most_same = most > KEPT_FOR_OTHERS ? most - KEPT_FOR_OTHERS : most;
    if (all <= most && same <= most_same)
        return;
    struct jd_peer *idlest = find_idlest(server, newcomer, same > most_same);
    if (idlest) {
        server->counts.cut++;
        jd_peer_cut(idlest);
    } else {
        server->counts.refused++;
        jd_peer_cut(newcomer);
    }
}

/* A session is there before its handshake. */
static void begin_tls(struct jd_peer *peer, struct MHD_Connection *connection)
{
    struct jd_server_tls *const tls = peer->server->options.tls;
    if (tls)
        jd_tls_begin(
            tls,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)->tls_session,
            &peer->tls);
}

static void open_peer(struct jd_server *server, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct jd_peer *peer = jl_calloc(1, sizeof *peer);
    server->counts.connections++;
    if (!peer) {
        server->counts.refused++;
        shutdown(info->connect_fd, SHUT_RDWR);
        return;
    }
    *peer = (struct jd_peer){ .server = server,
                              .fd = info->connect_fd,
                              .deadline = { .fire = cut_slow, .user = peer },
                              .next = server->peers };
    read_address(connection, peer->address);
    begin_tls(peer, connection);
    if (server->peers)
        server->peers->previous = peer;
    server->peers = peer;
    server->peer_count++;
    *context = peer;
    jd_peer_enter(peer, JD_PHASE_HEADERS);
    make_room(server, peer);
}

static void close_peer(struct jd_server *server, struct jd_peer *peer)
{
    jd_timer_stop(server->loop, &peer->deadline);
    if (peer->previous)
        peer->previous->next = peer->next;
    else
        server->peers = peer->next;
    if (peer->next)
        peer->next->previous = peer->previous;
    server->peer_count--;
    jd_tls_end(&peer->tls);
    jl_free(peer);
    if (server->is_draining && !server->is_closing)
        jd_timer_set(server->loop, &server->drain_timer, jd_clock_ms());
}

static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        open_peer(user, connection, context);
    else if (*context)
        close_peer(user, *context);
}

/* ---- requests ---- */

static struct jd_peer *peer_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The request line has come; the library's own decoding of it is not used. */
static void *on_target(void *user, const char *target, struct MHD_Connection *connection)
{
    struct jd_server *server = user;
    struct jd_peer *peer = peer_of(connection);
    if (!peer || peer->is_cut)
        return NULL;
    if (peer->had_request)
        set_deadline(peer, server->options.request_ms);
    peer->had_request = true;
    return jd_exchange_new(server, connection, peer, target);
}

static size_t keep_escapes(void *user, struct MHD_Connection *connection, char *text)
{
    (void)user;
    (void)connection;
    return strlen(text);
}

static struct jd_refusal judge_headers(const struct jd_exchange *exchange, const char *version)
{
    if (exchange->refusal)
        return (struct jd_refusal){ exchange->refusal, "its target is no path" };
    struct jd_refusal refusal = { 0 };
    if (exchange->server->options.tls)
        refusal = jd_tls_admit(&exchange->peer->tls);
    if (!refusal.status)
        refusal = jd_admit_framing(exchange, version);
    return refusal.status ? refusal : jd_admit_origin(exchange);
}

/* What follows a request whose end is in doubt is not read as another one. */
static enum MHD_Result refuse(struct jd_exchange *exchange, const struct jd_refusal *refusal)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    exchange->server->counts.too_large += refusal->status == MHD_HTTP_CONTENT_TOO_LARGE;
    jl_put_string(&body, "{\"error\":\"the request is refused: ");
    jl_put_string(&body, refusal->reason);
    jl_put_string(&body, "\"}\n");
    jd_exchange_put_header(exchange, "Connection", "close");
    jd_exchange_reply(exchange, refusal->status, "application/json",
                      body.is_failed ? "" : body.data, body.is_failed ? 0 : body.len);
    return jd_exchange_go_on(exchange);
}

static enum MHD_Result take_headers(struct jd_exchange *exchange, const char *method,
                                    const char *version)
{
    exchange->has_headers = true;
    exchange->method = jl_same(method, "HEAD") ? "GET" : method;
    const struct jd_refusal refusal = judge_headers(exchange, version);
    if (refusal.status)
        return refuse(exchange, &refusal);
    jd_peer_enter(exchange->peer, JD_PHASE_BODY);
    return MHD_YES;
}

static enum MHD_Result take_body(struct jd_exchange *exchange, const char *bytes, size_t len)
{
    const size_t most = exchange->server->options.most_body;
    exchange->body_bytes += len;
    if (exchange->body_bytes <= most) {
        jl_put(&exchange->body, bytes, len);
        return exchange->body.is_failed ? MHD_NO : MHD_YES;
    }
    jl_buffer_clear(&exchange->body);
    if (exchange->body_bytes / JD_THROWN_AWAY <= most)
        return MHD_YES;
    exchange->server->counts.too_large++; /* the library takes no answer in the middle of a body */
    if (exchange->server->options.tls)
        jd_tls_send(&exchange->peer->tls, too_large, sizeof too_large - 1);
    else
        send(exchange->peer->fd, too_large, sizeof too_large - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return MHD_NO;
}

static enum MHD_Result hand_over(struct jd_exchange *exchange)
{
    static const struct jd_refusal large = { MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large" };
    struct jd_server *server = exchange->server;
    if (exchange->body_bytes > server->options.most_body)
        return refuse(exchange, &large);
    exchange->is_handed = true;
    server->counts.requests++;
    jd_peer_enter(exchange->peer, JD_PHASE_WORKING);
    server->options.handle(server->options.user, exchange);
    return jd_exchange_go_on(exchange);
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *len, void **context)
{
    struct jd_exchange *exchange = *context;
    (void)user;
    (void)connection;
    (void)url;
    if (!exchange)
        return MHD_NO;
    if (!exchange->has_headers)
        return take_headers(exchange, method, version);
    if (*len > 0) {
        const size_t count = *len;
        *len = 0;
        return take_body(exchange, bytes, count);
    }
    if (!exchange->is_handed && exchange->answer == JD_ANSWER_NONE)
        return hand_over(exchange);
    return jd_exchange_go_on(exchange);
}

static unsigned idle_s(const struct jd_server *server)
{
    return (unsigned)((server->options.idle_ms + MS_PER_S - 1) / MS_PER_S);
}

/* When the library closes a connection because a stream is over that had waited (it broke, or its
 * peer speaks HTTP/1.0), it forgets the descriptor until others have timed out. One that has a time
 * of its own it looks at in each turn. */
static void remind_of(struct jd_server *server, struct MHD_Connection *connection)
{
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, idle_s(server) + 1);
    jd_server_wake(server);
}

/* The library misses an end that came together with the request. */
static bool has_said_all(const struct jd_peer *peer)
{
    char byte;
    return recv(peer->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void on_completed(void *user, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode code)
{
    struct jd_exchange *exchange = *context;
    *context = NULL;
    if (!exchange)
        return;
    if (code != MHD_REQUEST_TERMINATED_COMPLETED_OK || exchange->answer == JD_ANSWER_STREAM)
        remind_of(user, connection);
    struct jd_peer *peer = exchange->peer;
    jd_exchange_finish(exchange);
    if (peer->is_cut)
        return;
    if (has_said_all(peer))
        jd_peer_cut(peer);
    else
        jd_peer_enter(peer, JD_PHASE_HEADERS);
}

/* ---- the library in our loop ---- */

void jd_server_wake(struct jd_server *server)
{
    server->is_woken = true;
    jd_timer_set(server->loop, &server->timer, jd_clock_ms());
}

static void run_library(void *user)
{
    struct jd_server *server = user;
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;
    int64_t at_ms = JD_NEVER_MS;
    jd_timer_set(server->loop, &server->timer, JD_NEVER_MS);
    server->is_woken = false;
    MHD_run(server->daemon);
    if (server->is_woken)
        at_ms = jd_clock_ms();
    else if (MHD_get_timeout(server->daemon, &wait_ms) == MHD_YES)
        at_ms = jd_clock_ms() + (int64_t)wait_ms;
    jd_timer_set(server->loop, &server->timer, at_ms);
}

static void ignore_log(void *user, const char *format, va_list arguments)
{
    (void)user;
    (void)format;
    (void)arguments;
}

static unsigned most_peers(const struct jd_server *server)
{
    return server->options.most_connections + ON_THEIR_WAY_OUT;
}

static bool has_room(void *user)
{
    const struct jd_server *server = user;
    return server->peer_count < most_peers(server);
}

/* Closed by the library where it cannot be added. */
static void take_connection(void *user, int fd, const struct sockaddr *address, socklen_t len)
{
    struct jd_server *server = user;
    if (server->options.tls && jd_tls_refuse_plain(fd)) {
        server->counts.refused++;
        return;
    }
    (void)MHD_add_connection(server->daemon, fd, address, len);
    jd_server_wake(server);
}

static int start_library(struct jd_server *server, struct joulie_error *err)
{
    char priorities[] = JD_TLS_PRIORITIES;
    struct MHD_OptionItem tls[] = {
        { MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)jd_tls_retrieve },
        { MHD_OPTION_HTTPS_PRIORITIES, 0, priorities },
        { MHD_OPTION_END, 0, NULL },
    };
    const bool is_tls = server->options.tls != NULL;
    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET |
            (is_tls ? MHD_USE_TLS : MHD_NO_FLAG),
        0, NULL, NULL, on_request, server, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
        MHD_OPTION_ARRAY, is_tls ? tls : &tls[JL_COUNT(tls) - 1], MHD_OPTION_CONNECTION_LIMIT,
        most_peers(server), MHD_OPTION_CONNECTION_TIMEOUT, idle_s(server),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, POOL_BYTES, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
        server, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_URI_LOG_CALLBACK,
        on_target, server, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, server,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (!server->daemon)
        return jl_fail(err, JOULIE_E_IO, "", "the HTTP server cannot be started");
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    server->watch = (struct jd_watch){ .fd = info->epoll_fd, .ready = run_library, .user = server };
    server->timer = (struct jd_timer){ .fire = run_library, .user = server };
    if (jd_timer_set(server->loop, &server->timer, JD_NEVER_MS) < 0 ||
        jd_timer_set(server->loop, &server->drain_timer, JD_NEVER_MS) < 0)
        return jl_fail_memory(err);
    return jd_loop_add(server->loop, &server->watch, err);
}

static void set_defaults(struct jd_server_options *options)
{
    if (options->most_body == 0)
        options->most_body = DEFAULT_BODY_BYTES;
    if (options->request_ms <= 0)
        options->request_ms = DEFAULT_REQUEST_MS;
    if (options->idle_ms <= 0)
        options->idle_ms = DEFAULT_IDLE_MS;
    if (options->most_connections == 0)
        options->most_connections = DEFAULT_CONNECTIONS;
    if (options->most_waiting == 0)
        options->most_waiting = DEFAULT_WAITING_BYTES;
}

static void check_drained(void *user)
{
    struct jd_server *server = user;
    void (*const drained)(void *) = server->drained;
    jd_timer_set(server->loop, &server->drain_timer, JD_NEVER_MS);
    if (!drained)
        return;
    if (server->peers && jd_clock_ms() < server->drain_end_ms) {
        jd_timer_set(server->loop, &server->drain_timer, server->drain_end_ms);
        return;
    }
    server->drained = NULL;
    drained(server->drained_user);
}

int jd_server_open(struct jd_loop *loop, const struct jd_server_options *options,
                   struct jd_server **out, struct joulie_error *err)
{
    struct jd_server *server = jl_calloc(1, sizeof *server);
    if (!server)
        return jl_fail_memory(err);
    server->options = *options;
    server->options.address = NULL; /* borrowed for this call */
    set_defaults(&server->options);
    server->loop = loop;
    server->drain_timer = (struct jd_timer){ .fire = check_drained, .user = server };
    server->listening.is_https = options->tls != NULL;
    const int fd = jd_listen(options->address, &server->listening, err);
    if (fd >= 0 && options->tls)
        jd_tls_listen(fd);
    server->acceptor = (struct jd_acceptor){
        .fd = fd, .has_room = has_room, .take = take_connection, .user = server
    };
    int rc = fd < 0 ? fd : start_library(server, err);
    if (rc == 0)
        rc = jd_acceptor_open(&server->acceptor, loop, err);
    if (rc < 0)
        jd_server_close(server);
    else
        *out = server;
    return rc;
}

void jd_server_drain(struct jd_server *server, int64_t timeout_ms, void (*done)(void *user),
                     void *user)
{
    const bool is_first = !server->is_draining;
    const int64_t now_ms = jd_clock_ms();
    server->is_draining = true;
    server->drain_end_ms = now_ms + timeout_ms;
    server->drained = done;
    server->drained_user = user;
    jd_timer_set(server->loop, &server->drain_timer, now_ms);
    if (!is_first)
        return;
    jd_acceptor_close(&server->acceptor);
    for (struct jd_peer *peer = server->peers; peer; peer = peer->next) {
        if (peer->phase == JD_PHASE_HEADERS && !peer->is_cut)
            jd_peer_cut(peer);
    }
}

void jd_server_close(struct jd_server *server)
{
    if (!server)
        return;
    jd_acceptor_close(&server->acceptor);
    if (server->daemon) {
        server->is_closing = true;
        jd_loop_remove(server->loop, &server->watch);
        jd_timer_stop(server->loop, &server->timer);
        jd_timer_stop(server->loop, &server->drain_timer);
        jd_exchanges_resume(server);
        MHD_stop_daemon(server->daemon);
    }
    jl_free(server);
}

bool jd_server_is_public(const struct jd_server *server)
{
    return server->listening.is_public;
}

const char *jd_server_url(const struct jd_server *server)
{
    return server->listening.url;
}

void jd_server_counts(const struct jd_server *server, struct jd_server_counts *out)
{
    *out = server->counts;
    out->starved = server->acceptor.starved;
    out->open = 0;
    for (const struct jd_peer *peer = server->peers; peer; peer = peer->next)
        out->open += !peer->is_cut;
}
