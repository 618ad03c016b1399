/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One load against one algorithm in one world, step by step, and what came of it. */

#include "autoscale/engine.h"
#include "sim/autoscale_load.h"
#include "sim/autoscale_world.h"

/* A Monday, so that cron rules of working days have some; virtual time begins here. */
#define JL_PLAY_START_NS INT64_C(1772409600000000000) /* 2026-03-02T00:00:00Z */

/* What comes of a run, with the names of the answer. */
#define JL_PLAY_METRIC_LIST                                       \
    METRIC(JL_PLAY_UNSERVED_PCT, "unservedPct")                   \
    METRIC(JL_PLAY_SHORT_TIME_PCT, "shortTimePct")                \
    METRIC(JL_PLAY_THROTTLED_S, "throttledSeconds")               \
    METRIC(JL_PLAY_OOM_EVENTS, "oomEvents")                       \
    METRIC(JL_PLAY_COST_USD, "costUsd")                           \
    METRIC(JL_PLAY_COST_PER_SERVED, "costUsdPerServedTflopsHour") \
    METRIC(JL_PLAY_REQUEST_TFLOPS_H, "requestTflopsHours")        \
    METRIC(JL_PLAY_LIMIT_TFLOPS_H, "limitTflopsHours")            \
    METRIC(JL_PLAY_REQUEST_GIB_H, "requestGibHours")              \
    METRIC(JL_PLAY_LIMIT_GIB_H, "limitGibHours")                  \
    METRIC(JL_PLAY_MEAN_REPLICAS, "meanReplicas")                 \
    METRIC(JL_PLAY_RESOURCE_CHANGES, "resourceChanges")           \
    METRIC(JL_PLAY_REPLICA_CHANGES, "replicaChanges")             \
    METRIC(JL_PLAY_REFUSED, "refusedChanges")                     \
    METRIC(JL_PLAY_DEMAND_TFLOPS_H, "demandTflopsHours")          \
    METRIC(JL_PLAY_SERVED_TFLOPS_H, "servedTflopsHours")

#define METRIC(value, name) value,

enum jl_play_metric { JL_PLAY_METRIC_LIST JL_PLAY_METRICS };

#undef METRIC

/* Names as they stand in the answer, by enum jl_play_metric. */
extern const char *const jl_play_metric_names[JL_PLAY_METRICS];

#define JL_PLAY_MOST_POINTS 360 /* of a series: 4 minutes of a day */

/* A piece of the run: TFLOPS of its step with the largest demand, VRAM of that with the largest
 * memory. */
struct jl_play_point {
    double demand;
    double served;
    double request; /* TFLOPS, of all ready workers */
    double limit;
    double replicas; /* ready ones */
    double vram;     /* bytes, asked for by each worker */
    double vram_request;
    double vram_limit;
};

struct jl_play {
    const struct jl_load *load;
    const struct jl_scale_pool *pool;
    const struct jl_price_input *price;
    const struct jl_autoscale_config *config; /* NULL = amounts and replicas stay */
    struct jl_amounts amounts;                /* at the start */
    int64_t replicas;
};

struct jl_play_result {
    double metrics[JL_PLAY_METRICS];
    struct jl_play_point *points; /* the caller's room for jl_play_points(); NULL = not wanted */
};

size_t jl_play_steps_per_point(size_t steps);
size_t jl_play_points(size_t steps);

/* 0 or JOULIE_E_NOMEM. scratch is reset; what the world needs is taken from the arena. */
int jl_play_run(const struct jl_play *play, struct jl_arena *scratch, struct jl_arena *arena,
                struct jl_play_result *out, struct joulie_error *err);
