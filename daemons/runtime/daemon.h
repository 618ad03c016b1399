/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The edges that every daemon has, opened and closed in one order: options, log, loop with its
 * signals, metrics, HTTP client, clock, probes, service manager (docs/rules/programs.md). A program
 * embeds them and hands each part what it needs.
 */

#include <joulie/cluster.h>

#include "runtime/clock.h"
#include "runtime/health.h"
#include "runtime/http_client.h"
#include "runtime/log.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/notify.h"
#include "runtime/options.h"

struct jd_edges { /* zeroed at the start; what is not open is NULL */
    const struct jd_daemon *daemon;
    struct jd_options options;
    struct jd_log log;
    struct jd_loop loop;
    struct jd_metrics *metrics;
    struct jd_http *http;
    struct jd_clock *clock;
    struct jd_health health;
    struct jd_timer beat; /* of /livez */
    struct jd_notify notify;
    struct jd_timer news; /* of notify */
    const char *doing;    /* as the options say */
    bool has_loop;
};

/* Reads the options into values, and makes the log as LOG_LEVEL and LOG_FORMAT say. JD_GO_ON, or
 * the exit status: help was printed, or an option is wrong. */
int jd_daemon_configure(struct jd_edges *edges, const struct jd_daemon *daemon, int argc,
                        char **argv, void *values);
/* Options that are wrong together: the error as jd_daemon_configure() prints its own. JD_USAGE. */
int jd_daemon_refuse(const struct jd_edges *edges, const struct joulie_error *err);
/* What is in force, behind `what`, a constant, and which options have no effect. */
void jd_daemon_log_options(struct jd_edges *edges, const char *what);

struct jd_daemon_signals {
    const int *more; /* beside SIGTERM and SIGINT */
    int more_count;
    int64_t period_ms; /* of the loop; 0 = none */
    void (*on_period)(void *user, uint64_t intervals);
    void (*on_signal)(void *user, int signal);
    void *user;
};

/* Loop and metrics; the HTTP client, which is large, is opened where it is needed. */
int jd_daemon_open_loop(struct jd_edges *edges, const struct jd_daemon_signals *signals,
                        struct joulie_error *err);
int jd_daemon_open_http(struct jd_edges *edges, struct joulie_error *err);
/* Both. */
int jd_daemon_open(struct jd_edges *edges, const struct jd_daemon_signals *signals,
                   struct joulie_error *err);

struct jd_daemon_clock {
    const char *url; /* NULL = the wall clock */
    const char *who; /* NULL = the daemon's name */
    int order;
    bool wants_pods;
    bool (*has_reached)(void *user, const char *resource_version);
    void (*on_end)(void *user); /* the simulation is over */
    void *user;
};

int jd_daemon_open_clock(struct jd_edges *edges, const struct jd_daemon_clock *clock,
                         struct joulie_error *err);

/* A model with the settings that the options say; an error names the option. */
int jd_daemon_open_model(const struct jd_edges *edges, struct joulie_cluster **out,
                         struct joulie_error *err);

struct jd_daemon_health {
    const char *address; /* NULL = no server: the program's own calls jd_health_handle() */
    const struct jd_check *checks; /* live as long as the edges */
    size_t check_count;
    struct jd_check live;        /* of /livez, beside the loop; ask NULL = none */
    void (*refresh)(void *user); /* before /metrics */
    void *user;
};

/* Probes and metrics, at METRICS_ADDR; the loop beats from here on. */
int jd_daemon_open_health(struct jd_edges *edges, const struct jd_daemon_health *health,
                          struct joulie_error *err);
/* "WHAT at URL", and that it is on every address of the machine where it is. */
void jd_daemon_log_server(struct jd_edges *edges, const char *component, const char *what,
                          const struct jd_server *server);

/* The exit status of a start that failed, which is logged. */
int jd_daemon_failed(struct jd_edges *edges, int code, const struct joulie_error *err);
/* The service manager hears that everything is open; until jd_loop_stop(). JD_DONE or JD_BROKEN. */
int jd_daemon_run(struct jd_edges *edges);
void jd_daemon_log_end(struct jd_edges *edges, int signal); /* "PROGRAM ends on SIGTERM", to both */

/* Probes first, then the clock, which asks the program's caches; HTTP client and the rest at the
 * very end, when nobody uses them any more. The last closes what is still open. */
void jd_daemon_close_health(struct jd_edges *edges);
void jd_daemon_close_clock(struct jd_edges *edges);
void jd_daemon_close(struct jd_edges *edges);
