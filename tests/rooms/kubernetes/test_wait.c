/* SPDX-License-Identifier: Apache-2.0 */

/* Waits of clients of the API server. */

#include <math.h>

#include "base/text.h"
#include "kubernetes/retry.h"
#include "kubernetes/wait.h"
#include "support/test.h"

static void a_key_of_a_queue_waits_5_ms_to_1000_s(void **state)
{
    static const struct {
        int64_t failures;
        double wait_s;
    } queue[] = { { 0, 0.005 },   { 1, 0.01 },    { 5, 0.16 },  { 10, 5.12 },
                  { 15, 163.84 }, { 17, 655.36 }, { 18, 1000 }, { INT64_MAX, 1000 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(queue); i++)
        assert_near(jl_backoff_s(&jl_backoff_queue, queue[i].failures), queue[i].wait_s, 1e-12);
}

static void a_reflector_starts_over_after_two_quiet_minutes(void **state)
{
    (void)state;
    assert_near(jl_reflector_wait(5, 0).least_s, 25.6, 1e-12);
    assert_near(jl_reflector_wait(5, 0).most_s, 51.2, 1e-12);
    assert_near(jl_reflector_wait(5, 120).least_s, 25.6, 1e-12);
    assert_near(jl_reflector_wait(5, 120.001).least_s, 0.8, 0);
    assert_near(jl_reflector_wait(INT64_MAX, 0).most_s, 60, 0);
}

/* docs/rules/kubernetes-watch.md#waits */
static void a_server_that_starts_is_tried_again_within_10_s(void **state)
{
    (void)state;
    assert_near(jl_reflector_start_wait(0).least_s, 0.8, 1e-12);
    assert_near(jl_reflector_start_wait(2).most_s, 6.4, 1e-12);
    assert_near(jl_reflector_start_wait(3).least_s, 5, 0);
    assert_near(jl_reflector_start_wait(INT64_MAX).most_s, 10, 0);
}

/* docs/rules/kubernetes-watch.md#waits: [0.8, 1.6) s before the second try, [1.6, 3.2) s after. */
static void a_try_without_an_answer_to_obey_waits_as_a_reflector(void **state)
{
    struct jl_retry_case what = {
        .is_read = true, .code = 500, .attempt = 1, .retry_after_s = JL_NO_RETRY_AFTER
    };
    (void)state;
    assert_near(jl_retry_wait_s(&what, 0), 0.8, 1e-12);
    assert_near(jl_retry_wait_s(&what, 0.5), 1.2, 1e-12);
    what.attempt = 2;
    assert_near(jl_retry_wait_s(&what, 0), 1.6, 1e-12);
    assert_near(jl_retry_wait_s(&what, 0.5), 2.4, 1e-12);
}

static void a_leader_tries_at_2_4_6_7_8_9_and_is_done_at_10(void **state)
{
    static const double tries_s[] = { 2, 4, 6, 7, 8, 9 };
    double now_s = 0;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(tries_s); i++) {
        const struct jl_lease_wait wait = jl_lease_renew_wait(now_s, 10, 2);
        assert_false(wait.is_over);
        now_s += wait.delay_s;
        assert_near(now_s, tries_s[i], 0);
    }
    const struct jl_lease_wait last = jl_lease_renew_wait(now_s, 10, 2);
    assert_true(last.is_over);
    assert_near(last.delay_s, 1, 0);
}

static void no_wait_of_a_leader_passes_its_deadline(void **state)
{
    (void)state;
    for (double elapsed_s = 0; elapsed_s < 20; elapsed_s += 0.37) {
        const struct jl_lease_wait wait = jl_lease_renew_wait(elapsed_s, 10, 2);
        assert_true(wait.delay_s >= 0);
        if (elapsed_s <= 10)
            assert_true(elapsed_s + wait.delay_s <= 10);
        else
            assert_true(wait.is_over && wait.delay_s == 0);
    }
    assert_true(jl_lease_renew_wait(NAN, 10, 2).is_over);
    assert_true(jl_lease_renew_wait(0, NAN, 2).is_over);
    assert_true(jl_lease_renew_wait(INFINITY, 10, 2).is_over);
}

static void a_leader_with_short_periods_is_not_slowed_down_at_the_end(void **state)
{
    (void)state;
    assert_near(jl_lease_renew_wait(9, 10, 0.25).delay_s, 0.25, 0);
}

static void chance_makes_waits_longer_only(void **state)
{
    (void)state;
    assert_near(jl_lease_acquire_wait_s(2, 0), 2, 0);
    assert_near(jl_lease_acquire_wait_s(2, 0.5), 3.2, 1e-12);
    assert_near(jl_retry_after_wait_s(8, 0), 8, 0);
    assert_near(jl_retry_after_wait_s(8, 1), 10, 0);
    assert_near(jl_retry_after_wait_s(50, 1), 60, 0);
    assert_near(jl_retry_after_wait_s(120, 0), 60, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_of_a_queue_waits_5_ms_to_1000_s),
        cmocka_unit_test(a_reflector_starts_over_after_two_quiet_minutes),
        cmocka_unit_test(a_server_that_starts_is_tried_again_within_10_s),
        cmocka_unit_test(a_try_without_an_answer_to_obey_waits_as_a_reflector),
        cmocka_unit_test(a_leader_tries_at_2_4_6_7_8_9_and_is_done_at_10),
        cmocka_unit_test(no_wait_of_a_leader_passes_its_deadline),
        cmocka_unit_test(a_leader_with_short_periods_is_not_slowed_down_at_the_end),
        cmocka_unit_test(chance_makes_waits_longer_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
