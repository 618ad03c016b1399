/* SPDX-License-Identifier: Apache-2.0 */

/* The kernel of columns.c for four rows at a time, with AVX2. */

#if defined(__x86_64__)

#define JL_LANES 4
#include "twin/kernel.h"

JL_TARGET uint64_t jl_twin_kernel_4(const struct jl_twin_block *block)
{
    return jl_run_kernel(block);
}

#endif
