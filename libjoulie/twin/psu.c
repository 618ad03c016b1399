/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "twin/twin.h"

static double stress(double power_w, double capacity_w)
{
    return jl_clamp(power_w / capacity_w * 100, 0, 100);
}

/* The rack's constant is applied to the whole cluster's power (W11). */
double jl_psu_stress_source(double rack_w, double cluster_w)
{
    const double power_w = rack_w > 0 ? rack_w : cluster_w;
    return power_w > 0 ? stress(power_w, JL_RACK_CAPACITY_W) : 0;
}

bool jl_psu_stress(const struct jl_psu *in, double *out)
{
    if (in->rack_w > 0)
        *out = stress(in->rack_w, in->rack_capacity_w);
    else if (in->cluster_w > 0 && in->cluster_capacity_w > 0)
        *out = stress(in->cluster_w, in->cluster_capacity_w);
    else
        return false;
    return true;
}

bool jl_status_rack_share_w(const struct jl_twin_status *status, double *out_w)
{
    const struct jl_power_measurement *power = &status->power;
    if (JL_HAS(power, JL_POWER_MEASURED))
        *out_w = power->measured_node_power_w;
    else if (JL_HAS(power, JL_POWER_NODE_CAPPED))
        *out_w = power->node_capped_power_w;
    else
        return false;
    return true;
}
