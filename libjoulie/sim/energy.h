/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the CPUs or the GPUs of a node draw and have used, in parts, and what the nodes on one
 * supply draw together (docs/rules/simulation.md#energy, #power-and-limits).
 */

#include <stdint.h>

enum jl_energy_part {
    JL_ENERGY_IDLE_BUSY,  /* idle power of a node with a job */
    JL_ENERGY_IDLE_EMPTY, /* idle power of a node without any */
    JL_ENERGY_DYNAMIC,    /* what is above idle power */
    JL_ENERGY_OFF,        /* all of a node that is not on */
    JL_ENERGY_PARTS
};

struct jl_sim_meter {
    double power_w;
    double idle_w;            /* of these CPUs or GPUs while their node is on */
    enum jl_energy_part base; /* what idle_w is for; JL_ENERGY_OFF: all of power_w is */
    double since_s;
    double used_j[JL_ENERGY_PARTS]; /* up to since_s */
};

/* From now_s on. Nothing moves when nothing changes. */
void jl_sim_meter_set(struct jl_sim_meter *meter, double power_w, enum jl_energy_part base,
                      double now_s);
/* Up to at_s, not before since_s; a multiple of 2^-10 J, so that sums of parts, nodes and runs are
 * exact in any order. */
double jl_sim_part_j(const struct jl_sim_meter *meter, enum jl_energy_part part, double at_s);
double jl_sim_energy_j(const struct jl_sim_meter *meter, double at_s); /* Σ of the parts */

/* A supply or a cooling plant with the nodes on it: all of them, or those of a rack. Power is
 * counted in units of 2^-20 W: a sum that is kept up to date by its changes stays exact. */
struct jl_sim_supply {
    double limit_w; /* 0 = none */
    int64_t power;
    int64_t peak;   /* the most that lasted, up to since_s */
    double over_s;  /* time above the limit, up to since_s */
    double since_s; /* of the last change */
};

/* A node on it draws other power from now_s on. */
void jl_sim_supply_change(struct jl_sim_supply *supply, double from_w, double to_w, double now_s);
double jl_sim_supply_power_w(const struct jl_sim_supply *supply);
double jl_sim_supply_peak_w(const struct jl_sim_supply *supply, double at_s);
double jl_sim_supply_over_s(const struct jl_sim_supply *supply, double at_s);
