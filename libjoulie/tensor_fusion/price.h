/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a worker costs (docs/rules/gpu-prices.md#price). */

#include <stdbool.h>
#include <stddef.h>

#include "kinds/tensor_fusion.h"

#define JL_PRICE_PER_TFLOPS 0.0069228 /* $ per TFLOPS and hour */
#define JL_PRICE_PER_GIB 0.01548      /* $ per GiB and hour */
#define JL_PRICE_LIMITS_OVER_REQUESTS 1.0
#define JL_PRICE_PROTECTION_RATIO 1.2 /* also in place of one below 1 */

struct jl_price_amounts { /* of one GPU */
    double tflops;
    double vram_gib;
};

struct jl_price_input {
    enum joulie_tensor_fusion_qos qos; /* UNKNOWN costs nothing */
    double gpu_count;
    struct jl_price_amounts requests;
    struct jl_price_amounts limits;
    double limits_over_requests; /* part of the price that limits above requests cost */
    double per_tflops;           /* $ per TFLOPS and hour */
    double per_gib;              /* $ per GiB and hour */
    bool is_protected;           /* running under eviction protection */
    double protection_ratio;
};

/* $ per hour. */
double jl_price(const struct jl_price_input *in);

/* A price such as 0.01 or $0.01. 0, JOULIE_E_PARSE or JOULIE_E_RANGE (negative). */
int jl_parse_price(const char *text, size_t len, double *out);
