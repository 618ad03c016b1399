/* SPDX-License-Identifier: Apache-2.0 */

/* Frequencies of policies (docs/rules/frequencies.md). */

#include <math.h>

#include "base/random.h"
#include "base/text.h"
#include "power/cpufreq.h"
#include "support/test.h"

static const struct jl_freq_range usual = { 800000, 3500000 };

/* all policies go to one frequency; v0.1.1 stopped some of them and left the others */
static void a_throttle_is_one_frequency_for_all(void **state)
{
    static const struct {
        uint64_t floor_khz;
        double pct;
        uint64_t khz;
    } rows[] = {
        { 800000, 0, 3500000 },   { 800000, 50, 2150000 },  { 800000, 100, 800000 },
        { 1500000, 0, 3500000 },  { 1500000, 30, 2900000 }, { 1500000, 100, 1500000 },
        { 500000, 50, 2150000 },  { 1, 100, 800000 },       { 9000000, 100, 3500000 },
        { 1500000, 33, 2840000 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_int_equal(jl_cpufreq_throttled_khz(usual, rows[i].pct, rows[i].floor_khz),
                         rows[i].khz);
}

/* What v0.1.1 did, with policies instead of entries */
static void the_source_throttles_the_first_policies(void **state)
{
    static const struct jl_freq_range small = { 1000000, 3000000 };
    struct jl_freq_range ranges[96];
    uint64_t khz[96];
    (void)state;
    for (size_t i = 0; i < JL_COUNT(ranges); i++)
        ranges[i] = usual;
    assert_int_equal(jl_cpufreq_throttle_first(ranges, 4, 30, 1500000, khz), 2);
    assert_int_equal(khz[1], 1500000);
    assert_int_equal(khz[2], 3500000);
    assert_int_equal(jl_cpufreq_throttle_first(ranges, 96, 10, 1500000, khz), 10);
    assert_int_equal(khz[9], 1500000);
    assert_int_equal(khz[10], 3500000);
    assert_int_equal(jl_cpufreq_throttle_first(ranges, 4, 100, 500000, khz), 4);
    assert_int_equal(khz[3], 800000);
    assert_int_equal(jl_cpufreq_throttle_first(ranges, 4, 100, 4000000, khz), 4);
    assert_int_equal(khz[3], 3500000);
    ranges[0] = ranges[1] = small;
    assert_int_equal(jl_cpufreq_throttle_first(ranges, 2, 50, 1500000, khz), 1);
    assert_int_equal(khz[0], 1500000);
    assert_int_equal(khz[1], 3000000);
    assert_int_equal(jl_cpufreq_throttle_first(NULL, 0, 50, 1500000, NULL), 0);
    assert_int_equal(jl_cpufreq_throttle_first(ranges, 4, (double)NAN, 1500000, khz), 0);
}

static void a_share_of_the_maximum_stays_within_the_hardware(void **state)
{
    (void)state;
    assert_int_equal(jl_cpufreq_share_khz(usual, 1), 3500000);
    assert_int_equal(jl_cpufreq_share_khz(usual, 0.774596669241483), 2711088); /* floored */
    assert_int_equal(jl_cpufreq_share_khz(usual, 0.1), 800000);
    assert_int_equal(jl_cpufreq_share_khz(usual, 0), 800000);
    assert_int_equal(jl_cpufreq_share_khz(usual, 2), 3500000);
    assert_int_equal(jl_cpufreq_share_khz(usual, -1), 800000);
    assert_int_equal(jl_cpufreq_share_khz(usual, (double)NAN), 800000);
    assert_int_equal(jl_cpufreq_share_khz(usual, (double)INFINITY), 3500000);
}

static void who_wanted_nothing_gets_no_request_back(void **state)
{
    (void)state;
    assert_int_equal(jl_cpufreq_baseline_max_khz(usual, 3500000), 2147483647);
    assert_int_equal(jl_cpufreq_baseline_max_khz(usual, 3000000), 3000000);
    assert_int_equal(jl_cpufreq_baseline_min_khz(usual, 800000), 0);
    assert_int_equal(jl_cpufreq_baseline_min_khz(usual, 1200000), 1200000);
}

static struct jl_freq_range range(uint64_t min_khz, uint64_t max_khz)
{
    return (struct jl_freq_range){ min_khz, max_khz };
}

static void lowering_takes_the_minimum_out_of_the_way(void **state)
{
    struct jl_cpufreq_write out[2];
    (void)state;
    assert_int_equal(jl_cpufreq_order(range(2000000, 3500000), range(800000, 1500000), out), 2);
    assert_false(out[0].is_max);
    assert_int_equal(out[0].khz, 800000);
    assert_true(out[1].is_max);
    assert_int_equal(out[1].khz, 1500000);
}

static void raising_makes_room_first(void **state)
{
    struct jl_cpufreq_write out[2];
    (void)state;
    assert_int_equal(jl_cpufreq_order(range(800000, 1500000), range(2000000, 3500000), out), 2);
    assert_true(out[0].is_max);
    assert_int_equal(out[0].khz, 3500000);
    assert_false(out[1].is_max);
    assert_int_equal(out[1].khz, 2000000);
}

static void what_is_there_is_not_written(void **state)
{
    struct jl_cpufreq_write out[2];
    (void)state;
    assert_int_equal(jl_cpufreq_order(usual, usual, out), 0);
    assert_int_equal(jl_cpufreq_order(usual, range(800000, 2900000), out), 1);
    assert_true(out[0].is_max);
    assert_int_equal(jl_cpufreq_order(usual, range(900000, 3500000), out), 1);
    assert_false(out[0].is_max);
}

static void bounds_never_cross_on_the_way(void **state)
{
    struct jl_random random = { 32 };
    (void)state;
    for (int i = 0; i < 100000; i++) {
        struct jl_freq_range now;
        struct jl_freq_range target;
        struct jl_cpufreq_write out[2];
        now.min_khz = (uint64_t)jl_random_int(&random, 0, 20);
        now.max_khz = now.min_khz + (uint64_t)jl_random_int(&random, 0, 20);
        target.min_khz = (uint64_t)jl_random_int(&random, 0, 20);
        target.max_khz = target.min_khz + (uint64_t)jl_random_int(&random, 0, 20);
        const size_t count = jl_cpufreq_order(now, target, out);
        for (size_t j = 0; j < count; j++) {
            *(out[j].is_max ? &now.max_khz : &now.min_khz) = out[j].khz;
            assert_true(now.min_khz <= now.max_khz);
        }
        assert_true(now.min_khz == target.min_khz && now.max_khz == target.max_khz);
    }
}

/* Files can say anything; a frequency that is written lies in what they say. */
static void any_range_and_throttle_give_a_frequency_of_the_range(void **state)
{
    static const double pcts[] = { -1,
                                   0,
                                   1e-300,
                                   33,
                                   50,
                                   99.999999999999986,
                                   100,
                                   101,
                                   (double)INFINITY,
                                   -(double)INFINITY,
                                   (double)NAN };
    struct jl_random random = { 74 };
    (void)state;
    for (int i = 0; i < 100000; i++) {
        struct jl_freq_range any;
        any.min_khz = jl_random_next(&random) >> jl_random_int(&random, 0, 63);
        any.max_khz =
            i % 7 == 0 ? UINT64_MAX : jl_random_next(&random) >> jl_random_int(&random, 0, 63);
        const uint64_t floor_khz = jl_random_next(&random) >> jl_random_int(&random, 0, 63);
        const uint64_t low = any.min_khz < any.max_khz ? any.min_khz : any.max_khz;
        double last = -1;
        uint64_t last_khz = any.max_khz;
        for (size_t j = 0; j < JL_COUNT(pcts); j++) {
            const uint64_t khz = jl_cpufreq_throttled_khz(any, pcts[j], floor_khz);
            const uint64_t share_khz = jl_cpufreq_share_khz(any, pcts[j]);
            assert_true(khz >= low && khz <= any.max_khz);
            assert_true(share_khz >= low && share_khz <= any.max_khz);
            if (pcts[j] > last) /* more throttle, never more speed */
                assert_true(khz <= last_khz);
            last = pcts[j];
            last_khz = khz;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_throttle_is_one_frequency_for_all),
        cmocka_unit_test(the_source_throttles_the_first_policies),
        cmocka_unit_test(a_share_of_the_maximum_stays_within_the_hardware),
        cmocka_unit_test(who_wanted_nothing_gets_no_request_back),
        cmocka_unit_test(lowering_takes_the_minimum_out_of_the_way),
        cmocka_unit_test(raising_makes_room_first),
        cmocka_unit_test(what_is_there_is_not_written),
        cmocka_unit_test(bounds_never_cross_on_the_way),
        cmocka_unit_test(any_range_and_throttle_give_a_frequency_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
