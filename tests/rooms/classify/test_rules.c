/* SPDX-License-Identifier: Apache-2.0 */

/* Confidence, class, energies and reasons (docs/rules/classification.md). */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classify/classify_tests.h"
#include "kinds/effective.h"

#define IGNORED                                                              \
    (JOULIE_CLASSIFY_IGNORED_CLASS | JOULIE_CLASSIFY_IGNORED_RESCHEDULABLE | \
     JOULIE_CLASSIFY_IGNORED_CPU_SENSITIVITY | JOULIE_CLASSIFY_IGNORED_GPU_SENSITIVITY)

static void confidence_lies_between_0_and_1(void **state)
{
    (void)state;
    static const double levels[] = { 0, 1e-9, 45, 100, 1e14 };
    static const double coverages[] = { -1, 0, 0.5, 1, 7 };
    static const char *const classes[] = { NULL, "performance", "standard", "batch" };
    for (size_t i = 0; i < JL_COUNT(levels) * JL_COUNT(coverages) * JL_COUNT(classes) * 2; i++) {
        struct classifying c;
        classifying_begin(&c);
        const double level = levels[i / 2 % JL_COUNT(levels)];
        const char *class_text = classes[i / 2 / JL_COUNT(levels) % JL_COUNT(classes)];
        set_utilisation(&c, level, level, level);
        set_energies(&c, level, level, level);
        measure(&c, JL_INDEX(jl_classify_metrics, coverage_frac),
                coverages[i / 2 / JL_COUNT(levels) / JL_COUNT(classes)]);
        if (class_text)
            annotate(&c, JL_ANNOTATION_CLASS, class_text);
        c.in.rules = i % 2 ? JOULIE_CLASSIFY_RULES_V0_1_0 : JOULIE_CLASSIFY_RULES_CURRENT;
        classify_now(&c);
        assert_true(c.result.status.confidence >= 0.3 && c.result.status.confidence <= 1);
        assert_int_equal((c.result.flags & JOULIE_CLASSIFY_RELIABLE) != 0,
                         c.result.status.confidence >= 0.5);
        classifying_end(&c);
    }
}

/* Any of the three utilisations counts, and it counts once. */
static void any_signal_gives_the_utilisation_credit_once(void **state)
{
    (void)state;
    for (unsigned mask = 1; mask < 8; mask++) {
        struct classifying c;
        classifying_begin(&c);
        set_utilisation(&c, mask & 1 ? 50 : 0, mask & 2 ? 50 : 0, mask & 4 ? 50 : 0);
        classify_now(&c);
        assert_near(c.result.status.confidence, 0.5, 1e-12);
        classifying_end(&c);
    }
}

/* At the same utilisation the split of the energies decides, in both directions. */
static void energies_reach_the_bound_in_both_directions(void **state)
{
    (void)state;

    static const struct {
        double cpu_j, dram_j;
        enum joulie_bound bound;
        enum joulie_level sensitivity;
    } splits[] = {
        { 9000, 500, JOULIE_BOUND_COMPUTE, JOULIE_LEVEL_HIGH },
        { 24000, 12000, JOULIE_BOUND_MIXED, JOULIE_LEVEL_MEDIUM },
        { 24000, 18000, JOULIE_BOUND_MEMORY, JOULIE_LEVEL_LOW },
    };

    for (size_t i = 0; i < JL_COUNT(splits); i++) {
        struct classifying c;
        classifying_begin(&c);
        set_utilisation(&c, 45, 0, 20);
        set_energies(&c, splits[i].cpu_j, splits[i].dram_j, 0);
        classify_now(&c);
        assert_int_equal(c.result.status.cpu.bound, splits[i].bound);
        assert_int_equal(c.result.status.cpu.cap_sensitivity, splits[i].sensitivity);
        classifying_end(&c);
    }
}

static void energies_without_a_dram_reading_override_nothing(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    set_utilisation(&c, 45, 0, 20);
    measure(&c, JL_INDEX(jl_classify_metrics, kepler_package_w), 40);
    classify_now(&c);
    assert_string_equal(reason_of(&c), "cpu-intensity=medium (util 45%)");
    classifying_end(&c);
}

static void energies_are_not_looked_at_when_kepler_is_not_used(void **state)
{
    (void)state;
    struct classifying with;
    classifying_begin(&with);
    set_utilisation(&with, 45, 0, 20);
    set_energies(&with, 9000, 500, 300);
    JL_SET(&with.metrics, kepler_used, false);
    classify_now(&with);

    struct classifying without;
    classifying_begin(&without);
    set_utilisation(&without, 45, 0, 20);
    classify_now(&without);
    assert_same_profile(&with.result.status, &without.result.status);
    assert_string_equal(reason_of(&with), reason_of(&without));
    classifying_end(&with);
    classifying_end(&without);
}

static bool comparison_holds(double left, const char *sign, double right)
{
    if (*sign == '<')
        return left < right;
    return *sign == '>' ? left > right : left >= right;
}

/* Every "number[%]sign number" of a reason; returns how many there were. */
static int check_printed_comparisons(const char *reason)
{
    int count = 0;
    for (const char *at = reason; *at; at++) {
        const bool is_sign = *at == '<' || *at == '>' || strncmp(at, "\xE2\x89\xA5", 3) == 0;
        const char *end = at > reason && at[-1] == '%' ? at - 1 : at;
        const char *start = end;
        while (start > reason && strchr("0123456789.", start[-1]))
            start--;
        if (!is_sign || start == end)
            continue;
        const double left = strtod(start, NULL);
        const double right = strtod(at + (*at == '<' || *at == '>' ? 1 : 3), NULL);
        if (!comparison_holds(left, at, right))
            fail_msg("not true: %s", reason);
        const char *point = memchr(start, '.', (size_t)(end - start));
        assert_true(!point || end - point - 1 <= 6);
        count++;
    }
    return count;
}

/* Around every threshold and at every distance from it. */
static void a_printed_comparison_is_always_true(void **state)
{
    (void)state;
    static const double thresholds[] = { 20, 25, 30, 40, 50, 60, 65, 70, 75 };
    int comparisons = 0;
    for (size_t i = 0; i < JL_COUNT(thresholds); i++) {
        for (double distance = 10; distance > 1e-14; distance /= 3) {
            for (int side = -1; side <= 1; side++) {
                struct classifying c;
                classifying_begin(&c);
                const double near_pct = thresholds[i] + side * distance;
                set_utilisation(&c, near_pct, near_pct, 49.5);
                classify_now(&c);
                comparisons += check_printed_comparisons(reason_of(&c));
                set_utilisation(&c, 45, 0, near_pct);
                set_energies(&c, 0.7 + side * distance / 50, 0.3 - side * distance / 50, 0);
                if (c.metrics.window.dram_energy_j >= 0 && c.metrics.window.cpu_energy_j >= 0) {
                    classify_now(&c);
                    comparisons += check_printed_comparisons(reason_of(&c));
                }
                classifying_end(&c);
            }
        }
    }
    assert_true(comparisons > 1000);
}

static void a_value_a_hair_from_its_threshold_is_printed_on_its_own_side(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    set_utilisation(&c, nextafter(30, 0), nextafter(70, 0), nextafter(50, 100));
    JL_SET(&c.metrics, gpu_dominant, false);
    classify_now(&c);
    assert_string_equal(
        reason_of(&c),
        "cpu-intensity=low (util 29.999999%<30%); cpu-bound=memory (mem-pressure 50.000001%>50%); "
        "gpu-intensity=medium (util 70%)");
    classifying_end(&c);
}

/* The class of a workload is inferred when asked for, and never against an annotation. */
static void an_annotated_class_is_never_replaced_by_a_derived_one(void **state)
{
    (void)state;
    for (double cpu_pct = 0; cpu_pct <= 100; cpu_pct += 5) {
        struct classifying c;
        classifying_begin(&c);
        set_utilisation(&c, cpu_pct, 100 - cpu_pct, 20);
        c.in.derive_class = 1;
        annotate(&c, JL_ANNOTATION_CLASS, "standard");
        classify_now(&c);
        assert_string_equal(c.result.class_text, "standard");
        classifying_end(&c);
    }
}

/* A word that the kind does not have is named, not copied. */
static void an_unknown_class_is_quoted_and_cut_in_the_reason(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    annotate(&c, JL_ANNOTATION_CLASS, "a\"b\n");
    classify_now(&c);
    assert_string_equal(reason_of(&c),
                        "hints only (no metrics available); workload-class \"a\\\"b\\n\" ignored "
                        "(not performance or standard)");
    assert_string_equal(c.result.class_text, "standard");
    assert_int_equal(c.result.flags & IGNORED, JOULIE_CLASSIFY_IGNORED_CLASS);
    classifying_end(&c);

    /* 62 bytes and a character of two: the cut is at its border */
    classifying_begin(&c);
    annotate(&c, JL_ANNOTATION_CLASS,
             "12345678901234567890123456789012345678901234567890123456789012\xC3\xA9");
    classify_now(&c);
    assert_non_null(strstr(reason_of(&c), "789012\" ignored"));
    classifying_end(&c);
}

static void invalid_annotations_are_ignored_and_reported(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    set_utilisation(&c, 45, 0, 20);
    annotate(&c, JL_ANNOTATION_CPU_SENSITIVITY, "extreme");
    annotate(&c, JL_ANNOTATION_GPU_SENSITIVITY, "none");
    annotate(&c, JL_ANNOTATION_RESCHEDULABLE, "1");
    classify_now(&c);
    assert_int_equal(c.result.flags & IGNORED, JOULIE_CLASSIFY_IGNORED_CPU_SENSITIVITY |
                                                   JOULIE_CLASSIFY_IGNORED_GPU_SENSITIVITY |
                                                   JOULIE_CLASSIFY_IGNORED_RESCHEDULABLE);
    assert_string_equal(reason_of(&c), "cpu-intensity=medium (util 45%)");
    assert_false(c.result.status.given.migratability);
    classifying_end(&c);
}

/* Nothing is claimed about a CPU without a size, except what the annotation says. */
static void a_sensitivity_annotation_holds_for_an_unknown_cpu(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    measure(&c, JL_INDEX(jl_classify_metrics, usage_cores), 0.5);
    c.has_metrics = true;
    annotate(&c, JL_ANNOTATION_CPU_SENSITIVITY, "high");
    classify_now(&c);
    assert_true(c.result.status.given.cpu);
    assert_int_equal(c.result.status.cpu.has, UINT64_C(1)
                                                  << JL_INDEX(jl_profile_part, cap_sensitivity));
    assert_int_equal(c.result.status.cpu.cap_sensitivity, JOULIE_LEVEL_HIGH);
    assert_string_equal(reason_of(&c), "cpu=unknown (no request, limit or node size); "
                                       "cpu-cap-sensitivity=high (annotation override)");
    assert_string_equal(c.result.summary, "low-confidence (hints only)");
    classifying_end(&c);
}

/* The threshold marks, it does not stop. */
static void min_confidence_changes_only_reliable(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    set_utilisation(&c, 45, 0, 20);
    classify_now(&c);
    const struct jl_classification usual = c.result;
    assert_true(usual.flags & JOULIE_CLASSIFY_RELIABLE);
    set_min_confidence(&c, 0.6);
    classify_now(&c);
    assert_false(c.result.flags & JOULIE_CLASSIFY_RELIABLE);
    assert_same_profile(&usual.status, &c.result.status);
    assert_string_equal(usual.status.classification_reason, reason_of(&c));
    assert_string_equal(usual.summary, c.result.summary);
    classifying_end(&c);
}

/* The sample of the guide says memory/compute at 0.85; its own numbers give this. */
static void the_sample_of_the_guide_is_what_the_rules_give(void **state)
{
    (void)state;
    struct classifying c;
    classifying_begin(&c);
    set_utilisation(&c, 45, 92, 68);
    classify_now(&c);
    assert_string_equal(c.result.summary, "medium-confidence cpu=medium/mixed gpu=high/memory");
    classifying_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confidence_lies_between_0_and_1),
        cmocka_unit_test(any_signal_gives_the_utilisation_credit_once),
        cmocka_unit_test(energies_reach_the_bound_in_both_directions),
        cmocka_unit_test(energies_without_a_dram_reading_override_nothing),
        cmocka_unit_test(energies_are_not_looked_at_when_kepler_is_not_used),
        cmocka_unit_test(a_printed_comparison_is_always_true),
        cmocka_unit_test(a_value_a_hair_from_its_threshold_is_printed_on_its_own_side),
        cmocka_unit_test(an_annotated_class_is_never_replaced_by_a_derived_one),
        cmocka_unit_test(an_unknown_class_is_quoted_and_cut_in_the_reason),
        cmocka_unit_test(invalid_annotations_are_ignored_and_reported),
        cmocka_unit_test(a_sensitivity_annotation_holds_for_an_unknown_cpu),
        cmocka_unit_test(min_confidence_changes_only_reliable),
        cmocka_unit_test(the_sample_of_the_guide_is_what_the_rules_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
