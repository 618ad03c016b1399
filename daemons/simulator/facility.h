/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The building around the machines (docs/rules/simulator-contract.md#facility). */

#include <joulie/sim.h>

#include "simulator/options.h"

struct jd_facility {
    double ambient_c;
    double it_power_w;
    double pue;
    double cooling_power_w;
};

void jd_facility_now(const struct joulie_sim_view *view, const struct jd_simulator_values *values,
                     struct jd_facility *out);
