/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What generated jobs ask of the machines that they are for (docs/rules/workloads.md#load). */

#include "sim/generate.h"
#include "sim/inventory.h"

enum jl_generate_resource { JL_GENERATE_CORES, JL_GENERATE_MEMORY, JL_GENERATE_GPUS };

#define JL_GENERATE_RESOURCES (JL_GENERATE_GPUS + 1)

struct jl_generate_family { /* machines of one kind */
    const struct jl_sim_family *family;
    double nodes;
    bool is_amd;
};

struct jl_generate_machines {
    struct jl_inventory inventory;
    struct jl_generate_family *families;
};

/* 0, or a failure of the options inventory and nodes. */
int jl_generate_machines_read(struct jl_generate_machines *machines,
                              const struct joulie_workload_options *options,
                              struct joulie_error *err);
void jl_generate_machines_clear(struct jl_generate_machines *machines);

/* The share of AMD among the GPUs that jobs of so many GPUs can get; 0 when none can. */
double jl_generate_amd_share(const struct jl_generate_machines *machines, int64_t gpus);

struct jl_generate_ask { /* what a job takes of the machines */
    double run_s;        /* of it on them; 0 = it fits none, or has no work */
    double cores;
    double memory_gib;
    double gpus;
    bool is_amd; /* of its GPUs */
};

struct jl_generate_arrival {
    double gap; /* behind the one before, over the rate */
    int64_t jobs;
};

/* Arrivals and jobs that were drawn from a seed, for another rate: it brings the same ones. */
struct jl_generate_drawn {
    struct jl_generate_arrival *arrivals;
    size_t arrival_count;
    size_t arrival_capacity;
    struct jl_generate_ask *asks; /* of the jobs */
    size_t ask_count;
    size_t ask_capacity;
    bool is_failed; /* out of memory */
};

struct jl_generate_demand { /* of jobs, up to the end of the hours */
    const struct jl_generate_machines *machines;
    double end_s;
    bool asks_amd; /* some of them do */
    bool asks_nvidia;
    double used[JL_GENERATE_RESOURCES]; /* resource · seconds */
};

struct jl_generate_ask jl_generate_ask_of(const struct jl_generate_machines *machines,
                                          const struct jl_draft_workload *workload,
                                          const struct jl_draft *draft);
void jl_generate_add_demand(struct jl_generate_demand *demand, double submit_s,
                            const struct jl_generate_ask *ask);
/* Mean allocation of the scarcest resource, 0 to 1 or above. */
double jl_generate_load(const struct jl_generate_demand *demand);
