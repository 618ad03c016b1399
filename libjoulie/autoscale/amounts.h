/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The four amounts of one worker, and bounds of some of them. */

#include <stdint.h>

#include "autoscale/histogram.h"

#define JL_USAGES 2

struct jl_amount_pair { /* TFLOPS or bytes; 0 = not set */
    double request;
    double limit;
};

struct jl_amounts {
    struct jl_amount_pair of[JL_USAGES]; /* by enum jl_usage */
};

struct jl_amount_bounds {
    uint64_t has;         /* bit enum jl_usage */
    double of[JL_USAGES]; /* by enum jl_usage */
};
