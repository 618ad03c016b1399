/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "catalog/catalog.h"
#include "fuzz/dice.h"
#include "fuzz/fuzz.h"
#include "physics/physics.h"

#define STEPS 8
#define SLACK 1e-9 /* of rounding */

static struct jl_physics_profile machine(struct dice *dice, enum jl_physics_rules rules)
{
    static const char *const cpus[] = { NULL, "AMD EPYC 9654", "AMD EPYC 9534",
                                        "Intel Xeon Gold 6530" };
    static const char *const gpus[] = { NULL, "NVIDIA H100", "NVIDIA L40S", "AMD MI300X" };
    const struct jl_physics_hardware hardware = {
        .cpu_model = cpus[dice_int(dice, 0, 3)],
        .gpu_model = gpus[dice_int(dice, 0, 3)],
        .sockets = dice_int(dice, 0, 4),
        .gpu_count = dice_int(dice, 0, 8),
    };
    struct jl_physics_profile profile;
    jl_physics_resolve(NULL, &hardware, rules, &profile);
    FUZZ_REQUIRE(jl_physics_problem(&profile) == NULL);
    return profile;
}

static struct jl_cpu_load cpu_load(struct dice *dice, const struct jl_physics_profile *profile)
{
    const struct jl_cpu_mix mix = { .class_ = (enum jl_cpu_class)dice_int(dice, 0, JL_CPU_MIXED),
                                    .memory = dice_number(dice, 0, 1),
                                    .io = dice_number(dice, 0, 1) };
    struct jl_cpu_load load;
    jl_cpu_load_of(&mix, dice_number(dice, 0, 1), &load);
    load.base = dice_number(dice, 0, 1);
    load.thermal = dice_number(dice, 0, 1);
    load.freq = dice_number(dice, profile->min_freq, 1);
    load.cap_w = dice_number(dice, 0, 2 * profile->max_w);
    load.target_throttle_pct = dice_number(dice, 0, 100);
    return load;
}

/* ---- a CPU stays at its cap, and never gets faster by a lower one ---- */

static void check_cpu(const struct jl_physics_profile *profile, const struct jl_cpu_load *load,
                      enum jl_physics_rules rules, struct jl_cpu_state *out)
{
    const double cap_w = fmin(fmax(load->cap_w, profile->cap_min_w), profile->cap_max_w);
    jl_cpu_power(profile, load, rules, out);
    FUZZ_REQUIRE(out->power_w > 0 && out->power_w <= cap_w + profile->cap_head_w);
    FUZZ_REQUIRE(out->freq >= profile->min_freq && out->freq <= load->freq);
    FUZZ_REQUIRE(rules != JL_PHYSICS_CURRENT || out->is_saturated || out->power_w < 20 + SLACK ||
                 out->power_w <= cap_w * (1 + SLACK) || profile->curve_model);
}

static void check_weights(const struct jl_physics_profile *profile, const struct jl_cpu_load *load,
                          struct dice *dice)
{
    const struct jl_cpu_weights weights = load->weights;
    FUZZ_REQUIRE(dice_near(weights.compute + weights.memory + weights.io, 1));
    const double freq = dice_number(dice, profile->min_freq, 1);
    const double faster = dice_number(dice, freq, 1);
    const double speed = jl_cpu_speed(&weights, freq, profile->knee, load->thermal);
    FUZZ_REQUIRE(speed >= 0 && speed <= 1 - load->thermal + SLACK);
    FUZZ_REQUIRE(jl_cpu_speed(&weights, faster, profile->knee, load->thermal) >= speed - SLACK);
    const double wanted = dice_number(dice, 0, 1);
    const double found =
        jl_cpu_freq_at_speed(&weights, wanted, profile->min_freq, profile->knee, load->thermal);
    FUZZ_REQUIRE(found >= profile->min_freq && found <= 1);
    FUZZ_REQUIRE(found == profile->min_freq ||
                 jl_cpu_speed(&weights, found, profile->knee, load->thermal) <= wanted + SLACK);
    const double back =
        jl_cpu_freq_at_speed(&weights, speed, profile->min_freq, profile->knee, load->thermal);
    FUZZ_REQUIRE(load->thermal > 0.99 || fabs(back - freq) < 1e-6 || speed == 0);
}

void rules_cpu(struct dice *dice)
{
    const enum jl_physics_rules rules = dice_bit(dice) ? JL_PHYSICS_V0_1_1 : JL_PHYSICS_CURRENT;
    const struct jl_physics_profile profile = machine(dice, rules);
    struct jl_cpu_load load = cpu_load(dice, &profile);
    struct jl_cpu_state state;
    struct jl_cpu_state freer;
    check_cpu(&profile, &load, rules, &state);
    check_weights(&profile, &load, dice);
    load.cap_w += dice_number(dice, 0, 500);
    check_cpu(&profile, &load, rules, &freer);
    if (rules == JL_PHYSICS_CURRENT) {
        FUZZ_REQUIRE(freer.freq >= state.freq - SLACK);
        FUZZ_REQUIRE(freer.power_w >= state.power_w - 1e-6);
    }
}

/* ---- a GPU ---- */

void rules_gpu(struct dice *dice)
{
    const struct jl_physics_profile profile = machine(dice, JL_PHYSICS_CURRENT);
    const struct jl_gpu_profile *gpu = &profile.gpu;
    const struct jl_gpu_mix mix = {
        .class_ = (enum jl_gpu_class)dice_int(dice, 0, JL_GPU_MIXED),
        .memory = dice_number(dice, 0, 1),
        .feed = dice_number(dice, 0, 1),
    };
    const double thermal = dice_number(dice, 0, 1);
    const double util = dice_number(dice, 0, 1);
    struct jl_gpu_weights weights;
    jl_gpu_weights(&mix, &weights);
    FUZZ_REQUIRE(dice_near(weights.compute + weights.memory, 1));
    if (!(gpu->max_w > 0))
        return;
    const double natural_w = jl_gpu_natural_w(gpu, &weights, util);
    FUZZ_REQUIRE(natural_w >= gpu->idle_w - SLACK && natural_w <= gpu->max_w + SLACK);
    FUZZ_REQUIRE(jl_gpu_natural_w(gpu, &weights, dice_number(dice, util, 1)) >= natural_w - SLACK);
    const double asked_w = dice_number(dice, 0, 1000);
    const double cap_w = jl_gpu_cap_w(gpu, asked_w);
    const double higher_w = jl_gpu_cap_w(gpu, dice_number(dice, fmax(asked_w, 1e-3), 1001));
    FUZZ_REQUIRE(cap_w >= gpu->min_cap_w && cap_w <= gpu->max_w);
    FUZZ_REQUIRE(jl_gpu_power_w(gpu, natural_w, cap_w) <= fmax(cap_w, gpu->idle_w));
    const double speed =
        jl_gpu_throughput(gpu, &weights, natural_w, cap_w, thermal, JL_PHYSICS_CURRENT);
    FUZZ_REQUIRE(speed >= 0 && speed <= 1 - thermal + SLACK);
    if (asked_w > 0)
        FUZZ_REQUIRE(jl_gpu_throughput(gpu, &weights, natural_w, higher_w, thermal,
                                       JL_PHYSICS_CURRENT) >= speed - SLACK);

    struct jl_gpu_spread spread;
    const size_t count = (size_t)dice_int(dice, 0, 16);
    jl_gpu_spread(util, count, &spread);
    FUZZ_REQUIRE(spread.active <= count && spread.util >= 0 && spread.util <= 1);
    FUZZ_REQUIRE(fabs(spread.util * (double)spread.active - util * (double)count) < 1e-6);
}

/* ---- lags: between value and target, and two steps are one ---- */

static bool is_between(double x, double a, double b)
{
    return x >= fmin(a, b) - SLACK && x <= fmax(a, b) + SLACK;
}

void rules_lag(struct dice *dice)
{
    const double value = dice_number(dice, -50, 1000);
    const double target = dice_number(dice, -50, 1000);
    const double tau_s = dice_number(dice, 0, 100);
    const double first_s = dice_number(dice, 0, 1000);
    const double second_s = dice_number(dice, 0, 1000);
    const double middle = jl_lag_settle(value, target, tau_s, first_s);
    const double end = jl_lag_settle(middle, target, tau_s, second_s);
    const double at_once = jl_lag_settle(value, target, tau_s, first_s + second_s);
    FUZZ_REQUIRE(is_between(middle, value, target) && is_between(end, middle, target));
    FUZZ_REQUIRE(fabs(end - at_once) < 1e-9 * (1 + fabs(value - target)));
    FUZZ_REQUIRE(is_between(jl_lag_step(value, target, tau_s, first_s), value, target));

    const double start_c = dice_number(dice, 20, 100);
    const double full_c = dice_number(dice, 20, 120);
    const double temp_c = dice_number(dice, 0, 150);
    const double throttle = jl_thermal_throttle(temp_c, start_c, full_c);
    FUZZ_REQUIRE(throttle >= 0 && throttle <= 1 && (temp_c > start_c || throttle == 0));
    FUZZ_REQUIRE(jl_thermal_throttle(temp_c + 1, start_c, full_c) >= throttle);
}

/* ---- curves: up with the load, and back again ---- */

void rules_profile(struct dice *dice)
{
    const struct jl_physics_profile profile = machine(dice, JL_PHYSICS_CURRENT);
    if (!profile.curve_model)
        return;
    const double load_pct = dice_number(dice, 0, 100);
    const double watts = jl_physics_curve_w(&profile, load_pct);
    FUZZ_REQUIRE(watts > 0 && watts <= profile.peak_w + SLACK);
    FUZZ_REQUIRE(jl_physics_curve_w(&profile, dice_number(dice, load_pct, 100)) >= watts - SLACK);
    const double back_pct = jl_physics_curve_load(&profile, watts);
    FUZZ_REQUIRE(back_pct >= load_pct - 1e-6 && back_pct <= 100);
    FUZZ_REQUIRE(jl_physics_curve_w(&profile, back_pct) <= watts + 1e-6);
}
