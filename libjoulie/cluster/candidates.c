/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/candidates.h"

#include <string.h>

#include <joulie/error.h>

#include "cluster/parts.h"

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

static enum jl_place_reject filter(const struct jl_place_config *config,
                                   const struct jl_pod_view *pod, int64_t now_ms,
                                   const struct jl_candidate *candidate)
{
    const struct jl_place_node *node = candidate->node;
    if (candidate->label == JL_PLACE_LABEL_UNKNOWN || candidate->label == node->label)
        return jl_place_filter(config, pod, node, now_ms);
    struct jl_place_node labelled = *node;
    labelled.label = candidate->label;
    return jl_place_filter(config, pod, &labelled, now_ms);
}

void jl_cluster_filter_candidates(const struct jl_cluster *cluster, const struct jl_pod_view *pod,
                                  int64_t now_ms, struct jl_candidate *candidates, size_t count)
{
    for (size_t i = 0; i < count; i++)
        candidates[i].reject = filter(&cluster->place_config, pod, now_ms, &candidates[i]);
}

void jl_cluster_aggregate(const struct jl_cluster *cluster, int64_t now_ms,
                          struct jl_place_aggregate *out)
{
    jl_place_aggregate_nodes(&cluster->place_config, cluster->place, cluster->all_count, now_ms,
                             out);
}

void jl_cluster_score_candidates(struct jl_cluster *cluster, const struct jl_pod_view *pod,
                                 int64_t now_ms, struct jl_candidate *candidates, size_t count)
{
    const struct jl_place_config *config = &cluster->place_config;
    struct jl_place_aggregate aggregate;
    struct jl_place_lowest lowest = { 0 };
    struct jl_place_score score;
    jl_cluster_aggregate(cluster, now_ms, &aggregate);
    for (size_t i = 0; i < count; i++) {
        struct jl_candidate *candidate = &candidates[i];
        candidate->reject = filter(config, pod, now_ms, candidate);
        jl_place_score_node(config, &aggregate, pod, candidate->node, now_ms, &score);
        jl_place_note_lowest(&lowest, candidate->reject, &score);
        candidate->score = score.score;
        candidate->is_fresh = score.basis == JL_BASIS_FRESH;
        candidate->raw = score.raw;
        candidate->headroom = score.projected_headroom;
    }
    const int unknown = jl_place_unknown_score(config, lowest.has_any, lowest.score);
    for (size_t i = 0; i < count; i++) {
        if (!candidates[i].is_fresh)
            candidates[i].score = unknown;
    }
}
