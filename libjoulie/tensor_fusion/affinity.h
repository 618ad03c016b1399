/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Node affinity with the scheduler's semantics (docs/rules/tensor-fusion.md#node-affinity): judged
 * at placement only. A requirement that is not valid (number or syntax of values, key, operator)
 * matches nothing. A bound of Gt and Lt is a value as any other, so it has no sign.
 */

#include "kinds/node_affinity.h"

#define JL_AFFINITY_SCORE_MAX 100

/* Whether the node passes the required part; without one every node does. */
bool jl_affinity_matches(const struct jl_profile_affinity *affinity, const char *node,
                         const struct jl_map *labels);

/* Sum of the weights of the preferences that match, saturating. */
int64_t jl_affinity_weight(const struct jl_profile_affinity *affinity, const char *node,
                           const struct jl_map *labels);

/* A weight in 0..JL_AFFINITY_SCORE_MAX of the largest of all nodes; 0 when that is 0. */
int64_t jl_affinity_score(int64_t weight, int64_t largest);
