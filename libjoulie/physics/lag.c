/* SPDX-License-Identifier: Apache-2.0 */

/* First-order lags (docs/rules/physics.md#settling). Called by the simulator and the question
 * physics.lag. */

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
