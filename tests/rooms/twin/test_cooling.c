/* SPDX-License-Identifier: Apache-2.0 */

/* Cooling models: docs/rules/cooling.md. */

#include "support/test.h"
#include "twin/twin.h"

#define TOLERANCE 1e-6

static struct jl_cooling_input at(enum joulie_cooling model, double power_w, double outside_c)
{
    return (struct jl_cooling_input){ .model = model,
                                      .is_current = true,
                                      .power_w = power_w,
                                      .node_tdp_w = 6300,
                                      .has_outside = true,
                                      .outside_c = outside_c,
                                      .design_it_w = JL_DX_DESIGN_IT_W };
}

static double stress_of(const struct jl_cooling_input *in)
{
    struct jl_cooling cooling;
    jl_cooling_predict(in, &cooling);
    assert_true(cooling.has_stress);
    return cooling.stress;
}

static void the_tdp_ratio_grows_with_the_heat_outside(void **state)
{
    (void)state;

    static const struct {
        double outside_c, k;
    } rows[] = { { 10, 0.833333 }, { 18, 0.961538 }, { 25, 1.111111 }, { 30, 1.25 },
                 { 35, 1.428571 }, { 40, 1.666667 }, { 45, 2 },        { 60, 2 } };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_cooling_input in = at(JOULIE_COOLING_TDP_RATIO, 10, rows[i].outside_c);
        in.node_tdp_w = 1000;
        assert_near(stress_of(&in), rows[i].k, TOLERANCE);
    }
}

static void the_linear_model_gives_the_values_of_its_table(void **state)
{
    (void)state;

    static const struct {
        double power_w, outside_c, reference_w, stress;
    } rows[] = { { 1440, 25, 0, 31.3 }, { 4000, 20, 0, 80 },  { 4000, 60, 0, 100 },
                 { 5200, 20, 0, 100 },  { 0, 100, 0, 40 },    { 1000, 25, 0, 22.5 },
                 { 2000, -10, 0, 40 },  { 500, 30, 1000, 45 } };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_cooling_input in = at(JOULIE_COOLING_LINEAR, rows[i].power_w, rows[i].outside_c);
        in.has_reference = rows[i].reference_w > 0;
        in.reference_w = rows[i].reference_w;
        assert_near(stress_of(&in), rows[i].stress, TOLERANCE);
    }
}

static void an_unknown_temperature_counts_as_20_degrees(void **state)
{
    (void)state;
    for (int model = JOULIE_COOLING_TDP_RATIO; model <= JOULIE_COOLING_DX; model++) {
        struct jl_cooling_input known = at((enum joulie_cooling)model, 1500, 20);
        known.cluster_w = 500000;
        struct jl_cooling_input unknown = known;
        unknown.has_outside = false;
        unknown.outside_c = 1e9;
        assert_near(stress_of(&unknown), stress_of(&known), 0);
    }
}

/* The source takes frost for "unknown". */
static void only_the_source_takes_frost_for_unknown(void **state)
{
    (void)state;
    struct jl_cooling_input in = at(JOULIE_COOLING_TDP_RATIO, 100, 0);
    in.node_tdp_w = 1000;
    assert_near(stress_of(&in), 7.142857143, TOLERANCE);
    in.is_current = false;
    assert_near(stress_of(&in), 10, TOLERANCE);
}

static void stress_of_a_plant_is_relative_to_a_hot_day(void **state)
{
    (void)state;

    static const struct {
        enum joulie_cooling model;
        double outside_c, stress;
    } rows[] = {
        { JOULIE_COOLING_CRAH, 25, 17.857143 }, { JOULIE_COOLING_AISLE, 25, 17.006803 },
        { JOULIE_COOLING_DLC, 25, 20.408163 },  { JOULIE_COOLING_IMMERSION, 25, 23.680829 },
        { JOULIE_COOLING_FREE, 25, 12.876579 }, { JOULIE_COOLING_CRAH, 15, 11.904762 }
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_cooling_input in = at(rows[i].model, 1500, rows[i].outside_c);
        assert_near(stress_of(&in), rows[i].stress, TOLERANCE);
    }
}

static void a_plant_without_a_reference_has_a_pue_but_no_stress(void **state)
{
    (void)state;
    struct jl_cooling cooling;
    struct jl_cooling_input in = at(JOULIE_COOLING_CRAH, 1500, 25);
    in.node_tdp_w = 0;
    jl_cooling_predict(&in, &cooling);
    assert_false(cooling.has_stress);
    assert_true(cooling.has_pue);
    assert_near(cooling.pue, 1.45, TOLERANCE);
}

static void a_plant_without_load_has_no_pue(void **state)
{
    (void)state;
    struct jl_cooling cooling;
    const struct jl_cooling_input in = at(JOULIE_COOLING_DLC, 0, 25);
    jl_cooling_predict(&in, &cooling);
    assert_false(cooling.has_pue);
    assert_near(cooling.stress, 0, 0);
}

/* 16/17 W with 6.25 % of them for cooling are one watt, the least of which there is a PUE. */
static void a_pue_of_one_is_one(void **state)
{
    struct jl_cooling_input in = at(JOULIE_COOLING_DLC, 16.0 / 17, 15);
    struct jl_cooling cooling;
    struct jl_cooling_plant plant;
    (void)state;
    jl_cooling_predict(&in, &cooling);
    assert_true(cooling.has_pue);
    assert_near(cooling.pue, 1, 0);
    in.power_w = 15.0 / 17;
    jl_cooling_predict(&in, &cooling);
    assert_false(cooling.has_pue);
    assert_true(jl_cooling_parametric(JOULIE_COOLING_DLC, 1.5, 15, &plant));
    assert_near(plant.pue, 1.0625, TOLERANCE);
    assert_true(jl_cooling_parametric(JOULIE_COOLING_DLC, 0.5, 15, &plant));
    assert_near(plant.pue, 0.5 * 1.0625, TOLERANCE);
}

static void a_dx_plant_without_a_design_has_no_stress(void **state)
{
    struct jl_cooling_input in = at(JOULIE_COOLING_DX, 1000, 25);
    struct jl_cooling cooling;
    (void)state;
    in.cluster_w = 500000;
    jl_cooling_predict(&in, &cooling);
    assert_true(cooling.has_stress && cooling.has_pue);
    in.design_it_w = 0;
    jl_cooling_predict(&in, &cooling);
    assert_false(cooling.has_stress || cooling.has_pue);
}

/* Below 13 °C outside air does all of it, whatever it can take. */
static void outside_air_alone_needs_no_compressor(void **state)
{
    struct jl_dx now;
    (void)state;
    jl_cooling_dx(2e6, 12.9, JL_DX_INDOOR_C, JL_DX_DESIGN_IT_W, &now);
    assert_int_equal(now.mode, 1);
    assert_true(now.mechanical_w > 0);
    assert_near(now.compressor_w, 0, 0);
    jl_cooling_dx(2e6, 13.1, JL_DX_INDOOR_C, JL_DX_DESIGN_IT_W, &now);
    assert_int_equal(now.mode, 2);
    assert_near(now.compressor_w, now.mechanical_w / now.unit_cop, TOLERANCE);
}

static void facility_models_give_the_pue_of_their_table(void **state)
{
    (void)state;
    static const double outside_c[] = { 5, 15, 20, 23, 30 };

    static const struct {
        enum joulie_cooling model;
        double pue[5];
    } rows[] = { { JOULIE_COOLING_CRAH, { 1.300, 1.300, 1.375, 1.420, 1.525 } },
                 { JOULIE_COOLING_AISLE, { 1.150, 1.150, 1.200, 1.230, 1.300 } },
                 { JOULIE_COOLING_DLC, { 1.0625, 1.0625, 1.0688, 1.0725, 1.0813 } },
                 { JOULIE_COOLING_IMMERSION, { 1.0600, 1.0600, 1.0602, 1.0603, 1.0605 } },
                 { JOULIE_COOLING_FREE, { 1.020, 1.020, 1.078, 1.183, 1.430 } } };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        for (size_t t = 0; t < JL_COUNT(outside_c); t++) {
            struct jl_cooling_plant plant;
            assert_true(jl_cooling_parametric(rows[i].model, 100000, outside_c[t], &plant));
            assert_near(plant.pue, rows[i].pue[t], 0.51e-4);
            assert_near(plant.cooling_w, 100000 * (plant.pue - 1), TOLERANCE);
        }
    }
}

static void the_reference_points_of_the_dx_plant_hold(void **state)
{
    (void)state;

    static const struct {
        double it_kw, outside_c;
        int mode;
        double free_frac, free_w, mechanical_w, unit_cop, compressor_w, fan_w, pue;
    } rows[] = {
        { 500, 10, 1, 1, 1250056, 0, 3.3000, 0, 6163.7, 1.0123 },
        { 500, 14, 2, .7992, 732630, 0, 3.3000, 0, 6163.7, 1.0123 },
        { 500, 16, 2, .3976, 298206, 201794, 3.2395, 62292, 6163.7, 1.1369 },
        { 500, 20, 3, .05, 20834, 479166, 3.1563, 151815, 6163.7, 1.3160 },
        { 500, 30, 3, .05, 0, 500000, 3.1500, 158730, 6163.7, 1.3298 },
        { 500, 40, 3, .05, 0, 500000, 2.7563, 181406, 6163.7, 1.3751 },
        { 1000, 14, 2, .7992, 732630, 267370, 3.2198, 83040, 49309.5, 1.1323 },
        { 1000, 30, 3, .05, 0, 1000000, 3.0000, 333333, 49309.5, 1.3826 },
        { 5000, 22, 3, .05, 12501, 4987499, 3.0000, 1662500, 49309.5, 1.3424 },
        { 4, 22, 3, .05, 12501, 0, 3.3000, 0, 394.5, 1.0986 },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_dx dx;
        double pue = 0;
        const double it_w = rows[i].it_kw * 1000;
        jl_cooling_dx(it_w, rows[i].outside_c, JL_DX_INDOOR_C, JL_DX_DESIGN_IT_W, &dx);
        assert_int_equal(dx.mode, rows[i].mode);
        assert_near(dx.free_fraction, rows[i].free_frac, 0.51e-4);
        assert_near(dx.free_w, rows[i].free_w, 0.51);
        assert_near(dx.mechanical_w, rows[i].mechanical_w, 0.51);
        assert_near(dx.unit_cop, rows[i].unit_cop, 0.51e-4);
        assert_near(dx.compressor_w, rows[i].compressor_w, 0.51);
        assert_near(dx.fan_w, rows[i].fan_w, 0.051);
        assert_true(jl_facility_pue(it_w, dx.cooling_w, &pue));
        assert_near(pue, rows[i].pue, 0.51e-4);
    }
}

/* Heat that stays in the room warms 36.216 MJ/K of it; too much outside air cools it. */
static void the_room_of_the_dx_plant_follows_the_heat_balance(void **state)
{
    (void)state;
    struct jl_dx dx;
    jl_cooling_dx(4000, 22, JL_DX_INDOOR_C, JL_DX_DESIGN_IT_W, &dx);
    assert_near(dx.indoor_rate_c_per_s, (4000 - 12500.556) / 36.216e6, 1e-12);
    jl_cooling_dx(500000, 30, JL_DX_INDOOR_C, JL_DX_DESIGN_IT_W, &dx);
    assert_near(dx.indoor_rate_c_per_s, 0, 0);
}

static void a_dx_plant_of_another_size_behaves_the_same(void **state)
{
    (void)state;
    struct jl_cooling_input in = at(JOULIE_COOLING_DX, 0, 16);
    in.cluster_w = 500000;
    assert_near(stress_of(&in), 17.890345, TOLERANCE);
    in.cluster_w = 50000;
    in.design_it_w = 100000;
    assert_near(stress_of(&in), 17.890345, TOLERANCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tdp_ratio_grows_with_the_heat_outside),
        cmocka_unit_test(the_linear_model_gives_the_values_of_its_table),
        cmocka_unit_test(an_unknown_temperature_counts_as_20_degrees),
        cmocka_unit_test(only_the_source_takes_frost_for_unknown),
        cmocka_unit_test(stress_of_a_plant_is_relative_to_a_hot_day),
        cmocka_unit_test(a_plant_without_a_reference_has_a_pue_but_no_stress),
        cmocka_unit_test(a_plant_without_load_has_no_pue),
        cmocka_unit_test(a_pue_of_one_is_one),
        cmocka_unit_test(a_dx_plant_without_a_design_has_no_stress),
        cmocka_unit_test(outside_air_alone_needs_no_compressor),
        cmocka_unit_test(facility_models_give_the_pue_of_their_table),
        cmocka_unit_test(the_reference_points_of_the_dx_plant_hold),
        cmocka_unit_test(the_room_of_the_dx_plant_follows_the_heat_balance),
        cmocka_unit_test(a_dx_plant_of_another_size_behaves_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
