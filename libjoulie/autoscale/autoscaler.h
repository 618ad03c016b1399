/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The handle of <joulie/autoscale.h>. */

#include <joulie/autoscale.h>

#include "autoscale/engine.h"
#include "autoscale/profile.h"

#define JL_AUTOSCALER_MOST_SAMPLES ((size_t)1 << 20) /* that wait for a step */
#define JL_AUTOSCALER_MOST_MS (JL_SCALE_MOST_NS / JL_NS_PER_MS)

struct joulie_autoscaler {
    struct jl_scale_engine *engine;
    enum jl_autoscale_model model;
    joulie_zone_fn *find_zone;
    void *user;
    double gpu_tflops;

    /* Profile, pool and what follows from them; config points into the arena. */
    struct json_object *profile; /* NULL = none yet */
    struct json_object *pool;
    struct jl_arena config_arena;
    struct jl_autoscale_config config;

    struct jl_scale_worker *workers; /* names are the handle's */
    size_t worker_count;
    size_t worker_room;
    bool has_workers; /* a worker was put, so samples name none */

    /* What waits for the next step. */
    struct jl_arena waiting_arena;
    struct jl_scale_sample *samples;
    size_t sample_count;
    size_t sample_room;
    struct jl_scale_reply reply;
    bool has_reply;

    /* The last step; texts are in its arena, in what had waited for it, and in the config's. */
    struct jl_arena step_arena;
    struct jl_arena used_arena;
    struct jl_scale_result result;
};
