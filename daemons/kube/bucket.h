/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A token bucket: `burst` requests at once, `qps` a second after that. */

#include <stdbool.h>
#include <stdint.h>

struct jd_bucket {
    double qps;   /* 0 = no limit */
    double burst; /* at least 1 */
    double tokens;
    int64_t at_ms; /* when tokens was right */
};

struct jd_bucket jd_bucket_new(double qps, double burst, int64_t now_ms); /* full */
bool jd_bucket_take(struct jd_bucket *bucket, int64_t now_ms);
int64_t jd_bucket_wait_ms(struct jd_bucket *bucket, int64_t now_ms); /* until the next token */
