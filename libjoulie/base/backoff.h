/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Waits that double with each failure. Arithmetic only. */

#include <stdint.h>

struct jl_backoff { /* base · 2^failures, at most most */
    double base_s;
    double most_s;
};

extern const struct jl_backoff jl_backoff_threads; /* placing the threads of a process */
extern const struct jl_backoff jl_backoff_probe;   /* writing to a control that failed */

double jl_backoff_s(const struct jl_backoff *backoff, int64_t failures);

/* Between two scans of that many threads, so that scanning costs little. */
int64_t jl_scan_interval_s(int64_t threads);
