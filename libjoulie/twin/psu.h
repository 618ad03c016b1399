/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "twin/lanes.h"

/* Stress of the power supply of a rack or, without one, of the cluster
 * (docs/rules/twin.md#psu-stress). */

struct jl_supply_load {
    jl_real power_w;    /* 0 = unknown */
    jl_real capacity_w; /* 0 = unknown, of the cluster only */
};

struct jl_supplies {
    struct jl_supply_load rack;
    struct jl_supply_load cluster;
};

struct jl_supply {
    jl_mask is_of_rack;
    jl_mask is_of_cluster; /* neither: the stress is unknown, and 0 */
    jl_real stress;
};

JL_LANE jl_real jl_supply_stress(jl_real power_w, jl_real capacity_w)
{
    return jl_within(power_w / capacity_w * 100.0, 0, 100);
}

JL_LANE struct jl_supply jl_supply_of(const struct jl_supplies *in)
{
    const jl_mask is_of_rack = jl_is_above_0(in->rack.power_w);
    const jl_mask is_of_cluster =
        jl_both(jl_not(is_of_rack),
                jl_both(jl_is_above_0(in->cluster.power_w), jl_is_above_0(in->cluster.capacity_w)));
    const jl_real stress =
        jl_supply_stress(jl_pick(is_of_rack, in->rack.power_w, in->cluster.power_w),
                         jl_pick(is_of_rack, in->rack.capacity_w, in->cluster.capacity_w));
    return (struct jl_supply){
        .is_of_rack = is_of_rack,
        .is_of_cluster = is_of_cluster,
        .stress = jl_or_0(jl_either(is_of_rack, is_of_cluster), stress),
    };
}
