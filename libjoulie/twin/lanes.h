/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Numbers of one row, or of JL_LANES rows at once: rules are written once over jl_real and compiled
 * for one, four (AVX2) or eight (AVX-512) rows. A file that wants more than one row defines
 * JL_LANES before its first include.
 *
 * Every operation is rounded like that of one double, so all widths give equal bits. In a lane that
 * a mask leaves out any value may stand, infinities and NaN too.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/simd.h"

#ifndef JL_LANES
#define JL_LANES 1
#endif

#define JL_MAX_BITS UINT64_C(0x7FEFFFFFFFFFFFFF) /* of DBL_MAX */

#if JL_LANES == 1

#define JL_TARGET
#define JL_LANE static inline __attribute__((always_inline))

typedef double jl_real;
typedef bool jl_mask;
typedef uint64_t jl_bits;
typedef int32_t jl_int;

JL_LANE jl_real jl_real_of(double value)
{
    return value;
}

JL_LANE jl_mask jl_below(jl_real a, jl_real b)
{
    return a < b;
}

JL_LANE jl_mask jl_at_most(jl_real a, jl_real b)
{
    return a <= b;
}

JL_LANE jl_mask jl_is_same(jl_real a, jl_real b)
{
    return a == b;
}

JL_LANE jl_real jl_lesser(jl_real a, jl_real b)
{
    return b < a ? b : a;
}

JL_LANE jl_real jl_greater(jl_real a, jl_real b)
{
    return b > a ? b : a;
}

JL_LANE jl_mask jl_mask_of(bool is_set)
{
    return is_set;
}

JL_LANE jl_mask jl_not(jl_mask a)
{
    return !a;
}

JL_LANE bool jl_any(jl_mask a)
{
    return a;
}

JL_LANE jl_real jl_pick(jl_mask mask, jl_real value, jl_real otherwise)
{
    return mask ? value : otherwise;
}

JL_LANE jl_int jl_pick_int(jl_mask mask, int32_t value, jl_int otherwise)
{
    return mask ? value : otherwise;
}

JL_LANE jl_int jl_int_of(int32_t value)
{
    return value;
}

JL_LANE jl_mask jl_int_is(jl_int word, int32_t value)
{
    return word == value;
}

JL_LANE jl_mask jl_has_bit(jl_bits bits, uint64_t bit)
{
    return (bits & bit) != 0;
}

JL_LANE jl_bits jl_bits_if(jl_mask mask, uint64_t bits)
{
    return mask ? bits : 0;
}

JL_LANE jl_bits jl_bits_of(uint64_t bits)
{
    return bits;
}

JL_LANE jl_bits jl_minus(jl_bits a, jl_bits b)
{
    return a - b;
}

JL_LANE jl_mask jl_sign_of(jl_bits bits)
{
    return bits >> 63 != 0;
}

JL_LANE jl_int jl_load_int(const int32_t *from)
{
    return *from;
}

JL_LANE void jl_store_int(int32_t *to, jl_int value)
{
    *to = value;
}

#elif JL_LANES == 4

#include <immintrin.h>

/* A lane of a mask is set when its sign bit is: the others may be anything. */
#define JL_TARGET JL_TARGET_AVX2
#define JL_LANE static inline __attribute__((always_inline)) JL_TARGET

typedef __m256d jl_real;
typedef __m256d jl_mask;
typedef __m256i jl_bits;
typedef __m256i jl_int; /* 64 bits each */

JL_LANE jl_real jl_real_of(double value)
{
    return _mm256_set1_pd(value);
}

JL_LANE jl_mask jl_below(jl_real a, jl_real b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}

JL_LANE jl_mask jl_at_most(jl_real a, jl_real b)
{
    return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
}

JL_LANE jl_mask jl_is_same(jl_real a, jl_real b)
{
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}

JL_LANE jl_real jl_lesser(jl_real a, jl_real b)
{
    return _mm256_min_pd(b, a); /* the second when they are equal */
}

JL_LANE jl_real jl_greater(jl_real a, jl_real b)
{
    return _mm256_max_pd(b, a);
}

JL_LANE jl_mask jl_mask_of(bool is_set)
{
    return _mm256_castsi256_pd(_mm256_set1_epi64x(-(int64_t)is_set));
}

JL_LANE jl_mask jl_both(jl_mask a, jl_mask b)
{
    return _mm256_and_pd(a, b);
}

JL_LANE jl_mask jl_either(jl_mask a, jl_mask b)
{
    return _mm256_or_pd(a, b);
}

JL_LANE jl_mask jl_not(jl_mask a)
{
    return _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)));
}

JL_LANE bool jl_any(jl_mask a)
{
    return _mm256_movemask_pd(a) != 0;
}

JL_LANE jl_real jl_pick(jl_mask mask, jl_real value, jl_real otherwise)
{
    return _mm256_blendv_pd(otherwise, value, mask);
}

JL_LANE jl_int jl_int_of(int32_t value)
{
    return _mm256_set1_epi64x(value);
}

JL_LANE jl_int jl_pick_int(jl_mask mask, int32_t value, jl_int otherwise)
{
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(otherwise),
                                                _mm256_castsi256_pd(jl_int_of(value)), mask));
}

JL_LANE jl_mask jl_int_is(jl_int word, int32_t value)
{
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(word, jl_int_of(value)));
}

/* bit is a constant with one bit set. */
JL_LANE jl_mask jl_has_bit(jl_bits bits, uint64_t bit)
{
    return _mm256_castsi256_pd(_mm256_slli_epi64(bits, __builtin_clzll(bit)));
}

JL_LANE jl_bits jl_bits_if(jl_mask mask, uint64_t bits)
{
    return _mm256_castpd_si256(_mm256_blendv_pd(
        _mm256_setzero_pd(), _mm256_castsi256_pd(_mm256_set1_epi64x((int64_t)bits)), mask));
}

JL_LANE jl_bits jl_bits_of(uint64_t bits)
{
    return _mm256_set1_epi64x((int64_t)bits);
}

JL_LANE jl_bits jl_minus(jl_bits a, jl_bits b)
{
    return _mm256_sub_epi64(a, b);
}

JL_LANE jl_mask jl_sign_of(jl_bits bits)
{
    return _mm256_castsi256_pd(bits);
}

JL_LANE jl_int jl_load_int(const int32_t *from)
{
    return _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)from));
}

JL_LANE void jl_store_int(int32_t *to, jl_int value)
{
    const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    _mm_storeu_si128((__m128i *)to,
                     _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(value, low_halves)));
}

#elif JL_LANES == 8

#include <immintrin.h>

#define JL_TARGET JL_TARGET_AVX512
#define JL_LANE static inline __attribute__((always_inline)) JL_TARGET

typedef __m512d jl_real;
typedef __mmask8 jl_mask;
typedef __m512i jl_bits;
typedef __m256i jl_int; /* 32 bits each */

JL_LANE jl_real jl_real_of(double value)
{
    return _mm512_set1_pd(value);
}

JL_LANE jl_mask jl_below(jl_real a, jl_real b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

JL_LANE jl_mask jl_at_most(jl_real a, jl_real b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}

JL_LANE jl_mask jl_is_same(jl_real a, jl_real b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}

JL_LANE jl_real jl_lesser(jl_real a, jl_real b)
{
    return _mm512_min_pd(b, a); /* the second when they are equal */
}

JL_LANE jl_real jl_greater(jl_real a, jl_real b)
{
    return _mm512_max_pd(b, a);
}

JL_LANE jl_mask jl_mask_of(bool is_set)
{
    return is_set ? 0xff : 0;
}

JL_LANE jl_mask jl_not(jl_mask a)
{
    return (jl_mask)~a;
}

JL_LANE bool jl_any(jl_mask a)
{
    return a != 0;
}

JL_LANE jl_real jl_pick(jl_mask mask, jl_real value, jl_real otherwise)
{
    if (__builtin_constant_p(mask) && mask == 0xff)
        return value; /* which GCC 12 does not see */
    return _mm512_mask_mov_pd(otherwise, mask, value);
}

JL_LANE jl_int jl_int_of(int32_t value)
{
    return _mm256_set1_epi32(value);
}

JL_LANE jl_int jl_pick_int(jl_mask mask, int32_t value, jl_int otherwise)
{
    return _mm256_mask_mov_epi32(otherwise, mask, jl_int_of(value));
}

JL_LANE jl_mask jl_int_is(jl_int word, int32_t value)
{
    return _mm256_cmpeq_epi32_mask(word, jl_int_of(value));
}

JL_LANE jl_mask jl_has_bit(jl_bits bits, uint64_t bit)
{
    return _mm512_test_epi64_mask(bits, _mm512_set1_epi64((int64_t)bit));
}

JL_LANE jl_bits jl_bits_if(jl_mask mask, uint64_t bits)
{
    return _mm512_maskz_set1_epi64(mask, (int64_t)bits);
}

JL_LANE jl_bits jl_bits_of(uint64_t bits)
{
    return _mm512_set1_epi64((int64_t)bits);
}

JL_LANE jl_bits jl_minus(jl_bits a, jl_bits b)
{
    return _mm512_sub_epi64(a, b);
}

JL_LANE jl_mask jl_sign_of(jl_bits bits)
{
    return _mm512_movepi64_mask(bits);
}

JL_LANE jl_int jl_load_int(const int32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

JL_LANE void jl_store_int(int32_t *to, jl_int value)
{
    _mm256_storeu_si256((__m256i *)to, value);
}

#endif

/* A vector has no alignment of its own here: what its lanes hold is copied. */
JL_LANE jl_real jl_load(const double *from)
{
    jl_real value;
    memcpy(&value, from, sizeof value);
    return value;
}

JL_LANE jl_bits jl_load_bits(const uint64_t *from)
{
    jl_bits bits;
    memcpy(&bits, from, sizeof bits);
    return bits;
}

JL_LANE void jl_store(double *to, jl_real value)
{
    memcpy(to, &value, sizeof value);
}

JL_LANE void jl_store_bits(uint64_t *to, jl_bits bits)
{
    memcpy(to, &bits, sizeof bits);
}

JL_LANE jl_bits jl_as_bits(jl_real value)
{
    jl_bits bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#if JL_LANES != 4 /* whose masks are doubles */

JL_LANE jl_mask jl_both(jl_mask a, jl_mask b)
{
    return a & b;
}

JL_LANE jl_mask jl_either(jl_mask a, jl_mask b)
{
    return a | b;
}

#endif

/* Gathers whether one of many doubles, as their bits, is below 0 or not finite. */
JL_LANE void jl_note(jl_bits *found, jl_bits value)
{
#if JL_LANES == 8
    *found = _mm512_max_epu64(*found, value);
#else
    *found |= value | jl_minus(jl_bits_of(JL_MAX_BITS), value);
#endif
}

JL_LANE jl_mask jl_noted(jl_bits found)
{
#if JL_LANES == 8
    return _mm512_cmpgt_epu64_mask(found, jl_bits_of(JL_MAX_BITS));
#else
    return jl_sign_of(found);
#endif
}

JL_LANE jl_mask jl_is_above_0(jl_real value)
{
    return jl_below(jl_real_of(0), value);
}

JL_LANE jl_real jl_or_0(jl_mask mask, jl_real value)
{
    return jl_pick(mask, value, jl_real_of(0));
}

/* Compare and select, as jl_clamp(). */
JL_LANE jl_real jl_within(jl_real value, double low, double high)
{
    return jl_lesser(jl_greater(value, jl_real_of(low)), jl_real_of(high));
}
