/* SPDX-License-Identifier: Apache-2.0 */

/* Controllers that hold a power by frequency: ours (docs/rules/frequencies.md#proportional)
 * and that of Joulie v0.1.x (docs/rules/frequencies.md#legacy). Called by enforce/dvfs.c, by
 * remote/throttle.c and by the question dvfs.run. */

#include "caps/dvfs.h"

#include <math.h>

#include "base/number.h"
#include "power/cpufreq.h"

#define DOWN_FACTOR_MIN 0.5
#define UP_FACTOR_MAX 1.05
#define UP_BELOW 0.98
#define UP_IS_RECENT 2 /* intervals */
#define HOLD_OFF 16    /* intervals */
#define FULL_PCT 100.0

/* ---- proportional ---- */

void jl_dvfs_init(struct jl_dvfs *loop, double s)
{
    *loop = (struct jl_dvfs){ .s = s > 0 ? jl_clamp(s, JL_DVFS_S_MIN, 1) : 1 };
}

double jl_dvfs_node_cap_w(double cap_w, uint32_t packages)
{
    return cap_w * packages;
}

static enum jl_dvfs_action step_down(struct jl_dvfs *loop, double power_w, double cap_w)
{
    const double factor = jl_max(DOWN_FACTOR_MIN, sqrt(cap_w / power_w));
    loop->s = jl_max(JL_DVFS_S_MIN, loop->s * factor);
    if (loop->has_up && loop->step - loop->last_up <= UP_IS_RECENT)
        loop->hold_until = loop->step + 1 + HOLD_OFF;
    return JL_DVFS_DOWN;
}

static enum jl_dvfs_action step_up(struct jl_dvfs *loop, double power_w, double cap_w)
{
    const double factor =
        power_w > 0 ? jl_min(UP_FACTOR_MAX, sqrt(cap_w / power_w)) : UP_FACTOR_MAX;
    loop->s = jl_min(1, loop->s * factor);
    loop->has_up = true;
    loop->last_up = loop->step;
    return JL_DVFS_UP;
}

static enum jl_dvfs_action decide(struct jl_dvfs *loop, double power_w, double cap_w)
{
    if (power_w > cap_w)
        return step_down(loop, power_w, cap_w);
    if (power_w < UP_BELOW * cap_w && loop->s < 1 && loop->step >= loop->hold_until)
        return step_up(loop, power_w, cap_w);
    return JL_DVFS_HOLD;
}

enum jl_dvfs_action jl_dvfs_step(struct jl_dvfs *loop, bool has_sample, double power_w,
                                 double cap_w)
{
    const bool is_known =
        has_sample && jl_is_finite(power_w) && power_w >= 0 && jl_is_finite(cap_w) && cap_w > 0;
    const enum jl_dvfs_action action = is_known ? decide(loop, power_w, cap_w) : JL_DVFS_HOLD;
    loop->step++;
    return action;
}

/* ---- legacy ---- */

void jl_dvfs_params_default(struct jl_dvfs_params *params)
{
    *params = (struct jl_dvfs_params){
        .alpha = 0.30,
        .high_margin_w = 10,
        .low_margin_w = 15,
        .step_pct = 10,
        .cooldown_ms = 20000,
        .trip_count = 2,
        .floor_khz = 1500000,
    };
}

/* 0 would change nothing, ever. */
static bool is_share(double value, double whole)
{
    return value > 0 && value <= whole;
}

static bool is_margin(double margin_w)
{
    return margin_w >= 0 && jl_is_finite(margin_w);
}

const char *jl_dvfs_params_fault(const struct jl_dvfs_params *params)
{
    if (!is_share(params->alpha, 1))
        return "DVFS_EMA_ALPHA";
    if (!is_margin(params->high_margin_w))
        return "DVFS_HIGH_MARGIN_W";
    if (!is_margin(params->low_margin_w))
        return "DVFS_LOW_MARGIN_W";
    if (!is_share(params->step_pct, FULL_PCT))
        return "DVFS_STEP_PCT";
    if (params->cooldown_ms < 0)
        return "DVFS_COOLDOWN";
    if (params->trip_count == 0)
        return "DVFS_TRIP_COUNT";
    return params->floor_khz > JL_CPUFREQ_NO_MAX_KHZ ? "DVFS_MIN_FREQ_KHZ" : NULL;
}

struct jl_dvfs_band jl_dvfs_band(const struct jl_dvfs_params *params, double cap_w)
{
    return (struct jl_dvfs_band){ .lower_w = cap_w - params->low_margin_w,
                                  .upper_w = cap_w + params->high_margin_w };
}

static void smooth(const struct jl_dvfs_params *params, struct jl_dvfs_legacy *loop, double power_w)
{
    loop->ema_w =
        loop->has_ema ? params->alpha * power_w + (1 - params->alpha) * loop->ema_w : power_w;
    loop->has_ema = true;
}

static bool is_cooling(const struct jl_dvfs_params *params, const struct jl_dvfs_legacy *loop,
                       int64_t now_ms)
{
    int64_t elapsed_ms = 0;
    if (!loop->has_action)
        return false;
    if (__builtin_sub_overflow(now_ms, loop->last_action_ms, &elapsed_ms))
        return now_ms < loop->last_action_ms;
    return elapsed_ms < params->cooldown_ms;
}

static void count(const struct jl_dvfs_params *params, struct jl_dvfs_legacy *loop, double cap_w)
{
    const struct jl_dvfs_band band = jl_dvfs_band(params, cap_w);
    const bool is_above = loop->ema_w > band.upper_w;
    const bool is_below = !is_above && loop->ema_w < band.lower_w;
    loop->above = is_above ? loop->above + 1 : 0;
    loop->below = is_below ? loop->below + 1 : 0;
}

static enum jl_dvfs_action act(struct jl_dvfs_legacy *loop, double change_pct, int64_t now_ms)
{
    loop->throttle_pct = jl_clamp(loop->throttle_pct + change_pct, 0, FULL_PCT);
    loop->has_action = true;
    loop->last_action_ms = now_ms;
    return change_pct < 0 ? JL_DVFS_UP : JL_DVFS_DOWN;
}

enum jl_dvfs_action jl_dvfs_legacy_step(const struct jl_dvfs_params *params,
                                        struct jl_dvfs_legacy *loop, bool has_sample,
                                        double power_w, double cap_w, int64_t now_ms)
{
    if (!(cap_w > 0) || !has_sample || !jl_is_finite(power_w))
        return JL_DVFS_HOLD;
    smooth(params, loop, power_w);
    if (is_cooling(params, loop, now_ms))
        return JL_DVFS_COOLDOWN;
    count(params, loop, cap_w);
    if (loop->above >= params->trip_count) {
        loop->above = 0;
        return act(loop, params->step_pct, now_ms);
    }
    if (loop->below >= params->trip_count) {
        loop->below = 0;
        return act(loop, -params->step_pct, now_ms);
    }
    return JL_DVFS_HOLD;
}

/* ---- without a reading of power ---- */

const char *jl_dvfs_open_blocked(double pct)
{
    return pct > 0 ? NULL : "cpu cap pct must be > 0";
}

double jl_dvfs_open_throttle_pct(double pct)
{
    return pct > 0 ? jl_round_half_away(FULL_PCT - jl_min(pct, FULL_PCT)) : FULL_PCT;
}

double jl_dvfs_open_target_w(double pct, double observed_w)
{
    return jl_min(pct, FULL_PCT) / FULL_PCT * observed_w;
}
