/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * HTTP requests of a daemon over libcurl, in its own loop: nothing blocks, callbacks come from the
 * loop, and none comes from within a function of this page. No retries, no limits of rate: that is
 * the caller's business. HTTP/1.1, no redirects, http and https only, no proxy that was not named,
 * no Expect: 100-continue, TCP keepalive and TCP_USER_TIMEOUT against peers that are gone.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

#include "runtime/loop.h"
#include "runtime/url.h"

struct jd_http;     /* connections, shared by all requests of a process */
struct jd_transfer; /* a request on its way */

/* How a server is trusted and what is shown to it; NULL members are not set. PEM. Borrowed as long
 * as a request uses it. */
struct jd_tls {
    const char *ca; /* NULL = the system's */
    const char *certificate;
    const char *key;
    const char *server_name; /* to be verified instead of the URL's host */
    bool is_unverified;      /* insecure-skip-tls-verify */
};

enum jd_http_end {
    JD_HTTP_WHOLE = 0,   /* an answer, whatever its status */
    JD_HTTP_UNREACHABLE, /* no name, no connection */
    JD_HTTP_BROKEN,      /* the connection ended in the middle (curl 18, 52, 56, 92) */
    JD_HTTP_TIMED_OUT,
    JD_HTTP_TOO_LONG,
    JD_HTTP_UNTRUSTED,    /* the certificate does not verify */
    JD_HTTP_UNIDENTIFIED, /* our own certificate and key are of no use */
    JD_HTTP_FAILED        /* anything else */
};

struct jd_reply {
    int status; /* 0 = there was no answer */
    enum jd_http_end end;
    const char *message;      /* for a person, "" without an error */
    const char *content_type; /* "" = none */
    const char *warning;      /* the first Warning header, "" = none */
    int64_t retry_after_s;    /* -1 = none */
    const char *body;         /* NUL-terminated; "" of a stream */
    size_t len;
    uint64_t bytes; /* of the body, of a stream too */
};

/* Why a reply cannot be used, a constant; NULL = it is whole, and its status is 2xx. */
const char *jd_reply_problem(const struct jd_reply *reply);

struct jd_http_request { /* borrowed for jd_http_start(), but tls */
    const char *method;  /* NULL = GET */
    const char *url;
    const char *const *headers; /* "Name: value"; NULL-terminated, may be NULL */
    const char *body;           /* NULL = none */
    size_t len;
    const char *proxy; /* NULL = none */
    const struct jd_tls *tls;
    int64_t timeout_ms;     /* of the whole; 0 = 30 s; of a stream: until it ends by itself */
    int64_t connect_ms;     /* 0 = 5 s */
    int64_t idle_ms;        /* no byte for so long is the end (JD_HTTP_TIMED_OUT); 0 = none */
    size_t limit_bytes;     /* of the body; 0 = 16 MiB. Not of a stream */
    bool is_own_connection; /* not shared with others: watches */
    /* NULL, or asked when the connection is there, just before the request is sent. false = it is
     * not sent any more, and ends with JD_HTTP_FAILED. */
    bool (*may_send)(void *user);
    /* NULL, or the bytes of the body of a 2xx as they come (a stream). false = enough: ends with
     * JD_HTTP_TOO_LONG. Other statuses come as a body. */
    bool (*on_data)(void *user, const char *bytes, size_t len);
    /* Once, at the end; not after jd_http_cancel(). reply is borrowed for the call. */
    void (*on_done)(void *user, const struct jd_reply *reply);
    void *user;
};

/* program: "joulie-agent", which shows itself as "joulie-agent/0.2.0 (linux/amd64)
 * libjoulie/0.2.0". */
int jd_http_open(struct jd_loop *loop, const char *program, struct jd_http **out,
                 struct joulie_error *err);
void jd_http_close(struct jd_http *http); /* cancels what is on its way */

/* 0, JOULIE_E_NOMEM, or JOULIE_E_PARSE (no http or https URL). */
int jd_http_start(struct jd_http *http, const struct jd_http_request *request,
                  struct jd_transfer **out, struct joulie_error *err);
/* NULL does nothing; also from a callback. Of a write that has no whole answer, nothing is sent
 * after its end: what the kernel still holds of it is thrown away. */
void jd_http_cancel(struct jd_transfer *transfer);
size_t jd_http_active(const struct jd_http *http);
