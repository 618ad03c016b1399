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
        { "AMD_EPYC_9965", { 157, 265, 314, 362, 412, 461, 503, 544, 587, 661, 800 } },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_cpu_model *model = jl_catalog_cpu(rows[i].key);
        assert_int_equal(model->origins[JL_FIGURE_CURVE].mark, JL_MARK_VERIFIED);
        for (int k = 0; k < JL_CURVE_POINTS; k++) {
            double watts = 0;
            assert_true(jl_catalog_curve_w(model, 10 * k, &watts));
            assert_near(watts, rows[i].watts[k], 0);
        }
    }
}

/* A machine of another kind was measured, so such a curve is an assumption. */
static void a_family_curve_is_scaled_by_tdp(void **state)
{
    static const struct {
        const char *key;
        const char *family;
        double half_load_w;
    } rows[] = {
        { "AMD_EPYC_9534", "AMD_EPYC_9654", 410.0 * 280 / 360 },
        { "AMD_EPYC_9655", "AMD_EPYC_9654", 410.0 * 400 / 360 },
        { "AMD_EPYC_9375F", "AMD_EPYC_9654", 410.0 * 320 / 360 },
        { "INTEL_XEON_GOLD_6530", "XEON_GEN5_GENERIC", 421.0 * 270 / 350 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_cpu_model *model = jl_catalog_cpu(rows[i].key);
        double watts = 0;
        assert_string_equal(model->proxy_family, rows[i].family);
        assert_string_equal(model->curve->family, rows[i].family);
        assert_int_equal(model->origins[JL_FIGURE_CURVE].mark, JL_MARK_ASSUMED);
        assert_true(jl_catalog_curve_w(model, 50, &watts));
        assert_near(watts, rows[i].half_load_w, 1e-9);
    }
}

/* 138 W at no load and 861 W at full were measured with two 9965, whatever the source says. */
static void the_source_keeps_its_own_entries(void **state)
{
    const struct jl_cpu_model *of_source =
        jl_catalog_cpu_of_source(jl_catalog_cpu("AMD EPYC 9655"));
    double watts = 0;

    (void)state;
    assert_string_equal(of_source->key, "AMD_EPYC_9655");
    assert_string_equal(of_source->provenance, "exact+official");
    assert_null(of_source->proxy_family);
    assert_true(jl_catalog_curve_w(of_source, 100, &watts));
    assert_near(watts, 861, 0);
    of_source = jl_catalog_cpu_of_source(jl_catalog_cpu("AMD_EPYC_9375F"));
    assert_true(jl_catalog_curve_w(of_source, 100, &watts));
    assert_near(watts, 861.0 * 320 / 400, 1e-9);

    assert_near(jl_catalog_gpu("H100 SXM")->min_board_w, 200, 0);
    assert_near(jl_catalog_gpu_of_source(jl_catalog_gpu("H100 SXM"))->min_board_w, 350, 0);
    assert_near(jl_catalog_gpu("MI300X")->idle_w, 144, 0);
    assert_near(jl_catalog_gpu_of_source(jl_catalog_gpu("MI300X"))->idle_w, 120, 0);
    assert_near(jl_catalog_gpu("W7900")->idle_w, 13, 0);
    assert_near(jl_catalog_gpu_of_source(jl_catalog_gpu("W7900"))->idle_w, 25, 0);

    /* what was not mended is one entry */
    assert_ptr_equal(jl_catalog_cpu_of_source(jl_catalog_cpu("AMD_EPYC_9654")),
                     jl_catalog_cpu("AMD_EPYC_9654"));
    assert_ptr_equal(jl_catalog_gpu_of_source(jl_catalog_gpu("L40S")), jl_catalog_gpu("L40S"));
    assert_null(jl_catalog_cpu_of_source(NULL));
    assert_null(jl_catalog_gpu_of_source(NULL));
}

static void a_family_that_does_not_exist_gives_no_curve(void **state)
{
    (void)state;
    double watts = 7;
    const struct jl_cpu_model *of_source =
        jl_catalog_cpu_of_source(jl_catalog_cpu("INTEL_XEON_GOLD_6530"));
    assert_string_equal(of_source->proxy_family, "XEON_GEN5_GENERIC");
    assert_false(jl_catalog_curve_w(of_source, 50, &watts));
    assert_false(jl_catalog_curve_w(NULL, 50, &watts));
    assert_near(watts, 7, 0);
}

static bool has_origin(const struct jl_origin *origins, enum jl_figure figure)
{
    return jl_word_of(&jl_mark_words, (int)origins[figure].mark) != NULL &&
           !jl_is_empty(origins[figure].source);
}

/* Speeds, idle power, the lowest cap and the law of a cap are in no data sheet. */
static void every_such_figure_says_where_it_comes_from(void **state)
{
    static const char *const cpus[] = { "AMD_EPYC_9654", "AMD_EPYC_9655",  "AMD_EPYC_9965",
                                        "AMD_EPYC_9534", "AMD_EPYC_9375F", "INTEL_XEON_GOLD_6530" };
    static const char *const gpus[] = { "NVIDIA_H100_NVL", "NVIDIA_H100_SXM", "NVIDIA_L40S",
                                        "AMD_INSTINCT_MI300X", "AMD_RADEON_PRO_W7900" };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(cpus); i++) {
        const struct jl_cpu_model *model = jl_catalog_cpu(cpus[i]);
        assert_true(model->relative_speed > 0);
        assert_true(has_origin(model->origins, JL_FIGURE_SPEED));
        assert_true(has_origin(model->origins, JL_FIGURE_CURVE));
    }
    for (size_t i = 0; i < JL_COUNT(gpus); i++) {
        const struct jl_gpu_model *model = jl_catalog_gpu(gpus[i]);
        assert_true(model->relative_speed > 0);
        assert_true(has_origin(model->origins, JL_FIGURE_SPEED));
        assert_true(has_origin(model->origins, JL_FIGURE_IDLE));
        assert_true(has_origin(model->origins, JL_FIGURE_MIN_CAP));
        assert_true(has_origin(model->origins, JL_FIGURE_CAP_LAW));
    }
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
        cmocka_unit_test(the_source_keeps_its_own_entries),
        cmocka_unit_test(a_family_that_does_not_exist_gives_no_curve),
        cmocka_unit_test(every_such_figure_says_where_it_comes_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
