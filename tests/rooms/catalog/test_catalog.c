/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "support/test.h"

static void a_raw_model_is_found_whatever_its_marks_and_separators(void **state)
{
    (void)state;
    assert_string_equal(jl_catalog_cpu("Intel(R) Xeon(R) Gold 6530")->key, "INTEL_XEON_GOLD_6530");
    assert_string_equal(jl_catalog_cpu("AMD-EPYC-9654-96-Core-Processor")->key, "AMD_EPYC_9654");
    assert_string_equal(jl_catalog_cpu("  AMD EPYC™ 9654 ")->key, "AMD_EPYC_9654");
    assert_string_equal(jl_catalog_cpu("AMD\tEPYC®,9654")->key, "AMD_EPYC_9654");
    assert_string_equal(jl_catalog_gpu("NVIDIA-H100-80GB-HBM3")->key, "NVIDIA_H100_SXM");
}

static void only_an_equal_normal_form_matches(void **state)
{
    (void)state;
    assert_null(jl_catalog_cpu("AMD EPYC(TM) 9654"));
    assert_null(jl_catalog_cpu("Intel(R) Xeon(R) Gold 6530 @ 2.10GHz"));
    assert_null(jl_catalog_gpu("NVIDIA-H100-80GB-HBM3-SHARED"));
    assert_null(jl_catalog_gpu("AMD EPYC 9654"));
    assert_null(jl_catalog_cpu("AMD EPYC 965"));
}

static void nothing_matches_an_empty_text(void **state)
{
    (void)state;
    assert_null(jl_catalog_cpu(NULL));
    assert_null(jl_catalog_cpu(""));
    assert_null(jl_catalog_cpu(" ®-()_ "));
    assert_null(jl_catalog_gpu(""));
}

static void a_normal_form_is_cut_to_its_buffer_but_reports_its_length(void **state)
{
    (void)state;
    char cut[8];
    char one[1] = { 'x' };
    assert_int_equal(jl_catalog_normal(" AMD  EPYC(R)_9654 ", cut, sizeof cut), 13);
    assert_string_equal(cut, "amd epy");
    assert_int_equal(jl_catalog_normal("AMD", one, sizeof one), 3);
    assert_string_equal(one, "");
    assert_int_equal(jl_catalog_normal("AMD EPYC", NULL, 0), 8);
    assert_int_equal(jl_catalog_normal(NULL, cut, sizeof cut), 0);
    assert_string_equal(cut, "");
}

static void a_curve_is_linear_between_its_points_and_flat_beyond(void **state)
{
    (void)state;
    const struct jl_cpu_model *model = jl_catalog_cpu("AMD_EPYC_9654");
    double watts = 0;
    assert_true(jl_catalog_curve_w(model, 15, &watts));
    assert_near(watts, 278.5, 1e-9);
    assert_true(jl_catalog_curve_w(model, 100, &watts));
    assert_near(watts, 817, 0);
    assert_true(jl_catalog_curve_w(model, 120, &watts));
    assert_near(watts, 817, 0);
    assert_true(jl_catalog_curve_w(model, -3, &watts));
    assert_near(watts, 128, 0);
}

/* The table of docs/rules/catalog.md#power-curves. */
static void the_curves_are_those_of_the_measurements(void **state)
{
    static const struct {
        const char *key;
        double watts[JL_CURVE_POINTS];
    } rows[] = {
        { "AMD_EPYC_9654", { 128, 257, 300, 340, 378, 410, 442, 498, 577, 697, 817 } },
        { "AMD_EPYC_9655", { 138, 297, 367, 438, 515, 593, 661, 710, 771, 812, 861 } },
        { "AMD_EPYC_9965", { 157, 265, 314, 362, 412, 461, 503, 544, 587, 661, 800 } },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        for (int k = 0; k < JL_CURVE_POINTS; k++) {
            double watts = 0;
            assert_true(jl_catalog_curve_w(jl_catalog_cpu(rows[i].key), 10 * k, &watts));
            assert_near(watts, rows[i].watts[k], 0);
        }
    }
}

static void a_family_curve_is_scaled_by_tdp(void **state)
{
    (void)state;
    double watts = 0;
    assert_string_equal(jl_catalog_curve_model(jl_catalog_cpu("AMD_EPYC_9534"))->key,
                        "AMD_EPYC_9654");
    assert_true(jl_catalog_curve_w(jl_catalog_cpu("AMD_EPYC_9534"), 50, &watts));
    assert_near(watts, 410.0 * 280 / 360, 1e-9);
}

static void a_family_that_does_not_exist_gives_no_curve(void **state)
{
    (void)state;
    double watts = 7;
    assert_null(jl_catalog_curve_model(jl_catalog_cpu("INTEL_XEON_GOLD_6530")));
    assert_false(jl_catalog_curve_w(jl_catalog_cpu("INTEL_XEON_GOLD_6530"), 50, &watts));
    assert_false(jl_catalog_curve_w(NULL, 50, &watts));
    assert_near(watts, 7, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_raw_model_is_found_whatever_its_marks_and_separators),
        cmocka_unit_test(only_an_equal_normal_form_matches),
        cmocka_unit_test(nothing_matches_an_empty_text),
        cmocka_unit_test(a_normal_form_is_cut_to_its_buffer_but_reports_its_length),
        cmocka_unit_test(a_curve_is_linear_between_its_points_and_flat_beyond),
        cmocka_unit_test(the_curves_are_those_of_the_measurements),
        cmocka_unit_test(a_family_curve_is_scaled_by_tdp),
        cmocka_unit_test(a_family_that_does_not_exist_gives_no_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
