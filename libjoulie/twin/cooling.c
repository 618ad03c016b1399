/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "twin/twin.h"

/* joulie-control.md §3.8 */
#define LINEAR_REFERENCE_W 4000.0
#define LINEAR_FULL_STRESS 80.0 /* at the reference power */
#define LINEAR_WARM_C 20.0
#define LINEAR_PER_C 0.5
#define RATIO_WARM_C 20.0
#define RATIO_PER_C 0.02
#define RATIO_MIN 0.5
#define REFERENCE_OUTSIDE_C \
    35.0 /* a plant's stress is its power relative to the reference load on a hot day */

static double outside_of(const struct jl_cooling_input *in)
{
    return in->has_outside ? in->outside_c : JL_ASSUMED_OUTSIDE_C;
}

static void set_stress(struct jl_cooling *out, double stress)
{
    out->has_stress = true;
    out->stress = jl_clamp(stress, 0, 100);
}

/* The source reads 0 °C and below as "unknown" (W10). */
static double ratio_factor(const struct jl_cooling_input *in)
{
    const double outside_c = outside_of(in);
    if (!in->is_current && outside_c <= 0)
        return 1;
    return 1 / jl_max(RATIO_MIN, 1 - (outside_c - RATIO_WARM_C) * RATIO_PER_C);
}

static void tdp_ratio(const struct jl_cooling_input *in, struct jl_cooling *out)
{
    if (in->node_tdp_w > 0)
        set_stress(out, in->power_w / in->node_tdp_w * ratio_factor(in) * 100);
    else if (!in->is_current)
        set_stress(out, 0);
}

static void linear(const struct jl_cooling_input *in, struct jl_cooling *out)
{
    const double reference_w =
        in->has_reference && in->reference_w > 0 ? in->reference_w : LINEAR_REFERENCE_W;
    const double warm_c = jl_max(0, outside_of(in) - LINEAR_WARM_C);
    set_stress(out, in->power_w / reference_w * LINEAR_FULL_STRESS + warm_c * LINEAR_PER_C);
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
