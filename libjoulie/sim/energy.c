/* SPDX-License-Identifier: Apache-2.0 */

/* Meters of nodes and sums of supplies (docs/rules/simulation.md#energy, #power-and-limits). Called
 * by fleet.c whenever a node's power changes, and by those who read a run. */

#include "sim/energy.h"

#include <math.h>

#include "base/number.h"

#define UNITS_PER_J 1024.0
#define UNITS_PER_W 1048576.0

/* ---- a meter ---- */

static double part_w(const struct jl_sim_meter *meter, enum jl_energy_part part)
{
    const double base_w = meter->base == JL_ENERGY_OFF ? meter->power_w : meter->idle_w;
    if (part == meter->base)
        return base_w;
    return part == JL_ENERGY_DYNAMIC ? meter->power_w - base_w : 0;
}

static double used_j(const struct jl_sim_meter *meter, enum jl_energy_part part, double at_s)
{
    return meter->used_j[part] + part_w(meter, part) * (at_s - meter->since_s);
}

void jl_sim_meter_set(struct jl_sim_meter *meter, double power_w, enum jl_energy_part base,
                      double now_s)
{
    if (power_w == meter->power_w && base == meter->base)
        return;
    for (int part = 0; part < JL_ENERGY_PARTS; part++)
        meter->used_j[part] = used_j(meter, (enum jl_energy_part)part, now_s);
    meter->since_s = now_s;
    meter->power_w = power_w;
    meter->base = base;
}

double jl_sim_part_j(const struct jl_sim_meter *meter, enum jl_energy_part part, double at_s)
{
    return floor(used_j(meter, part, at_s) * UNITS_PER_J + 0.5) / UNITS_PER_J;
}

double jl_sim_energy_j(const struct jl_sim_meter *meter, double at_s)
{
    double sum = 0;
    for (int part = 0; part < JL_ENERGY_PARTS; part++)
        sum += jl_sim_part_j(meter, (enum jl_energy_part)part, at_s);
    return sum;
}

/* ---- a supply ---- */

static int64_t power_units(double power_w)
{
    return (int64_t)floor(power_w * UNITS_PER_W + 0.5);
}

static int64_t peak_at(const struct jl_sim_supply *supply, double at_s)
{
    return at_s > supply->since_s && supply->power > supply->peak ? supply->power : supply->peak;
}

void jl_sim_supply_change(struct jl_sim_supply *supply, double from_w, double to_w, double now_s)
{
    supply->peak = peak_at(supply, now_s);
    supply->over_s = jl_sim_supply_over_s(supply, now_s);
    supply->since_s = now_s;
    supply->power += power_units(to_w) - power_units(from_w);
}

double jl_sim_supply_power_w(const struct jl_sim_supply *supply)
{
    return (double)supply->power / UNITS_PER_W;
}

double jl_sim_supply_peak_w(const struct jl_sim_supply *supply, double at_s)
{
    return (double)peak_at(supply, at_s) / UNITS_PER_W;
}

double jl_sim_supply_over_s(const struct jl_sim_supply *supply, double at_s)
{
    const bool is_over = supply->limit_w > 0 && jl_sim_supply_power_w(supply) > supply->limit_w;
    return supply->over_s + (is_over ? at_s - supply->since_s : 0);
}
