/* SPDX-License-Identifier: Apache-2.0 */

/* The token bucket of a process (docs/rules/clients.md#rate), for client.c. */

#include "kube/bucket.h"

#include "base/number.h"

#define MS_PER_S 1000.0

struct jd_bucket jd_bucket_new(double qps, double burst, int64_t now_ms)
{
    const double size = jl_max(burst, 1);
    return (struct jd_bucket){ .qps = qps, .burst = size, .tokens = size, .at_ms = now_ms };
}

static void fill(struct jd_bucket *bucket, int64_t now_ms)
{
    const double more = (double)(now_ms - bucket->at_ms) / MS_PER_S * bucket->qps;
    bucket->tokens = jl_min(bucket->tokens + jl_max(more, 0), bucket->burst);
    bucket->at_ms = now_ms;
}

bool jd_bucket_take(struct jd_bucket *bucket, int64_t now_ms)
{
    if (bucket->qps <= 0)
        return true;
    fill(bucket, now_ms);
    if (bucket->tokens < 1)
        return false;
    bucket->tokens -= 1;
    return true;
}

int64_t jd_bucket_wait_ms(struct jd_bucket *bucket, int64_t now_ms)
{
    if (bucket->qps <= 0)
        return 0;
    fill(bucket, now_ms);
    /* a millisecond more than needed: the next check is never too early */
    return bucket->tokens >= 1 ? 0 : (int64_t)((1 - bucket->tokens) / bucket->qps * MS_PER_S) + 1;
}
