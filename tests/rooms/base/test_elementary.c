/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions against a table of 300-bit values, and at the ends of their ranges. */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/text.h"
#include "elementary_table.h"
#include "support/test.h"

#define BOUND_ULP 0.51 /* as documented in libjoulie/base/elementary.c */

static double ulp_of(double value)
{
    return nextafter(fabs(value), INFINITY) - fabs(value);
}

/* The table's rest is counted in the ulp of the nearest double. */
static void assert_accurate(const char *name, double actual, const struct elementary_row *row)
{
    const double error_ulp = fabs((actual - row->nearest) / ulp_of(row->nearest) - row->rest_ulp);
    if (!(error_ulp < BOUND_ULP))
        fail_msg("%s(%a, %a) is %a, wrong by %.4f ulp", name, row->x, row->y, actual, error_ulp);
}

#define ASSERT_ALL(function, rows)              \
    for (size_t i = 0; i < JL_COUNT(rows); i++) \
    assert_accurate(#function, function((rows)[i].x), &(rows)[i])

static void elementary_functions_are_right_to_the_last_bit(void **state)
{
    (void)state;
    ASSERT_ALL(jl_exp, exp_rows);
    ASSERT_ALL(jl_exp2, exp2_rows);
    ASSERT_ALL(jl_log, log_rows);
    ASSERT_ALL(jl_sin, sin_rows);
    ASSERT_ALL(jl_cos, cos_rows);
    ASSERT_ALL(jl_expm1_neg, expm1_neg_rows);
    for (size_t i = 0; i < JL_COUNT(pow_rows); i++)
        assert_accurate("jl_pow", jl_pow(pow_rows[i].x, pow_rows[i].y), &pow_rows[i]);
}

static void exact_results_are_exact(void **state)
{
    (void)state;
    assert_true(jl_exp(0) == 1 && jl_log(1) == 0 && jl_cos(0) == 1 && jl_sin(0) == 0 &&
                jl_expm1_neg(0) == 0);
    assert_true(jl_exp2(0) == 1 && jl_exp2(1) == 2 && jl_exp2(-1074) == 5e-324);
    assert_true(jl_pow(2, 10) == 1024 && jl_pow(10, 15) == 1e15 && jl_pow(0.5, 1074) == 5e-324);
    assert_true(jl_pow(9, 0.5) == 3 && jl_pow(7, 1) == 7 && jl_pow(3, 0) == 1 && jl_pow(0, 0) == 1);
    assert_true(jl_pow(1, 1e300) == 1 && jl_pow(0, 2) == 0 && isinf(jl_pow(0, -1)));
}

static void ends_of_the_ranges_are_defined(void **state)
{
    (void)state;
    assert_true(isinf(jl_exp(709.79)) && jl_exp(-745.14) == 0 && jl_exp(-745.13) == 5e-324);
    assert_true(isinf(jl_exp(1e300)) && jl_exp(-1e300) == 0);
    assert_true(isinf(jl_exp2(1024)) && isinf(jl_exp2(1e300)) && isnan(jl_exp2((double)NAN)));
    assert_true(jl_exp2(-1075.5) == 0 && jl_exp2(-1e300) == 0);
    assert_true(jl_log(0) == -(double)INFINITY && isnan(jl_log(-1)));
    assert_true(isinf(jl_pow(10, 400)) && jl_pow(10, -400) == 0 && isnan(jl_pow(-1, 2)));
    assert_true(jl_pow(1.5, 1e300) == (double)INFINITY && jl_pow(0.5, 1e300) == 0);
    assert_true(isnan(jl_sin(1e6)) && isnan(jl_cos(-1e6)) && isnan(jl_sin((double)NAN)));
    assert_true(jl_expm1_neg(1e300) == 1 && jl_expm1_neg(1e-310) == 1e-310);
    assert_true(isnan(jl_exp((double)NAN)) && isnan(jl_log((double)NAN)) &&
                isnan(jl_pow(2, (double)NAN)));
}

static void results_below_the_normal_numbers_stay_within_one_place(void **state)
{
    (void)state;
    for (double x = -745; x < -709; x += 0.37)
        assert_near(jl_exp(x), exp(x), 5e-324);
    for (double x = -1075; x < -1022; x += 0.037)
        assert_near(jl_exp2(x), exp2(x), 5e-324);
}

static void powers_of_two_double_exactly(void **state)
{
    (void)state;
    for (int i = 0; i <= 4096; i++) {
        const double x = i / 4096.0;
        for (int k = -900; k <= 900; k += 60)
            assert_true(jl_exp2(x + k) == ldexp(jl_exp2(x), k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementary_functions_are_right_to_the_last_bit),
        cmocka_unit_test(exact_results_are_exact),
        cmocka_unit_test(ends_of_the_ranges_are_defined),
        cmocka_unit_test(results_below_the_normal_numbers_stay_within_one_place),
        cmocka_unit_test(powers_of_two_double_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
