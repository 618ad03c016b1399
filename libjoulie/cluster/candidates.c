/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes that a pod may be placed on, joined to what the model knows, filtered and scored by
 * docs/rules/placement.md. Called by every answer about placement. */

#include "cluster/candidates.h"

#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/number.h"
#include "cluster/state.h"
#include "place/row_rules.h"

int jl_cluster_work_of_pod(const struct joulie_cluster *cluster, const struct jl_pod *pod,
                           int64_t now_ms, struct joulie_work *out, struct jl_demand_fault *fault,
                           struct joulie_error *err)
{
    const struct jl_workload_profile *profile = NULL;
    if (jl_cluster_match(cluster, pod, &profile) < 0)
        return jl_fail_memory(err);
    jl_work_of_pod(pod, profile, cluster->place_config.rules, now_ms, out, fault);
    return 0;
}

/* The label that came with the candidate wins, and what the ledger says is added. */
static const struct jl_place_node *seen(const struct joulie_cluster *cluster,
                                        const struct jl_candidate *candidate,
                                        struct jl_place_node *room)
{
    const struct jl_place_node *place = jl_cluster_loaded_row(cluster, candidate->node, room);
    if (candidate->label == JOULIE_NODE_LABEL_UNKNOWN || candidate->label == place->label)
        return place;
    if (place != room)
        *room = *place;
    room->label = candidate->label;
    return room;
}

void jl_cluster_filter_candidates(struct joulie_cluster *cluster, const struct joulie_work *pod,
                                  int64_t now_ms, struct jl_candidate *candidates, size_t count)
{
    struct jl_place_node room;
    jl_cluster_refresh_ledger(cluster);
    for (size_t i = 0; i < count; i++)
        candidates[i].point.reject = jl_place_filter(&cluster->place_config, pod,
                                                     seen(cluster, &candidates[i], &room), now_ms);
}

void jl_cluster_aggregate(const struct joulie_cluster *cluster, int64_t now_ms,
                          struct jl_place_aggregate *out)
{
    jl_place_aggregate_nodes(&cluster->place_config, cluster->rows.nodes, cluster->order.count,
                             now_ms, out);
}

void jl_cluster_score_candidates(struct joulie_cluster *cluster, const struct joulie_work *pod,
                                 int64_t now_ms, int range, struct jl_candidate *candidates,
                                 size_t count)
{
    const struct joulie_place_config *config = &cluster->place_config;
    struct jl_place_aggregate aggregate;
    struct jl_place_request request;
    struct jl_place_field field = { .has_any = false };
    struct jl_place_score score;
    struct jl_place_node room;
    jl_cluster_aggregate(cluster, now_ms, &aggregate);
    jl_place_request_init(config, pod, &aggregate, now_ms, &request);
    jl_cluster_refresh_ledger(cluster);
    for (size_t i = 0; i < count; i++) {
        struct jl_candidate *candidate = &candidates[i];
        const struct jl_place_node *node = seen(cluster, candidate, &room);
        jl_place_score_request(&request, node, &score);
        candidate->point = jl_place_point_of(jl_place_filter_request(&request, node), &score);
        candidate->headroom = score.projected_headroom;
        jl_place_field_add(&field, &candidate->point);
    }
    for (size_t i = 0; i < count; i++) {
        struct jl_place_point *point = &candidates[i].point;
        point->score = jl_place_field_score(config, &field, point);
        candidates[i].wire = jl_place_field_wire(config, &field, point, range);
    }
}
