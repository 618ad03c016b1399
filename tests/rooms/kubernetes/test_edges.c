/* SPDX-License-Identifier: Apache-2.0 */

/* Waits, watches and amounts at their bounds (docs/rules/kubernetes-watch.md#waits,
 * docs/rules/kubernetes-values.md). */

#include "base/text.h"
#include "kubernetes/quantity.h"
#include "kubernetes/retry.h"
#include "kubernetes/wait.h"
#include "kubernetes/watch.h"
#include "support/test.h"

/* ---- waits ---- */

/* With 10 s to its deadline and a period of 2 s: 3 s before the end, then each second. */
static void a_leader_hurries_from_3_seconds_before_its_deadline(void **state)
{
    static const double rows[][2] = { { 0, 2 }, { 5, 2 },    { 5.01, 1.99 }, { 5.5, 1.5 },
                                      { 6, 1 }, { 6.01, 1 }, { 8.9, 1 } };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_lease_wait wait = jl_lease_renew_wait(rows[i][0], 10, 2);
        assert_false(wait.is_over);
        assert_near(wait.delay_s, rows[i][1], 1e-12);
    }
    assert_true(jl_lease_renew_wait(9, 10, 2).is_over);
}

static void a_connection_that_broke_is_tried_again_after_a_second(void **state)
{
    struct jl_retry_case what = { .is_read = true, .attempt = 3, .retry_after_s = 0 };
    (void)state;
    assert_near(jl_retry_wait_s(&what, 0.5), 1, 0);
    what.is_unsent = true; /* nobody took it: as after an answer */
    assert_near(jl_retry_wait_s(&what, 0), 3.2, 1e-12);
}

static void the_eleventh_try_is_the_last(void **state)
{
    struct jl_retry_case what = {
        .is_read = true, .code = 503, .attempt = 10, .retry_after_s = JL_NO_RETRY_AFTER
    };
    (void)state;
    assert_int_equal(jl_retry_step(&what).retry, JL_RETRY_YES);
    what.attempt = 11;
    assert_int_equal(jl_retry_step(&what).retry, JL_RETRY_NO);
}

static void a_watch_that_lived_less_than_a_second_waits(void **state)
{
    static const struct {
        double lived_s;
        int64_t events;
        bool is_backoff;
    } rows[] = { { 0.999, 0, true }, { 1, 0, false }, { 1.001, 0, false }, { 0, 1, false } };
    const struct jl_watch_state at = { .version = "7" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_watch_end end = { .kind = JL_END_EOF,
                                          .lived_s = rows[i].lived_s,
                                          .events = rows[i].events };
        assert_int_equal(jl_watch_on_end(&at, &end).is_backoff, rows[i].is_backoff);
    }
}

/* ---- amounts ---- */

/* Up to a billionth of a step, or of the value, is rounding error; more is a step. */
static void a_billionth_above_a_step_is_dust(void **state)
{
    (void)state;
    assert_near(jl_round_up_to(0.001 * (1 + 0.995e-9), 0.001), 0.001, 1e-15);
    assert_near(jl_round_up_to(0.001 * (1 + 1.005e-9), 0.001), 0.002, 1e-15);
    assert_near(jl_round_up_to(0.5e-3, 0.001), 0.001, 1e-15);
    assert_near(jl_round_up_to(1000 * (1 + 0.995e-9), 1), 1000, 0);
    assert_near(jl_round_up_to(1000 * (1 + 1.005e-9), 1), 1001, 0);
}

/* Either says that the server does not know the version yet: a status 504, or the cause. */
static void a_version_from_the_future_lists_without_one(void **state)
{
    static const struct {
        int64_t code;
        bool is_too_large;
        enum jl_watch_next next;
    } rows[] = { { 504, false, JL_NEXT_RELIST_UNSET },
                 { 504, true, JL_NEXT_RELIST_UNSET },
                 { 500, true, JL_NEXT_RELIST_UNSET },
                 { 503, false, JL_NEXT_WATCH } };
    const struct jl_watch_state at = { .version = "7" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_watch_event event = { .type = JL_EVENT_ERROR,
                                              .code = rows[i].code,
                                              .is_version_too_large = rows[i].is_too_large,
                                              .internal_error_retry_s = 30 };
        assert_int_equal(jl_watch_on_event(&at, &event).next, rows[i].next);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leader_hurries_from_3_seconds_before_its_deadline),
        cmocka_unit_test(a_connection_that_broke_is_tried_again_after_a_second),
        cmocka_unit_test(the_eleventh_try_is_the_last),
        cmocka_unit_test(a_watch_that_lived_less_than_a_second_waits),
        cmocka_unit_test(a_billionth_above_a_step_is_dust),
        cmocka_unit_test(a_version_from_the_future_lists_without_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
