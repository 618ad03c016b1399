/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A node that is driven over HTTP (docs/rules/endpoints.md): read its telemetry, ask the
 * library what to write, post the caps one after the other, read back, report. It never touches the
 * machine that it runs on.
 *
 * What was there before our first cap is remembered in memory only. A process that finds a cap of
 * an agent before it (the NodeTwin's controlStatus says so) goes on with it, and gives back to the
 * maximum of the hardware.
 */

#include "agent/backend.h"
#include "agent/options.h"
#include "runtime/http_client.h"
#include "runtime/log.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

struct jd_remote_options { /* the maker of jd_remote_backend; all live as long */
    const struct jd_agent_values *values;
    bool enforces;
    struct jd_loop *loop;
    struct jd_http *http;
    struct jd_log *log;
    struct jd_metrics *metrics;
};

extern const struct jd_backend jd_remote_backend;
