/* SPDX-License-Identifier: Apache-2.0 */
#include <joulie/error.h>

#include "enforce/bounds.h"
#include "power/rapl.h"
#include "support/test.h"

/* What joulie-capd writes whatever is asked for (docs/rules/enforcement.md#bounds). */

#define W UINT64_C(1000000)
#define STEP_MS 4500 /* half a second before the interval of a ramp is over */

static struct jl_bounds bounds;
static struct jl_control_file file;

static int set_up(void **state)
{
    (void)state;
    bounds = (struct jl_bounds){ .floor_pct = 30, .ramps = true };
    file = jl_control_file_new(JL_CONTROL_LONG);
    file.key = "rapl/package-0/long_term";
    file.unit = JL_RAPL_UNIT_UW;
    file.now = (struct jl_fact){ .value = 200 * W };
    file.zone_max = (struct jl_fact){ .value = 200 * W };
    return 0;
}

static uint64_t value_at(int64_t now_ms, uint64_t value)
{
    assert_true(jl_bounds_keep(&bounds, &file, false, 0, now_ms, &value));
    file.now.value = value;
    return value;
}

static void a_limit_comes_down_one_step_in_an_interval_however_often_it_is_asked(void **state)
{
    (void)state;
    for (int64_t ms = 0; ms < STEP_MS; ms += 100)
        assert_int_equal(value_at(ms, 0), 160 * W);
    assert_int_equal(value_at(STEP_MS, 0), 120 * W);
    assert_int_equal(value_at(2 * STEP_MS, 0), 80 * W);
    assert_int_equal(value_at(3 * STEP_MS, 0), 60 * W);
    assert_int_equal(value_at(4 * STEP_MS, 0), 60 * W);
}

static void raising_needs_no_step_and_gives_no_second_one(void **state)
{
    (void)state;
    assert_int_equal(value_at(0, 0), 160 * W);
    assert_int_equal(value_at(1, 190 * W), 190 * W);
    assert_int_equal(value_at(2, 0), 160 * W);
}

static void a_step_never_raises_what_somebody_else_lowered(void **state)
{
    (void)state;
    assert_int_equal(value_at(0, 0), 160 * W);
    file.now.value = 100 * W;
    assert_int_equal(value_at(1, 90 * W), 100 * W);
}

static void each_limit_has_its_own_ramp(void **state)
{
    (void)state;
    assert_int_equal(value_at(0, 0), 160 * W);
    file.key = "rapl/package-1/long_term";
    file.now.value = 200 * W;
    assert_int_equal(value_at(1, 0), 160 * W);
}

static void a_limit_without_a_place_for_its_ramp_stays(void **state)
{
    (void)state;
    bounds.count = JL_BOUNDS_LIMITS;
    assert_int_equal(value_at(0, 0), 200 * W);
    assert_int_equal(value_at(0, 250 * W), 200 * W);
    assert_int_equal(bounds.count, JL_BOUNDS_LIMITS);
}

static void without_ramps_a_limit_goes_to_the_floor_at_once(void **state)
{
    (void)state;
    bounds.ramps = false;
    assert_int_equal(value_at(0, 0), 60 * W);
    bounds.floor_pct = 0;
    assert_int_equal(value_at(0, 1), 1); /* what no register takes is refused by the write */
}

static void the_floor_is_cut_to_the_unit_as_the_share_of_a_client_is(void **state)
{
    (void)state;
    bounds.ramps = false;
    file.zone_max.value = 205 * W + 100000;
    assert_int_equal(value_at(0, 0), 61500000);
}

static void where_no_maximum_can_be_believed_what_was_found_counts(void **state)
{
    (void)state;
    bounds.ramps = false;
    const struct jl_fact useless[] = {
        { .code = JOULIE_E_UNSUPPORTED }, { .value = 0 }, { .value = 4 * W }, { .value = 5000 * W }
    };

    const struct {
        bool has_first;
        uint64_t asked, written;
    } rows[] = { { true, 999 * W, 150 * W }, { true, 0, 45 * W }, { false, 999 * W, 90 * W } };

    for (size_t i = 0; i < JL_COUNT(useless) * JL_COUNT(rows); i++) {
        uint64_t value = rows[i % JL_COUNT(rows)].asked;
        file.zone_max = useless[i / JL_COUNT(rows)];
        file.now.value = 90 * W;
        assert_true(
            jl_bounds_keep(&bounds, &file, rows[i % JL_COUNT(rows)].has_first, 150 * W, 0, &value));
        assert_int_equal(value, rows[i % JL_COUNT(rows)].written);
    }
}

/* The most that a register counts is no bound: nobody says that the device stands it. */
static void where_nothing_is_known_nothing_may_be_written(void **state)
{
    (void)state;
    uint64_t value = 120 * W;
    file.zone_max = (struct jl_fact){ .code = JOULIE_E_UNSUPPORTED };
    file.now.value = 0;
    assert_false(jl_bounds_keep(&bounds, &file, false, 0, 0, &value));
    assert_false(jl_bounds_keep(&bounds, &file, true, 0, 0, &value));
    value = 120 * W;
    assert_true(jl_bounds_keep(&bounds, &file, true, 150 * W, 0, &value));
    assert_int_equal(value, 120 * W);
}

static void a_frequency_stays_within_the_range_of_its_policy(void **state)
{
    (void)state;
    file = jl_control_file_new(JL_CONTROL_FREQ_MAX);
    file.key = "cpufreq/policy0/max";
    file.range = (struct jl_freq_range){ 800000, 3500000 };
    file.now = (struct jl_fact){ .value = 3500000 };
    assert_int_equal(value_at(0, 0), 800000);
    assert_int_equal(value_at(0, 2000000), 2000000);
    assert_int_equal(value_at(0, UINT64_MAX), 3500000);
    assert_int_equal(bounds.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_limit_comes_down_one_step_in_an_interval_however_often_it_is_asked,
                               set_up),
        cmocka_unit_test_setup(raising_needs_no_step_and_gives_no_second_one, set_up),
        cmocka_unit_test_setup(a_step_never_raises_what_somebody_else_lowered, set_up),
        cmocka_unit_test_setup(each_limit_has_its_own_ramp, set_up),
        cmocka_unit_test_setup(a_limit_without_a_place_for_its_ramp_stays, set_up),
        cmocka_unit_test_setup(without_ramps_a_limit_goes_to_the_floor_at_once, set_up),
        cmocka_unit_test_setup(the_floor_is_cut_to_the_unit_as_the_share_of_a_client_is, set_up),
        cmocka_unit_test_setup(where_no_maximum_can_be_believed_what_was_found_counts, set_up),
        cmocka_unit_test_setup(where_nothing_is_known_nothing_may_be_written, set_up),
        cmocka_unit_test_setup(a_frequency_stays_within_the_range_of_its_policy, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
