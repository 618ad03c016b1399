/* SPDX-License-Identifier: Apache-2.0 */

/* Rules of the twin at their bounds, from both sides (docs/rules/twin.md, docs/rules/cooling.md).
 */

#include <math.h>

#include <joulie/sim.h>

#include "support/test.h"
#include "twin/twin.h"

#define TOLERANCE 1e-9

static double above(double value)
{
    return nextafter(value, INFINITY);
}

static double below(double value)
{
    return nextafter(value, -INFINITY);
}

/* ---- cooling ---- */

/* On days that no place has the formulas meet their least COP and their largest PUE. */
static void a_plant_keeps_its_bounds_on_a_day_without_equal(void **state)
{
    static const struct {
        enum joulie_cooling model;
        double outside_c, cooling_w, pue, cop, indoor_c;
    } rows[] = {
        { JOULIE_COOLING_CRAH, 200, 200000, 3, 1.5, 77.5 },
        { JOULIE_COOLING_AISLE, 200, 150000, 2.5, 2, 61 },
        { JOULIE_COOLING_DLC, 315, 43750, 1.4375, 3, 57 },
        { JOULIE_COOLING_IMMERSION, 1015, 14500, 1.145, 8, 85 },
        { JOULIE_COOLING_FREE, 200, 247000, 3.47, 2, 60.4 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_cooling_plant plant;
        assert_true(jl_cooling_parametric(rows[i].model, 100000, rows[i].outside_c, &plant));
        assert_near(plant.cooling_w, rows[i].cooling_w, 1e-6);
        assert_near(plant.pue, rows[i].pue, TOLERANCE);
        assert_near(plant.cop, rows[i].cop, TOLERANCE);
        assert_near(plant.indoor_c, rows[i].indoor_c, TOLERANCE);
    }
}

/* f of the plant `free` is (28 - T) / 10 between 18 and 28 degrees; a COP takes at least a watt. */
static void free_cooling_ends_between_18_and_28_degrees(void **state)
{
    static const struct {
        double outside_c, cooling_w, indoor_c;
    } rows[] = {
        { 18, 2000, 24 },
        { 18.05, 2000 * 0.995 + 100000 * (0.25 + 0.012 * 3.05) * 0.005, 24.01 },
        { 27.95, 2000 * 0.005 + 100000 * (0.25 + 0.012 * 12.95) * 0.995, 25.99 },
        { 28, 100000 * (0.25 + 0.012 * 13), 26 },
        { 28.05, 100000 * (0.25 + 0.012 * 13.05), 26.01 },
    };
    struct jl_cooling_plant plant;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_true(jl_cooling_parametric(JOULIE_COOLING_FREE, 100000, rows[i].outside_c, &plant));
        assert_near(plant.cooling_w, rows[i].cooling_w, 1e-6);
        assert_near(plant.indoor_c, rows[i].indoor_c, TOLERANCE);
    }
    assert_true(jl_cooling_parametric(JOULIE_COOLING_FREE, 10, 0, &plant));
    assert_near(plant.cop, 10, TOLERANCE); /* 0.2 W of cooling count as one */
}

static void a_dx_plant_changes_its_mode_at_13_and_17_98_degrees(void **state)
{
    static const struct {
        double outside_c;
        int mode;
        double free_frac, unit_cop;
    } rows[] = {
        { 12.9999, 1, 1, 3.3 }, { 13, 2, 1, 3.3 },         { 13.05, 2, 4.93 / 4.98, 3.3 },
        { 17.9, 2, 0.05, 3.3 }, { 17.9799, 2, 0.05, 3.3 }, { 17.98, 3, 0.05, 3.3 },
        { 35, 3, 0.05, 3.3 },   { 36, 3, 0.05, 3.2175 },   { 100, 3, 0.05, 1 },
    };
    struct jl_dx dx;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        jl_cooling_dx(0, rows[i].outside_c, JL_DX_INDOOR_C, JL_DX_DESIGN_IT_W, &dx);
        assert_int_equal(dx.mode, rows[i].mode);
        assert_near(dx.free_fraction, rows[i].free_frac, TOLERANCE);
        assert_near(dx.unit_cop, rows[i].unit_cop, TOLERANCE);
    }
    jl_cooling_dx(1e7, 20, JL_DX_INDOOR_C, JL_DX_DESIGN_IT_W, &dx);
    assert_near(dx.unit_cop, 3, TOLERANCE); /* a full coil is not fuller */
}

/* 82.84 / 1.2 * 500 / 0.7 W of fan per MW at full speed, of which 10 W are 202.8 W of plant. */
static void a_dx_plant_below_10_watts_has_its_nominal_cop(void **state)
{
    struct jl_dx dx;
    (void)state;
    jl_cooling_dx(203, 10, JL_DX_INDOOR_C, 203, &dx);
    assert_near(dx.system_cop, 1250055.6 / 49309.523809524, 1e-6);
    jl_cooling_dx(202, 10, JL_DX_INDOOR_C, 202, &dx);
    assert_near(dx.system_cop, 3, 0);
}

static void a_simulated_pue_lies_between_1_and_3(void **state)
{
    (void)state;
    assert_near(joulie_facility_simulated_pue(1000, 1), 3, 0);
    assert_near(joulie_facility_simulated_pue(-1000, 1), 1, 0);
    assert_near(jl_facility_simulated_pue_v0_1_0(1000), 3, 0);
    assert_near(jl_facility_simulated_pue_v0_1_0(-1000), 1, 0);
}

/* ---- trend ---- */

static bool has_trend(int64_t first_ms, int64_t last_ms)
{
    struct jl_power_sample samples[2] = { 0 };
    double trend = 0;
    JL_SET(&samples[0], t_ms, first_ms);
    JL_SET(&samples[0], w, 100);
    JL_SET(&samples[1], t_ms, last_ms);
    JL_SET(&samples[1], w, 200);
    return jl_power_trend(samples, 2, NULL, JOULIE_TWIN_RULES_CURRENT, &trend);
}

static void a_trend_takes_samples_6_seconds_to_5_minutes_apart(void **state)
{
    (void)state;
    assert_false(has_trend(0, 5999));
    assert_true(has_trend(0, 6000));
    assert_true(has_trend(0, 299999));
    assert_false(has_trend(0, 300000)); /* the start of the window is not part of it */
}

/* ---- advice ---- */

static size_t advised(const struct jl_advice_case *in)
{
    struct jl_workload_profile profile = { 0 };
    const struct jl_workload_profile *const profiles[] = { &profile };
    struct jl_advice_case with = *in;
    struct jl_arena arena = { 0 };
    struct jl_list list = { 0 };
    JL_SET(&profile.spec.workload_ref, name, "web");
    JL_SET(&profile.status.migratability, reschedulable, true);
    with.profiles = profiles;
    with.profile_count = 1;
    assert_int_equal(jl_reschedule_advice(&with, &arena, &list), 0);
    const size_t count = list.count;
    jl_arena_clear(&arena);
    return count;
}

static void a_stress_above_70_is_advised_about(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct jl_advice_case in = { .has_cooling = i == 0, .has_psu = i == 1 };
        in.cooling_stress = in.psu_stress = 70;
        assert_int_equal(advised(&in), 0);
        in.cooling_stress = in.psu_stress = above(70);
        assert_int_equal(advised(&in), 1);
        in.has_cooling = in.has_psu = false;
        assert_int_equal(advised(&in), 0);
    }
}

static void ten_workloads_make_slicing_advice_sure(void **state)
{
    static const struct {
        size_t count;
        double confidence;
    } rows[] = { { 1, 0.1 }, { 9, 0.9 }, { 10, 1 }, { 11, 1 } };
    const struct jl_hardware hardware = { .gpu_present = true,
                                          .gpu_count = 1,
                                          .is_gpu_slicing_supported = true };
    struct jl_workload_profile profile = { 0 };
    const struct jl_workload_profile *profiles[11];
    (void)state;
    JL_SET(&profile.status.gpu, intensity, JOULIE_LEVEL_LOW);
    for (size_t i = 0; i < JL_COUNT(profiles); i++)
        profiles[i] = &profile;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_slicing_advice advice;
        assert_true(jl_slicing_advice(&hardware, profiles, rows[i].count, &advice));
        assert_near(advice.confidence, rows[i].confidence, TOLERANCE);
    }
}

/* ---- what may come in ---- */

static int code_of(uint64_t bit, double *(*member)(struct joulie_twin_input *), double value)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    in.has = bit;
    *member(&in) = value;
    return joulie_twin_predict(&in, &out, NULL);
}

static double *cpu_cap(struct joulie_twin_input *in)
{
    return &in->cpu_cap_pct;
}

static double *gpu_cap(struct joulie_twin_input *in)
{
    return &in->gpu_cap_pct;
}

static double *measured(struct joulie_twin_input *in)
{
    return &in->measured_node_power_w;
}

static void a_cap_in_percent_is_above_0_and_at_most_100(void **state)
{
    static const struct {
        uint64_t bit;
        double *(*member)(struct joulie_twin_input *);
    } caps[] = { { JOULIE_TWIN_HAS_CPU_CAP_PCT, cpu_cap },
                 { JOULIE_TWIN_HAS_GPU_CAP_PCT, gpu_cap } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(caps); i++) {
        assert_int_equal(code_of(caps[i].bit, caps[i].member, 100), 0);
        assert_int_equal(code_of(caps[i].bit, caps[i].member, above(100)), JOULIE_E_RANGE);
        assert_int_equal(code_of(caps[i].bit, caps[i].member, above(0)), 0);
        assert_int_equal(code_of(caps[i].bit, caps[i].member, 0), JOULIE_E_RANGE);
    }
    assert_int_equal(code_of(JOULIE_TWIN_HAS_NODE_POWER, measured, 0), 0);
    assert_int_equal(code_of(JOULIE_TWIN_HAS_NODE_POWER, measured, below(0)), JOULIE_E_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plant_keeps_its_bounds_on_a_day_without_equal),
        cmocka_unit_test(free_cooling_ends_between_18_and_28_degrees),
        cmocka_unit_test(a_dx_plant_changes_its_mode_at_13_and_17_98_degrees),
        cmocka_unit_test(a_dx_plant_below_10_watts_has_its_nominal_cop),
        cmocka_unit_test(a_simulated_pue_lies_between_1_and_3),
        cmocka_unit_test(a_trend_takes_samples_6_seconds_to_5_minutes_apart),
        cmocka_unit_test(a_stress_above_70_is_advised_about),
        cmocka_unit_test(ten_workloads_make_slicing_advice_sure),
        cmocka_unit_test(a_cap_in_percent_is_above_0_and_at_most_100),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
