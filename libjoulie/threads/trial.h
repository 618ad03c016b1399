/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether a change helped: paired runs, an exact test, an effect
 * (docs/rules/threads-training.md#trial). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define JL_TRIAL_MOST_PAIRS 100
#define JL_TRIAL_LEAST_PAIRS 8 /* that differ: below it no result can be significant enough */

struct jl_trial_pairs { /* a metric of both, run by run; every value is above 0 */
    const double *baseline;
    const double *candidate;
    size_t count; /* 1 … JL_TRIAL_MOST_PAIRS */
    bool is_higher_better;
};

struct jl_trial {
    size_t differing;
    size_t zeros;  /* pairs without a difference */
    double w_plus; /* sum of the ranks of those that got better */
    double p;      /* of at least this w_plus by chance */
    double effect; /* Hodges and Lehmann, of logarithms of ratios; above 0 is better */
    double gain;   /* the same as a share */
};

/* 0 or JOULIE_E_NOMEM. */
int jl_trial(struct jl_arena *arena, const struct jl_trial_pairs *pairs, struct jl_trial *out);

bool jl_trial_is_significant(const struct jl_trial *trial);
bool jl_trial_is_worth_it(const struct jl_trial *trial);
/* Of a metric that must not get worse. */
bool jl_trial_is_harmless(const struct jl_trial *trial);
