/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which process of a pool drives a node (docs/rules/node-agent.md#shards). */

#include <stdbool.h>
#include <stdint.h>

uint32_t jl_shard_hash(const char *node_name);
/* Number of the shard in 0..shards-1; 0 when shards <= 1. */
int64_t jl_shard_of(const char *node_name, int64_t shards);
bool jl_shard_owns(const char *node_name, int64_t shards, int64_t shard_id);

struct jl_shard_id {
    int64_t id;
    bool is_set; /* by POOL_SHARD_ID, else taken from the pod's name */
};

/*
 * The shard of this process: POOL_SHARD_ID, else the number behind the last '-' of POD_NAME, else
 * 0; either text may be NULL. 0, JOULIE_E_PARSE (POOL_SHARD_ID is no number) or JOULIE_E_RANGE
 * (the pool has no such shard); out->is_set says of what.
 */
int jl_shard_id(const char *pool_shard_id, const char *pod_name, int64_t shards,
                struct jl_shard_id *out);
const char *jl_shard_problem(int code); /* those two in words */
