/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Small simulations for tests: texts in, both runs out, every failure ends the test. */

#include "sim/control.h"
#include "sim/run.h"
#include "sim/summary.h"
#include "support/test.h"

struct world {
    struct jl_inventory inventory;
    struct jl_trace trace;
    struct jl_sim_workload workload;
    struct jl_sim_run controlled;
    struct jl_sim_run uncontrolled;
};

enum world_placement {
    WORLD_JOULIE,
    WORLD_LEAST_ALLOCATED,
    WORLD_KUBE,
    WORLD_MOST_ALLOCATED,
    WORLD_EFFICIENCY,
    WORLD_COST,
};

struct world_options {
    const char *inventory; /* YAML */
    const char *trace;     /* JSON lines, ' for " */
    const char *policy;    /* members of the policy, ' for "; NULL = defaults */
    enum world_placement placement;
    enum world_placement baseline; /* WORLD_JOULIE = LeastAllocated: there is no extender */
    enum jl_physics_rules physics;
    double hours;                                /* 0 = to the end */
    const struct jl_power_off_config *power_off; /* of both runs; NULL = nodes stay on */
};

void world_open(struct world *world, const struct world_options *options);
void world_run(struct world *world, double until_s); /* both runs */
void world_finish(struct world *world);              /* to the end */
void world_close(struct world *world);

/* The job of that id. */
const struct jl_sim_job *world_job(const struct world *world, const struct jl_sim_fleet *fleet,
                                   const char *id);
const char *world_node_of(const struct jl_sim_fleet *fleet, const struct jl_sim_job *job);
/* Both runs, for the summary. */
struct jl_sim_pair world_pair(const struct world *world);
