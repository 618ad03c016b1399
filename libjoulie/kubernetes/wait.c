/* SPDX-License-Identifier: Apache-2.0 */

/* Waits of the clients of an API server: list and watch, work queues, leader election, Retry-After.
 * Called by the daemons and by the question `interval`. */

#include "kubernetes/wait.h"

#include "base/number.h"

#define REFLECTOR_RESET_S 120.0 /* after a quiet time this long it starts over */

#define REFLECTOR_START_S 5.0

#define LEASE_JITTER 1.2
#define LEASE_LAST_S 3.0 /* this near to its deadline a leader tries more often */
#define LEASE_LAST_RETRY_S 1.0

#define RETRY_AFTER_JITTER 0.25
#define RETRY_AFTER_MOST_S 60.0

static const struct jl_backoff reflector = { 0.8, 30 };
const struct jl_backoff jl_backoff_queue = { 0.005, 1000 };

struct jl_wait_range jl_reflector_wait(int64_t failures, double since_last_s)
{
    const bool starts_over = since_last_s > REFLECTOR_RESET_S;
    const double least_s = jl_backoff_s(&reflector, starts_over ? 0 : failures);
    return (struct jl_wait_range){ least_s, 2 * least_s };
}

struct jl_wait_range jl_reflector_start_wait(int64_t failures)
{
    const double least_s = jl_min(jl_backoff_s(&reflector, failures), REFLECTOR_START_S);
    return (struct jl_wait_range){ least_s, 2 * least_s };
}

double jl_lease_acquire_wait_s(double retry_period_s, double u)
{
    return retry_period_s * (1 + LEASE_JITTER * u);
}

struct jl_lease_wait jl_lease_renew_wait(double elapsed_s, double deadline_s, double retry_period_s)
{
    const double left_s = jl_max(deadline_s - elapsed_s, 0);
    const double shorter_s = jl_max(left_s - LEASE_LAST_S, LEASE_LAST_RETRY_S);
    const double delay_s = jl_min(retry_period_s, shorter_s);
    if (delay_s < left_s)
        return (struct jl_lease_wait){ delay_s, false };
    return (struct jl_lease_wait){ left_s, true };
}

double jl_retry_after_wait_s(double retry_after_s, double u)
{
    return jl_min(retry_after_s * (1 + RETRY_AFTER_JITTER * u), RETRY_AFTER_MOST_S);
}
