/* SPDX-License-Identifier: Apache-2.0 */

/* The life of one control under a cap (docs/rules/enforcement.md#states): what is written next, and
 * when it is left alone. */

#include "node/cap_life.h"
#include "support/test.h"

#define W UINT64_C(1000000) /* µW */
#define UNIT UINT64_C(125000)
#define MINUTE INT64_C(60000)

static struct jl_cap_life_view cap(uint64_t target, uint64_t value, int64_t now_ms)
{
    return (struct jl_cap_life_view){ .goal = JL_GOAL_CAP,
                                      .target = target,
                                      .has_value = true,
                                      .value = value,
                                      .unit = UNIT,
                                      .reference_w = 205,
                                      .now_ms = now_ms };
}

/* A machine that holds a cap that was written at time 0. */
static struct jl_cap_life holding(uint64_t cap_uw)
{
    struct jl_cap_life life = { 0 };
    uint64_t value = 0;
    const struct jl_cap_life_view view = cap(cap_uw, 205 * W, 0);
    assert_true(jl_cap_life_next(&life, &view, &value));
    jl_cap_life_wrote(&life, &view, JL_WROTE_VERIFIED, value, value);
    return life;
}

static void a_new_cap_is_written_once(void **state)
{
    struct jl_cap_life life = { 0 };
    uint64_t value = 0;
    struct jl_cap_life_view view = cap(120 * W, 205 * W, 0);
    (void)state;

    assert_true(jl_cap_life_next(&life, &view, &value));
    assert_int_equal(value, 120 * W);
    jl_cap_life_wrote(&life, &view, JL_WROTE_VERIFIED, value, 120 * W);
    view = cap(120 * W, 120 * W, 1000);
    assert_false(jl_cap_life_next(&life, &view, &value));

    assert_int_equal(life.state, JL_DEVICE_CAPPED);
}

static void a_limit_that_is_there_already_is_not_written(void **state)
{
    struct jl_cap_life life = { 0 };
    uint64_t value = 0;
    const struct jl_cap_life_view view = cap(120 * W + 1, 120 * W, 0);
    (void)state;

    assert_false(jl_cap_life_next(&life, &view, &value));

    assert_int_equal(life.state, JL_DEVICE_CAPPED);
}

static void lowering_takes_a_fifth_of_the_reference_each_five_seconds(void **state)
{
    const uint64_t steps[] = { 164 * W, 123 * W, 90 * W };
    struct jl_cap_life life = { 0 };
    uint64_t now_uw = 205 * W;
    (void)state;

    for (size_t i = 0; i < JL_COUNT(steps); i++) {
        uint64_t value = 0;
        struct jl_cap_life_view view = cap(90 * W, now_uw, (int64_t)i * 5000);
        view.ramps = true;
        assert_true(jl_cap_life_next(&life, &view, &value));
        assert_int_equal(value, steps[i]);
        jl_cap_life_wrote(&life, &view, JL_WROTE_VERIFIED, value, value);
        now_uw = value;
        view = cap(90 * W, now_uw, (int64_t)i * 5000 + 4999);
        view.ramps = true;
        assert_false(jl_cap_life_next(&life, &view, &value));
    }

    assert_int_equal(life.state, JL_DEVICE_CAPPED);
}

static void a_ramp_is_pending_until_it_ends(void **state)
{
    struct jl_cap_life life = { 0 };
    uint64_t value = 0;
    struct jl_cap_life_view view = cap(90 * W, 205 * W, 0);
    view.ramps = true;
    (void)state;

    jl_cap_life_next(&life, &view, &value);
    jl_cap_life_wrote(&life, &view, JL_WROTE_VERIFIED, value, value);

    assert_int_equal(life.state, JL_DEVICE_APPLYING);
    assert_int_equal(life.reason, JL_CAP_REASON_RAMPING);
}

static void raising_and_giving_back_never_ramp(void **state)
{
    struct jl_cap_life life = holding(90 * W);
    uint64_t value = 0;
    struct jl_cap_life_view view = cap(200 * W, 90 * W, 1000);
    view.ramps = true;
    (void)state;

    assert_true(jl_cap_life_next(&life, &view, &value));
    assert_int_equal(value, 200 * W);
    view.goal = JL_GOAL_RESTORE;
    view.target = 50 * W;
    assert_true(jl_cap_life_next(&life, &view, &value));
    assert_int_equal(value, 50 * W);
}

static void a_lower_limit_of_somebody_else_is_accepted(void **state)
{
    struct jl_cap_life life = holding(120 * W);
    uint64_t value = 0;
    struct jl_cap_life_view view = cap(120 * W, 90 * W, 1000);
    (void)state;

    assert_false(jl_cap_life_next(&life, &view, &value));
    assert_int_equal(life.reason, JL_CAP_REASON_LIMITED_BY_OTHER);
    view = cap(150 * W, 90 * W, 2000); /* our own cap may rise: theirs stays */
    assert_false(jl_cap_life_next(&life, &view, &value));
    view = cap(80 * W, 90 * W, 3000);
    assert_true(jl_cap_life_next(&life, &view, &value));

    assert_int_equal(value, 80 * W);
}

static void a_raised_limit_is_written_again_three_times_and_then_left(void **state)
{
    struct jl_cap_life life = holding(120 * W);
    uint64_t value = 0;
    (void)state;

    for (int64_t i = 1; i <= JL_REASSERT_MAX; i++) {
        const struct jl_cap_life_view view = cap(120 * W, 205 * W, i * 1000);
        assert_true(jl_cap_life_next(&life, &view, &value));
        assert_int_equal(value, 120 * W);
        jl_cap_life_wrote(&life, &view, JL_WROTE_VERIFIED, value, value);
    }
    const struct jl_cap_life_view fourth = cap(120 * W, 205 * W, 4000);
    assert_false(jl_cap_life_next(&life, &fourth, &value));
    assert_int_equal(life.state, JL_DEVICE_CONTESTED);
    const struct jl_cap_life_view later = cap(120 * W, 205 * W, 4000 + 10 * MINUTE - 1);
    assert_false(jl_cap_life_next(&life, &later, &value));
    const struct jl_cap_life_view again = cap(120 * W, 205 * W, 4000 + 10 * MINUTE);

    assert_true(jl_cap_life_next(&life, &again, &value));
}

static void drift_is_forgotten_after_ten_minutes(void **state)
{
    struct jl_cap_life life = holding(120 * W);
    uint64_t value = 0;
    (void)state;

    for (int64_t i = 1; i <= 6; i++) {
        const struct jl_cap_life_view view = cap(120 * W, 205 * W, i * 4 * MINUTE);
        assert_true(jl_cap_life_next(&life, &view, &value));
        jl_cap_life_wrote(&life, &view, JL_WROTE_VERIFIED, value, value);
    }
}

static void three_writes_that_do_not_stay_are_a_failure_with_a_pause(void **state)
{
    struct jl_cap_life life = { 0 };
    uint64_t value = 0;
    (void)state;

    for (int64_t i = 0; i < 3; i++) {
        const struct jl_cap_life_view view = cap(120 * W, 205 * W, i * 1000);
        assert_int_not_equal(life.state, JL_DEVICE_FAILED);
        assert_true(jl_cap_life_next(&life, &view, &value));
        jl_cap_life_wrote(&life, &view, JL_WROTE_DISAGREES, value, 205 * W);
    }
    assert_int_equal(life.state, JL_DEVICE_FAILED);
    const struct jl_cap_life_view early = cap(120 * W, 205 * W, 2000 + MINUTE - 1);
    assert_false(jl_cap_life_next(&life, &early, &value));
    const struct jl_cap_life_view late = cap(120 * W, 205 * W, 2000 + MINUTE);
    assert_true(jl_cap_life_next(&life, &late, &value));
    jl_cap_life_wrote(&life, &late, JL_WROTE_DISAGREES, value, 205 * W);
    const struct jl_cap_life_view soon = cap(120 * W, 205 * W, 2000 + 2 * MINUTE);

    assert_false(jl_cap_life_next(&life, &soon, &value)); /* the second pause is 2 min */
}

static void what_the_firmware_locks_is_only_monitored(void **state)
{
    struct jl_cap_life life = { 0 };
    uint64_t value = 0;
    const struct jl_cap_life_view view = cap(120 * W, 205 * W, 0);
    (void)state;

    jl_cap_life_next(&life, &view, &value);
    jl_cap_life_wrote(&life, &view, JL_WROTE_LOCKED, value, 0);

    assert_int_equal(life.state, JL_DEVICE_MONITOR);
    assert_int_equal(life.reason, JL_CAP_REASON_LOCKED);
    assert_true(jl_cap_life_is_waiting(&life, MINUTE - 1));
}

static void a_lost_zone_is_unknown_and_not_written(void **state)
{
    struct jl_cap_life life = holding(120 * W);
    uint64_t value = 0;
    struct jl_cap_life_view view = cap(120 * W, 0, 1000);
    view.has_value = false;
    (void)state;

    assert_false(jl_cap_life_next(&life, &view, &value));

    assert_int_equal(life.state, JL_DEVICE_UNKNOWN);
    assert_int_equal(life.reason, JL_CAP_REASON_DEVICE_LOST);
}

static void a_frequency_request_may_rise_under_a_lower_one_of_others(void **state)
{
    struct jl_cap_life life = { 0 };
    uint64_t value = 0;
    struct jl_cap_life_view view = { .goal = JL_GOAL_CAP,
                                     .target = 2000000,
                                     .has_value = true,
                                     .value = 3500000,
                                     .unit = 1,
                                     .is_request = true };
    (void)state;

    jl_cap_life_next(&life, &view, &value);
    jl_cap_life_wrote(&life, &view, JL_WROTE_VERIFIED, value, 2000000);
    view.value = 1500000; /* too hot */
    assert_false(jl_cap_life_next(&life, &view, &value));
    view.target = 2500000;

    assert_true(jl_cap_life_next(&life, &view, &value));
    assert_int_equal(value, 2500000);
}

static void the_limiter_in_force_is_the_one_that_holds_the_power(void **state)
{
    struct jl_limiter_view view = { .limit_w = 120, .has_watts = true, .watts = 119 };
    (void)state;

    assert_int_equal(jl_limiter(&view), JL_LIMITER_MSR);
    view.watts = 60;
    assert_int_equal(jl_limiter(&view), JL_LIMITER_NONE);
    view.is_hot = true;
    assert_int_equal(jl_limiter(&view), JL_LIMITER_THERMAL);
    view.has_other = true;
    view.other_w = 45;
    assert_int_equal(jl_limiter(&view), JL_LIMITER_MMIO);
    view.reason = JL_CAP_REASON_LIMITED_BY_OTHER;
    assert_int_equal(jl_limiter(&view), JL_LIMITER_OUT_OF_BAND);
    view.is_off = true;
    assert_int_equal(jl_limiter(&view), JL_LIMITER_FIRMWARE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_cap_is_written_once),
        cmocka_unit_test(a_limit_that_is_there_already_is_not_written),
        cmocka_unit_test(lowering_takes_a_fifth_of_the_reference_each_five_seconds),
        cmocka_unit_test(a_ramp_is_pending_until_it_ends),
        cmocka_unit_test(raising_and_giving_back_never_ramp),
        cmocka_unit_test(a_lower_limit_of_somebody_else_is_accepted),
        cmocka_unit_test(a_raised_limit_is_written_again_three_times_and_then_left),
        cmocka_unit_test(drift_is_forgotten_after_ten_minutes),
        cmocka_unit_test(three_writes_that_do_not_stay_are_a_failure_with_a_pause),
        cmocka_unit_test(what_the_firmware_locks_is_only_monitored),
        cmocka_unit_test(a_lost_zone_is_unknown_and_not_written),
        cmocka_unit_test(a_frequency_request_may_rise_under_a_lower_one_of_others),
        cmocka_unit_test(the_limiter_in_force_is_the_one_that_holds_the_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
