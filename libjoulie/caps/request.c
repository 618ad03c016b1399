/* SPDX-License-Identifier: Apache-2.0 */

/* What a cap is made from: what a spec asks for, the limits of a device, watts as the numbers that
 * hardware takes, and why there is none in words (docs/rules/caps.md#request). Called by resolve.c,
 * by the step of a node and by enforce/. */

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "caps/resolve.h"

#define MICRO 1e6
#define MILLI 1e3
#define LARGEST_FIXED_W 1e15             /* what jl_format_fixed takes */
#define LARGEST_WHOLE 9007199254740992.0 /* 2^53: beyond it a double has no units */

/* ---- what is asked for ---- */

static struct joulie_caps_intent intent_of(enum joulie_cap_device device, bool has_w, double cap_w,
                                           bool has_pct, double cap_pct)
{
    struct joulie_caps_intent intent = JOULIE_INIT(struct joulie_caps_intent);
    intent.device = device;
    intent.has = (has_w ? JOULIE_CAPS_HAS_CAP_W : 0) | (has_pct ? JOULIE_CAPS_HAS_CAP_PCT : 0);
    intent.cap_w = has_w ? cap_w : 0;
    intent.cap_pct = has_pct ? cap_pct : 0;
    return intent;
}

struct joulie_caps_intent jl_cap_intent_cpu(const struct jl_twin_spec *spec)
{
    const struct jl_cpu_intent *wish = &spec->cpu;
    return intent_of(JOULIE_CAP_DEVICE_PACKAGE, wish->given.cap_w, wish->cap_w, wish->given.cap_pct,
                     wish->cap_pct);
}

struct joulie_caps_intent jl_cap_intent_gpu(const struct jl_twin_spec *spec)
{
    const struct jl_gpu_power_cap *wish = &spec->gpu.power_cap;
    return intent_of(JOULIE_CAP_DEVICE_GPU, wish->given.cap_w, wish->cap_w, wish->given.cap_pct,
                     wish->cap_pct);
}

bool jl_cap_asks_watts(const struct joulie_caps_intent *intent)
{
    return (intent->has & JOULIE_CAPS_HAS_CAP_W) != 0 && intent->cap_w > 0;
}

bool jl_cap_asks_pct(const struct joulie_caps_intent *intent)
{
    return (intent->has & JOULIE_CAPS_HAS_CAP_PCT) != 0 && intent->cap_pct > 0;
}

/* ---- watts as whole numbers ---- */

static uint64_t to_whole(double value)
{
    return (uint64_t)jl_clamp(value, 0, LARGEST_WHOLE);
}

uint64_t jl_cap_whole_uw(double cap_w)
{
    return to_whole(cap_w * MICRO);
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

/* ---- limits of a device ---- */

static double number_at(const struct joulie_column *column, size_t i, bool *is_bad)
{
    double value = 0;
    if (column->at == NULL)
        return 0;
    memcpy(&value, (const char *)column->at + (int64_t)i * column->stride, sizeof value);
    if (value >= 0 && jl_is_finite(value))
        return value;
    *is_bad = true;
    return 0;
}

struct jl_cap_limits jl_cap_limits_at(const struct joulie_caps_limits *table, size_t i,
                                      bool *is_bad)
{
    *is_bad = false;
    const struct jl_cap_limits limits = {
        .min_w = number_at(&table->min_w, i, is_bad),
        .max_w = number_at(&table->max_w, i, is_bad),
        .power_unit_w = number_at(&table->unit_w, i, is_bad),
    };
    return *is_bad ? (struct jl_cap_limits){ 0 } : limits;
}

/* ---- words ---- */

const struct jl_words jl_cap_clamp_words = JL_WORDS({
    { JOULIE_CAP_CLAMP_MIN, "min" },
    { JOULIE_CAP_CLAMP_MAX, "max" },
    { JOULIE_CAP_CLAMP_FLOOR, "floor" },
});

static size_t format_watts(double watts, char out[JL_DOUBLE_TEXT])
{
    return fabs(watts) < LARGEST_FIXED_W ? jl_format_fixed(watts, 1, out)
                                         : jl_format_double(watts, out);
}

static const char *broken_bound(const struct jl_cap *cap, const char *relation,
                                struct jl_arena *arena)
{
    char requested[JL_DOUBLE_TEXT];
    char bound[JL_DOUBLE_TEXT];
    char index[JL_DOUBLE_TEXT];
    format_watts(cap->requested_w, requested);
    format_watts(cap->bound_w, bound);
    jl_format_i64((int64_t)cap->culprit, index);
    return JL_JOIN(arena, "requested cap ", requested, "W ", relation, " ", bound, "W on gpu ",
                   index);
}

const char *jl_cap_message(const struct jl_cap *cap, struct jl_arena *arena)
{
    static const char *const messages[] = {
        [JOULIE_CAP_BLOCK_NONE] = "",
        [JOULIE_CAP_BLOCK_NO_INTENT] = "no intent",
        [JOULIE_CAP_BLOCK_NO_MAX] = "no max",
        [JOULIE_CAP_BLOCK_PCT_NOT_POSITIVE] = "pct must be > 0",
        [JOULIE_CAP_BLOCK_RANGE_UNAVAILABLE] = "rapl cap range unavailable",
        [JOULIE_CAP_BLOCK_GPU_NO_MAX] =
            "cannot resolve capPctOfMax without device max power limits",
        [JOULIE_CAP_BLOCK_GPU_NO_REQUEST] = "missing capWattsPerGpu or capPctOfMax",
        [JOULIE_CAP_BLOCK_GPU_BELOW_MIN] = "below min",
        [JOULIE_CAP_BLOCK_GPU_ABOVE_MAX] = "above max",
    };
    const char *message = messages[cap->block];
    return cap->block == JOULIE_CAP_BLOCK_GPU_BELOW_MIN ||
                   cap->block == JOULIE_CAP_BLOCK_GPU_ABOVE_MAX
               ? broken_bound(cap, message, arena)
               : message;
}
