/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* SplitMix64 (Steele, Lea and Flood 2014): one small generator, seeded by an argument. */

#include <stdint.h>

struct jl_random {
    uint64_t state;
};

uint64_t jl_random_next(struct jl_random *random);
double jl_random_unit(struct jl_random *random); /* [0, 1), 53 bits */
double jl_random_range(struct jl_random *random, double low, double high);
int64_t jl_random_int(struct jl_random *random, int64_t low, int64_t high); /* both ends included */
double jl_random_exponential(struct jl_random *random);                     /* mean 1 */
double jl_random_normal(struct jl_random *random); /* mean 0, deviation 1; two draws each */
