/* SPDX-License-Identifier: Apache-2.0 */

/* The step: demand, plan, guard, caps, predictions, advice, writes, each only where something is
 * due (docs/rules/reconcile.md#step). */

#include <joulie/error.h>

#include "base/error.h"
#include "base/time.h"
#include "cluster/call.h"
#include "cluster/state.h"

#define EARLY_MS 5000 /* early steps are at multiples of it */

void joulie_cluster_heartbeat(struct joulie_cluster *cluster, int64_t at_ms)
{
    if (!jl_is_instant(at_ms))
        return;
    jl_stamp_see(&cluster->heartbeat, at_ms, &cluster->wall);
    cluster->place_config.has |= JOULIE_PLACE_CONFIG_HAS_HEARTBEAT;
    cluster->place_config.heartbeat_ms = cluster->heartbeat.at_ms;
}

void joulie_cluster_set_wall(struct joulie_cluster *cluster, int64_t now_ms, int64_t wall_ms)
{
    if (jl_is_instant(now_ms) && jl_is_instant(wall_ms))
        cluster->wall = (struct jl_wall){ .is_told = true, .now_ms = now_ms, .wall_ms = wall_ms };
}

int jl_cluster_step(struct joulie_cluster *cluster, int64_t now_ms,
                    const struct jl_cluster_write **out_writes, size_t *out_count,
                    struct joulie_error *err)
{
    int rc = jl_cluster_check_now(now_ms, err);
    if (rc < 0)
        return rc;
    cluster->writes.first_id = cluster->writes.next_id;
    cluster->writes.count = 0;
    jl_arena_reset(&cluster->step_arena);
    jl_arena_reset(&cluster->writes.bodies);
    jl_cluster_free_unlinked(&cluster->unlinked);
    jl_format_time(jl_wall_at(&cluster->wall, now_ms), cluster->step_text);
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    if (jl_cluster_check_riders(cluster, now_ms) < 0)
        return jl_fail_memory(err);
    jl_cluster_check_agents(cluster, now_ms);
    if (now_ms < cluster->step_ms) /* what was due may be due again */
        jl_cluster_visit_all(&cluster->order);
    cluster->step_ms = now_ms;
    cluster->due &= ~DUE_HELD;
    jl_cluster_check_gates(cluster, now_ms);
    jl_cluster_count_pods(cluster, now_ms);
    if (jl_cluster_decide(cluster, now_ms) < 0 || jl_cluster_decide_power(cluster, now_ms) < 0)
        return jl_fail_memory(err);
    rc = jl_cluster_predict(cluster, now_ms, err);
    if (rc < 0)
        return rc;
    if (jl_cluster_collect_writes(cluster, now_ms) < 0)
        return jl_fail_memory(err);
    *out_writes = cluster->writes.items;
    *out_count = cluster->writes.count;
    return 0;
}

/* What a profile speaks for may wait too; its class is known in the step. */
static bool has_waiting(const struct joulie_cluster *cluster)
{
    return cluster->unbound.weight > 0 || cluster->dirty_pods != NULL;
}

static bool is_queue_due(const struct joulie_cluster *cluster)
{
    return (cluster->due & DUE_QUEUE) != 0 && jl_cluster_reads(cluster) == JL_READS_QUEUE &&
           has_waiting(cluster);
}

/* A pod that was bound meanwhile wakes nothing. */
static bool is_power_due(const struct joulie_cluster *cluster)
{
    if ((cluster->due & DUE_POWER) != 0)
        return true;
    if ((cluster->due & DUE_WAKE) == 0)
        return false;
    const struct cluster_pod *pod = cluster->unbound_pods;
    while (pod != NULL && (pod->is_seen || !jl_cluster_wakes_for(cluster, pod)))
        pod = pod->next;
    return pod != NULL;
}

/* By the clock and not by the step before: one that was started anew has seen no step before. */
int64_t joulie_cluster_early_step_ms(const struct joulie_cluster *cluster, int64_t now_ms)
{
    if (!jl_is_instant(now_ms) ||
        (!is_queue_due(cluster) && !is_power_due(cluster) && (cluster->due & DUE_HELD) == 0))
        return INT64_MAX;
    const int64_t least_ms = now_ms == cluster->step_ms ? now_ms + 1 : now_ms;
    const int64_t over_ms = least_ms % EARLY_MS;
    return over_ms > 0 ? least_ms - over_ms + EARLY_MS : least_ms - over_ms;
}

int joulie_cluster_step(struct joulie_cluster *cluster, int64_t now_ms, size_t *out_count,
                        struct joulie_error *err)
{
    const struct jl_cluster_write *writes = NULL;
    size_t count = 0;
    const int rc = jl_cluster_step(cluster, now_ms, &writes, &count, err);
    if (rc == 0)
        *out_count = count;
    else
        cluster->writes.count = 0;
    return rc;
}
