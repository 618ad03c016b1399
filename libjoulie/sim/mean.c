/* SPDX-License-Identifier: Apache-2.0 */

/* Student's t interval of means over seeds; of the comparisons of autoscalers and of experiments.
 */

#include "sim/mean.h"

#include <math.h>

#define NORMAL_975 1.9599639845400543 /* the same point of the normal distribution */

/*
 * Up to 30 degrees from the usual table (nine decimals), beyond it the Cornish-Fisher series
 * (Abramowitz and Stegun 26.7.5), whose error is below 3e-8 there.
 */
static const double table[] = {
    12.706204736, 4.302652730, 3.182446305, 2.776445105, 2.570581836, 2.446911851,
    2.364624252,  2.306004135, 2.262157163, 2.228138852, 2.200985160, 2.178812830,
    2.160368656,  2.144786688, 2.131449546, 2.119905299, 2.109815578, 2.100922040,
    2.093024054,  2.085963447, 2.079613845, 2.073873068, 2.068657610, 2.063898562,
    2.059538553,  2.055529439, 2.051830516, 2.048407142, 2.045229642, 2.042272456,
};

double jl_student_t_975(size_t degrees)
{
    if (degrees <= sizeof table / sizeof table[0])
        return table[degrees - 1];
    const double x = NORMAL_975;
    const double n = (double)degrees;
    const double x2 = x * x;
    const double g1 = x * (x2 + 1) / 4;
    const double g2 = x * ((5 * x2 + 16) * x2 + 3) / 96;
    const double g3 = x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / 384;
    const double g4 = x * ((((79 * x2 + 776) * x2 + 1482) * x2 - 1920) * x2 - 945) / 92160;
    return x + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n;
}

struct jl_mean jl_mean_difference(const double *a, const double *b, size_t count)
{
    struct jl_mean out = { .mean = 0 };
    const double n = (double)count;
    for (size_t i = 0; i < count; i++)
        out.mean += (b ? a[i] - b[i] : a[i]) / n;
    if (count < 2)
        return out;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double off = (b ? a[i] - b[i] : a[i]) - out.mean;
        squares += off * off;
    }
    out.has_interval = true;
    out.half_width = jl_student_t_975(count - 1) * sqrt(squares / (n - 1) / n);
    return out;
}
