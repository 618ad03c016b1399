/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Synthetic traces (docs/rules/workloads.md#generators), from our own seeded generator. Unlike the
 * source's: sensitivities are 1/1, class words are those of the schema, every time is in simulated
 * seconds.
 */

#include <joulie/sim.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/random.h"
#include "sim/pod.h"

#define JL_GENERATE_MOST_PODS 16 /* of a workload */

struct jl_draft { /* a job record before it is written */
    const char *role;
    int index;
    bool is_gang;
    int64_t cores;
    int64_t memory_gib;
    int64_t gpus;
    double cpu_units;
    double gpu_units;
    struct jl_work work; /* bits: which members of workloadProfile are written */
};

struct jl_draft_workload {
    int64_t number; /* from 1 */
    const char *type;
    double submit_s;
    double duration_s;
    bool is_performance;
    bool is_amd;
    bool is_gang;
    enum jl_cpu_class cpu_class;
    enum jl_gpu_class gpu_class; /* JL_GPU_UNKNOWN = no GPUs */
};

struct jl_generate_machines;
struct jl_generate_demand;
struct jl_generate_drawn;

struct jl_generator {
    const struct joulie_workload_options *options; /* every one filled */
    const struct jl_generate_machines *machines;   /* that the jobs are for; NULL = unknown */
    struct jl_generate_demand *demand;             /* counted instead of writing; NULL = write */
    struct jl_generate_drawn *drawn;               /* beside demand: by this and other rates */
    struct jl_random arrivals;
    struct jl_random draws;
    struct jl_buffer *out;
    struct jl_affinity no_eco; /* of performance pods */
    int64_t workloads;
    int64_t jobs;
};

/* Whether a trace can be made with these options, as far as that can be said without making it: the
 * code of joulie_workload_generate() for what is wrong, err's where is the option. */
int jl_generate_check(const struct joulie_workload_options *from, struct joulie_error *err);

/* The modes. A failure to append stays in the buffer. 0 or JOULIE_E_NOMEM. */
int jl_generate_default(struct jl_generator *generator, struct jl_arena *arena);
void jl_generate_diurnal(struct jl_generator *generator);

/* The workload record (when asked for) and its jobs. A failure stays in the buffer. */
void jl_generate_write(struct jl_generator *generator, const struct jl_draft_workload *workload,
                       const struct jl_draft *drafts, size_t count);

double jl_generate_round(double value, double per_unit); /* to 1/per_unit */
