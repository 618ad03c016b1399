/* SPDX-License-Identifier: Apache-2.0 */

/* The building around the machines: outside temperature, PUE and cooling at the present time, for
 * metrics, queries and the time series. */

#include "simulator/facility.h"

#define SECONDS_PER_HOUR 3600

/* The load is IT power over the design power of all machines, at most 1. */
void jd_facility_now(const struct joulie_sim_view *view, const struct jd_simulator_values *values,
                     struct jd_facility *out)
{
    const double it_w = view->cpu_power_w + view->gpu_power_w;
    const double ambient_c =
        joulie_facility_ambient_c(values->ambient_c, values->ambient_amplitude_c,
                                  values->ambient_period_h * SECONDS_PER_HOUR, view->time_s);
    const double load =
        view->design_it_w > 0 && it_w < view->design_it_w ? it_w / view->design_it_w : 1;
    const double pue = joulie_facility_simulated_pue(ambient_c, load);
    *out = (struct jd_facility){ ambient_c, it_w, pue, it_w * (pue - 1) };
}
