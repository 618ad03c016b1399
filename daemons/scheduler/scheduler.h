/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * joulie-scheduler: an extender of kube-scheduler. Reflectors feed the model (<joulie/cluster.h>),
 * which is the only store; requests are answered from it at once. Each file has one part, and each
 * part takes the whole.
 */

#include <joulie/cluster.h>

#include "kube/access.h"
#include "kube/client.h"
#include "kube/reflector.h"
#include "runtime/clock.h"
#include "runtime/health.h"
#include "runtime/log.h"
#include "runtime/loop.h"
#include "scheduler/feed.h"
#include "scheduler/metrics.h"
#include "scheduler/options.h"

#define JD_COMPONENT "joulie-scheduler"

enum { JD_CHECK_CACHES, JD_CHECK_DATA, JD_CHECK_END, JD_CHECKS };

struct jd_scheduler {
    struct jd_options options;
    struct jd_scheduler_values values;
    struct jd_log log;
    struct jd_loop loop;
    struct jd_http *http;
    struct jd_access *access;
    struct jd_kube *kube;
    struct jd_clock *clock;
    struct jd_metrics *metrics;
    struct joulie_cluster *cluster;
    struct jd_feed feed;
    struct jd_server *server; /* of requests */
    struct jd_health health;  /* on a server of its own */
    struct jd_check checks[JD_CHECKS];
    struct jd_recent recent;
    struct jd_alarm step; /* of lockstep */
    struct jd_timer beat; /* of /livez */
    bool is_ending;
};

/* setup.c; -1 = go on, else the exit status */
int jd_scheduler_configure(struct jd_scheduler *scheduler, int argc, char **argv);
int jd_scheduler_open(struct jd_scheduler *scheduler, char **environment);
int jd_scheduler_run(struct jd_scheduler *scheduler); /* until a signal; the exit status */
int jd_scheduler_close(struct jd_scheduler *scheduler, int status);

/* settings.c: a model by the options. 0 or a code with err->message. */
int jd_scheduler_model(const struct jd_scheduler_values *values, struct joulie_cluster **out,
                       struct joulie_error *err);

/* extender.c: a request of the extender's server, and its answer for metrics */
void jd_extender_handle(void *user, struct jd_call *call);
void jd_extender_answered(void *user, const struct jd_call *call, int status, double seconds);

/* debug.c: GET and POST /debug/scoring */
void jd_debug_scoring(struct jd_scheduler *scheduler, struct jd_call *call);
