/* SPDX-License-Identifier: Apache-2.0 */

/* Waits that double with each failure, up to a limit, and the pause between two scans of threads.
 * Called by node/, autoscale/ and kubernetes/. */

#include "base/backoff.h"

#include "base/number.h"

#define SCAN_LEAST_S 5
#define SCAN_THREAD_US 18   /* stat and schedstat of one thread */
#define SCAN_BUDGET_US 5000 /* of each second: 0.5 % of a core */

const struct jl_backoff jl_backoff_threads = { 5, 300 };
const struct jl_backoff jl_backoff_probe = { 60, 900 };

double jl_backoff_s(const struct jl_backoff *backoff, int64_t failures)
{
    double delay_s = backoff->base_s;
    for (int64_t i = 0; i < failures && delay_s > 0 && delay_s < backoff->most_s; i++)
        delay_s *= 2;
    return jl_min(delay_s, backoff->most_s);
}

int64_t jl_scan_interval_s(int64_t threads)
{
    /* in two parts, so that no product overflows; the second is rounded up */
    const int64_t whole = threads / SCAN_BUDGET_US * SCAN_THREAD_US;
    const int64_t rest =
        (threads % SCAN_BUDGET_US * SCAN_THREAD_US + SCAN_BUDGET_US - 1) / SCAN_BUDGET_US;
    return whole + rest > SCAN_LEAST_S ? whole + rest : SCAN_LEAST_S;
}
