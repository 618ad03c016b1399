/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the exporters of a cluster's machines say of its pods, for a Prometheus that scrapes them
 * (docs/rules/simulator-contract.md#exporters). */

#include <joulie/sim.h>

#include "runtime/http_server.h"

struct jd_exporter_time {
    double speed;     /* virtual seconds of a second of those who read */
    int64_t stamp_ms; /* of the samples; 0 = when they are read */
};

/* Answers with the page of an exporter; false = there is none of that name. */
bool jd_exporter_handle(const struct joulie_sim *sim, const char *name,
                        const struct jd_exporter_time *time, struct jd_exchange *exchange);
