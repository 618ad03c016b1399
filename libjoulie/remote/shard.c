/* SPDX-License-Identifier: Apache-2.0 */

/* Which process of a pool drives a node (docs/rules/node-agent.md#shards). */

#include "remote/shard.h"

#include <string.h>

#include <joulie/remote.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

uint32_t jl_shard_hash(const char *node_name)
{
    return jl_fnv1a32(node_name, strlen(node_name));
}

int64_t jl_shard_of(const char *node_name, int64_t shards)
{
    return shards > 1 ? (int64_t)jl_shard_hash(node_name) % shards : 0;
}

bool jl_shard_owns(const char *node_name, int64_t shards, int64_t shard_id)
{
    return shards <= 1 || jl_shard_of(node_name, shards) == shard_id;
}

/* joulie-agent-pool-3 → 3; a name without a number is that of no stateful set. */
static int64_t pod_ordinal(const char *pod_name)
{
    struct jl_text rest = jl_text(pod_name);
    struct jl_text last = { NULL, 0 };
    int64_t ordinal = 0;
    while (jl_text_find(rest, '-') < rest.len) {
        jl_text_cut(&rest, '-');
        last = rest;
    }
    return jl_parse_i64(last.ptr, last.len, &ordinal) == 0 ? ordinal : 0;
}

const char *jl_shard_problem(int code)
{
    return code == JOULIE_E_PARSE ? "a shard id is a whole number"
                                  : "the pool has no shard of that number";
}

int jl_shard_id(const char *pool_shard_id, const char *pod_name, int64_t shards,
                struct jl_shard_id *out)
{
    const struct jl_text set = jl_text_trim(jl_text(pool_shard_id));
    int rc = 0;
    out->is_set = set.len > 0;
    out->id = 0;
    if (out->is_set)
        rc = jl_parse_i64(set.ptr, set.len, &out->id);
    else
        out->id = pod_ordinal(pod_name);
    if (rc < 0)
        return rc;
    return out->id < 0 || out->id >= shards ? JOULIE_E_RANGE : 0;
}

int joulie_remote_own_shard(const char *pool_shard_id, const char *pod_name, int64_t shards,
                            int64_t *out_shard, struct joulie_error *err)
{
    struct jl_shard_id id;
    const int rc = jl_shard_id(pool_shard_id, pod_name, shards, &id);
    if (rc < 0)
        return jl_fail(err, rc, id.is_set ? "poolShardId" : "podName", "%s", jl_shard_problem(rc));
    *out_shard = id.id;
    return JOULIE_OK;
}

int64_t joulie_remote_shard_of(const char *node_name, int64_t shards)
{
    return jl_shard_of(node_name, shards);
}
