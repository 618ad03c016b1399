/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A direct-expansion plant with an outside-air economiser (docs/rules/cooling.md#dx), called by
 * cooling.c and by the simulator. Temperatures in °C. Sizes are those of a plant for 1 MW; coil,
 * airflow, fan and room grow with the design power.
 */

#include "base/number.h"
#include "twin/twin.h"

#define FREE_HIGH_C 17.98 /* supply air; no economiser above */
#define FREE_LOW_C 13.0   /* outside air alone below */
#define FREE_SPAN_C (FREE_HIGH_C - FREE_LOW_C)
#define MIN_OUTSIDE_AIR 0.05
#define COIL_W 1e6
#define COP_NOMINAL 3.0
#define COP_HOT_C 35.0 /* the COP falls above */
#define COP_HOT_PER_C 0.025
#define COP_PART_LOAD_GAIN 0.1
#define AIR_KG_PER_S 82.84
#define AIR_KG_PER_M3 1.2
#define AIR_J_PER_KG_C 1006.0
#define FAN_PA 500.0
#define FAN_EFFICIENCY 0.7
#define FAN_MIN_SPEED 0.2
#define FAN_FULL_IT_W 1e6
#define ROOM_J_PER_C \
    (AIR_KG_PER_M3 * (50.0 * 40.0 * 3.0) * AIR_J_PER_KG_C * 5) /* air and five times its mass */
#define SYSTEM_COP_MIN_W 10.0 /* below, the nominal COP stands for the ratio */

static int mode_of(double outside_c)
{
    if (outside_c < FREE_LOW_C)
        return 1;
    return outside_c < FREE_HIGH_C ? 2 : 3;
}

static double free_fraction(int mode, double outside_c)
{
    if (mode == 1)
        return 1;
    return mode == 2 ? jl_clamp((FREE_HIGH_C - outside_c) / FREE_SPAN_C, MIN_OUTSIDE_AIR, 1)
                     : MIN_OUTSIDE_AIR;
}

static double unit_cop(double outside_c, double part_load)
{
    const double heat = 1 - COP_HOT_PER_C * jl_max(0, outside_c - COP_HOT_C);
    return jl_max(1, COP_NOMINAL * heat * (1 + COP_PART_LOAD_GAIN * (1 - part_load)));
}

void jl_cooling_dx(double it_w, double outside_c, double indoor_c, double design_it_w,
                   struct jl_dx *out)
{
    const double scale = design_it_w / JL_DX_DESIGN_IT_W;
    const double air_kg_per_s = AIR_KG_PER_S * scale;

    out->mode = mode_of(outside_c);
    out->free_fraction = free_fraction(out->mode, outside_c);
    const double mixed_c = out->free_fraction * outside_c + (1 - out->free_fraction) * indoor_c;
    out->free_w = air_kg_per_s * AIR_J_PER_KG_C * jl_max(0, indoor_c - mixed_c);
    out->mechanical_w = jl_max(0, it_w - out->free_w);
    out->unit_cop = unit_cop(outside_c, jl_min(1, out->mechanical_w / (COIL_W * scale)));
    out->compressor_w = out->mode == 1 ? 0 : out->mechanical_w / out->unit_cop;

    const double speed = jl_clamp(it_w / (FAN_FULL_IT_W * scale), FAN_MIN_SPEED, 1);
    out->fan_w = air_kg_per_s / AIR_KG_PER_M3 * FAN_PA / FAN_EFFICIENCY * speed * speed * speed;
    out->cooling_w = out->compressor_w + out->fan_w;
    out->system_cop = out->cooling_w > SYSTEM_COP_MIN_W
                          ? (out->free_w + out->mechanical_w) / out->cooling_w
                          : COP_NOMINAL;
    out->indoor_rate_c_per_s = (it_w - out->free_w - out->mechanical_w) / (ROOM_J_PER_C * scale);
}
