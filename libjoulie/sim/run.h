/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One run of a workload on simulated machines in virtual time (docs/rules/simulation.md).
 *
 * State is kept lazily: a node's energy moves on only when its power changes, a job's remaining
 * work only when its speed changes, a lag only when its target changes. What is between is a
 * product of a value and a length of time. So an event that changes nothing leaves no trace in the
 * numbers, and reading never does.
 */

#include "sim/decisions.h"
#include "sim/event_queue.h"
#include "sim/workload.h"

#define JL_SIM_STALL_S 120 /* no progress for so long ends a job */

struct jl_sim_control;
struct jl_sim_outside;

struct jl_sim_lag { /* a first-order lag towards a target, since a time */
    double from;
    double target;
    double since_s;
};

struct jl_sim_part { /* the CPU or the GPU work of a job */
    double total;    /* units */
    double left;     /* units, at since_s */
    double speed;    /* units/s, since since_s */
    double since_s;
    double end_s; /* at this speed; JL_NEVER */
};

enum jl_sim_job_state {
    JL_JOB_FUTURE,
    JL_JOB_QUEUED,
    JL_JOB_RUNNING,
    JL_JOB_COMPLETED,
    JL_JOB_FAILED,   /* stalled */
    JL_JOB_UNPLACED, /* never found room */
};

struct jl_sim_job {
    enum jl_sim_job_state state;
    bool was_tried; /* placement has looked at every node */
    bool has_started;
    size_t node; /* of a job that has started */
    double start_s;
    double end_s;
    double stalled_s; /* since when it makes no progress; JL_NEVER = it does */
    struct jl_sim_part cpu;
    struct jl_sim_part gpu;
};

struct jl_sim_room {    /* what placement looks at */
    int64_t millicores; /* allocatable */
    int64_t memory_bytes;
    int64_t used_millicores;
    int64_t used_memory_bytes;
    int64_t free_gpus;
    int64_t free_pods;
    enum joulie_gpu_vendor gpu_vendor;
};

struct jl_sim_integral { /* of a power over time */
    double power_w;
    double energy_j; /* up to since_s */
    double since_s;
};

struct jl_sim_node {
    const struct jl_sim_machine *machine;
    uint32_t *jobs; /* that run, in the order they came */
    size_t job_count;
    size_t job_capacity;
    bool is_dirty; /* its jobs or its caps changed: recompute at the end of the instant */
    bool is_freed; /* it has room that the queue has not seen */

    bool has_cpu_cap; /* someone set one */
    struct jl_sim_lag cpu_cap;
    struct jl_sim_lag gpu_cap; /* per device */
    double throttle_pct;       /* that was asked for */
    struct jl_sim_lag freq_limit;

    double cpu_util;
    double gpu_util;
    double freq;
    bool is_saturated;      /* even the lowest frequency is above the cap */
    struct jl_sim_lag temp; /* only where throttling is possible, or somebody outside may ask */
    struct jl_sim_integral cpu;
    struct jl_sim_integral gpu;

    double over_pct; /* power over a settled cap; < 0 = not counted */
    double over_since_s;
};

struct jl_sim_over { /* so many node-seconds at so much over the cap */
    double pct;
    double seconds;
};

struct jl_sim_hour { /* one row of nodes.csv */
    double cpu_j;
    double gpu_j;
    uint32_t running;
    const char *state; /* performance, eco, draining; NULL = nobody decided */
};

enum jl_sim_placement { JL_PLACE_BY_JOULIE, JL_PLACE_LEAST_ALLOCATED };

struct jl_sim_settings {
    enum jl_physics_rules physics;
    enum jl_sim_placement placement;
    double limit_s;   /* JL_NEVER = until every job has ended */
    bool keeps_hours; /* records jl_sim_hour */
};

struct jl_sim_placing { /* a pass over the queue, which may have to wait for an answer */
    bool is_on;
    size_t next; /* in the queue */
    size_t kept; /* jobs before it that go on waiting */
};

struct jl_sim_run {
    const struct jl_inventory *inventory;
    const struct jl_sim_workload *workload;
    struct jl_sim_settings settings;
    /* Who decides: the library's own operator, extender and agents, somebody outside, or nobody
     * (the uncontrolled run). See sim/steering.h. */
    struct jl_sim_control *control;
    struct jl_sim_outside *outside;
    struct jl_sim_decisions decisions;

    struct jl_sim_node *nodes; /* by name, as the machines */
    struct jl_sim_room *rooms;
    size_t node_count;
    struct jl_sim_job *jobs; /* as the workload's tasks */
    size_t *gang_present;    /* by gang: members that run or have completed */

    double now_s;
    double event_s; /* of the last instant at which something happened; <= now_s */
    bool is_open; /* an instant has begun that is not over, because somebody has to be waited for */
    size_t phase; /* of it */
    bool is_finished;
    bool goes_on; /* although every job has ended */
    struct jl_event_queue node_events;
    struct jl_event_queue agent_events;
    double operator_s; /* next step; JL_NEVER without control */
    size_t submitted;  /* tasks before this one have arrived */

    uint32_t *queue; /* waiting jobs in order */
    size_t queue_count;
    uint32_t *dirty;
    size_t dirty_count;
    uint32_t *freed;
    size_t freed_count;
    bool has_arrivals; /* since the last placement */
    struct jl_sim_placing placing;
    uint64_t pass;          /* of placement */
    uint64_t *shape_failed; /* by shape: the last pass in which it found no room */

    size_t running;
    size_t completed;
    size_t failed;
    size_t unplaced;
    double last_change_s; /* of the queue or of what runs */

    double capped_s; /* node-seconds with a settled CPU cap */
    struct jl_sim_over *over;
    size_t over_count;
    size_t over_capacity;
    double next_hour_s;
    struct jl_sim_hour *hours; /* node_count for each hour */
    size_t hour_count;
    size_t hour_capacity;
};

int jl_sim_run_init(struct jl_sim_run *run, const struct jl_inventory *inventory,
                    const struct jl_sim_workload *workload, const struct jl_sim_settings *settings,
                    struct joulie_error *err);
void jl_sim_run_clear(struct jl_sim_run *run);

/* Virtual time as an instant, for the time stamps in objects: 0 is 2026-01-01T00:00:00Z. */
int64_t jl_sim_instant_ms(double time_s);

/* Of what cannot go on before somebody outside was told, or has answered: call it again then. */
#define JL_SIM_WAITS 1

/* Everything that happens up to and at until_s, unless all jobs end before. 0, JL_SIM_WAITS, or a
 * failure. */
int jl_sim_run_until(struct jl_sim_run *run, double until_s, struct joulie_error *err);

/* ---- state at a time not before the last event ---- */

double jl_sim_energy_j(const struct jl_sim_integral *integral, double at_s);
double jl_sim_done(const struct jl_sim_part *part, double at_s); /* units */
double jl_sim_lag_at(const struct jl_sim_lag *lag, double tau_s, double at_s);

struct jl_sim_units {
    double cpu;
    double gpu;
};
struct jl_sim_units jl_sim_units_done(const struct jl_sim_run *run); /* in job order */
double jl_sim_it_energy_j(const struct jl_sim_run *run);             /* in node-name order */
double jl_sim_it_power_w(const struct jl_sim_run *run);
/* 99th percentile of the power over settled caps, percent. 1, 0 when no cap was in force, or
 * JOULIE_E_NOMEM. */
int jl_sim_overshoot_p99(const struct jl_sim_run *run, double *out_pct);

/* ---- between the parts of a run ---- */

bool jl_sim_gang_is_ready(const struct jl_sim_run *run, size_t job);
int jl_sim_node_add(struct jl_sim_run *run, size_t node, size_t job);
void jl_sim_room_freed(struct jl_sim_run *run, size_t node); /* or opened to pods that it refused */
void jl_sim_touch(struct jl_sim_run *run, size_t node); /* recompute it at the end of the instant */
/* Recomputes utilisation, power and speeds of a node now, and when it has its next event (node.c).
 */
int jl_sim_node_update(struct jl_sim_run *run, size_t node);
/* New targets of the caps, W; <= 0 = none. They apply with the hardware's lag (node.c). */
void jl_sim_set_cpu_cap(struct jl_sim_run *run, size_t node, double cap_w);
void jl_sim_set_gpu_cap(struct jl_sim_run *run, size_t node, double cap_w);
/* A new target of the frequency, 0..100 % less than the most; it ramps by dvfsRampMs. */
void jl_sim_set_throttle(struct jl_sim_run *run, size_t node, double pct);

struct jl_sim_look { /* at a node, at the run's present time; nothing moves by it */
    double cpu_cap_w;
    double gpu_cap_w;
    double freq_limit;
    double temp_c;
    double thermal; /* throttle fraction */
};

void jl_sim_node_look(const struct jl_sim_run *run, size_t node, struct jl_sim_look *out);

struct jl_sim_devices { /* the GPUs of a node: its first devices work, the others are idle */
    size_t active;
    double active_w; /* of each */
    double idle_w;
    double natural_w; /* of an active one without a cap */
    struct jl_gpu_weights weights;
};

/* Of a node that has GPUs. */
void jl_sim_node_devices(const struct jl_sim_run *run, size_t node, struct jl_sim_devices *out);

/* Where a pod may go: every node, or those that got room back. */
struct jl_sim_places {
    const uint32_t *nodes; /* NULL = every node */
    size_t count;
};

/* Tries the queue in order (placement.c). 0, JL_SIM_WAITS (to be called again, until it is
 * 0), or a failure. */
int jl_sim_place(struct jl_sim_run *run, struct joulie_error *err);
/* The places that have room for a job, in their order; out has room for all nodes. */
size_t jl_sim_fitting(const struct jl_sim_run *run, size_t job, const struct jl_sim_places *places,
                      uint32_t *out);
int jl_sim_job_end(struct jl_sim_run *run, size_t job, enum jl_sim_job_state state,
                   struct joulie_error *err);
