/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the engine share. */

#include "autoscale/engine.h"
#include "autoscale/merge.h"
#include "autoscale/usage_series.h"

/* Layers that keep a histogram. */
enum jl_memory_layer {
    JL_MEMORY_LIMITS,
    JL_MEMORY_REQUESTS,
    JL_MEMORY_PERCENTILE,
};

#define JL_MEMORIES 3

/* What one layer remembers of all workers; made when the layer is on for the first time. */
struct jl_layer_memory {
    int64_t half_life_ns; /* a change discards everything here */
    struct jl_histogram histograms[JL_USAGES];
    struct jl_confidence confidence; /* requests */
    struct jl_usage_series series[JL_USAGES];
    struct jl_series_bin *bins[JL_USAGES]; /* capacity of the series; NULL = no series */
    double *values;                        /* scratch of a forecast: most bins of a series */
    double *seasonal;                      /* the same */
    size_t value_room;
};

/* What is remembered of one worker. Workers are kept in the order of their names. */
struct jl_tracked {
    char *name;
    int64_t created_ns; /* or the time of the first sample */
    int64_t last_ns;    /* of its latest sample, with has_last */
    double vram_bytes;  /* of its latest sample, with has_vram */
    double throttle_count;
    double oom_count;
    struct jl_peak peaks[JL_MEMORIES];
    struct jl_series_worker open[JL_USAGES]; /* its bins in the series of the requests layer */
    bool has_created, has_last, has_vram, has_throttle, has_oom;
    bool is_ready;     /* in this step's list, or there is no list */
    bool is_dedicated; /* as this step's list says */
};

/* A sample of the last minutes. */
struct jl_recent {
    int64_t at_ns;
    double tflops;
    double vram_bytes;
    double tflops_limit; /* 0 = none */
    uint32_t worker;
    bool has_tflops, has_vram;
    bool is_throttled;    /* throttledCount grew since the worker's sample before */
    bool is_oom_killed;   /* oomCount did */
    bool is_oom_answered; /* the limits layer has seen that */
};

/* When a layer was evaluated last. */
struct jl_layer_clock {
    bool has_last;
    int64_t last_ns;
};

enum jl_layer_clocks {
    JL_CLOCK_REQUESTS,
    JL_CLOCK_LIMITS,
    JL_CLOCK_REPLICAS,
    JL_CLOCK_PERCENTILE,
};

#define JL_CLOCKS 4

struct jl_scale_engine {
    bool has_now;
    int64_t now_ns; /* of the last step */
    bool has_start;
    int64_t start_ns; /* creation of the oldest worker */
    struct jl_layer_clock clocks[JL_CLOCKS];
    struct jl_layer_memory *memories[JL_MEMORIES]; /* NULL = the layer was never on */
    struct jl_tracked *workers;                    /* by name */
    size_t worker_count;
    size_t worker_room;
    struct jl_recent *recent; /* as they came in */
    size_t recent_count;
    size_t recent_room;
    bool has_replicas; /* replicas was begun */
    struct jl_replicas_state replicas;
    bool is_limit_at_upper;        /* the last TFLOPS decision of the limits layer ended at hi */
    bool is_cron_active;           /* a rule was, at the last step */
    struct jl_amounts cron;        /* what it asked for */
    struct jl_amounts before_cron; /* the amounts when it began */
};

/* One step on its way. */
struct jl_scale_run {
    struct jl_scale_engine *scaler;
    const struct jl_autoscale_config *config;
    const struct jl_scale_step *step;
    struct jl_scale_result *out;
    struct jl_scale_condition *conditions; /* room for JL_SCALE_CONDITIONS() */
    double *utilizations;                  /* one per worker, 0 at first, as reports */
    uint32_t *reports;
    struct jl_amounts amounts; /* as the layers so far leave them */
    struct jl_proposal proposals[4];
    size_t proposal_count;
};

/* Beside those of the config: at most two per rule, and one of each other kind. */
#define JL_SCALE_CONDITIONS(config) ((config)->condition_count + 2 * (config)->rule_count + 16)

/* ---- engine_run.c ---- */

void jl_scale_add_condition(struct jl_scale_run *run, enum jl_scale_reason reason,
                            const char *where, const char *message);
void jl_scale_decide(struct jl_scale_run *run, const struct jl_scale_decision *decision);
/* One decision per field in which the proposal differs from the present amounts; a side that is 0
 * counts for nothing. */
void jl_scale_propose(struct jl_scale_run *run, enum jl_scale_layer layer,
                      enum jl_scale_reason reason, const struct jl_proposal *proposal);

/* Whether the layer is due, and when it is next; notes the evaluation. */
bool jl_scale_is_due(struct jl_scale_run *run, enum jl_layer_clocks which, int64_t delay_ns,
                     int64_t period_ns);

/* ---- engine_workers.c ---- */

/* Makes room for the workers that the step names. 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT. */
int jl_scale_add_workers(struct jl_scale_run *run, struct jl_arena *arena,
                         struct joulie_error *err);
struct jl_tracked *jl_scale_find_worker(struct jl_scale_engine *scaler, const char *name);
/* Forgets those that are gone, when everything of the step was decided. */
void jl_scale_forget_workers(struct jl_scale_run *run);

/* ---- engine_memory.c ---- */

#define JL_RECENT_ROOM (2 * (size_t)JL_AUTOSCALE_MOST_RECENT) /* while samples are taken */

/* Memory of the layers that are on: 0 or JOULIE_E_NOMEM. */
int jl_scale_reserve(struct jl_scale_run *run);
void jl_memory_free(struct jl_layer_memory *memory);
/* A memory without samples; NULL when memory ran out. */
struct jl_layer_memory *jl_memory_new(int64_t half_life_ns);
/* Room for a series of this shape: 0 or JOULIE_E_NOMEM. */
int jl_memory_series(struct jl_scale_engine *scaler, enum jl_memory_layer layer,
                     enum jl_usage usage, const struct jl_series_shape *shape);

/* ---- engine_samples.c ---- */

/* 0 or JOULIE_E_NOMEM, and nothing was taken then. */
int jl_scale_take_samples(struct jl_scale_run *run, struct jl_arena *arena);

/* ---- engine_layers.c, engine_replicas.c, engine_rules.c ---- */

/* Allocated VRAM cannot be taken away: the largest 24 h peak of a ready worker. */
double jl_scale_vram_floor(const struct jl_scale_run *run);
void jl_scale_run_requests(struct jl_scale_run *run);
void jl_scale_run_limits(struct jl_scale_run *run);
void jl_scale_run_replicas(struct jl_scale_run *run);
void jl_scale_run_percentile(struct jl_scale_run *run);
void jl_scale_run_rules(struct jl_scale_run *run, bool *is_stopped);
/* v2.17.1: a failed call stops the merge. */
void jl_scale_run_external(struct jl_scale_run *run, bool *is_stopped);
