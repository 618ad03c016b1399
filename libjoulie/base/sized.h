/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Structs of callers that may have compiled another release: the first member is size_t
 * struct_size. Use: check both structs, read the input into ours, compute, write the output.
 */

#include <stddef.h>

#include <joulie/error.h>

#define JL_SIZED_MAX 4096 /* a larger struct_size is garbage */

/* 0, or JOULIE_E_ABI for a size that is NULL's, smaller than the first release's or larger than
 * JL_SIZED_MAX. */
int jl_sized_check(const void *theirs, size_t first_size);

/*
 * Copies a checked struct into ours (ours_size bytes): a missing tail reads as zero, and a tail
 * that we do not know must be zero, else JOULIE_E_ABI. struct_size of ours becomes ours_size.
 */
int jl_sized_read(void *ours, size_t ours_size, const void *theirs);

/* Copies ours into a checked struct, never past its size; zeroes a tail that we do not know and
 * leaves struct_size alone. */
void jl_sized_write(void *theirs, const void *ours, size_t ours_size);

/* Both for a struct of the caller that has not grown since its first release: 0 or JOULIE_E_ABI. */
#define JL_SIZED_READ(ours, theirs)               \
    (jl_sized_check((theirs), sizeof *(ours)) < 0 \
         ? JOULIE_E_ABI                           \
         : jl_sized_read((ours), sizeof *(ours), (theirs)))
