/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What http_client.c and http_setup.c share. */

#include <curl/curl.h>

#include "base/buffer.h"
#include "runtime/http_client.h"
#include "runtime/names.h"

enum jd_transfer_state {
    JD_TRANSFER_NEW,
    JD_TRANSFER_RESOLVING,
    JD_TRANSFER_NAMED,
    JD_TRANSFER_RUNNING,
    JD_TRANSFER_ENDED,
    JD_TRANSFER_CANCELLED
};

struct jd_transfers { /* a list */
    struct jd_transfer *first;
    struct jd_transfer *last;
};

struct jd_transfer {
    struct jd_http *http;
    struct jd_transfer *previous;
    struct jd_transfer *next;
    struct jd_transfers *list;
    enum jd_transfer_state state;
    bool is_plain;     /* a GET of a URL and nothing else: its handle serves the next one */
    bool is_added;     /* to the multi handle */
    bool is_reporting; /* on_done is running */
    bool is_write;     /* not GET or HEAD */
    bool was_sent;
    bool is_withheld; /* may_send() said no */
    CURL *easy;
    CURLU *url;   /* lives as long as easy, which reads it */
    char *origin; /* scheme, host and port of a URL that is them and a plain path; else NULL */
    struct curl_slist *headers;
    struct curl_slist *connect_to;
    struct curl_slist *resolve;
    char *host; /* whose address has to be found out before; NULL = none */
    char *port;
    struct jd_lookup lookup;
    struct jd_timer timer; /* of the next deadline */
    int64_t started_ms;
    int64_t heard_ms;
    int64_t timeout_ms; /* 0 = none */
    int64_t connect_ms;
    int64_t idle_ms; /* 0 = none */
    size_t limit_bytes;
    size_t header_bytes;
    uint64_t body_bytes;
    struct jl_buffer body;
    enum jd_http_end end;
    char error[CURL_ERROR_SIZE]; /* libcurl writes here, also over what we said */
    char message[CURL_ERROR_SIZE];
    bool (*on_data)(void *user, const char *bytes, size_t len);
    bool (*may_send)(void *user);
    void (*on_done)(void *user, const struct jd_reply *reply);
    void *user;
};

struct jd_http {
    struct jd_loop *loop;
    CURLM *multi;
    struct jd_names *names;
    /* User-Agent, as one header: by its option libcurl would format it twice for each request, and
     * libcurl formats byte by byte. */
    struct curl_slist *user_agent;
    struct curl_slist *plain_headers; /* all that plain requests say: a short one */
    /* Always set, so that setting them anew cannot fail. */
    struct jd_timer curl_timer;
    struct jd_timer later;
    bool is_inside;            /* of libcurl: no handle may be added or removed now */
    struct jd_polled **polled; /* by descriptor, each NULL or a socket of libcurl */
    size_t polled_count;
    struct jd_transfers todo;
    struct jd_transfers resting;
    struct jd_transfers spare; /* plain ones that ended */
    size_t spare_count;
    size_t active;
};

/* An easy handle with everything that is the same for each request, but for callbacks. 0 or
 * JOULIE_E_NOMEM. */
int jd_http_make_handle(struct jd_transfer *transfer);
/* What a request has of its own; also host and port when they need a lookup. 0, JOULIE_E_NOMEM or
 * JOULIE_E_PARSE. */
int jd_http_set_up(struct jd_transfer *transfer, const struct jd_http_request *request,
                   struct joulie_error *err);
/* After the lookup. */
int jd_http_set_address(struct jd_transfer *transfer, const char *addresses);
