/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "caps/caps.h"
#include "caps/dvfs.h"
#include "caps/ramp.h"
#include "caps/state.h"
#include "fuzz/dice.h"
#include "fuzz/fuzz.h"

#define MOST 8
#define STEPS 40

/* ---- from an intent to a limit ---- */

static struct joulie_caps_intent intent(struct dice *dice)
{
    struct joulie_caps_intent wish = JOULIE_INIT(struct joulie_caps_intent); /* bits 0 and 1 */
    dice_member(dice, &wish.has, 0, &wish.cap_w, -10, 2000);
    dice_member(dice, &wish.has, 1, &wish.cap_pct, -10, 200);
    return wish;
}

static struct jl_cap_limits limits(struct dice *dice)
{
    struct jl_cap_limits range = { 0 };
    if (dice_bit(dice))
        range.max_w = dice_number(dice, 0, 1500);
    if (dice_bit(dice))
        range.min_w = dice_number(dice, 0, range.max_w > 0 ? range.max_w : 500);
    if (dice_bit(dice))
        range.power_unit_w = dice_number(dice, 0, 1);
    return range;
}

static void check_cap(const struct jl_cap *cap, const struct jl_cap_limits *range, double floor_pct)
{
    const double unit_uw = range->power_unit_w * 1e6;
    if (cap->block != JOULIE_CAP_BLOCK_NONE)
        return;
    FUZZ_REQUIRE(cap->cap_w > 0 && cap->cap_w >= range->min_w);
    FUZZ_REQUIRE(range->max_w <= 0 || cap->cap_w <= range->max_w);
    FUZZ_REQUIRE(range->max_w <= 0 || cap->cap_w >= fmin(floor_pct / 100, 1) * range->max_w);
    FUZZ_REQUIRE((cap->clamp == JOULIE_CAP_CLAMP_NONE) == (cap->cap_w == cap->requested_w));
    FUZZ_REQUIRE((double)cap->power_limit_uw <= cap->cap_w * 1e6 + 0.5);
    /* rounded (0.5), down to a multiple of the unit, and that cut to whole microwatts (1) */
    FUZZ_REQUIRE((double)cap->power_limit_uw >= cap->cap_w * 1e6 - unit_uw - 1.5);
}

void rules_cap(struct dice *dice)
{
    struct joulie_caps_intent wish = intent(dice);
    struct jl_cap_limits ranges[MOST];
    struct jl_cap caps[MOST];
    const double floor_pct = dice_number(dice, 0, 100);
    const size_t count = (size_t)dice_int(dice, 1, MOST);
    for (size_t i = 0; i < count; i++)
        ranges[i] = limits(dice);
    wish.device = JOULIE_CAP_DEVICE_PACKAGE;
    wish.has |= JOULIE_CAPS_HAS_FLOOR;
    wish.floor_pct = floor_pct;
    jl_caps_resolve(&wish, ranges, count, caps);
    for (size_t i = 0; i < count; i++)
        check_cap(&caps[i], &ranges[i], floor_pct);
    struct joulie_caps_intent more = wish;
    more.cap_w += dice_number(dice, 0, 500);
    more.cap_pct += dice_number(dice, 0, 50);
    for (size_t i = 0; i < count; i++) {
        const struct jl_cap higher = jl_cap_resolve(&more, &ranges[i], floor_pct);
        const bool asks_the_same = (wish.cap_w > 0) == (more.cap_w > 0);
        if (caps[i].block == JOULIE_CAP_BLOCK_NONE && asks_the_same)
            FUZZ_REQUIRE(higher.block == JOULIE_CAP_BLOCK_NONE && higher.cap_w >= caps[i].cap_w &&
                         higher.power_limit_uw >= caps[i].power_limit_uw);
    }
    wish.device = JOULIE_CAP_DEVICE_GPU;
    jl_caps_resolve(&wish, ranges, count, caps);
    for (size_t i = 0; i < count; i++)
        check_cap(&caps[i], &ranges[i], 0);
}

/* ---- ramps arrive, and lower by no more than a step ---- */

void rules_ramp(struct dice *dice)
{
    const double reference_w = dice_number(dice, 0, 2000);
    const double target_w = dice_number(dice, 1, 2000);
    double current_w = dice_number(dice, 0, 2000);
    int steps = 0;
    for (; steps < STEPS && current_w != target_w; steps++) {
        const double next_w = joulie_caps_next_w(reference_w, current_w, target_w);
        FUZZ_REQUIRE(next_w >= target_w);
        FUZZ_REQUIRE(next_w == target_w || next_w < current_w);
        FUZZ_REQUIRE(reference_w < 1 || current_w - next_w <= reference_w * 0.2 + 1e-9);
        current_w = next_w;
    }
    FUZZ_REQUIRE(reference_w < 1000 || steps <= 11); /* 2000 W in steps of at least 200 W */
    const double ceiling_w = jl_cap_ceiling_w(reference_w);
    FUZZ_REQUIRE(ceiling_w >= 0 && ceiling_w <= reference_w);

    const uint64_t long_uw = dice_bits(dice);
    const uint64_t short_uw = dice_bits(dice);
    const uint64_t baseline_uw = dice_bits(dice);
    uint64_t out_uw = 0;
    if (jl_short_term_uw(long_uw, short_uw, baseline_uw, &out_uw))
        FUZZ_REQUIRE(out_uw > short_uw && out_uw <= long_uw && out_uw <= baseline_uw);
}

/* ---- loops over the frequency ---- */

void rules_dvfs(struct dice *dice)
{
    struct jl_dvfs loop;
    jl_dvfs_init(&loop, dice_number(dice, -1, 2));
    for (int i = 0; i < STEPS; i++) {
        const double before = loop.s;
        const bool has_sample = dice_bit(dice);
        const double cap_w = dice_number(dice, 0, 500);
        const double power_w = dice_number(dice, 0, 1000);
        const enum jl_dvfs_action action = jl_dvfs_step(&loop, has_sample, power_w, cap_w);
        FUZZ_REQUIRE(loop.s >= JL_DVFS_S_MIN && loop.s <= 1);
        switch (action) {
        case JL_DVFS_DOWN:
            FUZZ_REQUIRE(has_sample && power_w > cap_w && cap_w > 0 && loop.s <= before);
            FUZZ_REQUIRE(loop.s >= before * 0.5);
            break;
        case JL_DVFS_UP:
            FUZZ_REQUIRE(has_sample && power_w < cap_w && loop.s > before);
            FUZZ_REQUIRE(loop.s <= before * 1.05);
            break;
        case JL_DVFS_HOLD:
        case JL_DVFS_COOLDOWN:
            FUZZ_REQUIRE(loop.s == before);
            FUZZ_REQUIRE(!has_sample || cap_w <= 0 || power_w <= cap_w);
            break;
        }
    }
}

void rules_dvfs_legacy(struct dice *dice)
{
    struct jl_dvfs_params params;
    struct jl_dvfs_legacy loop = { 0 };
    int64_t now_ms = 0;
    int64_t acted_ms = INT64_MIN / 2;
    jl_dvfs_params_default(&params);
    params.alpha = dice_number(dice, 0.01, 1);
    params.step_pct = dice_number(dice, 0.1, 100);
    FUZZ_REQUIRE(jl_dvfs_params_fault(&params) == NULL);
    for (int i = 0; i < STEPS; i++) {
        const double before_pct = loop.throttle_pct;
        now_ms += dice_int(dice, 0, 30000);
        const enum jl_dvfs_action action =
            jl_dvfs_legacy_step(&params, &loop, dice_bit(dice), dice_number(dice, 0, 1000),
                                dice_number(dice, 0, 500), now_ms);
        FUZZ_REQUIRE(loop.throttle_pct >= 0 && loop.throttle_pct <= 100);
        FUZZ_REQUIRE(action != JL_DVFS_DOWN || loop.throttle_pct >= before_pct);
        FUZZ_REQUIRE(action != JL_DVFS_UP || loop.throttle_pct <= before_pct);
        if (action == JL_DVFS_DOWN || action == JL_DVFS_UP) {
            FUZZ_REQUIRE(now_ms - acted_ms >= params.cooldown_ms);
            acted_ms = now_ms;
        } else {
            FUZZ_REQUIRE(loop.throttle_pct == before_pct);
        }
    }
}

/* ---- drift: what reads as it was written is never written again ---- */

void rules_drift(struct dice *dice)
{
    const enum jl_device_state state = (enum jl_device_state)dice_int(dice, 0, JL_DEVICE_FAILED);
    const uint64_t written_uw = (uint64_t)dice_int(dice, 0, 1000000000);
    const uint64_t unit_uw = (uint64_t)dice_int(dice, 1, 1000000);
    const uint32_t times = (uint32_t)dice_int(dice, 0, 6);
    const struct jl_drift same = jl_cap_drift(state, written_uw, written_uw, unit_uw, times);
    FUZZ_REQUIRE(!same.write);
    const uint64_t read_uw = (uint64_t)dice_int(dice, 0, 1000000000);
    const struct jl_drift drift = jl_cap_drift(state, written_uw, read_uw, unit_uw, times);
    FUZZ_REQUIRE(!drift.write || times < JL_REASSERT_MAX);

    enum joulie_control_result results[MOST];
    enum joulie_control_result turned[MOST];
    const size_t count = (size_t)dice_int(dice, 0, MOST);
    for (size_t i = 0; i < count; i++)
        turned[count - 1 - i] = results[i] =
            jl_device_result((enum jl_device_state)dice_int(dice, 0, JL_DEVICE_FAILED));
    FUZZ_REQUIRE(jl_cap_worst(results, count) == jl_cap_worst(turned, count));
}
