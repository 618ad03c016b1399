/* SPDX-License-Identifier: Apache-2.0 */

/* Hysteresis (docs/rules/classification.md#hysteresis): a value near a threshold does not flap. */

#include <math.h>
#include <string.h>

#include "classify/classify_tests.h"

static struct jl_profile_status classified_at(double cpu_pct, double gpu_pct, double mem_pct)
{
    struct classifying c;
    classifying_begin(&c);
    set_utilisation(&c, cpu_pct, gpu_pct, mem_pct);
    set_energies(&c, 100, 10, 5);
    set_hysteresis(&c, 0);
    classify_now(&c);
    struct jl_profile_status status = c.result.status;
    status.classification_reason = NULL; /* its text goes with the arena */
    classifying_end(&c);
    return status;
}

static void begin_with_previous(struct classifying *c, const struct jl_profile_status *previous,
                                double cpu_pct, double gpu_pct, double mem_pct)
{
    classifying_begin(c);
    set_utilisation(c, cpu_pct, gpu_pct, mem_pct);
    set_energies(c, 100, 10, 5);
    c->previous = previous;
}

#define FOR_EACH_PCT(name) for (double name = 0; name <= 100; name += 12.5)

static void a_classification_equal_to_the_previous_is_stable(void **state)
{
    (void)state;
    FOR_EACH_PCT(cpu_pct)
    FOR_EACH_PCT(gpu_pct)
    FOR_EACH_PCT(mem_pct)
    {
        const struct jl_profile_status previous = classified_at(cpu_pct, gpu_pct, mem_pct);
        struct classifying c;
        begin_with_previous(&c, &previous, cpu_pct, gpu_pct, mem_pct);
        classify_now(&c);
        assert_same_profile(&c.result.status, &previous);
        assert_null(strstr(reason_of(&c), "hysteresis"));
        classifying_end(&c);
    }
}

static void a_margin_of_0_changes_nothing(void **state)
{
    (void)state;
    const struct jl_profile_status previous = classified_at(90, 90, 90);
    FOR_EACH_PCT(cpu_pct)
    FOR_EACH_PCT(gpu_pct)
    FOR_EACH_PCT(mem_pct)
    {
        const struct jl_profile_status expected = classified_at(cpu_pct, gpu_pct, mem_pct);
        struct classifying c;
        begin_with_previous(&c, &previous, cpu_pct, gpu_pct, mem_pct);
        set_hysteresis(&c, 0);
        classify_now(&c);
        assert_same_profile(&c.result.status, &expected);
        classifying_end(&c);
    }
}

/* Values that are kept are those of a point within the margin; all others are the fresh ones. */
static void only_a_value_within_the_margin_is_kept(void **state)
{
    (void)state;
    const struct jl_profile_status previous = classified_at(76, 0, 20); /* high compute/high */
    for (double cpu_pct = 0; cpu_pct <= 100; cpu_pct += 0.25) {
        const struct jl_profile_status fresh = classified_at(cpu_pct, 0, 20);
        struct classifying c;
        begin_with_previous(&c, &previous, cpu_pct, 0, 20);
        classify_now(&c);
        if (cpu_pct + 5 >= 75)
            assert_int_equal(c.result.status.cpu.intensity, JOULIE_LEVEL_HIGH);
        else
            assert_int_equal(c.result.status.cpu.intensity, fresh.cpu.intensity);
        classifying_end(&c);
    }
}

static void a_value_that_swings_around_a_threshold_is_classified_once(void **state)
{
    (void)state;
    static const double thresholds[] = { 30, 60, 65, 70, 75 };
    for (size_t i = 0; i < JL_COUNT(thresholds); i++) {
        struct jl_profile_status previous = classified_at(thresholds[i] - 0.1, 0, 20);
        const struct jl_profile_status first = previous;
        for (int tick = 0; tick < 6; tick++) {
            struct classifying c;
            begin_with_previous(&c, &previous, thresholds[i] + (tick % 2 ? -0.1 : 0.1), 0, 20);
            classify_now(&c);
            assert_int_equal(c.result.status.cpu.intensity, first.cpu.intensity);
            assert_int_equal(c.result.status.cpu.bound, first.cpu.bound);
            assert_int_equal(c.result.status.cpu.cap_sensitivity, first.cpu.cap_sensitivity);
            previous = c.result.status;
            previous.classification_reason = NULL;
            classifying_end(&c);
        }
    }
}

static void the_gpu_keeps_its_values_by_the_same_rule(void **state)
{
    (void)state;
    const struct jl_profile_status previous = classified_at(50, 71, 20); /* high compute/high */
    struct classifying c;
    begin_with_previous(&c, &previous, 50, 68, 20);
    classify_now(&c);
    assert_string_equal(
        reason_of(&c),
        "cpu-intensity=medium (util 50%); cpu-bound=mixed (GPU dominant); kepler override: "
        "cpu-bound=compute (energy ratio 0.87>0.70); gpu-intensity=medium (util 68%); hysteresis: "
        "gpu-intensity=high kept; hysteresis: gpu-bound=compute, cap-sensitivity=high kept");
    assert_int_equal(c.result.status.gpu.intensity, JOULIE_LEVEL_HIGH);
    assert_int_equal(c.result.status.gpu.cap_sensitivity, JOULIE_LEVEL_HIGH);
    classifying_end(&c);
}

static void nothing_is_kept_from_a_previous_that_says_nothing(void **state)
{
    (void)state;
    struct jl_profile_status previous = classified_at(76, 71, 20);
    const struct jl_profile_status fresh = classified_at(73, 68, 20);

    static const struct {
        uint64_t status_bits; /* taken away */
        uint64_t part_bits;
    } missing[] = {
        { UINT64_C(1) << JL_INDEX(jl_profile_status, confidence), 0 },
        { UINT64_C(1) << JL_INDEX(jl_profile_status, cpu) | UINT64_C(1)
                                                                << JL_INDEX(jl_profile_status, gpu),
          0 },
        { 0, UINT64_C(1) << JL_INDEX(jl_profile_part, intensity) |
                 UINT64_C(1) << JL_INDEX(jl_profile_part, bound) },
        { 0, UINT64_C(1) << JL_INDEX(jl_profile_part, intensity) |
                 UINT64_C(1) << JL_INDEX(jl_profile_part, cap_sensitivity) },
    };

    for (size_t i = 0; i < JL_COUNT(missing); i++) {
        struct jl_profile_status partial = previous;
        partial.has &= ~missing[i].status_bits;
        partial.cpu.has &= ~missing[i].part_bits;
        partial.gpu.has &= ~missing[i].part_bits;
        struct classifying c;
        begin_with_previous(&c, &partial, 73, 68, 20);
        classify_now(&c);
        assert_same_profile(&c.result.status, &fresh);
        classifying_end(&c);
    }
}

/* The words of a later version decode to 0. */
static void nothing_is_kept_from_words_that_we_do_not_know(void **state)
{
    (void)state;
    struct jl_profile_status previous = classified_at(76, 71, 20);
    const struct jl_profile_status fresh = classified_at(73, 68, 20);
    previous.cpu.intensity = previous.gpu.intensity = JOULIE_LEVEL_UNKNOWN;
    previous.cpu.bound = previous.gpu.bound = JOULIE_BOUND_UNKNOWN;
    struct classifying c;
    begin_with_previous(&c, &previous, 73, 68, 20);
    classify_now(&c);
    assert_same_profile(&c.result.status, &fresh);
    classifying_end(&c);
}

static void the_source_has_no_hysteresis(void **state)
{
    (void)state;
    const struct jl_profile_status previous = classified_at(76, 0, 20);
    struct classifying c;
    begin_with_previous(&c, &previous, 74, 0, 20);
    c.in.rules = JOULIE_CLASSIFY_RULES_V0_1_0;
    classify_now(&c);
    assert_int_equal(c.result.status.cpu.intensity, JOULIE_LEVEL_MEDIUM);
    classifying_end(&c);
}

/* Points lie within 0 to 100 and not within less: near the top a GPU is above its CPU or not by a
 * fraction of a percent. */
static void points_beside_a_measurement_reach_up_to_100(void **state)
{
    static const struct {
        double cpu_pct, gpu_pct;
        bool is_reached; /* a point where the GPU is above the CPU */
    } rows[] = {
        { 99.5, 99.2, true }, { 99.5, 99.05, false }, { 100, 99.5, false }, { 100, 99.65, true }
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_profile_status previous = { .confidence = 0.5 };
        struct classifying c;
        JL_SET(&previous.cpu, intensity, JOULIE_LEVEL_HIGH);
        JL_SET(&previous.cpu, bound, JOULIE_BOUND_MIXED);
        JL_SET(&previous.cpu, cap_sensitivity, JOULIE_LEVEL_LOW);
        previous.given.cpu = previous.given.confidence = true;
        classifying_begin(&c);
        set_utilisation(&c, rows[i].cpu_pct, rows[i].gpu_pct, 0);
        set_hysteresis(&c, 0.2);
        c.previous = &previous;
        classify_now(&c);
        assert_int_equal(c.result.status.cpu.bound,
                         rows[i].is_reached ? JOULIE_BOUND_MIXED : JOULIE_BOUND_COMPUTE);
        classifying_end(&c);
    }
}

static void classify_at(struct classifying *c, const struct jl_profile_status *previous,
                        const double at_pct[3])
{
    classifying_begin(c);
    set_utilisation(c, at_pct[0], at_pct[1], at_pct[2]);
    if (previous)
        c->previous = previous;
    else
        set_hysteresis(c, 0);
    classify_now(c);
}

struct reached { /* some point around the measurement gives the earlier value */
    bool cpu_intensity, cpu_pair, gpu_intensity, gpu_pair;
};

static bool is_same_pair(const struct jl_profile_part *a, const struct jl_profile_part *b)
{
    return a->bound == b->bound && a->cap_sensitivity == b->cap_sensitivity;
}

/* Each of CPU, GPU and memory moved by minus 5, nothing or plus 5 within 0 to 100. */
static struct reached reached_from(const double at_pct[3], const struct jl_profile_status *previous)
{
    struct reached reached = { 0 };
    for (int point = 0; point < 27; point++) {
        const double moves[] = { point % 3 * 5 - 5, point / 3 % 3 * 5 - 5, point / 9 * 5 - 5 };
        double near_pct[3];
        struct classifying c;
        for (int i = 0; i < 3; i++)
            near_pct[i] = fmin(fmax(at_pct[i] + moves[i], 0), 100);
        classify_at(&c, NULL, near_pct);
        const struct jl_profile_status *at = &c.result.status;
        reached.cpu_intensity |= at->cpu.intensity == previous->cpu.intensity;
        reached.cpu_pair |= is_same_pair(&at->cpu, &previous->cpu);
        reached.gpu_intensity |= at->gpu.intensity == previous->gpu.intensity;
        reached.gpu_pair |= is_same_pair(&at->gpu, &previous->gpu);
        classifying_end(&c);
    }
    return reached;
}

/* All 27 points count, those in which nothing or little moved too, and no others. */
static void a_value_is_kept_where_a_point_around_the_measurement_gives_it(void **state)
{
    static const double before_pct[][3] = { { 68, 0, 20 },  { 90, 90, 30 }, { 50, 30, 10 },
                                            { 45, 10, 80 }, { 10, 65, 70 }, { 80, 50, 40 } };
    static const double cpu_pct[] = { 18, 33, 58, 67.5, 73 };
    static const double gpu_pct[] = { 0, 22, 38, 42, 66, 74 };
    static const double mem_pct[] = { 0, 48, 52, 62 };

    (void)state;
    for (size_t i = 0;
         i < JL_COUNT(before_pct) * JL_COUNT(cpu_pct) * JL_COUNT(gpu_pct) * JL_COUNT(mem_pct);
         i++) {
        const double at_pct[] = {
            cpu_pct[i / JL_COUNT(before_pct) % JL_COUNT(cpu_pct)],
            gpu_pct[i / JL_COUNT(before_pct) / JL_COUNT(cpu_pct) % JL_COUNT(gpu_pct)],
            mem_pct[i / JL_COUNT(before_pct) / JL_COUNT(cpu_pct) / JL_COUNT(gpu_pct)],
        };
        struct classifying before, fresh, now;
        classify_at(&before, NULL, before_pct[i % JL_COUNT(before_pct)]);
        classify_at(&fresh, NULL, at_pct);
        classify_at(&now, &before.result.status, at_pct);
        struct jl_profile_status expected = fresh.result.status;
        const struct jl_profile_status *previous = &before.result.status;
        const struct reached reached = reached_from(at_pct, previous);
        const bool has_gpus = previous->gpu.intensity != JOULIE_LEVEL_NONE &&
                              expected.gpu.intensity != JOULIE_LEVEL_NONE;
        if (reached.cpu_intensity)
            expected.cpu.intensity = previous->cpu.intensity;
        if (reached.cpu_pair) {
            expected.cpu.bound = previous->cpu.bound;
            expected.cpu.cap_sensitivity = previous->cpu.cap_sensitivity;
        }
        if (reached.gpu_intensity && has_gpus)
            expected.gpu.intensity = previous->gpu.intensity;
        if (reached.gpu_pair && has_gpus) {
            expected.gpu.bound = previous->gpu.bound;
            expected.gpu.cap_sensitivity = previous->gpu.cap_sensitivity;
        }
        assert_same_profile(&now.result.status, &expected);
        classifying_end(&before);
        classifying_end(&fresh);
        classifying_end(&now);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_classification_equal_to_the_previous_is_stable),
        cmocka_unit_test(a_margin_of_0_changes_nothing),
        cmocka_unit_test(only_a_value_within_the_margin_is_kept),
        cmocka_unit_test(a_value_that_swings_around_a_threshold_is_classified_once),
        cmocka_unit_test(the_gpu_keeps_its_values_by_the_same_rule),
        cmocka_unit_test(nothing_is_kept_from_a_previous_that_says_nothing),
        cmocka_unit_test(nothing_is_kept_from_words_that_we_do_not_know),
        cmocka_unit_test(the_source_has_no_hysteresis),
        cmocka_unit_test(points_beside_a_measurement_reach_up_to_100),
        cmocka_unit_test(a_value_is_kept_where_a_point_around_the_measurement_gives_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
