/* SPDX-License-Identifier: Apache-2.0 */
#include "base/backoff.h"

#include "base/number.h"

#define REFLECTOR_RESET_S 120.0 /* after a quiet time this long it starts over */

#define LEASE_JITTER 1.2
#define LEASE_LAST_S 3.0 /* before its deadline a leader is in a hurry */
#define LEASE_LAST_RETRY_S 1.0

#define RETRY_AFTER_JITTER 0.25
#define RETRY_AFTER_MOST_S 60.0

#define SCAN_LEAST_S 5
#define SCAN_THREAD_US 18   /* stat and schedstat of one thread */
#define SCAN_BUDGET_US 5000 /* of each second: 0.5 % of a core */

static const struct jl_backoff reflector = { 0.8, 30 };
const struct jl_backoff jl_backoff_queue = { 0.005, 1000 };
const struct jl_backoff jl_backoff_threads = { 5, 300 };
const struct jl_backoff jl_backoff_probe = { 60, 900 };

double jl_backoff_s(const struct jl_backoff *backoff, int64_t failures)
{
    double delay_s = backoff->base_s;
    for (int64_t i = 0; i < failures && delay_s > 0 && delay_s < backoff->most_s; i++)
        delay_s *= 2;
    return jl_min(delay_s, backoff->most_s);
}

struct jl_wait_range jl_reflector_wait(int64_t failures, double since_last_s)
{
    const bool starts_over = since_last_s > REFLECTOR_RESET_S;
    const double least_s = jl_backoff_s(&reflector, starts_over ? 0 : failures);
    return (struct jl_wait_range){ least_s, 2 * least_s };
}

double jl_lease_acquire_wait_s(double retry_period_s, double u)
{
    return retry_period_s * (1 + LEASE_JITTER * u);
}

struct jl_lease_wait jl_lease_renew_wait(double elapsed_s, double deadline_s, double retry_period_s)
{
    const double left_s = jl_max(deadline_s - elapsed_s, 0);
    const double hurried_s = jl_max(left_s - LEASE_LAST_S, LEASE_LAST_RETRY_S);
    const double delay_s = jl_min(retry_period_s, hurried_s);
    if (delay_s < left_s)
        return (struct jl_lease_wait){ delay_s, false };
    return (struct jl_lease_wait){ left_s, true };
}

double jl_retry_after_wait_s(double retry_after_s, double u)
{
    return jl_min(retry_after_s * (1 + RETRY_AFTER_JITTER * u), RETRY_AFTER_MOST_S);
}

int64_t jl_scan_interval_s(int64_t threads)
{
    /* in two parts, so that no product overflows; the second is rounded up */
    const int64_t whole = threads / SCAN_BUDGET_US * SCAN_THREAD_US;
    const int64_t rest =
        (threads % SCAN_BUDGET_US * SCAN_THREAD_US + SCAN_BUDGET_US - 1) / SCAN_BUDGET_US;
    return whole + rest > SCAN_LEAST_S ? whole + rest : SCAN_LEAST_S;
}
