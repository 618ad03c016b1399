/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the parts of the operator use together. operator.c fills it once, before it opens them. */

#include <joulie/cluster.h>

#include "kube/events.h"
#include "operator/notes.h"
#include "operator/options.h"
#include "runtime/clock.h"
#include "runtime/http_client.h"
#include "runtime/metrics.h"

struct jd_shared {
    const struct jd_operator_values *values;
    struct jd_loop *loop;
    struct jd_http *http;
    struct jd_clock *clock;
    struct jd_log *log;
    struct jd_metrics *metrics;
    struct jd_kube *kube;
    struct jd_recorder *recorder;
    struct joulie_cluster *cluster;
    struct jd_notes *notes;
    const char *identity; /* who renews the heartbeat and reports Events: the pod, or the program */
};
