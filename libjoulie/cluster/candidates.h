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
    enum joulie_reject reject;
    int score;
    bool is_fresh;
    double raw;      /* only of a fresh one, as headroom */
    double headroom; /* with the pod on the node */
};

/* What the pod's annotations and the profiles of the model say; fault may be NULL. */
int jl_cluster_work_of_pod(const struct joulie_cluster *cluster, const struct jl_pod *pod,
                           int64_t now_ms, struct joulie_work *out, struct jl_demand_fault *fault,
                           struct joulie_error *err);

/* What all nodes together say; the order has to be fresh. */
void jl_cluster_aggregate(const struct joulie_cluster *cluster, int64_t now_ms,
                          struct jl_place_aggregate *out);

/* Fills reject of each. */
void jl_cluster_filter_candidates(struct joulie_cluster *cluster, const struct joulie_work *pod,
                                  int64_t now_ms, struct jl_candidate *candidates, size_t count);

/* The lowest and the highest raw score of the candidates that may be used, zeroed at the start:
 * what spread by rank goes by. */
struct jl_wire_scale {
    bool has_any;
    double lowest;
    double highest;
};

/* For every node of a request; a candidate is fresh and not rejected. */
void jl_wire_scale_add(struct jl_wire_scale *scale, bool is_candidate, double raw);
/* The number for kube-scheduler of a node; range is 10 or 100. */
int jl_cluster_wire(const struct joulie_cluster *cluster, const struct jl_wire_scale *scale,
                    bool is_candidate, double raw, int score, int range);

/*
 * Fills reject, score and is_fresh of each. Pressure and trend are those of every fresh twin of the
 * model; a node that nothing fresh is known of is limited by the candidates that passed.
 */
void jl_cluster_score_candidates(struct joulie_cluster *cluster, const struct joulie_work *pod,
                                 int64_t now_ms, struct jl_candidate *candidates, size_t count,
                                 struct jl_wire_scale *scale);
/* Afterwards: the number for kube-scheduler of one of them. */
int jl_candidate_wire(const struct joulie_cluster *cluster, const struct jl_wire_scale *scale,
                      const struct jl_candidate *candidate, int range);
