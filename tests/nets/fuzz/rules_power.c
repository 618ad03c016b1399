/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fuzz/dice.h"
#include "fuzz/fuzz.h"
#include "power/balance.h"
#include "power/cpufreq.h"
#include "power/energy.h"
#include "power/rapl.h"

#define MOST 12

/* ---- energy: what is kept is below the range, and two steps are as much as one ---- */

static struct jl_energy_step energy_step(struct dice *dice)
{
    struct jl_energy_step step = {
        .has_last = true,
        .range_uj = dice_bit(dice) ? (uint64_t)dice_int(dice, 1, INT64_C(1) << 40) : 0,
        .seconds = dice_number(dice, 0, 3600),
        .tdp_w = dice_number(dice, 0, 1000),
        .max_w = dice_number(dice, 0, 1000),
        .sleep_s = dice_number(dice, -2, 2),
    };
    const int64_t most = step.range_uj > 0 ? (int64_t)step.range_uj : INT64_C(1) << 40;
    step.last_uj = (uint64_t)dice_int(dice, 0, most);
    step.now_uj = (uint64_t)dice_int(dice, 0, most);
    return step;
}

static void energy_in_two(const struct jl_energy_step *step, uint64_t middle_uj)
{
    struct jl_energy_step first = *step;
    struct jl_energy_step second = *step;
    first.now_uj = second.last_uj = middle_uj;
    first.seconds = second.seconds = step->seconds / 2;
    const struct jl_energy_delta a = jl_energy_delta(&first);
    const struct jl_energy_delta b = jl_energy_delta(&second);
    const struct jl_energy_delta whole = jl_energy_delta(step);
    const bool is_on_the_way = step->last_uj <= middle_uj && middle_uj <= step->now_uj;
    if (is_on_the_way && a.drop == JL_ENERGY_KEPT && b.drop == JL_ENERGY_KEPT &&
        whole.drop == JL_ENERGY_KEPT)
        FUZZ_REQUIRE(a.delta_uj + b.delta_uj == whole.delta_uj);
}

void rules_energy(struct dice *dice)
{
    struct jl_energy_step step = energy_step(dice);
    const struct jl_energy_delta delta = jl_energy_delta(&step);
    if (delta.drop == JL_ENERGY_KEPT) {
        const double most_w = step.tdp_w > 0 ? 3 * step.tdp_w : 2000; /* R2c */
        FUZZ_REQUIRE(step.now_uj >= step.last_uj || delta.delta_uj <= step.range_uj);
        FUZZ_REQUIRE(delta.watts >= 0 && delta.watts <= most_w);
        FUZZ_REQUIRE(dice_near(delta.watts * step.seconds, (double)delta.delta_uj / 1e6));
    } else {
        FUZZ_REQUIRE(delta.delta_uj == 0 && delta.watts == 0);
    }
    energy_in_two(&step, (uint64_t)dice_int(dice, 0, INT64_C(1) << 40));
    step.has_last = false;
    FUZZ_REQUIRE(jl_energy_delta(&step).drop == JL_ENERGY_FIRST);
}

/* ---- balance: within [min, max] and the budget, whoever comes first ---- */

void rules_balance(struct dice *dice)
{
    struct jl_balance balance;
    struct jl_balance_node nodes[MOST];
    struct jl_balance_node turned[MOST];
    double caps_w[MOST];
    double turned_w[MOST];
    const size_t count = (size_t)dice_int(dice, 0, MOST);
    double sum_w = 0;
    double kept_w = 0;
    jl_balance_defaults(&balance);
    balance.min_w = dice_number(dice, 0, 500);
    balance.max_w = dice_number(dice, balance.min_w, 2000);
    balance.budget_w = dice_number(dice, 0, 2000 * MOST);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct jl_balance_node){
            .cap_w = dice_number(dice, balance.min_w, balance.max_w),
            .has_used = dice_bit(dice),
            .used_w = dice_number(dice, 0, 2000),
            .has_new_job = dice_bit(dice),
        };
        turned[count - 1 - i] = nodes[i];
        kept_w += nodes[i].cap_w;
    }
    FUZZ_REQUIRE(jl_balance_round(&balance, nodes, count, caps_w) == 0);
    FUZZ_REQUIRE(jl_balance_round(&balance, turned, count, turned_w) == 0);
    for (size_t i = 0; i < count; i++) {
        FUZZ_REQUIRE(caps_w[i] >= balance.min_w && caps_w[i] <= balance.max_w);
        FUZZ_REQUIRE(dice_near(caps_w[i], turned_w[count - 1 - i]));
        sum_w += caps_w[i];
    }
    if (kept_w <= balance.budget_w && (double)count * balance.min_w <= balance.budget_w)
        FUZZ_REQUIRE(sum_w <= balance.budget_w * (1 + 1e-12) + 1e-6);
}

/* ---- shares: nobody gets more than there is, and equal use gives equal shares ---- */

void rules_attribute(struct dice *dice)
{
    const struct jl_energy_window window = {
        .package_j = dice_number(dice, 0, 1e6),
        .idle_j = dice_number(dice, 0, 1e6),
        .is_full = dice_bit(dice),
    };
    double cpu_s[MOST];
    struct jl_energy_share out[MOST];
    const size_t count = (size_t)dice_int(dice, 0, MOST);
    double total_j = 0;
    for (size_t i = 0; i < count; i++)
        cpu_s[i] = dice_number(dice, 0, 1000);
    FUZZ_REQUIRE(jl_energy_attribute(&window, cpu_s, count, out) == 0);
    for (size_t i = 0; i < count; i++) {
        FUZZ_REQUIRE(out[i].dynamic_j >= 0 && out[i].idle_j >= 0);
        FUZZ_REQUIRE(cpu_s[i] > 0 || out[i].total_j == 0);
        FUZZ_REQUIRE(i == 0 || cpu_s[i] < cpu_s[i - 1] || out[i].total_j >= out[i - 1].total_j);
        total_j += out[i].total_j;
    }
    FUZZ_REQUIRE(total_j <= window.package_j * (1 + 1e-12));
}

/* ---- registers: what reads back is never above what was asked for ---- */

void rules_rapl(struct dice *dice)
{
    const uint64_t unit_uw = (uint64_t)dice_int(dice, 1, 1000000);
    const uint64_t limit_uw = (uint64_t)dice_int(dice, 0, INT64_C(5000000000));
    const uint64_t read_uw = jl_rapl_read_back_uw(limit_uw, unit_uw);
    FUZZ_REQUIRE(read_uw <= limit_uw && read_uw % unit_uw == 0);
    FUZZ_REQUIRE(limit_uw / unit_uw > 0x7FFF || jl_rapl_agrees(limit_uw, read_uw, unit_uw));
    FUZZ_REQUIRE(jl_rapl_agrees(read_uw, read_uw, unit_uw));
    FUZZ_REQUIRE(!jl_rapl_agrees(read_uw, read_uw + 1, unit_uw));

    const uint64_t window_us = (uint64_t)dice_int(dice, 976, INT64_C(1) << 40);
    const uint32_t code = jl_rapl_window_code(window_us);
    FUZZ_REQUIRE(code <= 0x7F && jl_rapl_window_us(code) <= window_us);
    FUZZ_REQUIRE(jl_rapl_window_code(jl_rapl_window_us(code)) == code);
    FUZZ_REQUIRE(jl_rapl_window_code(window_us + 1000) >= code || code == 0x7F ||
                 jl_rapl_window_us(jl_rapl_window_code(window_us + 1000)) >=
                     jl_rapl_window_us(code));
}

/* ---- frequencies: within the policy, slower with more throttle, never crossing on the way ---- */

static struct jl_freq_range freq_range(struct dice *dice, const struct jl_freq_range *within)
{
    const int64_t low = within ? (int64_t)within->min_khz : 100000;
    const int64_t high = within ? (int64_t)within->max_khz : 6000000;
    const int64_t min_khz = dice_int(dice, low, high);
    return (struct jl_freq_range){ (uint64_t)min_khz, (uint64_t)dice_int(dice, min_khz, high) };
}

static void check_order(struct jl_freq_range current, struct jl_freq_range target)
{
    struct jl_cpufreq_write writes[2];
    const size_t count = jl_cpufreq_order(current, target, writes);
    for (size_t i = 0; i < count; i++) {
        if (writes[i].is_max)
            current.max_khz = writes[i].khz;
        else
            current.min_khz = writes[i].khz;
        FUZZ_REQUIRE(current.min_khz <= current.max_khz);
    }
    FUZZ_REQUIRE(count <= 2 && current.min_khz == target.min_khz &&
                 current.max_khz == target.max_khz);
}

void rules_cpufreq(struct dice *dice)
{
    const struct jl_freq_range range = freq_range(dice, NULL);
    const uint64_t floor_khz = (uint64_t)dice_int(dice, 0, 7000000);
    const double pct = dice_number(dice, 0, 100);
    const double more_pct = dice_number(dice, pct, 100);
    const uint64_t khz = jl_cpufreq_throttled_khz(range, pct, floor_khz);
    FUZZ_REQUIRE(khz >= range.min_khz && khz <= range.max_khz);
    FUZZ_REQUIRE(jl_cpufreq_throttled_khz(range, more_pct, floor_khz) <= khz);
    FUZZ_REQUIRE(jl_cpufreq_throttled_khz(range, 0, floor_khz) == range.max_khz);
    const double s = dice_number(dice, 0, 1);
    const uint64_t share_khz = jl_cpufreq_share_khz(range, s);
    FUZZ_REQUIRE(share_khz >= range.min_khz && share_khz <= range.max_khz);
    FUZZ_REQUIRE(jl_cpufreq_share_khz(range, dice_number(dice, s, 1)) >= share_khz);
    FUZZ_REQUIRE(jl_cpufreq_share_khz(range, 1) == range.max_khz);
    check_order(freq_range(dice, &range), freq_range(dice, &range));
}
