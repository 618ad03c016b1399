/* SPDX-License-Identifier: Apache-2.0 */

/* First-order lags, temperature and throttling (docs/rules/physics.md#settling,
 * docs/rules/physics.md#temperature). Called by the simulator and the questions physics.lag and
 * physics.thermal. */

#include "base/elementary.h"
#include "base/number.h"
#include "physics/physics.h"

double jl_lag_step(double value, double target, double tau_s, double dt_s)
{
    if (dt_s <= 0)
        return value;
    if (tau_s <= 0)
        return target;
    return value + (target - value) * jl_min(1, dt_s / tau_s);
}

double jl_lag_settle(double value, double target, double tau_s, double dt_s)
{
    if (dt_s <= 0)
        return value;
    if (tau_s <= 0)
        return target;
    return value + (target - value) * jl_expm1_neg(dt_s / tau_s);
}

double jl_thermal_target_c(double ambient_c, double power_w, double watts_per_c)
{
    return ambient_c + power_w / watts_per_c;
}

double jl_thermal_throttle(double temp_c, double start_c, double full_c)
{
    if (full_c <= start_c)
        return 0;
    return jl_unit((temp_c - start_c) / (full_c - start_c));
}
