/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One generator with its seed as an argument (SplitMix64), and the distributions that simulations
 * draw from.
 */

#include "base/random.h"

#include <math.h>

#include "base/elementary.h"

__extension__ typedef unsigned __int128 u128;

#define TWO_PI 6.283185307179586
#define UNIT 0x1p-53 /* distance of two neighbours of jl_random_unit */

uint64_t jl_random_next(struct jl_random *random)
{
    random->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = random->state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

double jl_random_unit(struct jl_random *random)
{
    return (double)(jl_random_next(random) >> 11) * UNIT;
}

double jl_random_range(struct jl_random *random, double low, double high)
{
    return low + (high - low) * jl_random_unit(random);
}

int64_t jl_random_int(struct jl_random *random, int64_t low, int64_t high)
{
    const uint64_t draw = jl_random_next(random);
    if (high <= low)
        return low;
    const u128 count = (u128)((uint64_t)high - (uint64_t)low) + 1;
    /* floor(unit * count) without rounding; counts above 2^53 need the draw's low bits too */
    const uint64_t step = count <= UINT64_C(1) << 53 ? (uint64_t)((draw >> 11) * count >> 53)
                                                     : (uint64_t)(draw * count >> 64);
    return (int64_t)((uint64_t)low + step);
}

double jl_random_exponential(struct jl_random *random)
{
    return -jl_log(1 - jl_random_unit(random));
}

/* Box and Muller; the second number of the pair is not kept, so that the state stays one word. */
double jl_random_normal(struct jl_random *random)
{
    const double radius = sqrt(-2 * jl_log(1 - jl_random_unit(random)));
    return radius * jl_cos(TWO_PI * jl_random_unit(random));
}
