/* SPDX-License-Identifier: Apache-2.0 */

/* The controller of the uncontrolled run: nobody steps, every node admits every pod. */

#include "sim/controller.h"

static void free_none(void *self)
{
    (void)self;
}

static int ignore_pod(void *self, size_t job, struct joulie_error *err)
{
    (void)self;
    (void)job;
    (void)err;
    return 0;
}

static double never(const void *self)
{
    (void)self;
    return JL_NEVER;
}

static int do_nothing(void *self, struct joulie_error *err)
{
    (void)self;
    (void)err;
    return 0;
}

static int admit_all(void *self, size_t job, const struct jl_sim_node_list *nodes, const bool **out,
                     struct joulie_error *err)
{
    (void)self;
    (void)job;
    (void)nodes;
    (void)err;
    *out = NULL;
    return 0;
}

static int no_scores(void *self, size_t job, const struct jl_cluster_score **out,
                     struct joulie_error *err)
{
    (void)self;
    (void)job;
    (void)err;
    *out = NULL;
    return 0;
}

static bool has_none(const void *self)
{
    (void)self;
    return false;
}

static const struct jl_sim_controller_ops none = {
    .free = free_none,
    .pod_changed = ignore_pod,
    .due_s = never,
    .step = do_nothing,
    .refresh = do_nothing,
    .filter = admit_all,
    .prioritize = no_scores,
    .has_news = has_none,
};

const struct jl_sim_controller jl_sim_no_controller = { &none, NULL };
