/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The least energy of a trace on machines of which there are only so many, by prices of their time
 * (docs/rules/experiments.md#prices). */

#include <stddef.h>

struct jl_priced_family { /* machines that are alike */
    double machines;
    double cores; /* of each */
    double gpus;  /* of each */
    double on_w;  /* of each: what it takes for being on beside what its jobs need */
};

struct jl_priced_way { /* that a job can be run in */
    size_t family;
    double energy_j; /* that it needs there, whatever else runs */
    double hold_s;   /* it has its cores and GPUs for so long, at least */
};

struct jl_priced_job {
    double submit_s; /* it starts between this ... */
    double wait_s;   /* ... and so long after it */
    double gpus;
    double cores;
    const struct jl_priced_way *ways;
    size_t way_count; /* 0: it needs nothing */
};

/* Of all jobs, on machines up to end_s, which is above 0. 0 or JOULIE_E_NOMEM. */
int jl_priced_least_j(const struct jl_priced_family *families, size_t family_count,
                      const struct jl_priced_job *jobs, size_t job_count, double end_s,
                      double *out_j);
