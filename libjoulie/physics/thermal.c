/* SPDX-License-Identifier: Apache-2.0 */

/* Temperature and throttling (docs/rules/physics.md#temperature). Called by the simulator. */

#include "base/number.h"
#include "physics/physics.h"

double jl_thermal_target_c(double ambient_c, double power_w, double watts_per_c)
{
    return ambient_c + power_w / watts_per_c;
}

double jl_thermal_throttle(double temp_c, double start_c, double full_c)
{
    if (full_c <= start_c)
        return 0;
    return jl_clamp((temp_c - start_c) / (full_c - start_c), 0, 1);
}
