/* SPDX-License-Identifier: Apache-2.0 */

/* PSU stress for callers outside of the kernels, and what a node adds to its rack
 * (docs/rules/twin.md#psu-stress). Called by predict.c, the cluster model and questions. */

#include "twin/psu.h"

#include "twin/twin.h"

double jl_psu_stress_source(double rack_w, double cluster_w)
{
    const double power_w = rack_w > 0 ? rack_w : cluster_w;
    return power_w > 0 ? jl_supply_stress(power_w, JL_RACK_CAPACITY_W) : 0;
}

bool jl_psu_stress(const struct jl_supplies *in, double *out)
{
    const struct jl_supply supply = jl_supply_of(in);
    if (!supply.is_of_rack && !supply.is_of_cluster)
        return false;
    *out = supply.stress;
    return true;
}

bool jl_status_rack_share_w(const struct jl_twin_status *status, double *out_w)
{
    const struct jl_power_measurement *power = &status->power;
    if (power->given.measured_node_power_w)
        *out_w = power->measured_node_power_w;
    else if (power->given.node_capped_power_w)
        *out_w = power->node_capped_power_w;
    else
        return false;
    return true;
}
