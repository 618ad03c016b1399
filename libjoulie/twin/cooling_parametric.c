/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Plants that cool a room: cooling watts, PUE and COP from IT power and outside temperature
 * (docs/rules/cooling.md#plants). Called by cooling.c and by the simulator. The coefficients stand
 * in the formulas, because no other rule uses them.
 */

#include "base/number.h"
#include "twin/twin.h"

/* Degrees above 15 °C, below which the plants run at their best. */
static double warmth(double outside_c)
{
    return jl_max(0, outside_c - 15);
}

static double pue_of(double it_w, double cooling_w)
{
    return (it_w + cooling_w) / jl_max(it_w, 1);
}

static void crah(double it_w, double outside_c, struct jl_cooling_plant *out)
{
    const double d = warmth(outside_c);
    out->pue = jl_clamp(1.30 + 0.015 * d, 1, 3);
    out->cooling_w = it_w * (out->pue - 1);
    out->cop = jl_max(1.5, 3.5 - 0.08 * d);
    out->indoor_c = 22 + 0.3 * d;
}

static void aisle(double it_w, double outside_c, struct jl_cooling_plant *out)
{
    const double d = warmth(outside_c);
    out->pue = jl_clamp(1.15 + 0.010 * d, 1, 2.5);
    out->cooling_w = it_w * (out->pue - 1);
    out->cop = jl_max(2, 4.5 - 0.07 * d);
    out->indoor_c = 24 + 0.2 * d;
}

/* Three quarters of the heat leave through liquid at COP 20, the rest through air. */
static void direct_liquid(double it_w, double outside_c, struct jl_cooling_plant *out)
{
    const double d = warmth(outside_c);
    out->cooling_w = 0.75 * it_w / 20 + 0.25 * it_w * (0.10 + 0.005 * d);
    out->pue = pue_of(it_w, out->cooling_w);
    out->cop = jl_max(3, 12 - 0.04 * d);
    out->indoor_c = 27 + 0.1 * d;
}

static void immersion(double it_w, double outside_c, struct jl_cooling_plant *out)
{
    const double d = warmth(outside_c);
    out->cop = jl_max(8, 25 - 0.02 * d);
    out->cooling_w = it_w / out->cop + 0.02 * it_w; /* pumps */
    out->pue = pue_of(it_w, out->cooling_w);
    out->indoor_c = 35 + 0.05 * d;
}

static void free_cooling(double it_w, double outside_c, struct jl_cooling_plant *out)
{
    const double free_frac = jl_unit(1 - (outside_c - 18) / 10);
    const double mechanical = 0.25 + 0.012 * warmth(outside_c);
    out->cooling_w = 0.02 * it_w * free_frac + it_w * mechanical * (1 - free_frac);
    out->pue = pue_of(it_w, out->cooling_w);
    out->cop = jl_max(2, it_w / jl_max(out->cooling_w, 1));
    out->indoor_c = 24 + 0.2 * jl_max(0, outside_c - 18);
}

bool jl_cooling_parametric(enum joulie_cooling model, double it_w, double outside_c,
                           struct jl_cooling_plant *out)
{
    switch (model) {
    case JOULIE_COOLING_CRAH:
        crah(it_w, outside_c, out);
        return true;
    case JOULIE_COOLING_AISLE:
        aisle(it_w, outside_c, out);
        return true;
    case JOULIE_COOLING_DLC:
        direct_liquid(it_w, outside_c, out);
        return true;
    case JOULIE_COOLING_IMMERSION:
        immersion(it_w, outside_c, out);
        return true;
    case JOULIE_COOLING_FREE:
        free_cooling(it_w, outside_c, out);
        return true;
    case JOULIE_COOLING_UNKNOWN:
    case JOULIE_COOLING_TDP_RATIO:
    case JOULIE_COOLING_LINEAR:
    case JOULIE_COOLING_DX:
    case JOULIE_COOLING_CUSTOM:
        break;
    }
    return false;
}
