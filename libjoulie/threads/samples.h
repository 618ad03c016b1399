/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Percentiles of any number of times in bounded memory
 * (docs/rules/threads-training.md#percentiles). */

#include <stddef.h>
#include <stdint.h>

#define JL_SAMPLES_EXACT 4096 /* up to here every sample is kept */

struct jl_samples { /* all zero is empty */
    uint64_t *exact;
    size_t capacity;
    uint32_t *buckets; /* instead of exact, beyond JL_SAMPLES_EXACT */
    uint64_t count;
};

int jl_samples_add(struct jl_samples *samples, uint64_t ns); /* 0 or JOULIE_E_NOMEM */
/* The nearest rank, percent 1 … 100; there are samples. Sorts them: 0 or JOULIE_E_NOMEM. */
int jl_samples_percentile(struct jl_samples *samples, unsigned percent, double *out_ns);
void jl_samples_clear(struct jl_samples *samples);
