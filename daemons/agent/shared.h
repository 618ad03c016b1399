/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the parts of the agent use together. agent.c fills it as its edges open. */

#include "agent/options.h"
#include "runtime/clock.h"
#include "runtime/http_client.h"
#include "runtime/log.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

struct jd_agent_shared {
    const struct jd_agent_values *values;
    bool enforces;
    struct jd_loop *loop;
    struct jd_log *log;
    struct jd_metrics *metrics;
    /* in a cluster; else NULL */
    struct jd_http *http;
    struct jd_clock *clock;
    struct jd_kube *kube;
    struct joulie_remote_profiles *profiles; /* of nodes that are driven over HTTP; else NULL */
};
