/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A client of the API server on one stage with a server that says what a test wants. Waits are
 * counted and not waited. Identity is played: nothing of kube/access.c takes part. */

#include "kube/client.h"
#include "runtime/peer.h"

struct jd_access { /* the played one */
    const char *server;
    char token[64]; /* "Authorization: Bearer 1" */
    const char *header_lines[2];
    int newer_tokens; /* how often a refused token is followed by a newer one */
    int refused;      /* 401 that were reported */
    const char *problem;
    const char *missing; /* why there is no identity; NULL = there is one */
    bool is_coming;
    void (*changed)(void *user);
    void *changed_user;
    const char *note; /* NULL = "" */
};

struct stage {
    struct jd_loop loop;
    struct jd_http *http;
    struct jd_access access;
    struct jd_kube *kube;
    struct jd_log log;
    struct jd_metrics *metrics;
    struct peer peer;
    bool is_done;

    int64_t waits; /* that were asked for, backoff and Retry-After */
    int64_t waited_ms;
    int64_t shortest_ms;
    int64_t longest_ms;
    /* how long these really take; 0 = as long as they say */
    int64_t minute_ms;   /* waits of exactly a minute */
    int64_t dead_ms;     /* 150 s: a watch without a byte */
    int64_t deadline_ms; /* of a watch */
    int64_t idle_ms;     /* 6 minutes: a series of events is over */
    int64_t safety_ms;   /* half an hour and a tenth */
};

struct stage *stage_open(double qps, double burst,
                         void (*handle)(void *user, struct talk *talk, const char *request),
                         void *user);
void stage_close(struct stage *stage);
void stage_run(struct stage *stage); /* until is_done; fails the test at the deadline */
void stage_forget_waits(struct stage *stage);
char *stage_log(const struct stage *stage); /* all that was logged; to be freed */
size_t count_of(const char *text, const char *part);
/* The same as talk_reply() with a Status. */
void talk_status(struct talk *talk, int code, const char *reason, const char *headers,
                 const char *details);
