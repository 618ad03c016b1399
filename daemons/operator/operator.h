/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * joulie-operator: observe, step, act, report, once in each interval. The model is
 * <joulie/cluster.h>; it is the only store of objects. Each file has one part, and each part takes
 * the whole.
 */

#include <joulie/cluster.h>

#include "kube/access.h"
#include "kube/client.h"
#include "kube/events.h"
#include "kube/reflector.h"
#include "operator/apply.h"
#include "operator/coexist.h"
#include "operator/facility.h"
#include "operator/feed.h"
#include "operator/heartbeat.h"
#include "operator/notes.h"
#include "operator/options.h"
#include "operator/step.h"
#include "operator/telemetry.h"
#include "runtime/clock.h"
#include "runtime/health.h"
#include "runtime/log.h"
#include "runtime/loop.h"

struct jd_operator {
    struct jd_options options;
    struct jd_operator_values values;
    struct jd_log log;
    struct jd_loop loop;
    struct jd_http *http;
    struct jd_access *access;
    struct jd_kube *kube;
    struct jd_clock *clock;
    struct jd_metrics *metrics;
    struct jd_recorder *recorder;
    struct jd_health health;
    struct joulie_cluster *cluster;
    struct jd_notes notes;
    struct jd_feed feed;
    struct jd_telemetry telemetry;
    struct jd_facility facility;
    struct jd_coexist coexist;
    struct jd_heartbeat heartbeat;
    struct jd_apply apply;
    struct jd_step step;
    struct jd_timer timeout; /* of the end */
    struct jd_timer beat;    /* of /livez */
    bool is_ending;
};

/* setup.c; -1 = go on, else the exit status */
int jd_operator_configure(struct jd_operator *op, int argc, char **argv);
int jd_operator_open(struct jd_operator *op, char **environment);
int jd_operator_run(struct jd_operator *op); /* until a signal; the exit status */
int jd_operator_close(struct jd_operator *op, int status);

/* Whether what was under way has ended, and with it the operator. */
void jd_operator_check_end(struct jd_operator *op);

/* settings.c: a model by the options. 0, or a code with err->message that names the option. */
int jd_operator_model(const struct jd_operator_values *values, struct joulie_cluster **out,
                      struct joulie_error *err);
