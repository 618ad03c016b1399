/* SPDX-License-Identifier: Apache-2.0 */

/* A pool's beginning and end. Its nodes are in pool_nodes.c, when they step in pool_step.c. */

#include "agent/pool.h"

#include <joulie/remote.h>

#include "base/error.h"
#include "base/memory.h"

#define END_MS 20000 /* to give back the caps of all nodes */

/* ---- life ---- */

static void on_started(void *user, int64_t now_ms)
{
    struct jd_pool *pool = user;
    (void)now_ms;
    pool->is_started = true;
    if (!jd_cluster_has_synced(pool->cluster)) {
        pool->is_held = true; /* no time passes before the nodes are known */
        jd_clock_hold(pool->cluster->clock);
    }
    pool->is_unplanned = true;
    jd_pool_plan(pool);
}

int jd_pool_open(struct jd_pool *pool, struct jd_cluster *cluster, bool enforces,
                 struct joulie_error *err)
{
    const struct jd_agent_values *values = cluster->values;
    const bool is_pool = jl_same(values->agent_mode, "pool");
    struct jd_cluster_scope scope = { .node_labels = is_pool ? values->pool_selector : NULL };
    char *object_name = is_pool ? NULL : jd_object_name(values->node_name);
    pool->cluster = cluster;
    pool->values = values;
    pool->log = cluster->log;
    pool->enforces = enforces;
    cluster->handlers = jd_pool_handlers;
    cluster->user = pool;
    if (!is_pool && !object_name)
        return jl_fail_memory(err);
    if (!is_pool) {
        scope.node_name = values->node_name;
        scope.object_name = object_name;
    }
    const int rc = jd_cluster_watch(cluster, &scope, err);
    jl_free(object_name);
    if (rc == 0)
        jd_clock_when_started(cluster->clock, on_started, pool);
    return rc;
}

size_t jd_pool_held(const struct jd_pool *pool)
{
    size_t held = pool->lost;
    for (size_t i = 0; i < pool->count; i++)
        held += pool->nodes[i]->remote && jd_remote_holds(pool->nodes[i]->remote);
    return held;
}

static void on_deadline(void *user)
{
    struct jd_pool *pool = user;
    pool->ended(pool->user);
}

void jd_pool_end(struct jd_pool *pool, void (*ended)(void *user), void *user)
{
    if (pool->is_ending)
        return;
    pool->is_ending = true;
    pool->ended = ended;
    pool->user = user;
    pool->deadline = (struct jd_timer){ .fire = on_deadline, .user = pool };
    for (size_t i = 0; i < pool->count; i++) {
        jd_alarm_stop(pool->cluster->clock, &pool->nodes[i]->alarm);
        if (!pool->nodes[i]->remote)
            continue;
        jd_remote_shorten(pool->nodes[i]->remote);
        jd_pool_leave(pool->nodes[i]);
    }
    jd_timer_set(pool->cluster->loop, &pool->deadline,
                 jd_clock_ms() + (pool->busy > 0 ? END_MS : 0));
}

void jd_pool_close(struct jd_pool *pool)
{
    if (!pool->cluster)
        return;
    jd_timer_stop(pool->cluster->loop, &pool->deadline);
    for (size_t i = 0; i < pool->count; i++)
        jd_pool_free_node(pool->nodes[i]);
    jl_free(pool->nodes);
    jl_index_clear(&pool->twins);
    jl_index_clear(&pool->hardware);
    *pool = (struct jd_pool){ 0 };
}
