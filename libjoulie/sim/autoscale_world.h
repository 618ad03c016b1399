/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The world that an autoscaler is played in: cards, the workers of one workload on them, and what
 * users get of what they ask for. All workers have the same amounts and share the demand evenly.
 *
 *  - A worker computes min(its share, its limit). The workers of a card that is full get
 *    even parts of it.
 *  - A worker whose memory goes beyond its limit is killed and comes back after the start delay; so
 *    is the youngest of a card whose memory is full, as long as it is above its request.
 *  - A new worker is ready after the start delay. Both hold their amounts meanwhile.
 *  - What is not served is lost: nothing queues.
 */

#include "autoscale/amounts.h"
#include "base/arena.h"
#include "base/number.h"
#include "tensor_fusion/price.h"

#define JL_WORLD_MOST_WORKERS 256
#define JL_WORLD_MOST_CARDS 256
#define JL_WORLD_NAME (JL_DOUBLE_TEXT + 2) /* "w-" and a number */

struct jl_scale_pool {
    size_t cards;
    double card[JL_USAGES]; /* capacity of each: TFLOPS, bytes */
    int64_t start_delay_ns;
};

struct jl_world_worker {
    char name[JL_WORLD_NAME];
    size_t card;
    int64_t created_ns;
    int64_t ready_ns;
    double throttled_steps; /* a counter, for the samples */
    double oom_kills;       /* another */
    double used[JL_USAGES]; /* in the last step */
    bool was_ready;         /* at the start of the last step */
    bool was_killed;        /* in the last step */
};

struct jl_world_totals { /* amounts times seconds, of all workers */
    double demand_s;
    double served_s;
    double short_s; /* time in which something was not served */
    double throttled_worker_s;
    double oom_events;
    double request_s[JL_USAGES];
    double limit_s[JL_USAGES];
    double usd;
    double replica_s;
    double resource_changes;
    double replica_changes;
    double refused; /* changes that found no room on the cards */
    double elapsed_s;
};

struct jl_world_now { /* of the last step */
    double demand;
    double served;
    double vram; /* asked for by each worker */
    double ready;
};

struct jl_scale_world {
    struct jl_scale_pool pool;
    struct jl_price_input price;     /* amounts are filled in */
    struct jl_amounts amounts;       /* of every worker */
    struct jl_world_worker *workers; /* oldest first */
    size_t count;
    int64_t started;  /* workers so far, for names */
    double *card_use; /* scratch, one per card */
    struct jl_world_totals totals;
    struct jl_world_now now;
};

/* Workers that run at now_ns already, as many as fit. 0 or JOULIE_E_NOMEM. */
int jl_world_init(struct jl_scale_world *world, const struct jl_scale_pool *pool,
                  const struct jl_price_input *price, const struct jl_amounts *amounts,
                  int64_t replicas, int64_t now_ns, struct jl_arena *arena);

/* What users ask for in a step. */
struct jl_world_demand {
    double tflops;       /* of all workers together */
    double vram_bytes;   /* of each worker */
    double shared_bytes; /* of all workers together, shared out evenly */
};

/* One step of step_s from now_ns. */
void jl_world_play(struct jl_scale_world *world, int64_t now_ns, double step_s,
                   const struct jl_world_demand *demand);

/* Takes over a decision. A request that does not fit changes nothing. */
void jl_world_resize(struct jl_scale_world *world, const struct jl_amounts *amounts);
/* The youngest go first; those that find no room do not start. */
void jl_world_scale(struct jl_scale_world *world, int64_t replicas, int64_t now_ns);

/* What one worker may request at most if all grow alike. */
void jl_world_max_allowed(const struct jl_scale_world *world, struct jl_amount_bounds *out);
int64_t jl_world_max_replicas(const struct jl_scale_world *world);
