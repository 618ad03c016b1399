/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Samples of one thread (docs/rules/threads-training.md#percentiles): exact while they are few,
 * then counted in buckets of less than 1 % of their value. Called by replay.c.
 */

#include "threads/samples.h"

#include <joulie/error.h>

#include "base/memory.h"
#include "base/sort.h"

#define STEP_BITS 7 /* buckets of a power of two */
#define STEPS (1U << STEP_BITS)
#define MOST_BITS 42 /* more than an hour */
#define BUCKETS ((MOST_BITS - STEP_BITS + 1) * STEPS)

/* Below 2^STEP_BITS each number is its own bucket; above, each power of two has STEPS of them. */
static size_t bucket_of(uint64_t ns)
{
    const uint64_t most = (UINT64_C(1) << MOST_BITS) - 1;
    const uint64_t value = ns < most ? ns : most;
    if (value < STEPS)
        return (size_t)value;
    const unsigned shift = 63 - (unsigned)__builtin_clzll(value) - STEP_BITS;
    return (size_t)shift * STEPS + (size_t)(value >> shift);
}

static double middle_of(size_t bucket)
{
    if (bucket < (size_t)2 * STEPS)
        return (double)bucket;
    const size_t shift = bucket / STEPS - 1;
    const double width = (double)(UINT64_C(1) << shift);
    return ((double)(bucket % STEPS + STEPS) + 0.5) * width - 0.5;
}

static int put_into_buckets(struct jl_samples *samples)
{
    uint32_t *buckets = jl_calloc(BUCKETS, sizeof *buckets);
    if (buckets == NULL)
        return JOULIE_E_NOMEM;
    for (uint64_t i = 0; i < samples->count; i++)
        buckets[bucket_of(samples->exact[i])]++;
    jl_free(samples->exact);
    samples->exact = NULL;
    samples->capacity = 0;
    samples->buckets = buckets;
    return 0;
}

int jl_samples_add(struct jl_samples *samples, uint64_t ns)
{
    int rc = 0;
    if (samples->buckets == NULL && samples->count == JL_SAMPLES_EXACT)
        rc = put_into_buckets(samples);
    else if (samples->buckets == NULL && samples->count == samples->capacity)
        rc = JL_GROW(&samples->exact, &samples->capacity, samples->count + 1);
    if (rc < 0)
        return rc;
    if (samples->buckets != NULL)
        samples->buckets[bucket_of(ns)]++;
    else
        samples->exact[samples->count] = ns;
    samples->count++;
    return 0;
}

static int compare(const void *a, const void *b, void *user)
{
    const uint64_t *left = a;
    const uint64_t *right = b;
    (void)user;
    return JL_ORDER(*left, *right);
}

int jl_samples_percentile(struct jl_samples *samples, unsigned percent, double *out_ns)
{
    const uint64_t rank = (samples->count * percent + 99) / 100; /* from 1 */
    if (samples->buckets == NULL) {
        const int rc =
            jl_sort(samples->exact, (size_t)samples->count, sizeof *samples->exact, compare, NULL);
        if (rc == 0)
            *out_ns = (double)samples->exact[rank - 1];
        return rc;
    }
    uint64_t seen = 0;
    size_t bucket = 0;
    while (bucket + 1 < BUCKETS && (seen += samples->buckets[bucket]) < rank)
        bucket++;
    *out_ns = middle_of(bucket);
    return 0;
}

void jl_samples_clear(struct jl_samples *samples)
{
    jl_free(samples->exact);
    jl_free(samples->buckets);
    *samples = (struct jl_samples){ .count = 0 };
}
