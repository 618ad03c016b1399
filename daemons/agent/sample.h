/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A reading of a node over HTTP: its power and the limits that are in force
 * (docs/rules/endpoints.md#telemetry). */

#include <stdbool.h>
#include <stdint.h>

#include <joulie/remote.h>

#include "runtime/http_client.h"

enum jd_quality { JD_MISSING, JD_STALE, JD_FRESH };

extern const char *const jd_quality_words[]; /* by enum jd_quality */

struct jd_watts {
    bool is_known;
    double w;
};

struct jd_sample {
    enum jd_quality quality;
    struct jd_watts cpu;       /* power of the CPUs */
    struct jd_watts gpu;       /* of all GPUs */
    struct jd_watts cpu_limit; /* that the backend is to keep, of all CPUs */
    struct jd_watts gpu_limit; /* of each GPU */
    bool has_throttle;
    double throttle_pct;
    const char *problem; /* a constant; NULL = it is good */
};

/* One that is older than three periods is stale: its values are left out. */
void jd_sample_read(const struct jd_reply *reply, enum joulie_remote_type type, int64_t now_ms,
                    int64_t period_ms, struct jd_sample *out);
