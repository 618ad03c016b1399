/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a score is made of, as answers report it. */

#include "place/place.h"
#include "schema/row.h"

#ifdef JL_SCORE_TERMS_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_score_terms
#define MEMBERS                                                                            \
    NUMBER(headroom, "headroom", "Points for power headroom with the pod.")                \
    NUMBER(cooling, "cooling", "Points for low cooling stress.")                           \
    NUMBER(trend, "trend", "Points for falling power, negative for rising.")               \
    NUMBER(profile_bonus, "profileBonus", "Points for the fitting node class.")            \
    NUMBER(pressure, "pressure", "Points lost to loaded performance nodes.")               \
    NUMBER(sensitivity, "sensitivity", "Points lost to the node's caps.")                  \
    NUMBER(marginal_w, "marginalW", "Power that the pod adds, W; no summand.")             \
    NUMBER(psu, "psu", "Points for PSU stress below the mean; absent = no influence.")     \
    NUMBER(marginal_penalty, "marginalPenalty", "Points lost to marginal watts (legacy).") \
    NUMBER(idle_gpu, "idleGpu", "Points lost to idle GPUs (legacy).")                      \
    NUMBER(eviction, "eviction", "Points lost to an eviction (legacy).")                   \
    /* of efficiency, and no other then */                                                 \
    NUMBER(slope_w, "slopeW", "Power of the cores that the pod keeps busy, W.")            \
    NUMBER(step_w, "stepW", "Power of waking the CPUs of a node without pods, W.")         \
    NUMBER(idle_w, "idleW", "Idle power of such a node as far as it counts, W.")           \
    NUMBER(gpu_w, "gpuW", "Power of the pod's GPUs above idle, W.")                        \
    NUMBER(time_w, "timeW", "Worth of the pod's time, W.")                                 \
    NUMBER(speed, "speed", "Relative speed that these are divided by.")                    \
    NUMBER(packing_w, "packingW", "Worth of the room that is taken, W.")                   \
    NUMBER(cost_w, "costW", "What the pod costs on the node, W; raw is its negative.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* Of a score of JOULIE_BASIS_FRESH. */
void jl_score_terms_of(const struct jl_place_score *score, enum joulie_place_rules rules,
                       struct jl_score_terms *out);
