/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * joulie-scheduler: an extender of kube-scheduler. Reflectors feed the model (<joulie/cluster.h>),
 * which is the only store; requests are answered from it at once.
 */

#include <joulie/cluster.h>

#include "kube/feed.h"
#include "runtime/daemon.h"
#include "runtime/http_server.h"
#include "scheduler/metrics.h"
#include "scheduler/options.h"
#include "scheduler/scoring.h"

enum { JD_CHECK_CACHES, JD_CHECK_DATA, JD_CHECK_END, JD_CHECKS };

struct jd_scheduler {
    struct jd_edges edges;
    struct jd_scheduler_values values;
    struct jd_connection api;
    struct joulie_cluster *cluster;
    struct jd_scoring scoring;
    struct jd_feed feed;
    struct jd_server_tls *tls; /* NULL = plain HTTP */
    struct jd_server *server;  /* of requests */
    struct jd_check checks[JD_CHECKS];
    struct jd_recent recent;
    struct jd_alarm step; /* of lockstep */
    bool is_ending;
};

/* extender.c: a request of the extender's server, and its answer for metrics */
void jd_extender_handle(void *user, struct jd_exchange *exchange);
void jd_extender_answered(void *user, const struct jd_exchange *exchange, int status,
                          double seconds);
