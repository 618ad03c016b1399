/* SPDX-License-Identifier: Apache-2.0 */

/* The proportional controller: holds a power by frequency
 * (docs/rules/caps.md#proportional-controller). Called by the step of a node and by the question
 * dvfs.run. */

#include "caps/dvfs.h"

#include <math.h>

#include "base/number.h"

/* docs/rules/caps.md#proportional-controller */
#define DOWN_FACTOR_MIN 0.5
#define UP_FACTOR_MAX 1.05
#define UP_BELOW 0.98
#define UP_IS_RECENT 2 /* intervals */
#define HOLD_OFF 16    /* intervals */

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
