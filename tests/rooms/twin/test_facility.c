/* SPDX-License-Identifier: Apache-2.0 */

/* Facility values: docs/rules/cooling.md#facility-pue. */

#include <joulie/sim.h>

#include "support/test.h"
#include "twin/twin.h"

#define TOLERANCE 1e-6

static void pue_is_all_power_over_it_power(void **state)
{
    (void)state;
    double pue = 0;
    assert_true(jl_facility_pue(100000, 30000, &pue));
    assert_near(pue, 1.3, TOLERANCE);
    assert_true(jl_facility_pue(80000, 8000, &pue));
    assert_near(pue, 1.1, TOLERANCE);
    assert_false(jl_facility_pue(0, 8000, &pue));
}

static void the_simulated_plant_gives_the_values_of_its_table(void **state)
{
    (void)state;

    static const struct {
        double outside_c, load, pue;
    } rows[] = { { 15, 0, 1.08 },  { 15, 1, 1.12 },    { 22, .5, 1.1455 }, { 22, 1, 1.169 },
                 { 30, 1, 1.225 }, { 14, .6, 1.0974 }, { 0, 0, 1.0 },      { 20, 1, 1.155 },
                 { 35, 1, 1.26 },  { 25, .5, 1.165 } };

    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_near(joulie_facility_simulated_pue(rows[i].outside_c, rows[i].load), rows[i].pue,
                    TOLERANCE);
    assert_near(jl_facility_simulated_pue_v0_1_0(20), 1.14, TOLERANCE);
    assert_near(jl_facility_simulated_pue_v0_1_0(-100), 1, 0);
}

static void the_day_swings_around_its_mean(void **state)
{
    (void)state;
    static const double elapsed_s[] = { 0, 60, 180, 360, 540, 720, 720e6 + 180, -180 };
    static const double outside_c[] = { 22, 26, 30, 22, 14, 22, 30, 14 };
    for (size_t i = 0; i < JL_COUNT(elapsed_s); i++)
        assert_near(joulie_facility_ambient_c(22, 8, 720, elapsed_s[i]), outside_c[i], TOLERANCE);

    assert_near(joulie_facility_ambient_c(20, 5, 0, 21600), 25, TOLERANCE);
    assert_near(joulie_facility_ambient_c(20, 5, -1, 64800), 15, TOLERANCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pue_is_all_power_over_it_power),
        cmocka_unit_test(the_simulated_plant_gives_the_values_of_its_table),
        cmocka_unit_test(the_day_swings_around_its_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
