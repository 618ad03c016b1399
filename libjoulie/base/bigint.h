/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Unsigned integers of a fixed, sufficient size: exact conversion between binary and decimal
 * (number_*.c only). */

#include <stdbool.h>
#include <stdint.h>

/* The largest value is 10^(JL_DECIMAL_DIGITS + 350), about 3720 bits. */
#define JL_BIGINT_LIMBS 128
/* More never change the nearest double: halfway points have at most 767 digits. */
#define JL_DECIMAL_DIGITS 770

struct jl_bigint {
    uint32_t count;                  /* limbs in use; the highest is not 0; count 0 = the value 0 */
    uint32_t limbs[JL_BIGINT_LIMBS]; /* lowest first */
};

void jl_bigint_set(struct jl_bigint *big, uint64_t value);
/* big * factor + addend */
void jl_bigint_scale(struct jl_bigint *big, uint32_t factor, uint32_t addend);
void jl_bigint_scale_pow10(struct jl_bigint *big, uint32_t exponent);
void jl_bigint_shift(struct jl_bigint *big, uint32_t bits);                    /* to the left */
void jl_bigint_subtract(struct jl_bigint *big, const struct jl_bigint *other); /* other <= big */
int jl_bigint_compare(const struct jl_bigint *a, const struct jl_bigint *b);
uint32_t jl_bigint_bits(const struct jl_bigint *big); /* position of the highest bit, from 1 */
