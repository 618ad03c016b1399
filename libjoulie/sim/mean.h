/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Means over the seeds of a comparison, with Student's t interval. */

#include <stdbool.h>
#include <stddef.h>

/* Two-sided 95 %. */
struct jl_mean {
    double mean;
    double half_width; /* of the interval around the mean */
    bool has_interval; /* at least two values */
};

double jl_student_t_975(size_t degrees); /* the 97.5 % point; degrees >= 1; error below 1e-6 */

/* Of the differences a[i] - b[i]: the same seed, the same demand; b NULL = of a alone. count >= 1.
 */
struct jl_mean jl_mean_difference(const double *a, const double *b, size_t count);
