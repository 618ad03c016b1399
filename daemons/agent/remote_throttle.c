/* SPDX-License-Identifier: Apache-2.0 */

/* A remote backend that lowers frequencies: which throttle (docs/rules/frequencies.md). The
 * controller is the library's. */

#include "agent/remote_parts.h"

int jd_throttle_open(const struct jd_agent_values *values, struct joulie_throttle **out,
                     struct joulie_error *err)
{
    const struct joulie_throttle_options options = {
        .struct_size = sizeof options,
        .has = JOULIE_THROTTLE_HAS_EMA_ALPHA | JOULIE_THROTTLE_HAS_HIGH_MARGIN |
               JOULIE_THROTTLE_HAS_LOW_MARGIN | JOULIE_THROTTLE_HAS_STEP |
               JOULIE_THROTTLE_HAS_COOLDOWN | JOULIE_THROTTLE_HAS_TRIP_COUNT,
        .ema_alpha = values->dvfs_ema_alpha,
        .high_margin_w = values->dvfs_high_margin_w,
        .low_margin_w = values->dvfs_low_margin_w,
        .step_pct = values->dvfs_step_pct,
        .cooldown_ms = values->dvfs_cooldown_ms,
        .trip_count = values->dvfs_trip_count,
        .is_legacy = jl_same(values->dvfs_controller, "legacy"),
    };
    return joulie_throttle_new(&options, out, err);
}

void jd_throttle_steer(struct jd_remote *remote, double cap_w)
{
    struct jd_throttle *throttle = &remote->throttle;
    const struct jd_watts *power = &remote->sample.cpu;
    const struct joulie_throttle_sample sample = {
        .struct_size = sizeof sample,
        .has = power->is_known ? JOULIE_THROTTLE_HAS_POWER : 0,
        .at_ms = remote->now_ms,
        .cap_w = cap_w,
        .power_w = power->w,
        .in_force_pct = throttle->pct,
    };
    throttle->cap_w = cap_w;
    throttle->wanted_pct = throttle->pct;
    joulie_throttle_step(throttle->controller, &sample, &throttle->wanted_pct, NULL);
}
