/* SPDX-License-Identifier: Apache-2.0 */

/* Power and frequency of a CPU node under a cap. Called by the simulator, slowdown.c and the
 * question physics.cpu. */

#include <float.h>

#include "base/elementary.h"
#include "base/number.h"
#include "physics/physics.h"

/* docs/rules/physics.md#cpu-power */
#define POWER_FLOOR_W 20
#define THERMAL_POWER_SHARE 0.35
#define SPEED_FLOOR 0.01
#define IDLE_UTIL 0.20
#define IDLE_SAVING 0.50
#define BISECTION_STEPS 22

struct model {
    const struct jl_physics_profile *profile;
    const struct jl_cpu_load *load;
    enum jl_physics_rules rules;
    double cap_w;
};

void jl_cpu_load_of(const struct jl_cpu_mix *mix, double util, struct jl_cpu_load *out)
{
    *out = (struct jl_cpu_load){
        .util = util,
        .activity = jl_cpu_activity(mix->memory, mix->io),
        .base = jl_cpu_base(util, mix->memory, mix->io),
        .freq = 1,
        .cap_w = DBL_MAX,
    };
    jl_cpu_weights(mix, &out->weights);
}

/* ---- without a curve ---- */

static double generic_w(const struct model *model, double freq)
{
    const struct jl_physics_profile *profile = model->profile;
    const double busy = jl_unit(model->load->util * model->load->activity);
    const double watts = profile->idle_w + (profile->max_w - profile->idle_w) *
                                               jl_pow(busy, profile->alpha_util) *
                                               jl_pow(freq, profile->beta_freq);
    return watts * (1 - THERMAL_POWER_SHARE * model->load->thermal);
}

/* The frequency at which the generic model draws cap_w; the source leaves activity and heat out. */
static double generic_freq(const struct model *model)
{
    const struct jl_physics_profile *profile = model->profile;
    double cool_w = model->cap_w;
    double busy = model->load->util;
    if (model->rules == JL_PHYSICS_CURRENT) {
        cool_w /= 1 - THERMAL_POWER_SHARE * model->load->thermal;
        busy = jl_unit(busy * model->load->activity);
    }
    const double over_idle = cool_w - profile->idle_w;
    if (over_idle <= 0)
        return profile->min_freq;
    const double range = (profile->max_w - profile->idle_w) * jl_pow(busy, profile->alpha_util);
    if (range <= 0)
        return 1;
    return jl_pow(over_idle / range, 1 / profile->beta_freq);
}

/* ---- with a measured curve ---- */

/* The load of the curve: work that is delivered. In v0.1.1 all of it follows the speed. */
static double delivered(const struct model *model, double freq)
{
    const struct jl_cpu_load *load = model->load;
    const double speed = jl_cpu_speed(&load->weights, freq, model->profile->knee, load->thermal);
    if (model->rules == JL_PHYSICS_V0_1_1)
        return load->util * (speed > 0 ? speed : SPEED_FLOOR);
    return load->util * (1 - load->base * (1 - speed));
}

static double curve_w(const struct model *model, double freq)
{
    return jl_physics_curve_w(model->profile, 100 * jl_unit(delivered(model, freq)));
}

static double curve_freq_by_bisection(const struct model *model)
{
    double low = model->profile->min_freq;
    double high = 1;
    for (int i = 0; i < BISECTION_STEPS; i++) {
        const double middle = (low + high) / 2;
        if (curve_w(model, middle) > model->cap_w)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Inverts the curve, then what is delivered: both are piecewise linear, so the answer is exact. */
static double curve_freq_exact(const struct model *model)
{
    const struct jl_physics_profile *profile = model->profile;
    const struct jl_cpu_load *load = model->load;
    const double load_pct = jl_physics_curve_load(profile, model->cap_w);
    if (load_pct < 0)
        return profile->min_freq;
    /* of the work, above 0: there is some, or power would be below the cap */
    const double too_much = 1 - load_pct / (100 * load->util);
    return jl_cpu_freq_at_speed(&load->weights, 1 - too_much / load->base, profile->min_freq,
                                profile->knee, load->thermal);
}

/* ---- both ---- */

static double model_w(const struct model *model, double freq)
{
    return model->profile->curve_model ? curve_w(model, freq) : generic_w(model, freq);
}

/* Whether the lowest frequency draws more than the cap; the source asks the model without a curve
 * on every node. */
static bool is_saturated(const struct model *model)
{
    const double lowest_w = model->rules == JL_PHYSICS_V0_1_1
                                ? generic_w(model, model->profile->min_freq)
                                : model_w(model, model->profile->min_freq);
    return lowest_w > model->cap_w;
}

static double freq_for_cap(const struct model *model)
{
    if (!model->profile->curve_model)
        return generic_freq(model);
    return model->rules == JL_PHYSICS_CURRENT ? curve_freq_exact(model)
                                              : curve_freq_by_bisection(model);
}

/* Only v0.1.1: the source grants an idle saving to throttled nodes. */
static double managed_idle_w(const struct jl_cpu_load *load, double watts)
{
    if (load->target_throttle_pct <= 0 || load->util >= IDLE_UTIL)
        return watts;
    return jl_max(POWER_FLOOR_W, watts * (1 - IDLE_SAVING * (1 - load->util / IDLE_UTIL)));
}

void jl_cpu_power(const struct jl_physics_profile *profile, const struct jl_cpu_load *load,
                  enum jl_physics_rules rules, struct jl_cpu_state *out)
{
    const struct model model = {
        .profile = profile,
        .load = load,
        .rules = rules,
        .cap_w = jl_clamp(load->cap_w, profile->cap_min_w, profile->cap_max_w),
    };
    struct jl_cpu_state state = { .freq = load->freq };
    state.power_w = jl_max(POWER_FLOOR_W, model_w(&model, state.freq));
    if (rules == JL_PHYSICS_V0_1_1)
        state.power_w = managed_idle_w(load, state.power_w);
    if (state.power_w > model.cap_w) {
        state.is_saturated = is_saturated(&model);
        state.freq = jl_max(profile->min_freq, jl_min(state.freq, freq_for_cap(&model)));
        state.power_w = jl_max(POWER_FLOOR_W, model_w(&model, state.freq));
        if (profile->curve_model)
            state.power_w = jl_min(state.power_w, model.cap_w);
    }
    state.power_w = jl_min(state.power_w, model.cap_w + profile->cap_head_w);
    *out = state;
}
