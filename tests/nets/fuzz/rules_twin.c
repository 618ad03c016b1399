/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <joulie/sim.h>

#include "fuzz/dice.h"
#include "fuzz/fuzz.h"
#include "twin/twin.h"

#define MOST 12
#define SLACK 1e-9

/* ---- predictions: in their ranges, and worse with more power ---- */

static struct joulie_twin_input node(struct dice *dice)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);

    struct {
        double *value;
        double low, high;
    } numbers[] = {
        /* in the order of the bits */
        { &in.cpu_sockets, 0, 8 },
        { &in.cpu_cores, 0, 512 },
        { &in.cpu_max_w, 0, 600 },
        { &in.gpu_count, 0, 16 },
        { &in.gpu_max_w, 0, 1200 },
        { &in.gpu_idle_w, 0, 100 },
        { &in.cpu_cap_pct, 1, 100 },
        { &in.cpu_cap_w, 1, 700 },
        { &in.gpu_cap_pct, 1, 100 },
        { &in.gpu_cap_w, 1, 1300 },
        { &in.previous_cpu_cap_pct, 1, 100 },
        { &in.previous_gpu_cap_pct, 1, 100 },
        { &in.measured_node_power_w, 0, 20000 },
        { &in.cpu_util_pct, 0, 120 },
        { &in.cpu_curve_w, 0, 2000 },
        { &in.gpu_util_pct, 0, 100 },
        { &in.outside_temp_c, -40, 60 },
        { &in.zone_temp_c, -40, 60 },
        { &in.cluster_total_power_w, 0, 1e7 },
        { &in.cluster_capacity_w, 1, 1e7 },
        { &in.zone_total_power_w, 0, 1e6 },
        { &in.rack_total_power_w, 0, 1e5 },
        { &in.rack_capacity_w, 1, 1e5 },
        { &in.cooling_reference_w, 1, 1e5 },
        { &in.cooling_design_it_w, 1, 1e7 },
    };

    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        dice_member(dice, &in.has, i, numbers[i].value, numbers[i].low, numbers[i].high);
    in.rules = (enum joulie_twin_rules)dice_int(dice, 0, 3);
    in.cooling_model = (enum joulie_cooling)dice_int(dice, 0, JOULIE_COOLING_DX);
    if (in.cooling_model == JOULIE_COOLING_DX)
        in.has |= JOULIE_TWIN_HAS_CLUSTER_POWER;
    in.cpu_feedback = (enum joulie_cap_feedback)dice_int(dice, 0, 3);
    in.gpu_feedback = (enum joulie_cap_feedback)dice_int(dice, 0, 3);
    return in;
}

static bool is_score(double score)
{
    return score >= 0 && score <= 100;
}

static void check_output(const struct joulie_twin_output *out)
{
    FUZZ_REQUIRE(out->power_headroom_score <= 100 && isfinite(out->power_headroom_score));
    FUZZ_REQUIRE(is_score(out->cooling_stress_score) && is_score(out->psu_stress_score));
    FUZZ_REQUIRE(is_score(out->hardware_density_score));
    FUZZ_REQUIRE(!(out->has & JOULIE_TWIN_OUT_PUE) || out->estimated_pue >= 1);
    FUZZ_REQUIRE(out->cpu_effective_pct > 0 && out->cpu_effective_pct <= 100);
    FUZZ_REQUIRE(out->gpu_effective_pct > 0 && out->gpu_effective_pct <= 100);
    FUZZ_REQUIRE(out->cpu_capped_w <= out->cpu_tdp_w * (1 + SLACK));
    FUZZ_REQUIRE(out->gpu_capped_w <= out->gpu_tdp_w * (1 + SLACK));
    FUZZ_REQUIRE(dice_near(out->node_tdp_w, out->cpu_tdp_w + out->gpu_tdp_w));
    FUZZ_REQUIRE(dice_near(out->node_capped_w, out->cpu_capped_w + out->gpu_capped_w));
    FUZZ_REQUIRE(out->node_power_w >= 0 && isfinite(out->node_power_w));
}

static bool is_current(const struct joulie_twin_input *in)
{
    return in->rules == JOULIE_TWIN_RULES_CURRENT || in->rules == JOULIE_TWIN_RULES_UNKNOWN;
}

static struct joulie_twin_output predict(const struct joulie_twin_input *in)
{
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    struct joulie_twin_output again = JOULIE_INIT(struct joulie_twin_output);
    FUZZ_REQUIRE(joulie_twin_predict(in, &out, NULL) == 0);
    FUZZ_REQUIRE(joulie_twin_predict(in, &again, NULL) == 0);
    FUZZ_REQUIRE(memcmp(&out, &again, sizeof out) == 0);
    if (is_current(in))
        check_output(&out);
    return out;
}

void rules_predict(struct dice *dice)
{
    struct joulie_twin_input in = node(dice);
    const struct joulie_twin_output out = predict(&in);
    if (!is_current(&in))
        return;
    struct joulie_twin_input more = in;
    more.measured_node_power_w += dice_number(dice, 0, 5000);
    if (in.cluster_total_power_w > 0) /* 0 is unknown */
        more.cluster_total_power_w += dice_number(dice, 0, 1e6);
    if (in.rack_total_power_w > 0)
        more.rack_total_power_w += dice_number(dice, 0, 1e4);
    const struct joulie_twin_output worse = predict(&more);
    FUZZ_REQUIRE(worse.power_headroom_score <= out.power_headroom_score + SLACK);
    FUZZ_REQUIRE(worse.psu_stress_score >= out.psu_stress_score - SLACK);
    FUZZ_REQUIRE(in.cooling_model == JOULIE_COOLING_DX ||
                 worse.cooling_stress_score >= out.cooling_stress_score - SLACK);

    struct joulie_twin_input freer = in;
    freer.cpu_cap_pct = dice_number(dice, in.cpu_cap_pct > 0 ? in.cpu_cap_pct : 1, 100);
    freer.cpu_cap_w += dice_number(dice, 0, 100);
    FUZZ_REQUIRE(predict(&freer).cpu_capped_w >= out.cpu_capped_w - SLACK);
}

/* ---- trends: no change no trend, the sign of the change, at most the steepest part ---- */

void rules_trend(struct dice *dice)
{
    struct jl_power_sample samples[MOST];
    struct jl_power_sample mirrored[MOST];
    const size_t count = (size_t)dice_int(dice, 0, MOST);
    const bool is_rising = dice_bit(dice);
    double w = dice_number(dice, 0, 5000);
    double low = w;
    int64_t t_ms = dice_int(dice, 0, INT64_C(1) << 40);
    for (size_t i = 0; i < count; i++) {
        t_ms += dice_int(dice, 1, 60000);
        w = is_rising ? w + (double)dice_int(dice, 0, 500) : (double)dice_int(dice, 0, 5000);
        low = fmin(low, w);
        samples[i] = mirrored[i] =
            (struct jl_power_sample){ .has = 1U << JL_INDEX(jl_power_sample, t_ms) |
                                             1U << JL_INDEX(jl_power_sample, w),
                                      .t_ms = t_ms,
                                      .w = w };
        mirrored[i].w = 20000 - w; /* of more than any w */
    }
    const int64_t end_ms = t_ms + dice_int(dice, 0, 60000);
    double trend = 0;
    double mirror = 0;
    const bool has_trend = jl_power_trend(samples, count, dice_bit(dice) ? &end_ms : NULL,
                                          JOULIE_TWIN_RULES_CURRENT, &trend);
    if (!has_trend)
        return;
    FUZZ_REQUIRE(isfinite(trend) && count >= 2);
    FUZZ_REQUIRE(!is_rising || trend >= -1e-6);
    FUZZ_REQUIRE(jl_power_trend(mirrored, count, NULL, JOULIE_TWIN_RULES_CURRENT, &mirror));
    FUZZ_REQUIRE(jl_power_trend(samples, count, NULL, JOULIE_TWIN_RULES_CURRENT, &trend));
    FUZZ_REQUIRE(fabs(mirror + trend) <= 1e-6 * (1 + fabs(trend)));
    for (size_t i = 0; i < count; i++)
        samples[i].w = low;
    FUZZ_REQUIRE(jl_power_trend(samples, count, NULL, JOULIE_TWIN_RULES_CURRENT, &trend));
    FUZZ_REQUIRE(fabs(trend) < 1e-6);
}

/* ---- cooling: a plant needs power, and more with more heat ---- */

void rules_cooling(struct dice *dice)
{
    const enum joulie_cooling model = (enum joulie_cooling)dice_int(dice, 0, JOULIE_COOLING_DX);
    const double it_w = dice_number(dice, 1, 1e6);
    const double outside_c = dice_number(dice, -40, 60);
    struct jl_cooling_plant plant;
    struct jl_cooling_plant larger;
    if (jl_cooling_parametric(model, it_w, outside_c, &plant)) {
        FUZZ_REQUIRE(plant.cooling_w >= 0 && plant.pue >= 1);
        FUZZ_REQUIRE(dice_near(plant.pue, 1 + plant.cooling_w / it_w));
        FUZZ_REQUIRE(
            jl_cooling_parametric(model, it_w + dice_number(dice, 0, 1e6), outside_c, &larger));
        FUZZ_REQUIRE(larger.cooling_w >= plant.cooling_w - 1e-6);
    }
    struct jl_dx dx;
    jl_cooling_dx(it_w, outside_c, JL_DX_INDOOR_C, JL_DX_DESIGN_IT_W, &dx);
    FUZZ_REQUIRE(dx.mode >= 1 && dx.mode <= 3 && dx.free_fraction >= 0 && dx.free_fraction <= 1);
    FUZZ_REQUIRE(dx.compressor_w >= 0 && dx.fan_w >= 0);
    FUZZ_REQUIRE(dice_near(dx.cooling_w, dx.compressor_w + dx.fan_w));
    FUZZ_REQUIRE(dx.mode != 1 || dx.mechanical_w <= 1e-6);

    struct jl_cooling_input in = {
        .model = model == JOULIE_COOLING_UNKNOWN ? JOULIE_COOLING_TDP_RATIO : model,
        .is_current = true,
        .power_w = it_w,
        .node_tdp_w = dice_number(dice, 1, 1e5),
        .has_outside = true,
        .outside_c = outside_c,
        .cluster_w = it_w,
        .design_it_w = JL_DX_DESIGN_IT_W,
    };
    struct jl_cooling cooling;
    jl_cooling_predict(&in, &cooling);
    FUZZ_REQUIRE(!cooling.has_stress || is_score(cooling.stress));
    FUZZ_REQUIRE(!cooling.has_pue || cooling.pue >= 1);
}

void rules_psu(struct dice *dice)
{
    struct jl_supplies in = {
        .rack.power_w = dice_number(dice, 0, 1e5),
        .rack.capacity_w = dice_number(dice, 1, 1e5),
        .cluster.power_w = dice_number(dice, 0, 1e7),
        .cluster.capacity_w = dice_number(dice, 0, 1e7),
    };
    double stress = 0;
    double more = 0;
    if (!jl_psu_stress(&in, &stress))
        return;
    FUZZ_REQUIRE(is_score(stress));
    if (in.rack.power_w > 0) /* 0 is unknown */
        in.rack.power_w += dice_number(dice, 0, 1e4);
    FUZZ_REQUIRE(jl_psu_stress(&in, &more) && more >= stress);

    const double base_c = dice_number(dice, -20, 40);
    const double amplitude_c = dice_number(dice, 0, 20);
    const double period_s = dice_number(dice, 0, 1e6);
    const double c =
        joulie_facility_ambient_c(base_c, amplitude_c, period_s, dice_number(dice, 0, 1e7));
    FUZZ_REQUIRE(fabs(c - base_c) <= amplitude_c + SLACK);
    const double pue = joulie_facility_simulated_pue(c, dice_number(dice, 0, 1));
    FUZZ_REQUIRE(pue >= 1 && isfinite(pue));
}
