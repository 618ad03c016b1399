/* SPDX-License-Identifier: Apache-2.0 */

/* Caps as Joulie v0.1.1 resolves them: one target for all devices of a node
 * (docs/rules/caps.md#joulie-v011). Called by resolve.c. */

#include "base/number.h"
#include "caps/resolve.h"

static struct jl_cap blocked(enum joulie_cap_block block)
{
    return (struct jl_cap){ .block = block };
}

static struct jl_cap_limits good_limits_at(const struct joulie_caps_limits *table, size_t i)
{
    bool is_bad;
    return jl_cap_limits_at(table, i, &is_bad);
}

/* The smallest maximum and the largest minimum of all packages. */
static struct jl_cap_limits common_range(const struct joulie_caps_limits *table, size_t count)
{
    struct jl_cap_limits common = { 0 };
    for (size_t i = 0; i < count; i++) {
        const struct jl_cap_limits limits = good_limits_at(table, i);
        if (limits.max_w > 0 && (!(common.max_w > 0) || limits.max_w < common.max_w))
            common.max_w = limits.max_w;
        common.min_w = jl_max(common.min_w, limits.min_w);
    }
    return common;
}

static struct jl_cap package_cap(const struct joulie_caps_intent *intent,
                                 const struct jl_cap_limits *common)
{
    struct jl_cap cap = { .has_requested = true };
    if (jl_cap_asks_watts(intent)) {
        cap.requested_w = intent->cap_w;
        cap.cap_w = intent->cap_w;
    } else if ((intent->has & JOULIE_CAPS_HAS_CAP_PCT) == 0) {
        return blocked(JOULIE_CAP_BLOCK_NO_INTENT);
    } else if (!jl_cap_asks_pct(intent)) {
        return blocked(JOULIE_CAP_BLOCK_PCT_NOT_POSITIVE);
    } else if (!(common->max_w > 0)) {
        return blocked(JOULIE_CAP_BLOCK_RANGE_UNAVAILABLE);
    } else {
        cap.requested_w = intent->cap_pct / 100 * common->max_w;
        cap.cap_w = jl_min(jl_max(cap.requested_w, common->min_w), common->max_w);
    }
    cap.power_limit_uw = jl_cap_whole_uw(cap.cap_w); /* cut off, not rounded */
    return cap;
}

/* Watts for every device, or the reason and device that forbid them. */
static struct jl_cap gpu_watts(double watts, const struct joulie_caps_limits *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct jl_cap_limits limits = good_limits_at(table, i);
        struct jl_cap cap = { .has_requested = true, .requested_w = watts, .culprit = i };
        if (limits.min_w > 0 && watts < limits.min_w) {
            cap.block = JOULIE_CAP_BLOCK_GPU_BELOW_MIN;
            cap.bound_w = limits.min_w;
            return cap;
        }
        if (limits.max_w > 0 && watts > limits.max_w) {
            cap.block = JOULIE_CAP_BLOCK_GPU_ABOVE_MAX;
            cap.bound_w = limits.max_w;
            return cap;
        }
    }
    return (struct jl_cap){ .cap_w = watts };
}

/* The smallest device value of the percent, for all devices; raised to a device's minimum, never
 * cut at its maximum. */
static struct jl_cap gpu_pct(double pct, const struct joulie_caps_limits *table, size_t count)
{
    struct jl_cap cap = { 0 };
    for (size_t i = 0; i < count; i++) {
        const struct jl_cap_limits limits = good_limits_at(table, i);
        if (!(limits.max_w > 0))
            return blocked(JOULIE_CAP_BLOCK_GPU_NO_MAX);
        const double device_w = jl_max(pct / 100 * limits.max_w, limits.min_w);
        if (i == 0 || device_w < cap.cap_w)
            cap.cap_w = device_w;
    }
    return cap;
}

static bool asks_nothing(const struct joulie_caps_intent *intent)
{
    return (intent->has & (JOULIE_CAPS_HAS_CAP_W | JOULIE_CAPS_HAS_CAP_PCT)) == 0;
}

struct jl_cap jl_cap_v0_1_1(const struct joulie_caps_intent *intent,
                            const struct joulie_caps_limits *limits, size_t count)
{
    if (intent->device == JOULIE_CAP_DEVICE_PACKAGE) {
        const struct jl_cap_limits range = common_range(limits, count);
        return package_cap(intent, &range);
    }
    if (asks_nothing(intent))
        return blocked(JOULIE_CAP_BLOCK_NO_INTENT);
    if (jl_cap_asks_watts(intent))
        return gpu_watts(intent->cap_w, limits, count);
    if (!jl_cap_asks_pct(intent))
        return blocked(JOULIE_CAP_BLOCK_GPU_NO_REQUEST);
    return gpu_pct(intent->cap_pct, limits, count);
}

struct jl_cap jl_cap_of_device_v0_1_1(const struct joulie_caps_intent *intent,
                                      const struct jl_cap *common,
                                      const struct jl_cap_limits *limits)
{
    struct jl_cap cap = *common;
    if (intent->device == JOULIE_CAP_DEVICE_PACKAGE || cap.block != JOULIE_CAP_BLOCK_NONE)
        return cap;
    cap.has_requested = true;
    cap.requested_w =
        jl_cap_asks_watts(intent) ? intent->cap_w : intent->cap_pct / 100 * limits->max_w;
    return cap;
}
