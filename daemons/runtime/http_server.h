/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * An HTTP/1.1 server over libmicrohttpd, in the daemon's own loop: no thread, no call that waits.
 * A handler answers at once, later, or in pieces (a stream). Hostile peers cost little: headers and
 * bodies have a time and a size, connections a number, in all and per address.
 *
 * A peer that does not read its stream is cut when limit_bytes wait for it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

#include "runtime/loop.h"

struct jd_server;
struct jd_server_tls; /* http_tls.h */
struct jd_exchange;   /* one request and its answer */

struct jd_server_options {
    const char *address; /* "127.0.0.1:8080", ":8080" (every address), "[::1]:0"; 0 = any port */
    size_t most_body;    /* bytes; 0 = 1 MiB. More is answered 413 */
    int64_t
        request_ms;  /* from the first byte to the end of the body; 0 = 10 s. Then it is closed */
    int64_t idle_ms; /* keep-alive; 0 = 60 s */
    unsigned most_connections; /* 0 = 512; of one address as many but 16 */
    size_t most_waiting;       /* bytes of a stream that its peer does not read; 0 = 16 MiB */
    /* Answers only a Host of this machine or one of hosts, and no page of another host; else any.
     */
    bool is_local;
    const char *hosts;         /* names between commas, borrowed; NULL = none, "*" = all */
    struct jd_server_tls *tls; /* NULL = plain HTTP; outlives the server */
    /* Each request, when its body is there. It has to be answered, at once or later. */
    void (*handle)(void *user, struct jd_exchange *exchange);
    /* NULL, or each answer (a stream: its end): for metrics. status is what was sent. */
    void (*on_answer)(void *user, const struct jd_exchange *exchange, int status, double seconds);
    void *user;
};

/* JOULIE_E_PARSE: no address; JOULIE_E_IO: it cannot be bound. */
int jd_server_open(struct jd_loop *loop, const struct jd_server_options *options,
                   struct jd_server **out, struct joulie_error *err);
/* Takes no more connections; answers what is there, then calls done. */
void jd_server_drain(struct jd_server *server, int64_t timeout_ms, void (*done)(void *user),
                     void *user);
/* Not from a handler or from gone(). What is not answered is reported by gone(). */
void jd_server_close(struct jd_server *server);
/* "http://127.0.0.1:8080"; lives as long as the server. */
const char *jd_server_url(const struct jd_server *server);
bool jd_server_is_public(const struct jd_server *server); /* on every address of the machine */

/* Connections that were not taken, were cut for their slowness, requests above a limit. */
struct jd_server_counts {
    uint64_t connections;
    uint64_t requests;
    uint64_t refused;
    uint64_t cut;
    uint64_t too_large;
    uint64_t starved; /* times that new ones had to wait for a free descriptor */
    uint64_t open;    /* now */
};

void jd_server_counts(const struct jd_server *server, struct jd_server_counts *out);

/* ---- a request; texts live as long as the call ---- */

const char *
jd_exchange_method(const struct jd_exchange *exchange); /* GET also for HEAD, which gets no body */
const char *
jd_exchange_path(const struct jd_exchange *exchange); /* still percent-encoded, without query */
const char *jd_exchange_header(const struct jd_exchange *exchange,
                               const char *name); /* NULL = absent */
/* Decoded, the first of the name; NULL = absent, "" = without a value. A request whose path or
 * query is cut inside an escape, holds a NUL or is no UTF-8 is answered 400 and handed to nobody.
 */
const char *jd_exchange_query(const struct jd_exchange *exchange, const char *name);
const char *jd_exchange_body(const struct jd_exchange *exchange, size_t *out_len);
/* Whether its content type is application/json. Where it is not, it may come from any page of the
 * web; jd_exchange_want_json() then answers 415. */
bool jd_exchange_is_json(const struct jd_exchange *exchange);
bool jd_exchange_want_json(struct jd_exchange *exchange);
/* The part number index (from 0) of the path, decoded; NULL = there is none, or it holds a NUL or
 * is no UTF-8. */
const char *jd_exchange_segment(const struct jd_exchange *exchange, size_t index);
size_t jd_exchange_segments(const struct jd_exchange *exchange);
void jd_exchange_set_user(struct jd_exchange *exchange, void *user);
void *jd_exchange_user(const struct jd_exchange *exchange);
void jd_exchange_route(struct jd_exchange *exchange,
                       const char *route); /* a constant, for on_answer */
const char *
jd_exchange_routed(const struct jd_exchange *exchange); /* what was set; NULL = nothing */
/* Called from the loop, or by jd_server_close(), when the peer has gone before its answer (or its
 * stream) was over; the call must not be used after it. A peer that has shut down its sending side
 * counts as gone while it waits. */
void jd_exchange_on_gone(struct jd_exchange *exchange,
                         void (*gone)(void *user, struct jd_exchange *exchange), void *user);

/* ---- its answer: jd_exchange_reply(), or jd_exchange_stream() … jd_stream_end() ---- */

/* Before the answer; copied. */
void jd_exchange_put_header(struct jd_exchange *exchange, const char *name, const char *value);
/* The whole answer; body is copied. The call is gone afterwards. */
void jd_exchange_reply(struct jd_exchange *exchange, int status, const char *content_type,
                       const char *body, size_t len);
void jd_exchange_text(struct jd_exchange *exchange, int status, const char *text); /* text/plain */
/* Starts an answer of unknown length; bytes go out as they come. false = the peer is too slow or
 * gone, or memory ran out: the call will end by itself (gone is called from the loop). */
void jd_exchange_stream(struct jd_exchange *exchange, int status, const char *content_type);
bool jd_stream_put(struct jd_exchange *exchange, const char *bytes, size_t len);
void jd_stream_end(struct jd_exchange *exchange);
/* Cuts the connection without an end, behind what was put: fault injection. The call is gone. */
void jd_exchange_abort(struct jd_exchange *exchange);
