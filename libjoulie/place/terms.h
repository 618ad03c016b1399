/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a score is made of, as answers report it. */

#include "place/place.h"
#include "schema/row.h"

struct jl_score_terms {
    uint64_t has;
    double headroom;
    double cooling;
    double trend;
    double profile_bonus;
    double pressure;
    double sensitivity;
    double marginal_w;
    double psu;
    double marginal_penalty;
    double idle_gpu;
    double eviction;
};

enum {
    JL_TERM_HEADROOM,
    JL_TERM_COOLING,
    JL_TERM_TREND,
    JL_TERM_BONUS,
    JL_TERM_PRESSURE,
    JL_TERM_SENSITIVITY,
    JL_TERM_MARGINAL,
    JL_TERM_PSU,
    JL_TERM_PENALTY,
    JL_TERM_IDLE_GPU,
    JL_TERM_EVICTION,
};

extern const struct jl_table jl_score_terms_table;

/* Of a score of JOULIE_BASIS_FRESH. */
void jl_score_terms_of(const struct jl_place_score *score, enum joulie_place_rules rules,
                       struct jl_score_terms *out);
