/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How long a sample counts, and for how many days samples speak. Rules:
 * docs/rules/autoscaling-statistics.md#confidence. */

#include <stdbool.h>
#include <stdint.h>

/* Zeroed = no sample yet. */
struct jl_confidence {
    int64_t first_ns; /* earliest sample */
    int64_t last_ns;  /* latest sample */
    double minutes;   /* covered by samples of all workers, not decayed */
    bool has_any;
};

/* Weight of a sample that comes since_ns after the one before it: that time within 1 s to 300 s, in
 * minutes. */
double jl_sample_minutes(int64_t since_ns);

void jl_confidence_add(struct jl_confidence *confidence, double minutes, int64_t at_ns);
/* The smaller of the days between first and last and the days covered; 0 = no confidence. */
double jl_confidence_days(const struct jl_confidence *confidence);
