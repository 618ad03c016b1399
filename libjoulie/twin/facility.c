/* SPDX-License-Identifier: Apache-2.0 */

/* Values of the whole facility: PUE, and the outside temperature of a simulation
 * (docs/rules/cooling.md#facility-pue). Called by the simulator, the cluster model and questions.
 */

#include <math.h>

#include <joulie/remote.h>
#include <joulie/sim.h>

#include "base/elementary.h"
#include "base/number.h"
#include "twin/twin.h"

#define TWO_PI 6.283185307179586
#define DAY_S 86400.0
#define PUE_MIN 1.0
#define PUE_MAX 3.0
#define PUE_BASE_C 15.0 /* the simulated plant's PUE rises above and falls below */

bool jl_facility_pue(double it_w, double cooling_w, double *out)
{
    if (!(it_w > 0))
        return false;
    *out = (it_w + cooling_w) / it_w;
    return true;
}

double joulie_facility_pue(double it_power_w, double cooling_power_w)
{
    double pue = 0;
    return jl_facility_pue(it_power_w, cooling_power_w, &pue) ? pue : (double)NAN;
}

double joulie_facility_simulated_pue(double outside_c, double load)
{
    const double warm_c = outside_c - PUE_BASE_C;
    return jl_clamp(1.08 + 0.006 * warm_c + 0.04 * load + 0.015 * load * warm_c / 15, PUE_MIN,
                    PUE_MAX);
}

double jl_facility_simulated_pue_v0_1_0(double outside_c)
{
    return jl_clamp(1.1 + 0.008 * (outside_c - PUE_BASE_C), PUE_MIN, PUE_MAX);
}

double joulie_facility_ambient_c(double base_c, double amplitude_c, double period_s,
                                 double elapsed_s)
{
    const double turns = elapsed_s / (period_s > 0 ? period_s : DAY_S);
    return base_c + amplitude_c * jl_sin(TWO_PI * (turns - floor(turns)));
}
