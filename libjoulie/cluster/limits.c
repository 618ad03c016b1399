/* SPDX-License-Identifier: Apache-2.0 */

/* The GPU caps of a policy that reads work (docs/rules/policy.md#efficiency_v1): what the work on a
 * node allows is searched again when that work changes, what waits is looked at in every step. */

#include <joulie/error.h>

#include "cluster/state.h"

static bool is_gpu_job(const struct cluster_pod *pod)
{
    return pod->is_counted && pod->held.micro_gpus > 0;
}

static void read_job(const struct joulie_cluster *cluster, const struct cluster_pod *pod,
                     int64_t now_ms, struct jl_gpu_job *out)
{
    struct joulie_work needs = pod->work.needs;
    if (!pod->is_work)
        jl_work_of_pod(&pod->value, pod->demand.profile, JOULIE_PLACE_RULES_EFFICIENCY, now_ms,
                       &needs, NULL);
    jl_gpu_job_init(&needs, &cluster->config.policy, out);
}

static int limit_by_work(struct joulie_cluster *cluster, struct cluster_node *node, int64_t now_ms)
{
    size_t count = 0;
    if ((node->due & DUE_LIMIT) == 0)
        return 0;
    for (const struct cluster_pod *pod = node->pods; pod != NULL; pod = pod->next)
        count += is_gpu_job(pod);
    struct jl_gpu_job *jobs = JL_NEW_ARRAY(&cluster->step_arena, count, struct jl_gpu_job);
    if (jobs == NULL)
        return JOULIE_E_NOMEM;
    count = 0;
    for (const struct cluster_pod *pod = node->pods; pod != NULL; pod = pod->next) {
        if (is_gpu_job(pod))
            read_job(cluster, pod, now_ms, &jobs[count++]);
    }
    if (jl_gpu_limit_of_work(&node->hardware, jobs, count, &node->work_limit) < 0)
        return JOULIE_E_NOMEM;
    node->due &= ~DUE_LIMIT;
    return 0;
}

/* Only a node that could be capped is asked whether work waits for it. */
static bool has_backlog(const struct joulie_cluster *cluster, const struct cluster_node *node,
                        const struct jl_waiting_pod *waiting, size_t count)
{
    struct jl_room room;
    if (count == 0 || node->work_limit.reason != JL_LIMIT_CAPPED)
        return false;
    jl_cluster_room_of(cluster, node, &room);
    return jl_room_has_backlog(&room, waiting, count);
}

int jl_cluster_limit_gpus(struct joulie_cluster *cluster, const struct jl_waiting_pod *waiting,
                          size_t count, int64_t now_ms)
{
    static const struct jl_gpu_limit none = { .reason = JL_LIMIT_NO_REASON };
    for (size_t i = 0; i < cluster->plan.count; i++) {
        struct cluster_node *node = cluster->plan.managed[i];
        const struct jl_gpu_limit before = node->limit;
        if (!(node->allocatable_gpus > 0)) {
            node->limit = none; /* it may have had some */
            continue;
        }
        if (limit_by_work(cluster, node, now_ms) < 0)
            return JOULIE_E_NOMEM;
        jl_gpu_limit_now(&node->work_limit, &cluster->config.policy,
                         has_backlog(cluster, node, waiting, count), &node->past.limit, now_ms,
                         &node->limit);
        if (before.pct == node->limit.pct)
            continue;
        node->due |= DUE_CAPS;
        cluster->plan.decided[i].reason = JL_PLAN_NO_REASON;
    }
    return 0;
}
