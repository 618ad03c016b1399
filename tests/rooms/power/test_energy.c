/* SPDX-License-Identifier: Apache-2.0 */

/* Energy counters (docs/rules/energy.md#deltas). */

#include <float.h>
#include <math.h>

#include "base/number.h"
#include "base/random.h"
#include "base/text.h"
#include "power/energy.h"
#include "power/rapl.h"
#include "support/test.h"

#define INTEL_RANGE UINT64_C(262143328850)
#define AMD_RANGE UINT64_C(65532610987)
#define DRAM_RANGE UINT64_C(65712999613)

static struct jl_energy_step step(uint64_t last_uj, uint64_t now_uj, uint64_t range_uj,
                                  double seconds)
{
    return (struct jl_energy_step){ .has_last = true,
                                    .last_uj = last_uj,
                                    .now_uj = now_uj,
                                    .range_uj = range_uj,
                                    .seconds = seconds };
}

static enum jl_energy_drop drop_of(struct jl_energy_step step)
{
    const struct jl_energy_delta delta = jl_energy_delta(&step);
    if (delta.drop != JL_ENERGY_KEPT)
        assert_true(delta.delta_uj == 0 && delta.watts == 0);
    return delta.drop;
}

static void two_readings_make_watts_across_a_wrap(void **state)
{
    static const struct {
        uint64_t last_uj;
        uint64_t now_uj;
        uint64_t range_uj;
        double seconds;
        uint64_t delta_uj;
        double watts;
    } rows[] = {
        { 1000000, 5000000, INTEL_RANGE, 0.02, 4000000, 200 },
        { 262143000000, 1500000, INTEL_RANGE, 0.01, 1828850, 182.885 },
        { 65712000000, 150000000, DRAM_RANGE, 10, 150999613, 15.0999613 },
        { 65532000000, 100000000, AMD_RANGE, 1, 100610987, 100.610987 },
        { 1000000000, 5000000000, INTEL_RANGE, 20, 4000000000, 200 },
        { 260000000000, 1856671150, INTEL_RANGE, 20, 4000000000, 200 },
        { 7, 7, 100, 10, 0, 0 },                          /* a measured 0 W, not a missing one */
        { 700000000, 845000000, 0, 0.5, 145000000, 290 }, /* needs no range */
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_energy_step one =
            step(rows[i].last_uj, rows[i].now_uj, rows[i].range_uj, rows[i].seconds);
        const struct jl_energy_delta delta = jl_energy_delta(&one);
        assert_int_equal(delta.drop, JL_ENERGY_KEPT);
        assert_true(delta.delta_uj == rows[i].delta_uj);
        assert_near(delta.watts, rows[i].watts, 1e-9);
    }
}

static void the_first_reading_is_no_sample(void **state)
{
    (void)state;
    assert_int_equal(drop_of((struct jl_energy_step){
                         .now_uj = 5000000000, .range_uj = INTEL_RANGE, .seconds = 1 }),
                     JL_ENERGY_FIRST);
}

static void a_fall_that_the_range_cannot_explain_is_dropped(void **state)
{
    (void)state;
    assert_int_equal(drop_of(step(5000000000, 4000000000, 0, 20)), JL_ENERGY_RANGE);
    assert_int_equal(drop_of(step(4000000000, 1000000000, 2000000000, 10)), JL_ENERGY_RANGE);
    assert_int_equal(drop_of(step(UINT64_MAX, 0, 1, 1)), JL_ENERGY_RANGE);
}

static void time_that_does_not_pass_is_no_power(void **state)
{
    (void)state;
    assert_int_equal(drop_of(step(0, 5, 0, 0)), JL_ENERGY_NO_TIME);
    assert_int_equal(drop_of(step(0, 5, 0, -1)), JL_ENERGY_NO_TIME);
    assert_int_equal(drop_of(step(0, 5, 0, (double)NAN)), JL_ENERGY_NO_TIME);
    assert_int_equal(drop_of(step(0, 5, 0, (double)INFINITY)), JL_ENERGY_NO_TIME);
}

/* a fall of 120 kJ in one second would be a wrap of 142 kW */
static void a_counter_that_was_set_back_is_not_142_kilowatts(void **state)
{
    struct jl_energy_step one = step(120000000000, 5, INTEL_RANGE, 1);
    (void)state;
    one.tdp_w = 205;
    assert_int_equal(drop_of(one), JL_ENERGY_RESET);
    one.tdp_w = 0;
    assert_int_equal(drop_of(one), JL_ENERGY_RESET);
    one.tdp_w = (double)NAN;
    assert_int_equal(drop_of(one), JL_ENERGY_RESET);
}

static void three_times_the_tdp_is_still_believed(void **state)
{
    struct jl_energy_step one = step(0, 615000000, INTEL_RANGE, 1);
    (void)state;
    one.tdp_w = 205;
    assert_int_equal(drop_of(one), JL_ENERGY_KEPT);
    one.now_uj = 615000001;
    assert_int_equal(drop_of(one), JL_ENERGY_RESET);
    assert_int_equal(drop_of(step(0, 2000000000, INTEL_RANGE, 1)), JL_ENERGY_KEPT);
    assert_int_equal(drop_of(step(0, 2000000001, INTEL_RANGE, 1)), JL_ENERGY_RESET);
}

/* R2b */
static void a_gap_in_which_it_may_have_wrapped_twice_is_dropped(void **state)
{
    struct jl_energy_step one = step(0, 1000000, AMD_RANGE, 700);
    (void)state;
    assert_int_equal(drop_of(one), JL_ENERGY_KEPT); /* the rule is off */
    one.max_w = 100;
    assert_int_equal(drop_of(one), JL_ENERGY_GAP);
    one.seconds = 655;
    assert_int_equal(drop_of(one), JL_ENERGY_KEPT);
    one.seconds = 700;
    one.range_uj = 0;
    assert_int_equal(drop_of(one), JL_ENERGY_KEPT); /* no range: nothing to judge it by */
}

static void energy_of_a_sleep_is_dropped(void **state)
{
    struct jl_energy_step one = step(0, 1000000, AMD_RANGE, 5);
    (void)state;
    one.sleep_s = 3;
    assert_int_equal(drop_of(one), JL_ENERGY_SUSPEND);
    one.sleep_s = 0.000002; /* two clocks are never read at one instant */
    assert_int_equal(drop_of(one), JL_ENERGY_KEPT);
    one.sleep_s = (double)NAN;
    assert_int_equal(drop_of(one), JL_ENERGY_SUSPEND);
}

static void what_is_dropped_has_a_word(void **state)
{
    (void)state;
    assert_string_equal(jl_energy_drop_word(JL_ENERGY_RANGE), "range");
    assert_string_equal(jl_energy_drop_word(JL_ENERGY_RESET), "reset");
    assert_string_equal(jl_energy_drop_word(JL_ENERGY_GAP), "gap");
    assert_string_equal(jl_energy_drop_word(JL_ENERGY_SUSPEND), "suspend");
    assert_null(jl_energy_drop_word(JL_ENERGY_KEPT));
    assert_null(jl_energy_drop_word(JL_ENERGY_FIRST));
    assert_null(jl_energy_drop_word(JL_ENERGY_NO_TIME));
}

/* perf counts in 2^-32 J */
static void a_perf_count_is_energy_by_its_scale(void **state)
{
    (void)state;
    assert_true(jl_energy_of_count_uj(429496729600, 0x1p-32) == 100000000);
    assert_true(jl_energy_of_count_uj(0, 0x1p-32) == 0);
    assert_true(jl_energy_of_count_uj(UINT64_MAX, 0x1p-32) == 4294967296000000);
    assert_true(jl_energy_of_count_uj(UINT64_MAX, DBL_MAX) <= INT64_MAX);
    assert_true(jl_energy_of_count_uj(1, -1) == 0);
    assert_true(jl_energy_of_count_uj(1, (double)NAN) == 0);
}

/* CVE-2020-8694: nothing finer leaves the node. */
static void whole_joules_are_published(void **state)
{
    (void)state;
    assert_true(jl_energy_published_j(0) == 0);
    assert_true(jl_energy_published_j(999999) == 0);
    assert_true(jl_energy_published_j(120000000001) == 120000);
    assert_true(jl_energy_published_j(UINT64_MAX) == 18446744073709);
}

/* A counter of 32 bits behind its unit, read often enough: nothing is lost but a unit per wrap, and
 * the sum never falls. */
static void a_sum_of_deltas_is_the_energy_that_was_used(void **state)
{
    const uint64_t unit_nj = jl_rapl_energy_unit_nj(16);
    struct jl_random random = { 26 };
    double truth_nj = 0;
    uint64_t last_uj = 0;
    uint64_t sum_uj = 0;
    uint64_t wraps = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const double seconds = jl_random_range(&random, 0.1, 20);
        truth_nj += jl_random_range(&random, 50, 1000) * seconds * 1e9;
        const uint64_t counter = (uint64_t)(truth_nj / (double)unit_nj) & UINT32_MAX;
        struct jl_energy_step one = step(last_uj, counter * unit_nj / 1000, AMD_RANGE, seconds);
        one.tdp_w = 400;
        one.max_w = 1000;
        const struct jl_energy_delta delta = jl_energy_delta(&one);
        assert_int_equal(delta.drop, JL_ENERGY_KEPT);
        assert_true(sum_uj + delta.delta_uj >= sum_uj);
        wraps += one.now_uj < last_uj;
        sum_uj += delta.delta_uj;
        last_uj = one.now_uj;
    }
    assert_true(wraps > 1000);
    const double per_wrap_uj = (double)unit_nj / 1000 + 1; /* the range is rounded down, too */
    assert_near((double)sum_uj, truth_nj / 1000, (double)(wraps + 1) * per_wrap_uj);
}

static void no_input_gives_power_that_is_not_finite_or_negative(void **state)
{
    static const double doubles[] = { 0,      -1,    1,       0.02, 1e-300,           DBL_MIN,
                                      5e-324, 1e300, DBL_MAX, 205,  (double)INFINITY, (double)NAN };
    static const uint64_t counts[] = { 0, 1, 5, INTEL_RANGE, UINT64_MAX - 1, UINT64_MAX };
    struct jl_random random = { 62 };
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const size_t last = JL_COUNT(doubles) - 1;
        struct jl_energy_step one =
            step(counts[jl_random_int(&random, 0, 5)], counts[jl_random_int(&random, 0, 5)],
                 counts[jl_random_int(&random, 0, 5)],
                 doubles[jl_random_int(&random, 0, (int64_t)last)]);
        one.tdp_w = doubles[jl_random_int(&random, 0, (int64_t)last)];
        one.max_w = doubles[jl_random_int(&random, 0, (int64_t)last)];
        const struct jl_energy_delta delta = jl_energy_delta(&one);
        assert_true(jl_is_finite(delta.watts) && delta.watts >= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_readings_make_watts_across_a_wrap),
        cmocka_unit_test(the_first_reading_is_no_sample),
        cmocka_unit_test(a_fall_that_the_range_cannot_explain_is_dropped),
        cmocka_unit_test(time_that_does_not_pass_is_no_power),
        cmocka_unit_test(a_counter_that_was_set_back_is_not_142_kilowatts),
        cmocka_unit_test(three_times_the_tdp_is_still_believed),
        cmocka_unit_test(a_gap_in_which_it_may_have_wrapped_twice_is_dropped),
        cmocka_unit_test(energy_of_a_sleep_is_dropped),
        cmocka_unit_test(what_is_dropped_has_a_word),
        cmocka_unit_test(a_perf_count_is_energy_by_its_scale),
        cmocka_unit_test(whole_joules_are_published),
        cmocka_unit_test(a_sum_of_deltas_is_the_energy_that_was_used),
        cmocka_unit_test(no_input_gives_power_that_is_not_finite_or_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
