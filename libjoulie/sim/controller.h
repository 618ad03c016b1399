/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a run asks of the parts that decide for it: the library's own operator, extender and agents
 * (control.h), programs outside that are waited for (outside.h), or nobody. The run is the same for
 * all of them.
 */

#include "cluster/model.h"
#include "sim/fleet.h"

/* The run cannot go on before somebody outside took an event or has answered: call again then. */
#define JL_SIM_WAITS 1

/* Every int is 0, a failure, or, where it says so, JL_SIM_WAITS. What is NULL does nothing, never
 * steps, admits every pod and has no news. */
struct jl_sim_controller_ops {
    void (*free)(void *self);
    /* A job's pod came, was bound, or has gone, as the fleet says. */
    int (*pod_changed)(void *self, size_t job, struct joulie_error *err);
    /* A node that was switched (power.h) is off, boots, or is on. */
    int (*node_changed)(void *self, size_t node, struct joulie_error *err);
    /* When it steps next; JL_NEVER = not by itself. */
    double (*due_s)(const void *self);
    /* Operator, then agents, those that are due. May wait. */
    int (*step)(void *self, struct joulie_error *err);
    /* Before a pass over the queue: nodes that admit performance pods again become freed. May
     * wait. */
    int (*refresh)(void *self, struct joulie_error *err);
    /* By node: whether the extender's filter lets a job's pod pass; NULL = every node that has
     * room. May wait. */
    int (*filter)(void *self, size_t job, const struct jl_sim_node_list *nodes, const bool **out,
                  struct joulie_error *err);
    /* By node, of those listed: what the extender's prioritize says (wire, and where it stands in
     * this program raw); NULL = nothing. */
    int (*prioritize)(void *self, size_t job, const struct jl_sim_node_list *nodes,
                      const struct jl_cluster_score **out, struct joulie_error *err);
    /* Whether there is an event that has to be taken before anything more happens. */
    bool (*has_news)(const void *self);
};

struct jl_sim_controller {
    const struct jl_sim_controller_ops *ops; /* never NULL while it runs */
    void *self;
};
