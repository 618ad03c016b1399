/* SPDX-License-Identifier: Apache-2.0 */

/* The kernel of columns.c for one row at a time, on every machine. */

#define JL_LANES 1
#include "twin/kernel.h"

JL_TARGET uint64_t jl_twin_kernel_1(const struct jl_twin_block *block)
{
    return jl_run_kernel(block);
}
