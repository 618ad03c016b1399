/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Powers of ten, and the shortest decimal of a double (number_*.c only). */

#include <stdint.h>

/* Of ten: those that some double, or the 19 digits of some decimal, are multiplied by. */
#define JL_SMALLEST_POWER (-342)
#define JL_LARGEST_POWER 324

struct jl_power {
    uint64_t high;
    uint64_t low;
};

/*
 * Made by cmake/make_number_powers.c while the library is built: entry k - JL_SMALLEST_POWER is the
 * smallest integer that is not below 10^k * 2^s, with the s that makes it 128 bits long.
 */
extern const struct jl_power jl_powers[JL_LARGEST_POWER - JL_SMALLEST_POWER + 1];

/* floor(log2(10^x)), |x| < 1233 */
static inline int jl_floor_log2_pow10(int x)
{
    return (x * 1741647) >> 19;
}

struct jl_short_decimal {
    uint64_t digits; /* at most 17 digits; the last is not 0 */
    int exponent;    /* value = digits * 10^exponent */
};

/*
 * Of all decimals with the fewest digits that read back as the value, the nearest to it; of two
 * that are equally near the one whose last digit is even. Finite and above 0.
 */
struct jl_short_decimal jl_shortest_decimal(double value);
