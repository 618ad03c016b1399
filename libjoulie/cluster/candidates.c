/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes that a pod may be placed on, joined to what the model knows, filtered and scored by
 * docs/rules/placement.md. Called by every answer about placement. */

#include "cluster/candidates.h"

#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "cluster/parts.h"
#include "place/row_rules.h"

const struct jl_place_node jl_unknown_place = { 0 };

void jl_cluster_view_pod(const struct jl_cluster *cluster, const struct jl_pod *pod, int64_t now_ms,
                         struct jl_pod_view *out, struct jl_demand_fault *fault)
{
    jl_pod_view_init(pod, jl_cluster_match(cluster, pod), cluster->place_config.rules, now_ms, out,
                     fault);
}

int jl_cluster_open_names(struct jl_cluster *cluster)
{
    size_t bytes = 0;
    if (jl_cluster_refresh_order(cluster) < 0)
        return JOULIE_E_NOMEM;
    if (cluster->place_names.capacity > 0)
        return 0;
    for (size_t i = 0; i < cluster->all_count; i++)
        bytes += strlen(cluster->all[i]->name);
    if (jl_name_table_init(&cluster->place_names, cluster->all_count, bytes) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->all_count; i++)
        jl_name_table_add(&cluster->place_names, cluster->all[i]->name, cluster->all[i]->place);
    return 0;
}

const struct jl_place_node *jl_cluster_place_of(const struct jl_cluster *cluster,
                                                struct jl_text name)
{
    size_t place = 0;
    return jl_name_table_find(&cluster->place_names, name, &place) ? &cluster->place[place]
                                                                   : &jl_unknown_place;
}

const struct jl_place_node *jl_cluster_loaded_place(const struct jl_cluster *cluster,
                                                    const struct jl_place_node *place,
                                                    struct jl_place_node *room)
{
    if (!cluster->config.has_ledger || place == &jl_unknown_place)
        return place;
    const double watts = cluster->ledger[place - cluster->place].watts;
    if (!(watts > 0))
        return place;
    *room = *place;
    if (JL_HAS(place, JL_PLACE_MEASURED))
        room->measured_w += watts;
    else if (place->capped_w > 0)
        room->headroom -= watts / place->capped_w * 100;
    return room;
}

/* The label that came with the candidate wins, and what the ledger says is added. */
static const struct jl_place_node *seen(const struct jl_cluster *cluster,
                                        const struct jl_candidate *candidate,
                                        struct jl_place_node *room)
{
    const struct jl_place_node *place = jl_cluster_loaded_place(cluster, candidate->node, room);
    if (candidate->label == JOULIE_NODE_LABEL_UNKNOWN || candidate->label == place->label)
        return place;
    if (place != room)
        *room = *place;
    room->label = candidate->label;
    return room;
}

void jl_cluster_filter_candidates(struct jl_cluster *cluster, const struct jl_pod_view *pod,
                                  int64_t now_ms, struct jl_candidate *candidates, size_t count)
{
    struct jl_place_node room;
    jl_cluster_refresh_ledger(cluster);
    for (size_t i = 0; i < count; i++)
        candidates[i].reject = jl_place_filter(&cluster->place_config, pod,
                                               seen(cluster, &candidates[i], &room), now_ms);
}

void jl_cluster_aggregate(const struct jl_cluster *cluster, int64_t now_ms,
                          struct jl_place_aggregate *out)
{
    jl_place_aggregate_nodes(&cluster->place_config, cluster->place, cluster->all_count, now_ms,
                             out);
}

void jl_wire_scale_add(struct jl_wire_scale *scale, bool is_candidate, double raw)
{
    if (!is_candidate)
        return;
    const double bounded = jl_wire_bounded(raw);
    scale->lowest = scale->has_any ? jl_min(scale->lowest, bounded) : bounded;
    scale->highest = scale->has_any ? jl_max(scale->highest, bounded) : bounded;
    scale->has_any = true;
}

int jl_cluster_wire(const struct jl_cluster *cluster, const struct jl_wire_scale *scale,
                    bool is_candidate, double raw, int score, int range)
{
    if (cluster->place_config.spread != JOULIE_SPREAD_RANK)
        return jl_wire_score(score, range);
    return is_candidate ? (int)jl_wire_rank(raw, score, scale->lowest, scale->highest, range) : 0;
}

int jl_candidate_wire(const struct jl_cluster *cluster, const struct jl_wire_scale *scale,
                      const struct jl_candidate *candidate, int range)
{
    const bool is_candidate = candidate->is_fresh && candidate->reject == JOULIE_REJECT_NONE;
    return jl_cluster_wire(cluster, scale, is_candidate, candidate->raw, candidate->score, range);
}

void jl_cluster_score_candidates(struct jl_cluster *cluster, const struct jl_pod_view *pod,
                                 int64_t now_ms, struct jl_candidate *candidates, size_t count,
                                 struct jl_wire_scale *scale)
{
    const struct jl_place_config *config = &cluster->place_config;
    struct jl_place_aggregate aggregate;
    struct jl_place_request request;
    struct jl_place_lowest lowest = { 0 };
    struct jl_place_score score;
    struct jl_place_node room;
    *scale = (struct jl_wire_scale){ 0 };
    jl_cluster_aggregate(cluster, now_ms, &aggregate);
    jl_place_request_init(config, pod, &aggregate, now_ms, &request);
    jl_cluster_refresh_ledger(cluster);
    for (size_t i = 0; i < count; i++) {
        struct jl_candidate *candidate = &candidates[i];
        const struct jl_place_node *node = seen(cluster, candidate, &room);
        candidate->reject = jl_place_filter_request(&request, node);
        jl_place_score_request(&request, node, &score);
        jl_place_note_lowest(&lowest, candidate->reject, &score);
        candidate->score = score.score;
        candidate->is_fresh = score.basis == JOULIE_BASIS_FRESH;
        candidate->raw = score.raw;
        candidate->headroom = score.projected_headroom;
        jl_wire_scale_add(scale, candidate->is_fresh && candidate->reject == JOULIE_REJECT_NONE,
                          score.raw);
    }
    const int unknown = jl_place_unknown_score(config, lowest.has_any, lowest.score);
    for (size_t i = 0; i < count; i++) {
        if (!candidates[i].is_fresh)
            candidates[i].score = unknown;
    }
}
