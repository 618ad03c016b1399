/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A server on 127.0.0.1 in the test's own loop that says exactly what a script wants, also what no
 * server should say. */

#include "base/buffer.h"
#include "runtime/loop.h"

struct peer;

struct talk { /* one connection */
    struct peer *peer;
    struct talk *next;
    struct jd_watch watch;
    struct jl_buffer in;
    struct jl_buffer out;
    size_t sent;
    bool ends;  /* closed when everything is sent */
    int number; /* of the connection, from 0 */
};

struct peer {
    struct jd_loop *loop;
    struct jd_watch accept;
    struct talk *talks;
    /* A whole request, headers and body; NUL-terminated. Says something now or later. */
    void (*handle)(void *user, struct talk *talk, const char *request);
    void *user;
    int connections;
    int requests;
    int port;
    char url[64]; /* http://127.0.0.1:PORT */
};

void peer_open(struct peer *peer, struct jd_loop *loop,
               void (*handle)(void *user, struct talk *talk, const char *request), void *user);
void peer_close(struct peer *peer);

void talk_say(struct talk *talk, const char *bytes, size_t len);
void talk_text(struct talk *talk, const char *text);
/* "HTTP/1.1 STATUS\r\nContent-Length: …\r\nHEADERS\r\n" and the body. */
void talk_reply(struct talk *talk, const char *status, const char *headers, const char *body);
void talk_end(struct talk *talk);
void talk_reset(struct talk *talk); /* RST; the talk is gone */

#define DEADLINE_MS 120000 /* a busy machine is slow, and no fault */
/* Runs a loop until *is_done or to the deadline; false = it took too long. */
bool run_until(struct jd_loop *loop, const bool *is_done);
