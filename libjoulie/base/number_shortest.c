/* SPDX-License-Identifier: Apache-2.0 */

/*
 * R. Giulietti, "The Schubfach way to render doubles" (2020). The numbers that read back as a
 * double v = c * 2^q lie between its two midpoints. With 10^k <= width of that interval < 10^(k+1)
 * it holds at least one multiple of 10^k and at most one of 10^(k+1): the shortest is that one, or
 * else the multiple of 10^k beside v that is nearer. Everything is counted in quarters of 10^k,
 * rounded to odd, which keeps every comparison exact (section 9 of the paper).
 */

#include "base/number_shortest.h"

#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* floor(log10(2^x)), or of 3/4 * 2^x; |x| < 1500 */
static int floor_log10_pow2(int x, bool is_three_quarters)
{
    return (x * 1262611 - (is_three_quarters ? 524031 : 0)) >> 22;
}

/* The highest 64 bits of the product; the last is also set when anything but the power's own
 * rounding lies below them. */
static uint64_t round_to_odd(struct jl_power power, uint64_t factor)
{
    const u128 low = (u128)power.low * factor;
    const u128 product = (u128)power.high * factor + (uint64_t)(low >> 64);
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

static struct jl_short_decimal without_zeros(uint64_t digits, int exponent)
{
    while (digits % 100000000 == 0) {
        digits /= 100000000;
        exponent += 8;
    }
    while (digits % 100 == 0) {
        digits /= 100;
        exponent += 2;
    }
    const bool has_zero = digits % 10 == 0;
    return (struct jl_short_decimal){ has_zero ? digits / 10 : digits, exponent + has_zero };
}

struct jl_short_decimal jl_shortest_decimal(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int biased = (int)(bits >> 52);
    const uint64_t c = biased > 0 ? fraction | UINT64_C(1) << 52 : fraction;
    const int q = biased > 0 ? biased - 1075 : -1074;
    const bool has_near_lower = fraction == 0 && biased > 1; /* the next double below is nearer */
    const bool is_odd = (c & 1) != 0; /* then the midpoints are not its own */

    const int k = floor_log10_pow2(q, has_near_lower);
    const int shift = q + jl_floor_log2_pow10(-k) + 1;
    const struct jl_power power = jl_powers[-k - JL_SMALLEST_POWER];
    const uint64_t lower =
        round_to_odd(power, (4 * c - (has_near_lower ? 1 : 2)) << shift) + is_odd;
    const uint64_t here = round_to_odd(power, 4 * c << shift);
    const uint64_t upper = round_to_odd(power, (4 * c + 2) << shift) - is_odd;

    const uint64_t below = here / 4; /* in units of 10^k */
    if (below >= 10) {
        const uint64_t tens = below / 10;
        const bool holds_below = lower <= 40 * tens;
        const bool holds_above = 40 * tens + 40 <= upper;
        if (holds_below != holds_above)
            return without_zeros(tens + holds_above, k + 1);
    }
    const bool holds_below = lower <= 4 * below;
    const bool holds_above = 4 * below + 4 <= upper;
    const uint64_t middle = 4 * below + 2;
    const bool is_above_nearer = here > middle || (here == middle && (below & 1) != 0);
    const bool rises = holds_below != holds_above ? holds_above : is_above_nearer;
    return without_zeros(below + rises, k);
}
