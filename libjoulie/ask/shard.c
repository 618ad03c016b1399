/* SPDX-License-Identifier: Apache-2.0 */

/* shard.owner: which process of a pool drives a node (joulie-node-agent.md §1.2). */

#include "node/shard.h"

#include "ask/ask.h"

struct shard_in {
    uint64_t has;
    const char *name;
    int64_t shards;
    const char *pool_shard_id;
    const char *pod_name;
};

enum { IN_NAME, IN_SHARDS, IN_POOL_SHARD_ID, IN_POD_NAME };

static const struct jl_row in_rows[] = {
    [IN_NAME] = JL_STRING(shard_in, name, "name", .flags = JL_REQUIRED, .doc = "Name of the node."),
    [IN_SHARDS] = JL_INTEGER(shard_in, shards, "shards", .flags = JL_REQUIRED | JL_HAS_MIN,
                             .min = 1, .doc = "Processes of the pool."),
    [IN_POOL_SHARD_ID] =
        JL_STRING(shard_in, pool_shard_id, "poolShardId", .doc = "POOL_SHARD_ID of this process."),
    [IN_POD_NAME] = JL_STRING(shard_in, pod_name, "podName",
                              .doc = "POD_NAME of this process; its last number is the second "
                                     "choice."),
};
static const struct jl_table in_table = JL_TABLE(shard_in, in_rows);

struct shard_out {
    uint64_t has;
    int64_t hash;
    int64_t shard;
    int64_t shard_id;
    bool owns;
};

enum { OUT_HASH, OUT_SHARD, OUT_SHARD_ID, OUT_OWNS };

static const struct jl_row out_rows[] = {
    [OUT_HASH] = JL_INTEGER(shard_out, hash, "hash", .doc = "FNV-1a of the name, 32 bits."),
    [OUT_SHARD] = JL_INTEGER(shard_out, shard, "shard", .doc = "Shard that drives the node."),
    [OUT_SHARD_ID] = JL_INTEGER(shard_out, shard_id, "shardId", .doc = "Shard of this process."),
    [OUT_OWNS] = JL_BOOLEAN(shard_out, owns, "owns", .doc = "Whether this process drives it."),
};
static const struct jl_table out_table = JL_TABLE(shard_out, out_rows);

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
    JL_PUT(out, OUT_HASH, hash, jl_shard_hash(in->name));
    JL_PUT(out, OUT_SHARD, shard, jl_shard_of(in->name, in->shards));
    JL_PUT(out, OUT_SHARD_ID, shard_id, id.id);
    JL_PUT(out, OUT_OWNS, owns, jl_shard_owns(in->name, in->shards, id.id));
    return 0;
}

const struct jl_question jl_question_shard_owner = {
    .name = "shard.owner",
    .summary = "which process of a pool drives a node",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
