/* SPDX-License-Identifier: Apache-2.0 */

/* The list of a pool's nodes, by name, and which of them this process drives
 * (docs/rules/node-agent.md#shards). */

#include <string.h>

#include <joulie/remote.h>

#include "agent/pool.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- which shard ---- */

int jd_pool_check(const struct jd_agent_values *values, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    int64_t shard = 0;
    const int rc = joulie_remote_own_shard(values->pool_shard_id, values->pod_name,
                                           values->pool_shards, &shard, &full);
    if (rc == 0)
        return 0;
    return jl_fail(err, full.code, "", "%s: %s",
                   jl_same(full.where, "podName") ? "POD_NAME" : "POOL_SHARD_ID", full.message);
}

bool jd_pool_owns(const struct jd_pool *pool, const char *name)
{
    const struct jd_agent_values *values = pool->values;
    int64_t shard = 0;
    if (!jl_same(values->agent_mode, "pool"))
        return jl_same(values->node_name, name);
    return joulie_remote_own_shard(values->pool_shard_id, values->pod_name, values->pool_shards,
                                   &shard, NULL) == JOULIE_OK &&
           joulie_remote_shard_of(name, values->pool_shards) == shard;
}

/* ---- nodes by name ---- */

/* Where it is, or would be. */
static size_t index_of(const struct jd_pool *pool, const char *name)
{
    size_t low = 0;
    size_t high = pool->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (jl_compare(pool->nodes[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct jd_pool_node *new_node(struct jd_pool *pool, const char *name)
{
    struct jd_pool_node *node = jl_calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->name = jl_strdup(name);
    if (!node->name) {
        jl_free(node);
        return NULL;
    }
    node->pool = pool;
    node->is_owned = jd_pool_owns(pool, name);
    node->last_ms = INT64_MIN;
    node->feedback = (struct jd_feedback){ .cluster = pool->cluster };
    node->publish = (struct jd_publish){ .cluster = pool->cluster };
    return node;
}

struct jd_pool_node *jd_pool_find(const struct jd_pool *pool, const char *name)
{
    const size_t index = index_of(pool, name);
    const bool is_there = index < pool->count && jl_same(pool->nodes[index]->name, name);
    return is_there ? pool->nodes[index] : NULL;
}

struct jd_pool_node *jd_pool_node(struct jd_pool *pool, const char *name)
{
    const size_t index = index_of(pool, name);
    if (index < pool->count && jl_same(pool->nodes[index]->name, name))
        return pool->nodes[index];
    void *nodes = pool->nodes;
    if (jl_grow(&nodes, &pool->capacity, pool->count + 1, sizeof(struct jd_pool_node *)) < 0)
        return NULL;
    pool->nodes = nodes;
    struct jd_pool_node *node = new_node(pool, name);
    if (!node)
        return NULL;
    memmove(pool->nodes + index + 1, pool->nodes + index,
            (pool->count - index) * sizeof(struct jd_pool_node *));
    pool->nodes[index] = node;
    pool->count++;
    return node;
}

void jd_pool_clear_text(struct jd_pool_text *text)
{
    jl_free(text->object_name);
    jl_free(text->text);
    *text = (struct jd_pool_text){ 0 };
}

void jd_pool_free_node(struct jd_pool_node *node)
{
    jd_alarm_stop(node->pool->cluster->clock, &node->alarm);
    jd_remote_free(node->remote);
    jd_feedback_clear(&node->feedback);
    jd_publish_clear(&node->publish);
    jd_pool_clear_text(&node->twin);
    jd_pool_clear_text(&node->hardware);
    jl_free(node->facts);
    jl_free(node->uid);
    jl_free(node->name);
    jl_free(node);
}

void jd_pool_prune(struct jd_pool *pool)
{
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++) {
        struct jd_pool_node *node = pool->nodes[i];
        if (node->is_selected || node->remote || node->is_stepping || node->twin.object_name ||
            node->hardware.object_name)
            pool->nodes[count++] = node;
        else
            jd_pool_free_node(node);
    }
    pool->count = count;
}
