/* SPDX-License-Identifier: Apache-2.0 */

/* Cooling stress and PUE by any model (docs/rules/cooling.md). Called by predict.c for models that
 * the kernels do not have, and by the question
 * cooling.model. */

#include "base/number.h"
#include "twin/cooling_air.h"
#include "twin/scores.h"
#include "twin/twin.h"

/* A plant's stress is its power relative to the reference load on a hot day. */
#define REFERENCE_OUTSIDE_C 35.0

static double outside_of(const struct jl_cooling_input *in)
{
    return in->has_outside ? in->outside_c : JL_ASSUMED_OUTSIDE_C;
}

static void set_stress(struct jl_cooling *out, double stress)
{
    out->has_stress = true;
    out->stress = jl_clamp(stress, 0, 100);
}

static void tdp_ratio(const struct jl_cooling_input *in, struct jl_cooling *out)
{
    const double outside_c = outside_of(in);
    /* the source reads 0 °C and below as "unknown" */
    const double factor = in->is_current || outside_c > 0 ? jl_ratio_factor(outside_c) : 1;
    if (in->node_tdp_w > 0)
        set_stress(out, jl_ratio_stress(in->power_w, in->node_tdp_w, factor));
    else if (!in->is_current)
        set_stress(out, 0);
}

static void linear(const struct jl_cooling_input *in, struct jl_cooling *out)
{
    set_stress(out, jl_linear_stress(in->power_w, in->has_reference ? in->reference_w : 0,
                                     outside_of(in)));
}

static void parametric(const struct jl_cooling_input *in, struct jl_cooling *out)
{
    struct jl_cooling_plant now;
    struct jl_cooling_plant reference;
    const double reference_w = in->has_reference ? in->reference_w : in->node_tdp_w;
    jl_cooling_parametric(in->model, in->power_w, outside_of(in), &now);
    out->has_pue = now.pue >= 1; /* below one watt the formulas leave what a PUE can be */
    out->pue = out->has_pue ? now.pue : 0;
    if (!(reference_w > 0))
        return;
    jl_cooling_parametric(in->model, reference_w, REFERENCE_OUTSIDE_C, &reference);
    set_stress(out, 100 * now.cooling_w / reference.cooling_w);
}

static void dx(const struct jl_cooling_input *in, struct jl_cooling *out)
{
    struct jl_dx now;
    struct jl_dx reference;
    if (!(in->design_it_w > 0))
        return;
    jl_cooling_dx(in->cluster_w, outside_of(in), JL_DX_INDOOR_C, in->design_it_w, &now);
    jl_cooling_dx(in->design_it_w, REFERENCE_OUTSIDE_C, JL_DX_INDOOR_C, in->design_it_w,
                  &reference);
    set_stress(out, 100 * now.cooling_w / reference.cooling_w);
    out->has_pue = jl_facility_pue(in->cluster_w, now.cooling_w, &out->pue);
}

static void custom(const struct jl_cooling_input *in, struct jl_cooling *out)
{
    const double stress = in->custom(in->user, in->power_w, outside_of(in));
    if (jl_is_finite(stress))
        set_stress(out, stress);
}

void jl_cooling_predict(const struct jl_cooling_input *in, struct jl_cooling *out)
{
    *out = (struct jl_cooling){ 0 };
    switch (in->model) {
    case JOULIE_COOLING_TDP_RATIO:
        tdp_ratio(in, out);
        break;
    case JOULIE_COOLING_LINEAR:
        linear(in, out);
        break;
    case JOULIE_COOLING_CUSTOM:
        custom(in, out);
        break;
    case JOULIE_COOLING_CRAH:
    case JOULIE_COOLING_AISLE:
    case JOULIE_COOLING_DLC:
    case JOULIE_COOLING_IMMERSION:
    case JOULIE_COOLING_FREE:
        parametric(in, out);
        return;
    case JOULIE_COOLING_DX:
        dx(in, out);
        return;
    case JOULIE_COOLING_UNKNOWN:
        return;
    }
    out->has_pue = out->has_stress;
    out->pue = out->has_stress ? jl_pue_from_stress(out->stress) : 0;
}
