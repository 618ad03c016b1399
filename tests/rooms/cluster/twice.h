/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A step of the model, beside that of a model that was just built from what is stored. */

#include "cluster/world.h"

struct jl_cluster_config world_config(enum jl_policy_type policy);
/* The actions of the step; fails the test with the first line in which they, or the scores of two
 * pods, differ from those of the new model. */
struct actions step_twice(const struct world *world, struct joulie_cluster *cluster,
                          uint64_t order_seed);

/* Nothing is stored and nothing remembered about any node or pod. */
bool is_empty_model(const struct joulie_cluster *cluster);
