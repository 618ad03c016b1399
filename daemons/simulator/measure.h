/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the simulator counts (docs/rules/simulator-contract.md#metrics). */

#include <joulie/sim.h>

#include "apiserver/api.h"
#include "runtime/http_server.h"
#include "runtime/metrics.h"
#include "simulator/options.h"

/* The building around the machines (docs/rules/simulator-contract.md#facility). */
struct jd_facility {
    double ambient_c;
    double it_power_w;
    double pue;
    double cooling_power_w;
};

void jd_facility_now(const struct joulie_sim_view *view, const struct jd_simulator_values *values,
                     struct jd_facility *out);

extern const struct jd_family jd_late_steps_family;
extern const struct jd_family jd_extender_family;

void jd_measure_answer(struct jd_metrics *metrics, const struct jd_exchange *exchange, int status,
                       double seconds);
/* action is one of those that there are, or "other". */
void jd_measure_control(struct jd_metrics *metrics, const char *node, const char *action,
                        const char *result);
void jd_measure_pod(struct jd_metrics *metrics, const struct joulie_sim_event *event);
/* The gauges, before /metrics is read. */
void jd_measure_all(struct jd_metrics *metrics, const struct joulie_sim *sim,
                    const struct jd_simulator_values *values);
