/* SPDX-License-Identifier: Apache-2.0 */

/* What plants are made of (docs/rules/cooling.md#plants). */

#include "support/test.h"
#include "twin/twin.h"

/* The heat that is taken away over the power that this needs. */
static void the_cop_of_a_system_is_heat_over_power(void **state)
{
    static const double outside_c[] = { -10, 5, 13, 15, 17, 18, 25, 35, 45 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(outside_c); i++) {
        struct jl_dx dx;
        jl_cooling_dx(8e5, outside_c[i], JL_DX_INDOOR_C, JL_DX_DESIGN_IT_W, &dx);
        assert_true(dx.cooling_w > 1000);
        assert_near(dx.system_cop, (dx.free_w + dx.mechanical_w) / (dx.compressor_w + dx.fan_w),
                    1e-9);
    }
}

/* Below one watt the ratio would say nothing; it is taken as of one watt. */
static void a_pue_of_less_than_a_watt_is_finite(void **state)
{
    (void)state;
    for (int model = JOULIE_COOLING_CRAH; model <= JOULIE_COOLING_FREE; model++) {
        struct jl_cooling_plant plant;
        struct jl_cooling_plant of_half;
        assert_true(jl_cooling_parametric((enum joulie_cooling)model, 0, 20, &plant));
        assert_true(plant.pue >= 0 && plant.pue <= 3);
        assert_true(jl_cooling_parametric((enum joulie_cooling)model, 0.5, 20, &of_half));
        assert_true(of_half.pue >= 0 && of_half.pue <= 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cop_of_a_system_is_heat_over_power),
        cmocka_unit_test(a_pue_of_less_than_a_watt_is_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
