/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* /livez, /readyz, /healthz and /metrics of a daemon (docs/rules/programs.md#health), on a server
 * of its own or as a part of another one. */

#include "runtime/http_server.h"
#include "runtime/log.h"
#include "runtime/metrics.h"

struct jd_check { /* one condition of /readyz */
    const char *name;
    /* NULL = good, else the reason, a constant or living until the next call. The reply to
     * /readyz does not show it: it is for the log. */
    const char *(*ask)(void *user);
    void *user;
};

/* The steps of a program, which are due in intervals. */
struct jd_steps {
    int64_t interval_ms;
    int64_t ended_ms; /* CLOCK_MONOTONIC of the end of the last one, or of the beginning */
};

struct jd_health { /* the caller's storage; checks and metrics live as long */
    const struct jd_check *ready;
    size_t ready_count;
    struct jd_check live; /* beside the loop, of /livez; ask NULL = none */
    struct jd_metrics *metrics;
    void (*refresh)(void *user); /* before /metrics; NULL = nothing to do */
    void *user;
    struct jd_log *log;       /* a change of a check that was asked for; NULL = nothing is logged */
    uint64_t failed;          /* a bit for each check that was reported; the first 64 */
    struct jd_server *server; /* of jd_health_open() */
    int64_t beat_ms;          /* CLOCK_MONOTONIC of the last jd_health_beat() */
    int64_t most_beat_ms;     /* /livez fails when the loop did not beat for so long; 0 = 60 s */
};

int jd_health_open(struct jd_health *health, struct jd_loop *loop, const char *address,
                   struct joulie_error *err);
void jd_health_close(struct jd_health *health);
void jd_health_beat(struct jd_health *health);
void jd_steps_begin(struct jd_steps *steps, int64_t interval_ms);
void jd_steps_ended(struct jd_steps *steps);
/* "no step ended within three intervals" (5 s at least), or NULL. */
const char *jd_steps_problem(const struct jd_steps *steps);
/* What /livez says. */
bool jd_health_is_live(const struct jd_health *health);
/* The first reason why /readyz fails; NULL = it does not. */
const char *jd_health_problem(const struct jd_health *health);
/* Answers with them, in the format that is asked for; NULL = an empty page. */
void jd_metrics_reply(const struct jd_metrics *metrics, struct jd_exchange *exchange);
/* true = the request was one of the four and is answered. */
bool jd_health_handle(struct jd_health *health, struct jd_exchange *exchange);
