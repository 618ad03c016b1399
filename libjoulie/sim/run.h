/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One run of a workload on simulated machines in virtual time (docs/rules/simulation.md): a fleet,
 * the queue of jobs that wait, a controller that decides, and what it decided.
 */

#include "sim/decisions.h"
#include "sim/measures.h"
#include "sim/placement.h"
#include "sim/power_off.h"

struct jl_sim_settings {
    enum jl_physics_rules physics;
    struct jl_sim_ranking ranking;
    double limit_s;    /* JL_NEVER = until every job has ended */
    bool keeps_hours;  /* records jl_sim_hour */
    double it_limit_w; /* 0 = none */
    double rack_limit_w;
    bool switches_off; /* nodes by power_off */
    struct jl_power_off_config power_off;
};

/* The state of every node at the end of each hour, for the table "nodes". */

#define JL_SIM_HOUR_S 3600.0

struct jl_sim_hour {             /* of one node */
    struct jl_sim_energy energy; /* since the start */
    uint32_t running;
    const char *state; /* performance, eco, draining; NULL = nobody decided */
    enum jl_sim_power_state power;
};

struct jl_sim_hours {
    double next_s;             /* the hour that ends next; JL_NEVER = none is kept */
    struct jl_sim_hour *items; /* one per node, for each hour */
    size_t count;              /* hours */
    size_t capacity;
};

struct jl_sim_run {
    struct jl_sim_settings settings;
    struct jl_sim_controller controller;
    struct jl_sim_fleet fleet;
    struct jl_sim_queue queue;
    struct jl_sim_decisions decisions;
    struct jl_sim_power_off *power_off; /* NULL = nodes stay on */
    struct jl_sim_hours hours;

    double event_s; /* of the last instant at which something happened; not after the fleet's now */
    bool is_open; /* an instant has begun that is not over, because somebody has to be waited for */
    size_t phase; /* of it */
    bool is_finished;
    bool goes_on; /* although every job has ended */
};

/* Without a controller; inventory and workload are borrowed for the life of the run. */
int jl_sim_run_init(struct jl_sim_run *run, const struct jl_inventory *inventory,
                    const struct jl_sim_workload *workload, const struct jl_sim_settings *settings,
                    struct joulie_error *err);
void jl_sim_run_clear(struct jl_sim_run *run); /* the controller, too */

/* Everything that happens up to and at until_s, unless all jobs end before. 0, JL_SIM_WAITS, or a
 * failure. */
int jl_sim_run_until(struct jl_sim_run *run, double until_s, struct joulie_error *err);
