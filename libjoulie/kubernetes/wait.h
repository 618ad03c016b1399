/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How long a client of the API server waits before its next try. Time and chance are arguments:
 * u is uniform in [0, 1). Rules: docs/rules/kubernetes-watch.md#waits. */

#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"

extern const struct jl_backoff jl_backoff_queue; /* one key of a work queue */

/* A wait that is uniform in [least, most). */
struct jl_wait_range {
    double least_s;
    double most_s;
};

/* List and watch after failures; since_last_s is the age of the last wait. */
struct jl_wait_range jl_reflector_wait(int64_t failures, double since_last_s);

/* The same after a failure that passes by itself when a server has started: it is away, or lets
 * nobody in yet. Never as long as 10 s. */
struct jl_wait_range jl_reflector_start_wait(int64_t failures);

/* Leader election: between two tries to become the leader. */
double jl_lease_acquire_wait_s(double retry_period_s, double u);

struct jl_lease_wait {
    double delay_s;
    bool is_over; /* the wait reaches the deadline: no further try before it */
};

/* elapsed_s since the last renewal that worked, from which the deadline counts. */
struct jl_lease_wait jl_lease_renew_wait(double elapsed_s, double deadline_s,
                                         double retry_period_s);

/* A server's Retry-After, and up to a quarter more. */
double jl_retry_after_wait_s(double retry_after_s, double u);
