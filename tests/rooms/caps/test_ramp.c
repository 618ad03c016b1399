/* SPDX-License-Identifier: Apache-2.0 */

/* How far and how fast a limit may move (docs/rules/caps.md#ramp). */

#include <float.h>
#include <math.h>

#include "base/random.h"
#include "base/text.h"
#include "caps/ramp.h"
#include "support/test.h"

static void the_reference_is_a_maximum_that_can_be_believed(void **state)
{
    (void)state;
    assert_near(jl_cap_reference_w(true, 205000000, true, 246000000), 205, 0);
    assert_near(jl_cap_reference_w(true, 0, true, 200000000), 200, 0);
    assert_near(jl_cap_reference_w(true, 2000000001, true, 150000000), 150, 0);
    assert_near(jl_cap_reference_w(true, 2000000000, true, 150000000), 2000, 0);
    assert_near(jl_cap_reference_w(true, 4999999, true, 15000000), 15, 0);
    assert_near(jl_cap_reference_w(true, 5000000, true, 15000000), 5, 0);
    assert_near(jl_cap_reference_w(false, 205000000, true, 120000000), 120, 0);
    assert_near(jl_cap_reference_w(false, 0, false, 120000000), 0, 0);
    assert_near(jl_cap_reference_w(true, 0, false, 0), 0, 0);
}

static void no_ceiling_is_above_what_the_register_holds(void **state)
{
    (void)state;
    assert_near(jl_cap_ceiling_w(205), 205, 0);
    assert_near(jl_cap_ceiling_w(5000), 4095.875, 0);
    assert_near(jl_cap_ceiling_w(0), 0, 0);
    assert_near(jl_cap_ceiling_w((double)NAN), 0, 0);
}

static void a_gpu_passes_its_default_only_where_that_is_allowed(void **state)
{
    (void)state;
    assert_near(jl_gpu_ceiling_w(400, 350, false), 350, 0);
    assert_near(jl_gpu_ceiling_w(400, 350, true), 400, 0);
    assert_near(jl_gpu_ceiling_w(400, 450, false), 400, 0); /* "if lower" */
    assert_near(jl_gpu_ceiling_w(400, 0, false), 400, 0);
    assert_near(jl_gpu_ceiling_w(0, 350, false), 350, 0);
    assert_near(jl_gpu_ceiling_w(0, 350, true), 0, 0); /* unknown stays unknown */
    assert_near(jl_gpu_ceiling_w((double)NAN, (double)NAN, false), 0, 0);
}

static void assert_way(double reference_w, double from_w, double to_w, const double *way,
                       size_t count)
{
    double limit_w = from_w;
    for (size_t i = 0; i < count; i++) {
        limit_w = joulie_caps_next_w(reference_w, limit_w, to_w);
        assert_near(limit_w, way[i], 0);
    }
    assert_near(limit_w, to_w, 0);
    assert_near(joulie_caps_next_w(reference_w, limit_w, to_w), to_w, 0); /* and stays there */
}

static void a_cap_goes_down_by_fifths_and_up_at_once(void **state)
{
    (void)state;
    assert_way(205, 205, 90, (double[]){ 164, 123, 90 }, 3);
    assert_way(205, 205, 200, (double[]){ 200 }, 1);
    assert_way(205, 205, 164, (double[]){ 164 }, 1);
    assert_way(270, 270, 81, (double[]){ 216, 162, 108, 81 }, 4);
    assert_way(205, 90, 205, (double[]){ 205 }, 1);
    assert_way(205, 90, 90, NULL, 0);
}

static void without_a_step_the_way_has_none(void **state)
{
    (void)state;
    assert_near(joulie_caps_next_w(0, 205, 90), 90, 0);
    assert_near(joulie_caps_next_w(-1, 205, 90), 90, 0);
    assert_near(joulie_caps_next_w((double)NAN, 205, 90), 90, 0);
    assert_near(joulie_caps_next_w((double)INFINITY, 205, 90), 90, 0);
    assert_near(joulie_caps_next_w(1e-300, 205, 90), 90, 0); /* lost beside 205 */
    assert_near(joulie_caps_next_w(205, (double)NAN, 90), 90, 0);
    assert_near(joulie_caps_next_w(205, (double)INFINITY, 90), 90, 0);
    assert_near(joulie_caps_next_w(205, 150, (double)NAN), 150, 0); /* to nowhere: stay */
    assert_near(joulie_caps_next_w(205, 150, (double)INFINITY), 150, 0);
}

static void a_ramp_reaches_its_target_in_bounded_steps(void **state)
{
    struct jl_random random = { 9 };
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const double reference_w = jl_random_range(&random, 5, 2000);
        const double target_w = jl_random_range(&random, 0, 2000);
        double limit_w = jl_random_range(&random, 0, reference_w);
        int steps = 0;
        for (; limit_w != target_w; steps++) {
            const double next_w = joulie_caps_next_w(reference_w, limit_w, target_w);
            assert_true(limit_w - next_w <= reference_w * 0.2 * (1 + 4 * DBL_EPSILON));
            assert_true(next_w >= target_w);
            limit_w = next_w;
        }
        assert_true(steps <= 6); /* five fifths, and one for the rounding */
    }
}

static void short_term_follows_a_raise_up_to_its_baseline(void **state)
{
    uint64_t out_uw = 7;
    (void)state;
    assert_false(jl_short_term_uw(205000000, 246000000, 246000000, &out_uw)); /* above already */
    assert_false(jl_short_term_uw(205000000, 205000000, 246000000, &out_uw));
    assert_int_equal(out_uw, 7); /* untouched */
    assert_true(jl_short_term_uw(205000000, 120000000, 246000000, &out_uw));
    assert_int_equal(out_uw, 205000000);
    assert_true(jl_short_term_uw(300000000, 120000000, 246000000, &out_uw));
    assert_int_equal(out_uw, 246000000);
    assert_false(jl_short_term_uw(300000000, 246000000, 246000000, &out_uw));
    assert_false(jl_short_term_uw(300000000, 120000000, 0, &out_uw)); /* no baseline */
    assert_true(jl_short_term_uw(UINT64_MAX, 0, UINT64_MAX, &out_uw));
}

static void short_term_is_never_raised_above_its_baseline(void **state)
{
    struct jl_random random = { 10 };
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const uint64_t long_uw = (uint64_t)jl_random_int(&random, 0, 50);
        const uint64_t short_uw = (uint64_t)jl_random_int(&random, 0, 50);
        const uint64_t baseline_uw = (uint64_t)jl_random_int(&random, 0, 50);
        uint64_t out_uw = 0;
        if (jl_short_term_uw(long_uw, short_uw, baseline_uw, &out_uw))
            assert_true(out_uw > short_uw && out_uw <= baseline_uw && out_uw <= long_uw);
        else
            assert_true(short_uw >= long_uw || short_uw >= baseline_uw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_a_maximum_that_can_be_believed),
        cmocka_unit_test(no_ceiling_is_above_what_the_register_holds),
        cmocka_unit_test(a_gpu_passes_its_default_only_where_that_is_allowed),
        cmocka_unit_test(a_cap_goes_down_by_fifths_and_up_at_once),
        cmocka_unit_test(without_a_step_the_way_has_none),
        cmocka_unit_test(a_ramp_reaches_its_target_in_bounded_steps),
        cmocka_unit_test(short_term_follows_a_raise_up_to_its_baseline),
        cmocka_unit_test(short_term_is_never_raised_above_its_baseline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
