/* SPDX-License-Identifier: Apache-2.0 */

/* The nodes of the core by name, and which of them this process drives
 * (docs/rules/node-agent.md#shards). The other files of the core call this. */

#include <string.h>

#include <joulie/remote.h>

#include "agent/core.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- which shard ---- */

int jd_core_check(const struct jd_agent_values *values, struct joulie_error *err)
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

static bool owns(const struct jd_core *core, const char *name)
{
    const struct jd_agent_values *values = core->shared->values;
    int64_t shard = 0;
    if (!jl_same(values->agent_mode, "pool"))
        return jl_same(values->node_name, name);
    return joulie_remote_own_shard(values->pool_shard_id, values->pod_name, values->pool_shards,
                                   &shard, NULL) == JOULIE_OK &&
           joulie_remote_shard_of(name, values->pool_shards) == shard;
}

/* ---- nodes by name ---- */

/* Where it is, or would be. */
static size_t index_of(const struct jd_core *core, const char *name)
{
    size_t low = 0;
    size_t high = core->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (jl_compare(core->nodes[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct jd_node *new_node(struct jd_core *core, const char *name)
{
    struct jd_node *node = jl_calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->name = jl_strdup(name);
    if (!node->name) {
        jl_free(node);
        return NULL;
    }
    node->core = core;
    node->is_owned = owns(core, name);
    node->last_ms = INT64_MIN;
    node->feedback.shared = core->shared;
    node->publish.shared = core->shared;
    return node;
}

struct jd_node *jd_core_find(const struct jd_core *core, const char *name)
{
    const size_t index = index_of(core, name);
    const bool is_there = index < core->count && jl_same(core->nodes[index]->name, name);
    return is_there ? core->nodes[index] : NULL;
}

struct jd_node *jd_core_node(struct jd_core *core, const char *name)
{
    const size_t index = index_of(core, name);
    if (index < core->count && jl_same(core->nodes[index]->name, name))
        return core->nodes[index];
    if (JL_GROW(&core->nodes, &core->capacity, core->count + 1) < 0)
        return NULL;
    struct jd_node *node = new_node(core, name);
    if (!node)
        return NULL;
    memmove(core->nodes + index + 1, core->nodes + index,
            (core->count - index) * sizeof(struct jd_node *));
    core->nodes[index] = node;
    core->count++;
    return node;
}

void jd_core_clear_text(struct jd_node_text *text)
{
    jl_free(text->object_name);
    jl_free(text->text);
    *text = (struct jd_node_text){ 0 };
}

void jd_node_free(struct jd_node *node)
{
    jd_alarm_stop(node->core->shared->clock, &node->alarm);
    node->core->backend->free(node->driven);
    jd_feedback_clear(&node->feedback);
    jd_publish_clear(&node->publish);
    jd_core_clear_text(&node->twin);
    jd_core_clear_text(&node->hardware);
    jl_free(node->facts);
    jl_free(node->uid);
    jl_free(node->name);
    jl_free(node);
}

void jd_core_prune(struct jd_core *core)
{
    size_t count = 0;
    for (size_t i = 0; i < core->count; i++) {
        struct jd_node *node = core->nodes[i];
        if (node->is_selected || node->driven || node->is_held || node->twin.object_name ||
            node->hardware.object_name)
            core->nodes[count++] = node;
        else
            jd_node_free(node);
    }
    core->count = count;
}
