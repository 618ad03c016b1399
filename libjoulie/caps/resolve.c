/* SPDX-License-Identifier: Apache-2.0 */

/* From a request to the limit of each package or GPU (docs/rules/caps.md#resolution). Called by
 * joulie_caps_resolve(), the step of a node and the question cap.resolve. */

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "caps/caps.h"

#define MICRO 1e6
#define MILLI 1e3
#define LARGEST_WHOLE 9007199254740992.0 /* 2^53: beyond it a double has no units */

struct jl_cap_intent jl_cap_intent_cpu(const struct jl_twin_spec *spec)
{
    const struct jl_cpu_intent *wish = &spec->cpu;
    struct jl_cap_intent intent = { 0 };
    if (JL_HAS(wish, JL_CPU_INTENT_CAP_W))
        JL_PUT(&intent, JL_CAP_INTENT_WATTS, watts, wish->cap_w);
    if (JL_HAS(wish, JL_CPU_INTENT_CAP_PCT))
        JL_PUT(&intent, JL_CAP_INTENT_PCT, pct, wish->cap_pct);
    return intent;
}

struct jl_cap_intent jl_cap_intent_gpu(const struct jl_twin_spec *spec)
{
    const struct jl_gpu_power_cap *wish = &spec->gpu.power_cap;
    struct jl_cap_intent intent = { 0 };
    if (JL_HAS(wish, JL_GPU_CAP_W))
        JL_PUT(&intent, JL_CAP_INTENT_WATTS, watts, wish->cap_w);
    if (JL_HAS(wish, JL_GPU_CAP_PCT))
        JL_PUT(&intent, JL_CAP_INTENT_PCT, pct, wish->cap_pct);
    return intent;
}

static bool asks_watts(const struct jl_cap_intent *intent)
{
    return JL_HAS(intent, JL_CAP_INTENT_WATTS) && intent->watts > 0;
}

static bool asks_pct(const struct jl_cap_intent *intent)
{
    return JL_HAS(intent, JL_CAP_INTENT_PCT) && intent->pct > 0;
}

static struct jl_cap blocked(enum jl_cap_block block)
{
    return (struct jl_cap){ .block = block };
}

static uint64_t to_whole(double value)
{
    return (uint64_t)jl_clamp(value, 0, LARGEST_WHOLE);
}

uint64_t jl_cap_power_limit_uw(double cap_w, double power_unit_w)
{
    const double unit_uw = power_unit_w * MICRO;
    double limit_uw = jl_round_half_away(cap_w * MICRO);
    if (unit_uw > 0)
        limit_uw = floor(limit_uw / unit_uw) * unit_uw;
    return to_whole(limit_uw);
}

uint64_t jl_cap_power_limit_mw(double cap_w)
{
    return to_whole(jl_round_half_away(cap_w * MILLI));
}

struct jl_cap jl_cap_resolve(const struct jl_cap_intent *intent, const struct jl_cap_limits *limits,
                             double floor_pct)
{
    if (!asks_watts(intent) && !asks_pct(intent))
        return blocked(JL_CAP_NO_INTENT);
    const bool has_max = limits->max_w > 0;
    if (!asks_watts(intent) && !has_max)
        return blocked(JL_CAP_NO_MAX);

    struct jl_cap cap = { .has_requested = true };
    cap.requested_w = asks_watts(intent) ? intent->watts : intent->pct / 100 * limits->max_w;
    const double floor_w = has_max ? floor_pct / 100 * limits->max_w : 0;
    const double lower_w = jl_max(limits->min_w, floor_w);
    cap.cap_w = cap.requested_w;
    if (cap.cap_w < lower_w) {
        cap.cap_w = lower_w;
        cap.clamp = floor_w > limits->min_w ? JL_CLAMP_FLOOR : JL_CLAMP_MIN;
    }
    if (has_max && cap.cap_w > limits->max_w) {
        cap.cap_w = limits->max_w;
        cap.clamp = cap.requested_w == limits->max_w ? JL_CLAMP_NONE : JL_CLAMP_MAX;
    }
    cap.power_limit_uw = jl_cap_power_limit_uw(cap.cap_w, limits->power_unit_w);
    return cap;
}

/* ---- all devices of a node ---- */

static double number_at(const char *at, int64_t stride, size_t i, bool *is_bad)
{
    double value = 0;
    if (at == NULL)
        return 0;
    memcpy(&value, at + (int64_t)i * stride, sizeof value);
    if (value >= 0 && jl_is_finite(value))
        return value;
    *is_bad = true;
    return 0;
}

struct jl_cap_limits jl_cap_limits_at(const struct jl_cap_table *table, size_t i, bool *is_bad)
{
    struct jl_cap_limits limits;
    *is_bad = false;
    limits.min_w = number_at(table->min_w, table->min_stride, i, is_bad);
    limits.max_w = number_at(table->max_w, table->max_stride, i, is_bad);
    limits.power_unit_w = number_at(table->unit_w, table->unit_stride, i, is_bad);
    return *is_bad ? (struct jl_cap_limits){ 0 } : limits;
}

static struct jl_cap_limits good_limits_at(const struct jl_cap_table *table, size_t i)
{
    bool is_bad;
    return jl_cap_limits_at(table, i, &is_bad);
}

/* The smallest maximum and the largest minimum of all packages. */
static struct jl_cap_limits common_range(const struct jl_cap_table *table)
{
    struct jl_cap_limits common = { 0 };
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_cap_limits limits = good_limits_at(table, i);
        if (limits.max_w > 0 && (!(common.max_w > 0) || limits.max_w < common.max_w))
            common.max_w = limits.max_w;
        common.min_w = jl_max(common.min_w, limits.min_w);
    }
    return common;
}

static struct jl_cap package_v0_1_1(const struct jl_cap_intent *intent,
                                    const struct jl_cap_limits *common)
{
    if (!asks_watts(intent) && !JL_HAS(intent, JL_CAP_INTENT_PCT))
        return blocked(JL_CAP_NO_INTENT);
    struct jl_cap cap = { .has_requested = true };
    if (asks_watts(intent)) {
        cap.requested_w = intent->watts;
        cap.cap_w = intent->watts;
    } else if (!asks_pct(intent)) {
        return blocked(JL_CAP_PCT_NOT_POSITIVE);
    } else if (!(common->max_w > 0)) {
        return blocked(JL_CAP_RANGE_UNAVAILABLE);
    } else {
        cap.requested_w = intent->pct / 100 * common->max_w;
        cap.cap_w = jl_min(jl_max(cap.requested_w, common->min_w), common->max_w);
    }
    cap.power_limit_uw = to_whole(cap.cap_w * MICRO); /* cut off, as the source does */
    return cap;
}

/* Watts for every device, or the reason and device that forbid them. */
static struct jl_cap gpu_watts_v0_1_1(double watts, const struct jl_cap_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_cap_limits limits = good_limits_at(table, i);
        struct jl_cap cap = { .has_requested = true, .requested_w = watts, .culprit = i };
        if (limits.min_w > 0 && watts < limits.min_w) {
            cap.block = JL_CAP_GPU_BELOW_MIN;
            cap.bound_w = limits.min_w;
            return cap;
        }
        if (limits.max_w > 0 && watts > limits.max_w) {
            cap.block = JL_CAP_GPU_ABOVE_MAX;
            cap.bound_w = limits.max_w;
            return cap;
        }
    }
    return (struct jl_cap){ .cap_w = watts };
}

/* The smallest device value of the percent, for all devices; raised to a device's minimum, never
 * cut at its maximum. */
static struct jl_cap gpu_pct_v0_1_1(double pct, const struct jl_cap_table *table)
{
    struct jl_cap cap = { 0 };
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_cap_limits limits = good_limits_at(table, i);
        if (!(limits.max_w > 0))
            return blocked(JL_CAP_GPU_NO_MAX);
        const double device_w = jl_max(pct / 100 * limits.max_w, limits.min_w);
        if (i == 0 || device_w < cap.cap_w)
            cap.cap_w = device_w;
    }
    return cap;
}

static struct jl_cap gpu_v0_1_1(const struct jl_cap_intent *intent,
                                const struct jl_cap_table *table)
{
    if (intent->has == 0)
        return blocked(JL_CAP_NO_INTENT);
    if (asks_watts(intent))
        return gpu_watts_v0_1_1(intent->watts, table);
    if (!asks_pct(intent))
        return blocked(JL_CAP_GPU_NO_REQUEST);
    return gpu_pct_v0_1_1(intent->pct, table);
}

void jl_cap_plan_packages(const struct jl_cap_intent *intent, const struct jl_cap_table *table,
                          double floor_pct, enum jl_cap_rules rules, struct jl_cap_plan *out)
{
    *out = (struct jl_cap_plan){ .table = table, .intent = *intent, .floor_pct = floor_pct };
    if (rules != JL_CAP_V0_1_1)
        return;
    const struct jl_cap_limits range = common_range(table);
    out->is_common = true;
    out->common = package_v0_1_1(intent, &range);
}

void jl_cap_plan_gpus(const struct jl_cap_intent *intent, const struct jl_cap_table *table,
                      enum jl_cap_rules rules, struct jl_cap_plan *out)
{
    *out = (struct jl_cap_plan){ .table = table, .intent = *intent, .is_gpu = true };
    if (rules != JL_CAP_V0_1_1)
        return;
    out->is_common = true;
    out->common = gpu_v0_1_1(intent, table);
}

struct jl_cap jl_cap_of(const struct jl_cap_plan *plan, const struct jl_cap_limits *limits)
{
    if (!plan->is_common)
        return jl_cap_resolve(&plan->intent, limits, plan->floor_pct);
    struct jl_cap cap = plan->common;
    if (plan->is_gpu && cap.block == JL_CAP_RESOLVED) {
        cap.has_requested = true;
        cap.requested_w =
            asks_watts(&plan->intent) ? plan->intent.watts : plan->intent.pct / 100 * limits->max_w;
    }
    return cap;
}

static struct jl_cap_table table_of(const struct jl_cap_limits *limits, size_t count)
{
    const int64_t stride = sizeof *limits;
    struct jl_cap_table table = {
        .min_stride = stride, .max_stride = stride, .unit_stride = stride, .count = count
    };
    if (count > 0) {
        table.min_w = (const char *)&limits->min_w;
        table.max_w = (const char *)&limits->max_w;
        table.unit_w = (const char *)&limits->power_unit_w;
    }
    return table;
}

void jl_caps_resolve_packages(const struct jl_cap_intent *intent,
                              const struct jl_cap_limits *limits, size_t count, double floor_pct,
                              enum jl_cap_rules rules, struct jl_cap *out)
{
    const struct jl_cap_table table = table_of(limits, count);
    struct jl_cap_plan plan;
    jl_cap_plan_packages(intent, &table, floor_pct, rules, &plan);
    for (size_t i = 0; i < count; i++)
        out[i] = jl_cap_of(&plan, &limits[i]);
}

void jl_caps_resolve_gpus(const struct jl_cap_intent *intent, const struct jl_cap_limits *limits,
                          size_t count, enum jl_cap_rules rules, struct jl_cap *out)
{
    const struct jl_cap_table table = table_of(limits, count);
    struct jl_cap_plan plan;
    jl_cap_plan_gpus(intent, &table, rules, &plan);
    for (size_t i = 0; i < count; i++)
        out[i] = jl_cap_of(&plan, &limits[i]);
}
