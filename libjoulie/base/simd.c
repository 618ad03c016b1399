/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which vector registers this processor has. Asked by the loops over columns of twin/ and place/.
 */

#include "base/simd.h"

enum jl_simd jl_simd_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return JL_SIMD_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return JL_SIMD_AVX2;
#endif
    return JL_SIMD_NONE;
}
