/* SPDX-License-Identifier: Apache-2.0 */

/* What is refused, what is clamped, and where metrics come from. */

#include <math.h>
#include <string.h>

#include "classify/classify_tests.h"
#include "kinds/effective.h"

static void a_number_that_is_not_finite_is_refused_at_its_place(void **state)
{
    (void)state;
    static const double bad[] = { NAN, INFINITY, -INFINITY };
    for (uint32_t bit = 0; bit < jl_classify_metrics_table.count; bit++) {
        const struct jl_row *row = &jl_classify_metrics_table.rows[bit];
        assert_true(row->type != JL_TYPE_NUMBER || row->bit == bit + 1);
        for (size_t i = 0; row->type == JL_TYPE_NUMBER && i < JL_COUNT(bad) * 2; i++) {
            struct classifying c;
            classifying_begin(&c);
            set_utilisation(&c, 45, 0, 20);
            measure(&c, bit, bad[i / 2]);
            c.in.rules = i % 2 ? JOULIE_CLASSIFY_RULES_V0_1_0 : JOULIE_CLASSIFY_RULES_CURRENT;
            assert_int_equal(classify_fails(&c), JOULIE_E_RANGE);
            assert_memory_equal(c.err.where, "metrics.", 8);
            assert_string_equal(c.err.where + 8, row->key);
            classifying_end(&c);
        }
    }
}

static void a_negative_number_is_refused_in_current(void **state)
{
    (void)state;
    for (uint32_t bit = 0; bit < jl_classify_metrics_table.count; bit++) {
        const struct jl_row *row = &jl_classify_metrics_table.rows[bit];
        if (row->type != JL_TYPE_NUMBER || bit == JL_INDEX(jl_classify_metrics, coverage_frac))
            continue;
        struct classifying c;
        classifying_begin(&c);
        set_utilisation(&c, 45, 0, 20);
        measure(&c, bit, -1);
        assert_int_equal(classify_fails(&c), JOULIE_E_RANGE);
        assert_string_equal(c.err.where + 8, row->key);
        c.in.rules = JOULIE_CLASSIFY_RULES_V0_1_0; /* no lower clamp */
        classify_now(&c);
        classifying_end(&c);
    }
}

static void a_setting_that_is_no_margin_or_confidence_is_refused(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    set_hysteresis(&c, -1);
    assert_int_equal(classify_fails(&c), JOULIE_E_RANGE);
    assert_string_equal(c.err.where, "config.hysteresisPct");
    set_hysteresis(&c, 5);
    set_min_confidence(&c, NAN);
    assert_int_equal(classify_fails(&c), JOULIE_E_RANGE);
    assert_string_equal(c.err.where, "config.minConfidence");
    classifying_end(&c);
}

/* What is printed is below 1e15 to either side, which the source has no other bound for. */
static void a_number_that_is_printed_has_bounds(void **state)
{
    static const struct {
        double value;
        bool is_good;
    } rows[] = { { 1e15, false }, { -1e15, false }, { 0.999e15, true }, { -0.999e15, true } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct classifying c;
        classifying_begin(&c);
        set_utilisation(&c, rows[i].value, 0, 20);
        c.in.rules = JOULIE_CLASSIFY_RULES_V0_1_0;
        if (rows[i].is_good) {
            classify_now(&c);
        } else {
            assert_int_equal(classify_fails(&c), JOULIE_E_RANGE);
            assert_string_equal(c.err.message, "is too large");
            assert_string_equal(c.err.where, "metrics.cpuUtilPct");
        }
        classifying_end(&c);
    }
}

/* A request, limit or node of 0 is none: the next one counts. */
static void usage_is_measured_against_what_there_is(void **state)
{
    static const struct {
        double request, limit, node; /* below 0 = not given */
        double cpu_pct;              /* below 0 = unknown */
    } rows[] = {
        { 4, 2, 1, 25 }, { 0, 2, 8, 50 },    { -1, 2, 8, 50 },
        { 0, 0, 4, 25 }, { -1, -1, 4, 25 },  { -1, 0, 4, 25 },
        { 0, 0, 0, -1 }, { -1, -1, -1, -1 }, { 0.5, 2, 8, 100 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct classifying c;
        classifying_begin(&c);
        measure(&c, JL_INDEX(jl_classify_metrics, usage_cores), 1);
        if (rows[i].request >= 0)
            measure(&c, JL_INDEX(jl_classify_metrics, request_cores), rows[i].request);
        if (rows[i].limit >= 0)
            measure(&c, JL_INDEX(jl_classify_metrics, limit_cores), rows[i].limit);
        if (rows[i].node >= 0)
            measure(&c, JL_INDEX(jl_classify_metrics, node_cores), rows[i].node);
        c.has_metrics = true;
        classify_now(&c);
        assert_int_equal(c.result.status.cpu.given.avg_utilization_pct, rows[i].cpu_pct >= 0);
        if (rows[i].cpu_pct >= 0)
            assert_near(c.result.status.cpu.avg_utilization_pct, rows[i].cpu_pct, 1e-12);
        classifying_end(&c);
    }
}

/* Watts of a GPU count where energies do; without a reading nothing is known of it. */
static void gpu_power_counts_where_energies_count(void **state)
{
    static const struct {
        bool has_gpu_w, is_refused; /* keplerUsed says that energies do not count */
        double gpu_pct;             /* below 0 = unknown */
    } rows[] = { { true, false, 50 }, { true, true, -1 }, { false, false, -1 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct classifying c;
        classifying_begin(&c);
        measure(&c, JL_INDEX(jl_classify_metrics, cpu_util_pct), 45);
        measure(&c, JL_INDEX(jl_classify_metrics, kepler_package_w), 100);
        if (rows[i].has_gpu_w)
            measure(&c, JL_INDEX(jl_classify_metrics, kepler_gpu_w), 200); /* of 400 */
        if (rows[i].is_refused)
            JL_SET(&c.metrics, kepler_used, false);
        c.has_metrics = true;
        classify_now(&c);
        assert_int_equal(c.result.status.gpu.given.avg_utilization_pct, rows[i].gpu_pct >= 0);
        if (rows[i].gpu_pct >= 0)
            assert_near(c.result.status.gpu.avg_utilization_pct, rows[i].gpu_pct, 1e-12);
        classifying_end(&c);
    }
}

/* Given ratios override nothing where there is no energy. */
static void a_ratio_without_energy_overrides_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct classifying c;
        classifying_begin(&c);
        set_utilisation(&c, 45, 0, 20);
        set_energies(&c, i * 100.0, 0, 0);
        measure(&c, JL_INDEX(jl_classify_metrics, cpu_bound_ratio), 0.9);
        classify_now(&c);
        assert_int_equal(c.result.status.cpu.bound,
                         i == 0 ? JOULIE_BOUND_MIXED : JOULIE_BOUND_COMPUTE);
        classifying_end(&c);
    }
}

/* More than the limit is 100 %, in the texts of the source too; so is a zero with a sign 0 %. */
static void percentages_are_printed_within_their_bounds(void **state)
{
    struct classifying c;
    (void)state;
    classifying_begin(&c);
    measure(&c, JL_INDEX(jl_classify_metrics, cpu_util_pct), 30);
    measure(&c, JL_INDEX(jl_classify_metrics, working_set_bytes), 2000);
    measure(&c, JL_INDEX(jl_classify_metrics, limit_bytes), 1000);
    c.has_metrics = true;
    c.in.rules = JOULIE_CLASSIFY_RULES_V0_1_0;
    classify_now(&c);
    assert_non_null(strstr(reason_of(&c), "mem-pressure 100%>50%"));
    classifying_end(&c);
    classifying_begin(&c);
    set_utilisation(&c, -0.0, 50, 0);
    classify_now(&c);
    assert_non_null(strstr(reason_of(&c), "(util 0%<30%)"));
    classifying_end(&c);
    classifying_begin(&c);
    set_utilisation(&c, 70.000003, 0, 20); /* six decimals show what five do not */
    classify_now(&c);
    assert_non_null(strstr(reason_of(&c), "(util 70.000003%>70%)"));
    classifying_end(&c);
}

static void huge_numbers_are_clamped_or_refused(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    c.has_metrics = true;
    measure(&c, JL_INDEX(jl_classify_metrics, usage_cores), 1e308);
    measure(&c, JL_INDEX(jl_classify_metrics, request_cores), 1e-308);
    measure(&c, JL_INDEX(jl_classify_metrics, working_set_bytes), 1e308);
    measure(&c, JL_INDEX(jl_classify_metrics, limit_bytes), 1e-308);
    measure(&c, JL_INDEX(jl_classify_metrics, kepler_gpu_w), 1e300);
    measure(&c, JL_INDEX(jl_classify_metrics, gpu_max_w), 1e-308);
    classify_now(&c);
    assert_near(c.result.status.cpu.avg_utilization_pct, 100, 0);
    assert_near(c.result.status.gpu.avg_utilization_pct, 100, 0);

    measure(&c, JL_INDEX(jl_classify_metrics, kepler_gpu_w), 1e308); /* times 600 s */
    assert_int_equal(classify_fails(&c), JOULIE_E_RANGE);
    assert_string_equal(c.err.where, "metrics.keplerGpuW");

    measure(&c, JL_INDEX(jl_classify_metrics, kepler_gpu_w), 0);
    measure(&c, JL_INDEX(jl_classify_metrics, gpu_util_pct),
            1e15); /* the source would print all its digits */
    assert_int_equal(classify_fails(&c), JOULIE_E_RANGE);
    assert_string_equal(c.err.where, "metrics.gpuUtilPct");
    classifying_end(&c);
}

static void no_zero_is_made_up_for_what_was_not_measured(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    c.has_metrics = true;
    measure(&c, JL_INDEX(jl_classify_metrics, cpu_util_pct), 45);
    classify_now(&c);
    assert_true(c.result.status.cpu.given.avg_utilization_pct);
    assert_false(c.result.status.gpu.given.avg_utilization_pct);
    measure(&c, JL_INDEX(jl_classify_metrics, gpu_util_pct), 0);
    classify_now(&c);
    assert_true(c.result.status.gpu.given.avg_utilization_pct);
    classifying_end(&c);
}

/* A GPU's share of its own power, not of 400 W. */
static void gpu_power_is_measured_against_the_gpus_of_the_pod(void **state)
{
    (void)state;

    static const struct {
        double max_w, count, expected_pct;
    } rows[] = { { 0, 0, 75 }, { 300, 1, 100 }, { 600, 1, 50 }, { 600, 2, 25 }, { 0, 3, 25 } };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct classifying c;
        classifying_begin(&c);
        c.has_metrics = true;
        measure(&c, JL_INDEX(jl_classify_metrics, kepler_gpu_w), 300);
        measure(&c, JL_INDEX(jl_classify_metrics, gpu_max_w), rows[i].max_w);
        measure(&c, JL_INDEX(jl_classify_metrics, gpu_count), rows[i].count);
        classify_now(&c);
        assert_near(c.result.status.gpu.avg_utilization_pct, rows[i].expected_pct, 1e-9);
        classifying_end(&c);
    }
}

/* The GPU's own memory reading replaces the host's. */
static void the_gpu_bound_follows_the_gpu_memory_when_it_is_measured(void **state)
{
    (void)state;
    for (double gpu_mem_pct = 0; gpu_mem_pct <= 100; gpu_mem_pct += 10) {
        struct classifying c;
        classifying_begin(&c);
        set_utilisation(&c, 45, 90, 100 - gpu_mem_pct);
        measure(&c, JL_INDEX(jl_classify_metrics, gpu_mem_util_pct), gpu_mem_pct);
        classify_now(&c);
        assert_int_equal(c.result.status.gpu.bound,
                         gpu_mem_pct > 60 ? JOULIE_BOUND_MEMORY : JOULIE_BOUND_COMPUTE);
        classifying_end(&c);
    }
}

static void annotate_idle(struct classifying *c)
{
    annotate(c, "sim.joulie.io/cpu-util-pct", "0.0");
    annotate(c, "sim.joulie.io/gpu-util-pct", "0.0");
    annotate(c, "sim.joulie.io/memory-pressure-pct", "0.0");
}

/* The source takes simulator annotations that are all 0; current does not. */
static void idle_annotations_are_metrics_only_for_the_source(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    annotate_idle(&c);
    c.in.use_sim_texts = 1;
    classify_now(&c);
    assert_true((c.result.flags & JOULIE_CLASSIFY_HINTS_ONLY));
    c.in.rules = JOULIE_CLASSIFY_RULES_V0_1_0;
    classify_now(&c);
    assert_false((c.result.flags & JOULIE_CLASSIFY_HINTS_ONLY));
    assert_string_equal(reason_of(&c), "cpu-intensity=low (util 0%<30%); cpu-bound=io (util <20%)");
    classifying_end(&c);
}

static void a_window_without_a_signal_falls_back_as_the_source_does(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    set_utilisation(&c, 0, 0, 0);
    annotate(&c, "sim.joulie.io/cpu-util-pct", "85.0");
    c.in.use_sim_texts = 1;
    classify_now(&c);
    assert_true((c.result.flags & JOULIE_CLASSIFY_HINTS_ONLY));
    c.in.rules = JOULIE_CLASSIFY_RULES_V0_1_0;
    classify_now(&c);
    assert_near(c.result.status.cpu.avg_utilization_pct, 85, 0);
    classifying_end(&c);
}

static void annotations_that_are_no_numbers_are_no_metrics(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "high", "85%", "NaN", "1e400", " 85" };
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        struct classifying c;
        classifying_begin(&c);
        annotate(&c, "sim.joulie.io/cpu-util-pct", texts[i]);
        c.in.use_sim_texts = 1;
        classify_now(&c);
        assert_true((c.result.flags & JOULIE_CLASSIFY_HINTS_ONLY));
        classifying_end(&c);
    }
}

static void an_arena_that_is_full_fails_the_call(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    set_utilisation(&c, 45, 0, 20);
    static const int64_t now_ms = 0;
    c.now_ms = &now_ms;
    c.arena.limit = 40;
    assert_int_equal(classify_fails(&c), JOULIE_E_LIMIT);
    classifying_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_that_is_not_finite_is_refused_at_its_place),
        cmocka_unit_test(a_negative_number_is_refused_in_current),
        cmocka_unit_test(a_setting_that_is_no_margin_or_confidence_is_refused),
        cmocka_unit_test(a_number_that_is_printed_has_bounds),
        cmocka_unit_test(usage_is_measured_against_what_there_is),
        cmocka_unit_test(gpu_power_counts_where_energies_count),
        cmocka_unit_test(a_ratio_without_energy_overrides_nothing),
        cmocka_unit_test(percentages_are_printed_within_their_bounds),
        cmocka_unit_test(huge_numbers_are_clamped_or_refused),
        cmocka_unit_test(no_zero_is_made_up_for_what_was_not_measured),
        cmocka_unit_test(gpu_power_is_measured_against_the_gpus_of_the_pod),
        cmocka_unit_test(the_gpu_bound_follows_the_gpu_memory_when_it_is_measured),
        cmocka_unit_test(idle_annotations_are_metrics_only_for_the_source),
        cmocka_unit_test(a_window_without_a_signal_falls_back_as_the_source_does),
        cmocka_unit_test(annotations_that_are_no_numbers_are_no_metrics),
        cmocka_unit_test(an_arena_that_is_full_fails_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
