/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What happened lately, and files for somebody who looks for a mistake
 * (docs/rules/simulator-contract.md#debug-views, #files). */

#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

#include "base/buffer.h"
#include "runtime/loop.h"

struct jd_simulator;

struct jd_debug {  /* zeroed at the start */
    char **events; /* a ring of JSON objects */
    size_t capacity;
    size_t count;
    size_t next;
    struct jl_buffer unwritten; /* lines of events.ndjson */
    struct jd_timer timer;
    bool is_failing; /* as it was logged */
    bool has_rows;   /* timeseries.csv was begun */
};

int jd_debug_open(struct jd_simulator *simulator, struct joulie_error *err);
void jd_debug_close(struct jd_simulator *simulator);

/* kind: "telemetry" or "control"; payload: JSON. */
void jd_debug_event(struct jd_simulator *simulator, const char *kind, const char *node,
                    const char *payload);
void jd_debug_put_events(const struct jd_simulator *simulator, struct jl_buffer *out);
/* One more row; a header before the first one. */
void jd_debug_put_row(struct jd_simulator *simulator, struct jl_buffer *out);
