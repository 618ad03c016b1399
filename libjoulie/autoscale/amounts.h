/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The four amounts of one worker, and bounds of some of them. */

#include <stdbool.h>
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

/* Number by number. */
static inline bool jl_amounts_are_same(const struct jl_amounts *a, const struct jl_amounts *b)
{
    for (unsigned u = 0; u < JL_USAGES; u++) {
        if (a->of[u].request != b->of[u].request || a->of[u].limit != b->of[u].limit)
            return false;
    }
    return true;
}

struct jl_amount_bounds {
    uint64_t has;         /* bit enum jl_usage */
    double of[JL_USAGES]; /* by enum jl_usage */
};
