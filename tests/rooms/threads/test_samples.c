/* SPDX-License-Identifier: Apache-2.0 */

/* Percentiles of few and of many samples (docs/rules/threads-training.md#percentiles). */

#include <stdlib.h>

#include "base/random.h"
#include "base/sort.h"
#include "support/test.h"
#include "threads/samples.h"

#define MANY 50000

static double percentile(struct jl_samples *samples, unsigned percent)
{
    double ns = -1;
    assert_int_equal(jl_samples_percentile(samples, percent, &ns), 0);
    return ns;
}

static void few_samples_are_exact(void **state)
{
    struct jl_samples samples = { .count = 0 };
    (void)state;
    for (uint64_t i = 0; i < JL_SAMPLES_EXACT; i++)
        assert_int_equal(jl_samples_add(&samples, 1000000007 * (JL_SAMPLES_EXACT - i)), 0);
    assert_near(percentile(&samples, 50), 1000000007.0 * (JL_SAMPLES_EXACT / 2), 0);
    assert_near(percentile(&samples, 100), 1000000007.0 * JL_SAMPLES_EXACT, 0);
    jl_samples_clear(&samples);
}

static void the_rank_is_the_nearest_one_above(void **state)
{
    struct jl_samples samples = { .count = 0 };
    (void)state;
    assert_int_equal(jl_samples_add(&samples, 10), 0);
    assert_near(percentile(&samples, 1), 10, 0);
    assert_near(percentile(&samples, 99), 10, 0);
    assert_int_equal(jl_samples_add(&samples, 70), 0);
    assert_near(percentile(&samples, 50), 10, 0);
    assert_near(percentile(&samples, 51), 70, 0);
    jl_samples_clear(&samples);
}

static int compare(const void *a, const void *b, void *user)
{
    const uint64_t *left = a;
    const uint64_t *right = b;
    (void)user;
    return JL_ORDER(*left, *right);
}

static void many_samples_are_within_a_half_percent(void **state)
{
    struct jl_samples samples = { .count = 0 };
    struct jl_random random = { 3 };
    uint64_t *all = malloc(MANY * sizeof *all);
    (void)state;
    assert_non_null(all);
    for (size_t i = 0; i < MANY; i++) {
        all[i] = (uint64_t)(jl_random_exponential(&random) * jl_random_range(&random, 1, 1e9));
        assert_int_equal(jl_samples_add(&samples, all[i]), 0);
    }
    assert_int_equal(jl_sort(all, MANY, sizeof *all, compare, NULL), 0);
    for (unsigned percent = 1; percent <= 100; percent++) {
        const double exact = (double)all[(MANY * percent + 99) / 100 - 1];
        assert_near(percentile(&samples, percent), exact, exact / 200);
    }
    free(all);
    jl_samples_clear(&samples);
}

static void the_longest_time_is_counted_in_the_last_bucket(void **state)
{
    struct jl_samples samples = { .count = 0 };
    (void)state;
    for (size_t i = 0; i <= JL_SAMPLES_EXACT; i++)
        assert_int_equal(jl_samples_add(&samples, UINT64_MAX), 0);
    assert_true(percentile(&samples, 50) > 4e12); /* more than an hour */
    jl_samples_clear(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_samples_are_exact),
        cmocka_unit_test(the_rank_is_the_nearest_one_above),
        cmocka_unit_test(many_samples_are_within_a_half_percent),
        cmocka_unit_test(the_longest_time_is_counted_in_the_last_bucket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
