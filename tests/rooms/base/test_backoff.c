/* SPDX-License-Identifier: Apache-2.0 */

/* Waits that double, and how often threads are scanned. */

#include <math.h>

#include "base/backoff.h"
#include "base/text.h"
#include "support/test.h"

static void a_wait_doubles_with_each_failure_up_to_its_most(void **state)
{
    static const double probe_s[] = { 60, 120, 240, 480, 900, 900 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(probe_s); i++)
        assert_near(jl_backoff_s(&jl_backoff_probe, (int64_t)i), probe_s[i], 0);
    assert_near(jl_backoff_s(&jl_backoff_probe, INT64_MAX), 900, 0);
    assert_near(jl_backoff_s(&jl_backoff_threads, 1), 10, 0);
    assert_near(jl_backoff_s(&jl_backoff_threads, 6), 300, 0);
}

static void a_wait_from_nothing_ends(void **state)
{
    const struct jl_backoff never = { 0, 10 };
    const struct jl_backoff odd = { NAN, 10 };
    (void)state;
    assert_near(jl_backoff_s(&never, INT64_MAX), 0, 0);
    (void)jl_backoff_s(&odd, INT64_MAX); /* comes back */
}

static void scanning_takes_half_a_percent_of_a_core(void **state)
{
    static const int64_t rows[][2] = { { 0, 5 },    { 200, 5 },    { 1388, 5 },  { 1389, 6 },
                                       { 2000, 8 }, { 10000, 36 }, { 20000, 72 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_int_equal(jl_scan_interval_s(rows[i][0]), rows[i][1]);
    assert_true(jl_scan_interval_s(INT64_MAX) > INT64_MAX / 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_doubles_with_each_failure_up_to_its_most),
        cmocka_unit_test(a_wait_from_nothing_ends),
        cmocka_unit_test(scanning_takes_half_a_percent_of_a_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
