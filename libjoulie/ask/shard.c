/* SPDX-License-Identifier: Apache-2.0 */

/* shard.owner: which process of a pool drives a node (docs/rules/node-agent.md#shards). */

#include "node/shard.h"

#include "ask/ask.h"

#define RECORD shard_in
#define MEMBERS                                                                \
    STRING(name, "name", "Name of the node.", REQUIRED)                        \
    INTEGER(shards, "shards", "Processes of the pool.", REQUIRED, AT_LEAST(1)) \
    STRING(pool_shard_id, "poolShardId", "POOL_SHARD_ID of this process.")     \
    STRING(pod_name, "podName", "POD_NAME of this process; its last number is the second choice.")
#include "schema/record.h"

#define RECORD shard_out
#define MEMBERS                                            \
    INTEGER(hash, "hash", "FNV-1a of the name, 32 bits.")  \
    INTEGER(shard, "shard", "Shard that drives the node.") \
    INTEGER(shard_id, "shardId", "Shard of this process.") \
    BOOLEAN(owns, "owns", "Whether this process drives it.")
#include "schema/record.h"

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct shard_in *in = input;
    struct shard_out *out = output;
    struct jl_shard_id id;
    const int rc = jl_shard_id(in->pool_shard_id, in->pod_name, in->shards, &id);
    if (rc < 0)
        return jl_ask_fail(ask, rc, id.is_set ? "poolShardId" : "podName",
                           rc == JOULIE_E_PARSE ? "a shard id is a whole number"
                                                : "the pool has no shard of that number");
    JL_SET(out, hash, jl_shard_hash(in->name));
    JL_SET(out, shard, jl_shard_of(in->name, in->shards));
    JL_SET(out, shard_id, id.id);
    JL_SET(out, owns, jl_shard_owns(in->name, in->shards, id.id));
    return 0;
}

const struct jl_question jl_question_shard_owner = {
    .name = "shard.owner",
    .summary = "which process of a pool drives a node",
    .in = &shard_in_table,
    .out = &shard_out_table,
    .answer = answer,
};
