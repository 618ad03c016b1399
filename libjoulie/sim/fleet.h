/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The machines of a run, its jobs, and which job runs where, at one virtual time.
 *
 * State is kept lazily: a node's energy moves on only when its power changes, a job's remaining
 * work only when its speed changes, a lag only when its target changes. What is between is a
 * product of a value and a length of time. So an event that changes nothing leaves no trace in the
 * numbers, and reading never does (docs/rules/simulation.md#virtual-time).
 */

#include "sim/energy.h"
#include "sim/event_queue.h"
#include "sim/vacant.h"
#include "sim/workload.h"

#define JL_SIM_TAU_MIN_S 0.01

struct jl_sim_lag { /* a first-order lag towards a target, since a time */
    double from;
    double target;
    double since_s;
    double tau_s;
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
    bool was_tried; /* placement has tried every node */
    bool has_started;
    size_t node; /* of a job that has started */
    double start_s;
    double end_s;
    double stalled_s; /* since when it makes no progress; JL_NEVER = it does */
    struct jl_sim_part cpu;
    struct jl_sim_part gpu;
    double natural_w; /* of each of its GPUs on its node without a cap */
};

struct jl_sim_room {    /* what placement decides by */
    int64_t millicores; /* allocatable */
    int64_t memory_bytes;
    int64_t used_millicores;
    int64_t used_memory_bytes;
    int64_t counted_millicores; /* used, as kube-scheduler's scores count it */
    int64_t counted_memory_bytes;
    int32_t gpus; /* that the machine has */
    int32_t free_gpus;
    int32_t free_pods;
    enum joulie_gpu_vendor gpu_vendor;
};

struct jl_sim_request { /* the last control that a client of the contract asked for */
    const char *action; /* a constant; NULL = none yet */
    const char *result;
    double at_s;
};

enum jl_sim_power_state { JL_NODE_ON, JL_NODE_STOPPING, JL_NODE_OFF, JL_NODE_BOOTING };

struct jl_sim_node {
    const struct jl_sim_machine *machine;
    enum jl_sim_power_state power_state;
    double power_since_s; /* of the state */
    double off_s;         /* not on, up to power_since_s */
    double power_until_s; /* end of stopping or booting; JL_NEVER */
    double empty_since_s; /* of a node without jobs */
    bool is_wanted;       /* boots as soon as it has stopped */
    bool is_cordoned;     /* from outside: nothing new runs on it */
    uint32_t *jobs;       /* that run, in the order they came */
    size_t job_count;
    size_t job_capacity;
    bool is_dirty; /* its jobs or its caps changed: recompute at the end of the instant */
    bool is_freed; /* it has room that the queue has not seen */

    bool has_cpu_cap; /* one was set */
    struct jl_sim_lag cpu_cap;
    struct jl_sim_lag gpu_cap; /* per device */
    double throttle_pct;       /* that was asked for */
    struct jl_sim_lag freq_limit;
    struct jl_sim_request request;

    double cpu_util;
    double gpu_util;
    double freq;
    bool is_saturated;      /* even the lowest frequency is above the cap */
    struct jl_sim_lag temp; /* only where throttling is possible, or a client may ask */
    struct jl_sim_meter cpu;
    struct jl_sim_meter gpu;
    size_t rack; /* its supply beside that of all nodes; 0 = it names none */

    double over_pct; /* power over a settled cap; < 0 = not counted */
    double over_since_s;
};

struct jl_sim_over { /* so many node-seconds at so much over the cap */
    double pct;
    double seconds;
};

struct jl_sim_overshoot { /* of the intervals that are closed */
    double capped_s;      /* node-seconds with a settled CPU cap */
    struct jl_sim_over *items;
    size_t count;
    size_t capacity;
};

struct jl_sim_usage;

struct jl_sim_fleet {
    const struct jl_inventory *inventory;
    const struct jl_sim_workload *workload;
    enum jl_physics_rules physics;
    bool keeps_temps; /* of every node, because a client may ask for them */
    double now_s;

    struct jl_sim_node *nodes; /* by name, as the machines */
    struct jl_sim_room *rooms;
    struct jl_sim_vacant vacant;
    double *power_w; /* of the nodes, as last set */
    size_t node_count;
    struct jl_event_queue events; /* of the nodes */
    uint32_t *dirty;              /* nodes to be recomputed */
    size_t dirty_count;
    uint32_t *freed; /* nodes with room that the queue has not seen */
    size_t freed_count;
    struct jl_sim_overshoot over;
    struct jl_sim_supply *supplies; /* of all nodes, then of each rack */
    size_t supply_count;

    struct jl_sim_job *jobs; /* as the workload's tasks */
    struct jl_sim_usage *usages; /* by job; NULL = not kept */
    size_t *gang_present;    /* by gang: members that run or have completed */
    size_t submitted;        /* tasks before this one have arrived */
    size_t running;
    size_t boots; /* of nodes that had been off */
    size_t completed;
    size_t failed;
    size_t unplaced;
    double last_change_s; /* of the queue or of what runs */
};

/* Machines and jobs as they are at time 0; every node is dirty. 0 or JOULIE_E_NOMEM. */
int jl_sim_fleet_init(struct jl_sim_fleet *fleet, const struct jl_inventory *inventory,
                      const struct jl_sim_workload *workload, enum jl_physics_rules physics);
void jl_sim_fleet_clear(struct jl_sim_fleet *fleet);

/* Virtual time as an instant, for the time stamps in objects: 0 is 2026-01-01T00:00:00Z. */
int64_t jl_sim_instant_ms(double time_s);
double jl_sim_time_s(int64_t instant_ms);

/* ---- state at a time not before the last event ---- */

double jl_sim_done(const struct jl_sim_part *part, double at_s); /* units */

/* ---- nodes ---- */

/* What it draws from now on. */
void jl_sim_set_power(struct jl_sim_fleet *fleet, size_t node, double cpu_w, double gpu_w);
void jl_sim_touch(struct jl_sim_fleet *fleet, size_t node); /* makes it dirty */
/* It can take so many more pods, or fewer. */
void jl_sim_add_free_pods(struct jl_sim_fleet *fleet, size_t node, int32_t pods);
/* It has room that the queue has not seen, or admits pods that it refused. */
void jl_sim_room_freed(struct jl_sim_fleet *fleet, size_t node);
/* The queue has seen all freed nodes. */
void jl_sim_freed_clear(struct jl_sim_fleet *fleet);

struct jl_sim_node_list {  /* nodes that a pod may go to */
    const uint32_t *nodes; /* NULL = every node */
    size_t count;
};

static inline size_t jl_sim_listed(const struct jl_sim_node_list *list, size_t i)
{
    return list->nodes ? list->nodes[i] : i;
}

/* Inline, and so is the shape below: a run asks it of most machines for every job that waits. */
static inline bool jl_sim_fits(const struct jl_sim_shape *shape, const struct jl_sim_room *room)
{
    return room->free_pods > 0 && room->used_millicores + shape->millicores <= room->millicores &&
           room->used_memory_bytes + shape->memory_bytes <= room->memory_bytes &&
           room->free_gpus >= shape->gpus &&
           (shape->gpus == 0 || shape->gpu_vendor == JOULIE_GPU_VENDOR_UNKNOWN ||
            shape->gpu_vendor == room->gpu_vendor);
}

/* The nodes of the list that have room for a job, in their order; out has room for all nodes. */
size_t jl_sim_fitting(const struct jl_sim_fleet *fleet, size_t job,
                      const struct jl_sim_node_list *list, uint32_t *out);

/* ---- jobs ---- */

static inline const struct jl_sim_shape *jl_sim_shape_of(const struct jl_sim_fleet *fleet,
                                                         size_t job)
{
    return &fleet->workload->shapes[fleet->workload->tasks[job].shape];
}

/* Whether it may progress: it is in no gang, or all of its gang run or have completed. */
bool jl_sim_gang_is_ready(const struct jl_sim_fleet *fleet, size_t job);
/* It runs on the node from now on. 0 or JOULIE_E_NOMEM. */
int jl_sim_job_start(struct jl_sim_fleet *fleet, size_t job, size_t node);
/* It ends now in one of the last three states; what is left of its work stays as it is. */
void jl_sim_job_stop(struct jl_sim_fleet *fleet, size_t job, enum jl_sim_job_state state);
size_t jl_sim_ended(const struct jl_sim_fleet *fleet); /* jobs that have */
