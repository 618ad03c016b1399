/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The nodes that a pod may be placed on, as a request names them: joined to what the model knows,
 * filtered and scored (docs/rules/placement.md). */

#include "cluster/model.h"
#include "place/place.h"

struct jl_candidate {
    struct jl_text name;              /* as it came: a JSON string with its quotes */
    struct jl_text object;            /* as it came: the whole Node; empty = only its name came */
    const struct jl_place_node *node; /* never NULL once it is joined */
    enum joulie_node_label label;     /* that came with it; UNKNOWN = the model's */
    struct jl_place_point point;
    double headroom; /* with the pod on the node; only of a fresh one */
    int wire;
};

/* What the pod's annotations and the profiles of the model say; fault may be NULL. */
int jl_cluster_work_of_pod(const struct joulie_cluster *cluster, const struct jl_pod *pod,
                           int64_t now_ms, struct joulie_work *out, struct jl_demand_fault *fault,
                           struct joulie_error *err);

/* What all nodes together say; the order has to be fresh. */
void jl_cluster_aggregate(const struct joulie_cluster *cluster, int64_t now_ms,
                          struct jl_place_aggregate *out);

/* Fills point.reject of each. */
void jl_cluster_filter_candidates(struct joulie_cluster *cluster, const struct joulie_work *pod,
                                  int64_t now_ms, struct jl_candidate *candidates, size_t count);

/*
 * Fills point, headroom and wire of each; range is that of the wire numbers, 10 or 100. Pressure
 * and trend are those of every fresh twin of the model.
 */
void jl_cluster_score_candidates(struct joulie_cluster *cluster, const struct joulie_work *pod,
                                 int64_t now_ms, int range, struct jl_candidate *candidates,
                                 size_t count);
