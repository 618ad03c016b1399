/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How long to wait before the next try. Arithmetic only: time and chance are arguments. */

#include <stdbool.h>
#include <stdint.h>

struct jl_backoff { /* base · 2^failures, at most most */
    double base_s;
    double most_s;
};

extern const struct jl_backoff jl_backoff_queue;   /* a work queue's key: kubernetes.md §5.5 */
extern const struct jl_backoff jl_backoff_threads; /* thread placement: temper.md §9.2 */
extern const struct jl_backoff jl_backoff_probe;   /* a failed control: linux-power.md §15 */

double jl_backoff_s(const struct jl_backoff *backoff, int64_t failures);

/* A wait that is uniform in [least, most). */
struct jl_wait_range {
    double least_s;
    double most_s;
};

/* List and watch after failures (kubernetes.md §5.5); since_last_s is the age of the last wait. */
struct jl_wait_range jl_reflector_wait(int64_t failures, double since_last_s);

/* Leader election (kubernetes.md §13). u is uniform in [0, 1). */
double jl_lease_acquire_wait_s(double retry_period_s, double u);

struct jl_lease_wait {
    double delay_s;
    bool is_over; /* the wait reaches the deadline: no further try before it */
};

/* elapsed_s since the last renewal that worked, from which the deadline counts. */
struct jl_lease_wait jl_lease_renew_wait(double elapsed_s, double deadline_s,
                                         double retry_period_s);

/* A server's Retry-After (kubernetes.md §8.1). u is uniform in [0, 1). */
double jl_retry_after_wait_s(double retry_after_s, double u);

/* Between two scans of that many threads, so that scanning costs little (temper.md §8.6). */
int64_t jl_scan_interval_s(int64_t threads);
