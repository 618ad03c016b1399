/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which vectors the processor has, for loops that are compiled several times from one text. All of
 * them answer the same bits: arithmetic is IEEE per lane, sums are taken in order, and nothing is
 * contracted (docs/architecture.md#numbers-are-the-same-everywhere). The operating system's support
 * of the registers is part of the answer.
 */

enum jl_simd {
    JL_SIMD_NONE,   /* what every processor of this architecture has */
    JL_SIMD_AVX2,   /* 4 doubles */
    JL_SIMD_AVX512, /* 8 doubles: AVX-512 F, DQ and VL */
    JL_SIMD_COUNT,
};

/* The widest that may run here; JL_SIMD_NONE on other architectures. */
enum jl_simd jl_simd_best(void);

/* Before a loop whose rounds do not depend on each other, whatever its pointers say. */
#if defined(__clang__)
#define JL_INDEPENDENT
#else
#define JL_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Before a function: its loops are compiled for these vectors. */
#if defined(__x86_64__)
#define JL_TARGET_AVX2 __attribute__((target("avx2")))
#if defined(__clang__)
#define JL_TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))
#else
#define JL_TARGET_AVX512 \
    __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#else
#define JL_TARGET_AVX2
#define JL_TARGET_AVX512
#endif
