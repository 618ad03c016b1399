/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Exact integers of up to 4096 bits, for the few numbers whose nearest double or shortest text
 * cannot be found in 128 bits. Called by number_parse.c and by the program that makes the table of
 * powers.
 */

#include "base/bigint.h"

#include <assert.h>
#include <string.h>

#define LIMB_BITS 32
#define LARGEST_STEP 13 /* 5^13 is the largest power of five in a limb */

static const uint32_t powers_of_5[LARGEST_STEP + 1] = {
    1,     5,      25,      125,     625,      3125,      15625,
    78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
};

void jl_bigint_set(struct jl_bigint *big, uint64_t value)
{
    big->limbs[0] = (uint32_t)value;
    big->limbs[1] = (uint32_t)(value >> LIMB_BITS);
    big->count = big->limbs[1] != 0 ? 2 : big->limbs[0] != 0;
}

static void push(struct jl_bigint *big, uint32_t limb)
{
    assert(big->count < JL_BIGINT_LIMBS);
    big->limbs[big->count++] = limb;
}

static void trim(struct jl_bigint *big)
{
    while (big->count > 0 && big->limbs[big->count - 1] == 0)
        big->count--;
}

void jl_bigint_scale(struct jl_bigint *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (uint32_t i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    if (carry != 0)
        push(big, (uint32_t)carry);
}

void jl_bigint_scale_pow10(struct jl_bigint *big, uint32_t exponent)
{
    uint32_t left = exponent;
    for (; left >= LARGEST_STEP; left -= LARGEST_STEP)
        jl_bigint_scale(big, powers_of_5[LARGEST_STEP], 0);
    jl_bigint_scale(big, powers_of_5[left], 0);
    jl_bigint_shift(big, exponent);
}

void jl_bigint_shift(struct jl_bigint *big, uint32_t bits)
{
    const uint32_t limbs = bits / LIMB_BITS;
    const uint32_t rest = bits % LIMB_BITS;
    if (big->count == 0)
        return;
    if (rest > 0)
        jl_bigint_scale(big, UINT32_C(1) << rest, 0);
    if (limbs == 0)
        return;
    assert(big->count + limbs <= JL_BIGINT_LIMBS);
    memmove(big->limbs + limbs, big->limbs, big->count * sizeof big->limbs[0]);
    memset(big->limbs, 0, limbs * sizeof big->limbs[0]);
    big->count += limbs;
}

void jl_bigint_subtract(struct jl_bigint *big, const struct jl_bigint *other)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < big->count; i++) {
        const uint64_t taken = (i < other->count ? other->limbs[i] : 0) + borrow;
        borrow = big->limbs[i] < taken;
        big->limbs[i] = (uint32_t)(big->limbs[i] - taken);
    }
    assert(borrow == 0);
    trim(big);
}

int jl_bigint_compare(const struct jl_bigint *a, const struct jl_bigint *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    }
    return 0;
}

uint32_t jl_bigint_bits(const struct jl_bigint *big)
{
    if (big->count == 0)
        return 0;
    return big->count * LIMB_BITS - (uint32_t)__builtin_clz(big->limbs[big->count - 1]);
}
