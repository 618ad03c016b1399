/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Synthetic traces (docs/rules/workloads.md#generators), from our own seeded generator. Unlike the
 * source's: sensitivities are 1/1, class words are those of the schema, every time is in simulated
 * seconds.
 */

#include <joulie/error.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/random.h"
#include "physics/physics.h"

enum jl_generate_mode { JL_GENERATE_DEFAULT, JL_GENERATE_DIURNAL };

struct jl_generate_options {
    enum jl_generate_mode mode;
    uint64_t seed;
    int64_t jobs;          /* job records; 0 = as many as the hours bring (diurnal) */
    double hours;          /* 0 = as long as the jobs take to arrive (default mode) */
    double max_duration_s; /* 0 = no limit besides the family's */
    const char *name_space;
    double perf_ratio;
    double gpu_ratio;
    double amd_ratio; /* share of the GPU jobs that ask for amd.com/gpu */
    bool has_workload_records;

    /* default mode */
    double mean_inter_arrival_s;
    double compute_perf_boost;
    double burst_day_prob;
    double burst_mean_jobs;
    double burst_multiplier;
    double dip_day_prob;
    double dip_multiplier;
    double cpu_rate; /* units per core and second */
    double gpu_rate;

    /* diurnal mode */
    double peak_rate_per_min;
    double burst_prob;
    int64_t burst_min;
    int64_t burst_max;
    int64_t min_gpus;
    double base_speed; /* units per core and second */
    double work_scale;
};

void jl_generate_defaults(enum jl_generate_mode mode, struct jl_generate_options *out);

/* Appends the trace, one record per line. where of a failure is the option. */
int jl_generate(const struct jl_generate_options *options, struct jl_buffer *out,
                struct joulie_error *err);

/* ---- between the two generators ---- */

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

struct jl_generator {
    const struct jl_generate_options *options;
    struct jl_random arrivals;
    struct jl_random draws;
    struct jl_buffer *out;
    int64_t workloads;
    int64_t jobs;
};

void jl_generate_default(struct jl_generator *generator, struct jl_arena *arena,
                         struct joulie_error *err, int *rc);
void jl_generate_diurnal(struct jl_generator *generator);

/* The workload record (when asked for) and its jobs. */
void jl_generate_write(struct jl_generator *generator, const struct jl_draft_workload *workload,
                       const struct jl_draft *drafts, size_t count);

size_t jl_generate_pick(struct jl_generator *generator, const double *weights,
                        size_t count);                   /* weights sum to 1 */
double jl_generate_round(double value, double per_unit); /* to 1/per_unit */
