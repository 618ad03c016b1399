/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What happened lately, and files for somebody who looks for a mistake
 * (docs/rules/simulator-contract.md#debug-views, #files). */

#include <stddef.h>

#include <joulie/sim.h>

#include "base/buffer.h"
#include "runtime/log.h"
#include "runtime/loop.h"
#include "simulator/options.h"

struct jd_debug {
    /* Given at the start; the rest is zero then. */
    struct joulie_sim *sim;
    const struct jd_simulator_values *values;
    struct jd_loop *loop;
    struct jd_log *log;
    const double *now_s; /* virtual */

    char **events; /* a ring of JSON objects */
    size_t capacity;
    size_t count;
    size_t next;
    struct jl_buffer unwritten; /* lines of events.ndjson */
    struct jd_timer timer;
    bool is_failing; /* as it was logged */
    bool has_rows;   /* timeseries.csv was begun */
};

int jd_debug_open(struct jd_debug *debug, struct joulie_error *err);
void jd_debug_close(struct jd_debug *debug);

/* kind: "telemetry" or "control"; payload: JSON. */
void jd_debug_event(struct jd_debug *debug, const char *kind, const char *node,
                    const char *payload);
void jd_debug_put_events(const struct jd_debug *debug, struct jl_buffer *out);
/* One more row; a header before the first one. */
void jd_debug_put_row(struct jd_debug *debug, struct jl_buffer *out);
