/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The queue of a run and the passes over it (docs/rules/simulation.md#placement). */

#include "place/kube.h"
#include "place/place.h"
#include "sim/controller.h"

/* What nodes are ranked by: a score of kube-scheduler, and the extender's beside it. */
struct jl_sim_ranking {
    enum jl_kube_scoring base;
    int64_t extender_weight;          /* 0 = it is not asked */
    enum joulie_place_rules extender; /* its scoring profile */
    bool is_by_cost;                  /* by the raw score of the extender alone */
};

/* A word of kube-scheduler's scores, which leaves the extender's out, "joulie", "efficiency" or
 * "efficiency-cost". False: there is no such word. */
bool jl_sim_ranking_of(const char *word, struct jl_sim_ranking *out);

struct jl_sim_queue {
    uint32_t *jobs; /* that wait, in order */
    size_t count;
    bool has_arrivals; /* since the last pass */
    /* A pass may have to wait for an answer, and goes on where it was. */
    bool is_passing;
    size_t next;            /* in jobs */
    size_t kept;            /* jobs before it that go on waiting */
    uint64_t pass;          /* its number */
    uint64_t *shape_failed; /* by shape: the last pass in which it found no room */
    uint32_t *candidates;   /* nodes that the job can take, room for all of them */
    size_t candidate_capacity;
};

/* 0 or JOULIE_E_NOMEM. */
int jl_sim_queue_init(struct jl_sim_queue *queue, const struct jl_sim_workload *workload);
void jl_sim_queue_clear(struct jl_sim_queue *queue);
void jl_sim_queue_add(struct jl_sim_queue *queue, size_t job);
void jl_sim_queue_remove(struct jl_sim_queue *queue, size_t job);

/* Tries the queue in order when something changed that it may run by. 0, JL_SIM_WAITS (call it
 * again, until it is 0), or a failure. */
int jl_sim_place(struct jl_sim_queue *queue, struct jl_sim_fleet *fleet,
                 const struct jl_sim_controller *controller, const struct jl_sim_ranking *ranking,
                 struct joulie_error *err);
