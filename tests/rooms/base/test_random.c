/* SPDX-License-Identifier: Apache-2.0 */
/* SplitMix64 against its published numbers, and the distributions on top of it. */
#include <math.h>

#include "base/random.h"
#include "support/test.h"

#define DRAWS 100000

static void equal_seeds_give_the_published_numbers(void **state)
{
    struct jl_random random = { 42 };
    (void)state;
    assert_true(jl_random_next(&random) == UINT64_C(0xBDD732262FEB6E95));
    assert_true(jl_random_next(&random) == UINT64_C(0x28EFE333B266F103));
    assert_true(jl_random_next(&random) == UINT64_C(0x47526757130F9F52));
    random.state = 42;
    assert_near(jl_random_unit(&random), 0.741564879, 1e-9);
    assert_near(jl_random_unit(&random), 0.159910393, 1e-9);
    assert_near(jl_random_unit(&random), 0.278601130, 1e-9);
    random.state = 44;
    assert_true(jl_random_next(&random) == UINT64_C(0xFB452912299A5453));
    assert_true(jl_random_next(&random) == UINT64_C(0x90F83AF9167B6122));
}

static void whole_numbers_fall_on_every_value_alike(void **state)
{
    struct jl_random random = { 1 };
    int seen[6] = { 0 };
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const int64_t value = jl_random_int(&random, -2, 3);
        assert_in_range(value + 2, 0, 5);
        seen[value + 2]++;
    }
    for (int i = 0; i < 6; i++)
        assert_near(seen[i], DRAWS / 6.0, 500);
    assert_int_equal(jl_random_int(&random, 7, 7), 7);
    assert_int_equal(jl_random_int(&random, 7, 6), 7);
}

static void the_whole_range_of_integers_can_be_drawn(void **state)
{
    struct jl_random random = { 9 };
    struct jl_random same = random;
    (void)state;
    assert_true(jl_random_int(&random, INT64_MIN, INT64_MAX) ==
                (int64_t)(jl_random_next(&same) + (UINT64_C(1) << 63)));
}

static void an_index_is_the_floor_of_unit_times_count(void **state)
{
    struct jl_random random = { 3 };
    struct jl_random same = random;
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(jl_random_int(&random, 0, i),
                         (int64_t)floor(jl_random_unit(&same) * (i + 1)));
}

static void a_range_keeps_its_ends(void **state)
{
    struct jl_random random = { 2 };
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const double value = jl_random_range(&random, 0.3, 0.9);
        assert_true(value >= 0.3 && value <= 0.9);
    }
}

static void distributions_have_their_moments(void **state)
{
    struct jl_random random = { 7 };
    double exponential = 0;
    double normal = 0;
    double squares = 0;
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const double value = jl_random_normal(&random);
        const double wait = jl_random_exponential(&random);
        assert_true(wait >= 0 && isfinite(wait) && isfinite(value));
        exponential += wait;
        normal += value;
        squares += value * value;
    }
    assert_near(exponential / DRAWS, 1, 0.02);
    assert_near(normal / DRAWS, 0, 0.02);
    assert_near(squares / DRAWS, 1, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_seeds_give_the_published_numbers),
        cmocka_unit_test(whole_numbers_fall_on_every_value_alike),
        cmocka_unit_test(the_whole_range_of_integers_can_be_drawn),
        cmocka_unit_test(an_index_is_the_floor_of_unit_times_count),
        cmocka_unit_test(a_range_keeps_its_ends),
        cmocka_unit_test(distributions_have_their_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
