/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* An experiment (docs/rules/experiments.md): what its file says, the runs that it takes, their
 * results and what comes of them. */

#include <joulie/experiment.h>
#include <joulie/sim.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "schema/decode.h"
#include "sim/mean.h"
#include "sim/workload.h"

/* Of the waits, above those of a baseline: more of it counts as waiting longer, and the bound of a
 * baseline is for schedules with no more. */
#define JL_EXPERIMENT_LONGER_WAIT_S 60.0
#define JL_EXPERIMENT_KEY_TEXT 17

#ifdef JL_EXPERIMENT_TABLES
#define RECORD_TABLES
#endif

/* Of generated traces; what an experiment may set. */
#define RECORD joulie_workload_options
#define IS_PUBLIC
#define MEMBERS                                                                                    \
    STRING(mode, "mode", "diurnal (the default here) or default.")                                 \
    INTEGER(jobs, "jobs", "Job records.", BIT(JOULIE_WORKLOAD_HAS_JOBS))                           \
    NUMBER(hours, "hours", "Hours that jobs arrive in.", BIT(JOULIE_WORKLOAD_HAS_HOURS))           \
    NUMBER(max_duration_s, "maxDurationS", "Longest duration of a job, s.",                        \
           BIT(JOULIE_WORKLOAD_HAS_MAX_DURATION))                                                  \
    NUMBER(perf_ratio, "perfRatio", "Share of performance jobs.",                                  \
           BIT(JOULIE_WORKLOAD_HAS_PERF_RATIO))                                                    \
    NUMBER(gpu_ratio, "gpuRatio", "Share of GPU jobs.", BIT(JOULIE_WORKLOAD_HAS_GPU_RATIO))        \
    NUMBER(amd_ratio, "amdRatio", "Share of AMD among them; without it by the GPUs that fit.",     \
           BIT(JOULIE_WORKLOAD_HAS_AMD_RATIO))                                                     \
    NUMBER(mean_inter_arrival_s, "meanInterArrivalS", "Between arrivals, s; default mode.",        \
           BIT(JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL))                                            \
    NUMBER(peak_rate_per_min, "peakRatePerMin",                                                    \
           "Arrivals per minute at the peak; not with loads.", BIT(JOULIE_WORKLOAD_HAS_PEAK_RATE)) \
    NUMBER(burst_prob, "burstProb", "Chance of a burst.", BIT(JOULIE_WORKLOAD_HAS_BURST_PROB))     \
    INTEGER(burst_min, "burstMin", "Fewest jobs of a burst.", BIT(JOULIE_WORKLOAD_HAS_BURST_MIN))  \
    INTEGER(burst_max, "burstMax", "Most jobs of a burst.", BIT(JOULIE_WORKLOAD_HAS_BURST_MAX))    \
    INTEGER(min_gpus, "minGpus", "Fewest GPUs of a GPU job.", BIT(JOULIE_WORKLOAD_HAS_MIN_GPUS))   \
    NUMBER(work_scale, "workScale", "Factor on the work of every job.",                            \
           BIT(JOULIE_WORKLOAD_HAS_WORK_SCALE))                                                    \
    NUMBER(base_speed, "baseSpeed", "Units of work per core and second.",                          \
           BIT(JOULIE_WORKLOAD_HAS_BASE_SPEED))                                                    \
    NUMBER(training_perf_ratio, "trainingPerfRatio", "Performance jobs among those of training.",  \
           BIT(JOULIE_WORKLOAD_HAS_TRAINING_PERF_RATIO))
#include "schema/shared_record.h"

#define RECORD joulie_sim_outcome
#define IS_PUBLIC
#define MEMBERS                                                                              \
    INTEGER(jobs, "jobs", "In the trace.")                                                   \
    INTEGER(completed, "completed", "Jobs that completed.")                                  \
    INTEGER(failed, "failed", "Jobs that stalled.")                                          \
    INTEGER(unplaced, "unplaced", "Jobs that no machine took.")                              \
    NUMBER(cpu_units, "cpuUnits", "CPU work done.")                                          \
    NUMBER(gpu_units, "gpuUnits", "GPU work done.")                                          \
    NUMBER(energy_j, "energyJ", "IT energy up to the end of the run, J.")                    \
    NUMBER(time_s, "timeS", "End of the run, s.")                                            \
    NUMBER(power_w, "powerW", "IT power after it, W.")                                       \
    NUMBER(makespan_s, "makespanS", "Last end less first submission, s.",                    \
           BIT(JOULIE_SIM_OUTCOME_HAS_MAKESPAN))                                             \
    NUMBER(cpu_idle_busy_j, "cpuIdleBusyJ", "Idle energy of CPUs of machines with jobs, J.") \
    NUMBER(cpu_idle_empty_j, "cpuIdleEmptyJ", "Idle energy of CPUs of empty machines, J.")   \
    NUMBER(cpu_dynamic_j, "cpuDynamicJ", "Energy of CPUs above idle, J.")                    \
    NUMBER(cpu_off_j, "cpuOffJ", "Energy of CPUs of machines that are not on, J.")           \
    NUMBER(gpu_idle_busy_j, "gpuIdleBusyJ", "Idle energy of GPUs of machines with jobs, J.") \
    NUMBER(gpu_idle_empty_j, "gpuIdleEmptyJ", "Idle energy of GPUs of empty machines, J.")   \
    NUMBER(gpu_dynamic_j, "gpuDynamicJ", "Energy of GPUs above idle, J.")                    \
    NUMBER(gpu_off_j, "gpuOffJ", "Energy of GPUs of machines that are not on, J.")           \
    NUMBER(peak_power_w, "peakPowerW", "Highest IT power, W.")                               \
    INTEGER(boots, "boots", "Of machines that had been off.")
#include "schema/shared_record.h"

#define RECORD joulie_sim_spread
#define IS_PUBLIC
#define MEMBERS                                                     \
    INTEGER(jobs, "jobs", "Jobs measured; 0: the rest is unknown.") \
    NUMBER(mean, "mean", "Mean.")                                   \
    NUMBER(p50, "p50", "Median.")                                   \
    NUMBER(p95, "p95", "95th percentile.")                          \
    NUMBER(p99, "p99", "99th percentile.")                          \
    NUMBER(max, "max", "Largest.")
#include "schema/shared_record.h"

/* What any schedule of the trace needs at least, without CPU caps. */
#define RECORD jl_experiment_bound
#define MEMBERS                                                                                   \
    NUMBER(end_s, "endS", "It ends at this time at the latest, s.", REQUIRED)                     \
    NUMBER(cpu_wait_s, "cpuWaitS", "Its jobs without GPUs wait at most so long, s.", REQUIRED)    \
    NUMBER(gpu_wait_s, "gpuWaitS", "The same of jobs with GPUs, s.", REQUIRED)                    \
    NUMBER(cpu_dynamic_j, "cpuDynamicJ", "CPUs above idle, J.", REQUIRED)                         \
    NUMBER(cpu_asleep_j, "cpuAsleepJ", "CPUs, with idle machines off, J.", REQUIRED)              \
    NUMBER(gpu_dynamic_j, "gpuDynamicJ", "GPUs above idle, no job slowed, J.", REQUIRED)          \
    NUMBER(gpu_dynamic_slowed_j, "gpuDynamicSlowedJ", "The same, jobs up to 10 % slower, J.",     \
           REQUIRED)                                                                              \
    NUMBER(asleep_j, "asleepJ", "CPUs and GPUs, idle ones off, no job slowed, J.", REQUIRED)      \
    NUMBER(asleep_slowed_j, "asleepSlowedJ", "The same, jobs up to 10 % slower, J.", REQUIRED)    \
    NUMBER(priced_j, "pricedJ", "On the machines that there are, above idle, no job slowed, J.",  \
           REQUIRED)                                                                              \
    NUMBER(priced_slowed_j, "pricedSlowedJ", "The same, jobs up to 10 % slower, J.", REQUIRED)    \
    NUMBER(priced_asleep_j, "pricedAsleepJ", "Of them, idle ones off, no job slowed, J.",         \
           REQUIRED)                                                                              \
    NUMBER(priced_asleep_slowed_j, "pricedAsleepSlowedJ", "The same, jobs up to 10 % slower, J.", \
           REQUIRED)
#include "schema/shared_record.h"

/* What a run came to. */
#define RECORD jl_experiment_result
#define MEMBERS                                                                                    \
    OBJECT(outcome, "outcome", joulie_sim_outcome, "Work, energy and power.", REQUIRED)            \
    OBJECT(wait, "waitS", joulie_sim_spread, "Waits, s.", REQUIRED)                                \
    OBJECT(job_time, "jobTimeS", joulie_sim_spread, "End less submission, s.", REQUIRED)           \
    OBJECT(slowdown, "slowdown", joulie_sim_spread, "Run time over that at full speed.", REQUIRED) \
    INTEGER(transitions, "transitions", "Changes of a node's profile.", REQUIRED)                  \
    STRING(trace, "trace", "Hash of the trace.", REQUIRED)                                         \
    NUMBERS(hourly_w, "hourlyW", "Mean IT power of each hour, of a week at most, W.", REQUIRED)    \
    OBJECT(bound, "bound", jl_experiment_bound, "Of a baseline, if there is one.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

struct jl_experiment_scenario {
    const char *name;
    const char *inventory;
    size_t inventory_len;
    int64_t nodes;     /* 0 = as the inventory says */
    const char *trace; /* a recorded one; NULL = generated */
    size_t trace_len;
    struct joulie_workload_options workload; /* without load, seed and inventory */
    const double *loads;
    size_t load_count; /* 0: one trace, for no load */
};

/* What is run on each trace. */
struct jl_experiment_subject {
    const char *name;
    const char *placement; /* a word of either run */
    const char *policy;    /* JSON; NULL = its defaults, or a baseline */
    size_t policy_len;
    const char *placement_base; /* NULL = the word's */
    int64_t extender_weight;    /* 0 = the word's */
    const char *scoring;        /* JSON; NULL = the word's */
    size_t scoring_len;
    const char *power_off; /* JSON; NULL = nodes stay on */
    size_t power_off_len;
    bool is_baseline;
};

struct jl_experiment_run {
    const struct jl_experiment_subject *subject;
    uint64_t seed;
    char key[JL_EXPERIMENT_KEY_TEXT];
    bool has_result;
    struct jl_experiment_result result;
};

/* One row of runs per seed, one run per subject in it: baselines first. */
struct jl_experiment_cell {
    const struct jl_experiment_scenario *scenario;
    const char *speeds;
    double load;
    bool has_load;
    size_t seeds;
    struct jl_experiment_run *runs;
};

struct joulie_experiment {
    struct jl_arena arena;
    const char *name; /* NULL = it has none */
    const char *build;
    const char *physics;
    struct jl_experiment_scenario *scenarios;
    size_t scenario_count;
    struct jl_experiment_subject *subjects; /* baselines, then policies */
    size_t subject_count;
    size_t baseline_count;
    const char *const *speeds;
    size_t speeds_count;
    const uint64_t *seeds;
    size_t seed_count;
    struct jl_experiment_cell *cells;
    size_t cell_count;
    struct jl_experiment_run *runs; /* of all cells */
    size_t run_count;
};

/* experiment_read.c: fills what the file says; the caller frees it, also after a failure. */
int jl_experiment_read(const struct joulie_experiment_options *options,
                       struct joulie_experiment *out, struct joulie_error *err);

/* experiment_run.c: options of a trace, load NULL = none was asked for; borrows the scenario. */
struct joulie_workload_options jl_experiment_workload(const struct jl_experiment_scenario *scenario,
                                                      const double *load, uint64_t seed);
/* The same file: keys of all runs; the cell of a run; result texts. */
int jl_experiment_set_keys(struct joulie_experiment *experiment, struct joulie_error *err);
const struct jl_experiment_cell *jl_experiment_cell_of(const struct joulie_experiment *experiment,
                                                       size_t run);
int jl_experiment_simulate(const struct joulie_experiment *experiment, size_t run,
                           struct jl_buffer *out, struct joulie_error *err);
int jl_experiment_take(struct joulie_experiment *experiment, size_t run, const char *text,
                       size_t len, struct joulie_error *err);

/* experiment_bound.c: a cluster has one when the curves of all its CPUs were measured. The first
 * three members of bound say which schedules are meant. 0 or JOULIE_E_NOMEM. */
bool jl_experiment_has_bound(const struct jl_inventory *inventory);
int jl_experiment_bound(const struct jl_inventory *inventory,
                        const struct jl_sim_workload *workload, struct jl_experiment_bound *bound);

/* ---- comparison ---- */

/* A run and the best baseline on one trace, over the same time. */
struct jl_experiment_pair {
    double window_s;
    double energy_kwh;
    double against_kwh;
    double saved_pct;
    double makespan_pct; /* NaN = unknown, here and below */
    double job_time_pct;
    double wait_p99_s;
    double against_wait_p99_s;
    double slowdown_p95;
    double bound_pct;        /* what any schedule without sleep could save at most */
    double bound_slowed_pct; /* when jobs may be 10 % slower */
    double asleep_pct;       /* the same with machines that are off while they have no job */
    double asleep_slowed_pct;
    bool is_slowed;      /* jobs of the run were */
    bool is_asleep;      /* machines of it were off */
    const char *why_not; /* there is nothing to be said of a saving; else NULL */
};

enum jl_experiment_estimate {
    JL_EXPERIMENT_ENERGY,
    JL_EXPERIMENT_SAVED,
    JL_EXPERIMENT_MAKESPAN,
    JL_EXPERIMENT_JOB_TIME,
    JL_EXPERIMENT_WAIT,
    JL_EXPERIMENT_AGAINST_WAIT,
    JL_EXPERIMENT_SLOWDOWN,
    JL_EXPERIMENT_BOUND,
    JL_EXPERIMENT_BOUND_SLOWED,
    JL_EXPERIMENT_ASLEEP,
    JL_EXPERIMENT_ASLEEP_SLOWED,
    JL_EXPERIMENT_ESTIMATES,
};

#define JL_EXPERIMENT_MOST_NOTES 6

struct jl_experiment_row { /* a subject in a cell */
    const struct jl_experiment_cell *cell;
    size_t subject;
    size_t against; /* the best baseline */
    struct jl_mean estimates[JL_EXPERIMENT_ESTIMATES];
    bool has[JL_EXPERIMENT_ESTIMATES];
    enum jl_experiment_estimate share_of; /* the bound that share_pct is of */
    double share_pct;                     /* saved / bound; NaN = unknown */
    const char *why_not;                  /* no saving is reported; else NULL */
    const char *notes[JL_EXPERIMENT_MOST_NOTES];
    size_t note_count;
};

/* experiment_compare.c. The baseline with the lowest mean energy; ties go to the first. */
size_t jl_experiment_best(const struct joulie_experiment *experiment,
                          const struct jl_experiment_cell *cell);
void jl_experiment_pair_of(const struct joulie_experiment *experiment,
                           const struct jl_experiment_cell *cell, size_t seed, size_t subject,
                           size_t against, struct jl_experiment_pair *out);
/* room: as many pairs as the cell has seeds, and twice as many numbers. */
void jl_experiment_row_of(const struct joulie_experiment *experiment,
                          const struct jl_experiment_cell *cell, size_t subject, size_t against,
                          double *room, struct jl_experiment_row *out);

/* experiment_report.c: appends. 0 or JOULIE_E_NOMEM. */
int jl_experiment_put_report(struct jl_buffer *out, const struct joulie_experiment *experiment);
int jl_experiment_put_rows(struct jl_buffer *out, const struct joulie_experiment *experiment);
int jl_experiment_put_pairs(struct jl_buffer *out, const struct joulie_experiment *experiment);
int jl_experiment_put_runs(struct jl_buffer *out, const struct joulie_experiment *experiment);
