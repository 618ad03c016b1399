/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What http_server.c (connections) and http_exchange.c (requests and answers) share. */

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "runtime/address.h"
#include "runtime/http_accept.h"
#include "runtime/http_listen.h"
#include "runtime/http_server.h"
#include "runtime/http_target.h"
#include "runtime/http_tls_parts.h"

/* A body that is too large is read and thrown away up to so many times the limit, so that its
 * sender is ready to read the answer; above that the connection is closed. */
#define JD_THROWN_AWAY 16

/* What a connection waits for; the order is that in which a flood pushes them out. */
enum jd_peer_phase { JD_PHASE_HEADERS = 1, JD_PHASE_BODY, JD_PHASE_SENDING, JD_PHASE_WORKING };

struct jd_peer { /* one connection */
    struct jd_server *server;
    int fd;
    uint8_t address[JD_ADDRESS_BYTES];
    enum jd_peer_phase phase;
    int64_t since_ms;             /* of the phase, CLOCK_MONOTONIC */
    struct jd_exchange *exchange; /* that is open; NULL = none */
    bool had_request;
    bool is_cut; /* shut down by us: it goes as soon as the library sees that */
    struct jd_timer deadline;
    struct jd_tls_peer tls; /* of a server with TLS */
    struct jd_peer *next;
    struct jd_peer *previous;
};

struct jd_server {
    struct jd_server_options options;
    struct jd_loop *loop;
    struct MHD_Daemon *daemon;
    struct jd_watch watch; /* the library's own epoll descriptor */
    struct jd_timer timer; /* when the library wants to run without an event; always set */
    bool is_woken;         /* a connection was resumed, which the library does not say */
    struct jd_peer *peers; /* the newest first */
    size_t peer_count;
    struct jd_acceptor acceptor;
    struct jd_listening listening;
    struct jd_server_counts counts;
    bool is_draining;
    bool is_closing;
    int64_t drain_end_ms;
    struct jd_timer drain_timer;
    void (*drained)(void *user);
    void *drained_user;
};

enum jd_answer_kind { JD_ANSWER_NONE, JD_ANSWER_WHOLE, JD_ANSWER_STREAM };

struct jd_exchange {
    struct jd_server *server;
    struct jd_peer *peer;
    struct MHD_Connection *connection;
    struct jd_target target;
    const char *method;
    struct jl_buffer body;
    uint64_t body_bytes; /* that came, also those that were thrown away */
    int refusal;         /* status of a request that no handler sees; 0 = none */
    bool has_headers;
    bool is_handed;  /* handle() was called */
    bool is_waiting; /* suspended in the library */
    bool is_watched;
    bool is_aborted; /* by us or because its peer is gone or too slow */
    bool is_over;    /* its user has forgotten it */
    struct jd_watch gone_watch;
    int64_t start_us;
    enum jd_answer_kind answer;
    int status;
    struct MHD_Response *response;
    struct jl_buffer headers; /* name NUL value NUL … */
    struct jl_buffer stream;
    size_t stream_sent;
    const char *route;
    void *user;
    void (*gone)(void *user, struct jd_exchange *exchange);
    void *gone_user;
};

void jd_peer_enter(struct jd_peer *peer, enum jd_peer_phase phase);
void jd_peer_cut(struct jd_peer *peer);
/* Lets the library run soon: it has no event for a connection that was resumed. */
void jd_server_wake(struct jd_server *server);
/* Before the library is stopped, which wants nobody suspended. */
void jd_exchanges_resume(struct jd_server *server);

struct jd_exchange *jd_exchange_new(struct jd_server *server, struct MHD_Connection *connection,
                                    struct jd_peer *peer, const char *target);
/* Gives the answer, if there is one, to the library, else suspends the connection. */
enum MHD_Result jd_exchange_go_on(struct jd_exchange *exchange);
/* The library has finished with the request. */
void jd_exchange_finish(struct jd_exchange *exchange);
