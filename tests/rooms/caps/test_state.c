/* SPDX-License-Identifier: Apache-2.0 */

/* States of a capped device (docs/rules/enforcement.md#states). */

#include <math.h>

#include "base/random.h"
#include "base/text.h"
#include "caps/state.h"
#include "support/test.h"

#define UNIT_UW UINT64_C(125000)
#define W UINT64_C(1000000)

static enum jl_device_state state_of(const char *word)
{
    return (enum jl_device_state)jl_word_value(&jl_device_state_words, jl_text(word));
}

static void each_state_has_its_result(void **state)
{
    static const struct {
        const char *state;
        enum joulie_control_result result;
    } rows[] = {
        { "idle", JOULIE_CONTROL_NONE },       { "applying", JOULIE_CONTROL_PENDING },
        { "drifted", JOULIE_CONTROL_PENDING }, { "restoring", JOULIE_CONTROL_PENDING },
        { "capped", JOULIE_CONTROL_APPLIED },  { "unknown", JOULIE_CONTROL_BLOCKED },
        { "monitor", JOULIE_CONTROL_BLOCKED }, { "contested", JOULIE_CONTROL_BLOCKED },
        { "failed", JOULIE_CONTROL_ERROR },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_int_equal(jl_device_result(state_of(rows[i].state)), rows[i].result);
        assert_string_equal(jl_word_of(&jl_device_state_words, (int)state_of(rows[i].state)),
                            rows[i].state);
    }
}

static void reasons_are_the_closed_set(void **state)
{
    static const char *const words[] = {
        "locked",     "refused",   "notEnforced", "ineffective",  "limitedByOther", "ramping",
        "drifted",    "contested", "noBackend",   "noPermission", "masked",         "modelUnknown",
        "deviceLost", "stuck",     "belowFloor",  "aboveCeiling", "unbounded",
    };
    (void)state;
    for (int i = 0; i < (int)JL_COUNT(words); i++)
        assert_string_equal(jl_word_of(&jl_cap_reason_words, JL_CAP_REASON_LOCKED + i), words[i]);
    assert_null(jl_word_of(&jl_cap_reason_words, JL_CAP_REASON_NONE));
    assert_int_equal(jl_cap_reason_words.count, JL_COUNT(words));
}

static enum joulie_control_result worst_of(const char *a, const char *b)
{
    const enum joulie_control_result results[] = { jl_device_result(state_of(a)),
                                                   jl_device_result(state_of(b)) };

    return jl_cap_worst(results, 2);
}

static void the_worst_device_speaks(void **state)
{
    (void)state;
    assert_int_equal(worst_of("capped", "idle"), JOULIE_CONTROL_APPLIED);
    assert_int_equal(worst_of("capped", "applying"), JOULIE_CONTROL_PENDING);
    assert_int_equal(worst_of("capped", "monitor"), JOULIE_CONTROL_BLOCKED);
    assert_int_equal(worst_of("monitor", "failed"), JOULIE_CONTROL_ERROR);
    assert_int_equal(worst_of("idle", "idle"), JOULIE_CONTROL_NONE);
    assert_int_equal(worst_of("restoring", "contested"), JOULIE_CONTROL_BLOCKED);
    assert_int_equal(jl_cap_worst(NULL, 0), JOULIE_CONTROL_NONE);
}

static void assert_drift(enum jl_device_state from, uint64_t read_uw, uint32_t reasserted,
                         enum jl_device_state to, enum jl_cap_reason reason, bool write)
{
    const struct jl_drift drift = jl_cap_drift(from, 120 * W, read_uw, UNIT_UW, reasserted);
    assert_int_equal(drift.state, to);
    assert_int_equal(drift.reason, reason);
    assert_int_equal(drift.write, write);
}

static void one_unit_is_no_drift(void **state)
{
    (void)state;
    assert_drift(JL_DEVICE_CAPPED, 119875000, 0, JL_DEVICE_CAPPED, JL_CAP_REASON_NONE, false);
    assert_drift(JL_DEVICE_CAPPED, 120125000, 0, JL_DEVICE_CAPPED, JL_CAP_REASON_NONE, false);
    assert_drift(JL_DEVICE_DRIFTED, 120 * W, 2, JL_DEVICE_CAPPED, JL_CAP_REASON_NONE, false);
}

static void a_lower_limit_of_somebody_is_accepted(void **state)
{
    (void)state;
    assert_drift(JL_DEVICE_CAPPED, 90 * W, 0, JL_DEVICE_CAPPED, JL_CAP_REASON_LIMITED_BY_OTHER,
                 false);
    assert_drift(JL_DEVICE_DRIFTED, 119874999, 3, JL_DEVICE_CAPPED, JL_CAP_REASON_LIMITED_BY_OTHER,
                 false);
}

static void a_higher_limit_is_written_again_three_times(void **state)
{
    (void)state;
    for (uint32_t reasserted = 0; reasserted < JL_REASSERT_MAX; reasserted++)
        assert_drift(reasserted == 0 ? JL_DEVICE_CAPPED : JL_DEVICE_DRIFTED, 205 * W, reasserted,
                     JL_DEVICE_DRIFTED, JL_CAP_REASON_DRIFTED, true);
    assert_drift(JL_DEVICE_DRIFTED, 205 * W, 3, JL_DEVICE_CONTESTED, JL_CAP_REASON_CONTESTED,
                 false);
    assert_drift(JL_DEVICE_CAPPED, 205 * W, UINT32_MAX, JL_DEVICE_CONTESTED,
                 JL_CAP_REASON_CONTESTED, false);
}

/* It ends by an operator's action or after 10 minutes, not by what is read. */
static void a_contested_limit_is_left_alone(void **state)
{
    (void)state;
    assert_drift(JL_DEVICE_CONTESTED, 205 * W, 0, JL_DEVICE_CONTESTED, JL_CAP_REASON_CONTESTED,
                 false);
    assert_drift(JL_DEVICE_CONTESTED, 120 * W, 0, JL_DEVICE_CONTESTED, JL_CAP_REASON_CONTESTED,
                 false);
}

static void only_a_cap_in_force_can_drift(void **state)
{
    static const enum jl_device_state others[] = { JL_DEVICE_UNKNOWN,   JL_DEVICE_MONITOR,
                                                   JL_DEVICE_IDLE,      JL_DEVICE_APPLYING,
                                                   JL_DEVICE_RESTORING, JL_DEVICE_FAILED };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(others); i++)
        assert_drift(others[i], 205 * W, 0, others[i], JL_CAP_REASON_NONE, false);
}

static void drift_never_raises_a_lower_limit(void **state)
{
    struct jl_random random = { 15 };
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const enum jl_device_state from = (enum jl_device_state)jl_random_int(&random, 0, 8);
        const uint64_t written_uw = jl_random_next(&random) >> jl_random_int(&random, 0, 63);
        const uint64_t read_uw = jl_random_next(&random) >> jl_random_int(&random, 0, 63);
        const uint64_t unit_uw = jl_random_next(&random) >> jl_random_int(&random, 0, 63);
        const struct jl_drift drift = jl_cap_drift(from, written_uw, read_uw, unit_uw,
                                                   (uint32_t)jl_random_int(&random, 0, 5));
        if (drift.write)
            assert_true(read_uw > written_uw && read_uw - written_uw > unit_uw);
        if (drift.state != from)
            assert_true(from == JL_DEVICE_CAPPED || from == JL_DEVICE_DRIFTED);
    }
}

static struct jl_effect effect(double cap_w, double measured_w, double load_pct, double since_s)
{
    return (struct jl_effect){ cap_w, measured_w, load_pct, since_s };
}

static enum joulie_control_result result_of(struct jl_effect effect)
{
    return jl_cap_effect_result(JL_DEVICE_CAPPED, &effect);
}

static void a_cap_without_effect_is_blocked(void **state)
{
    (void)state;
    assert_int_equal(result_of(effect(120, 125.9, 80, 30)), JOULIE_CONTROL_APPLIED);
    assert_int_equal(result_of(effect(120, 126.1, 80, 30)), JOULIE_CONTROL_BLOCKED);
    assert_int_equal(result_of(effect(120, 200, 50, 30)), JOULIE_CONTROL_APPLIED); /* idle */
    assert_int_equal(result_of(effect(120, 200, 80, 29)), JOULIE_CONTROL_APPLIED); /* too early */
    assert_int_equal(result_of(effect(120, (double)NAN, 80, 30)), JOULIE_CONTROL_APPLIED);
    const struct jl_effect none = effect(120, 200, 80, 30);
    assert_true(jl_cap_is_ineffective(&none));
    assert_int_equal(jl_cap_effect_result(JL_DEVICE_FAILED, &none), JOULIE_CONTROL_ERROR);
}

static void the_margin_is_5_watts_or_5_percent(void **state)
{
    (void)state;
    assert_near(jl_cap_effect_bound_w(50), 55, 1e-12);
    assert_near(jl_cap_effect_bound_w(100), 105, 1e-12);
    assert_near(jl_cap_effect_bound_w(120), 126, 1e-12);
    assert_near(jl_cap_effect_bound_w(0), 5, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_has_its_result),
        cmocka_unit_test(reasons_are_the_closed_set),
        cmocka_unit_test(the_worst_device_speaks),
        cmocka_unit_test(one_unit_is_no_drift),
        cmocka_unit_test(a_lower_limit_of_somebody_is_accepted),
        cmocka_unit_test(a_higher_limit_is_written_again_three_times),
        cmocka_unit_test(a_contested_limit_is_left_alone),
        cmocka_unit_test(only_a_cap_in_force_can_drift),
        cmocka_unit_test(drift_never_raises_a_lower_limit),
        cmocka_unit_test(a_cap_without_effect_is_blocked),
        cmocka_unit_test(the_margin_is_5_watts_or_5_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
