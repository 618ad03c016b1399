/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One load against one algorithm in one world, step by step, and the metrics of it. Called by
 * autoscale_compare.c.
 */

#include "sim/autoscale_play.h"

#include "base/error.h"
#include "base/number.h"

#define SECONDS_PER_HOUR 3600.0
#define GIB 1073741824.0
#define PERCENT 100.0

const char *const jl_play_metric_names[JL_PLAY_METRICS] = {
#define METRIC(value, name) [value] = name,
    JL_PLAY_METRIC_LIST
#undef METRIC
};

/* The largest usage since the last sample. */
struct pending {
    bool is_set;
    int64_t created_ns; /* of the worker that it is of */
    double used[JL_USAGES];
    bool has_tflops;
};

struct player {
    const struct jl_play *play;
    struct jl_scale_world world;
    struct jl_scale_engine *scaler; /* NULL = static */
    int64_t sample_ns;              /* time between two samples of a worker */
    struct jl_scale_worker *workers;
    struct jl_scale_sample *samples;
    size_t worker_count;
    size_t sample_count;

    struct pending *pending; /* by index of a worker */
};

/*
 * Ours is fed every step. The source's loader asks for one row per worker and interval, the largest
 * usage in it.
 */
static int64_t sample_period(const struct jl_autoscale_config *config)
{
    if (!config || config->model == JL_AUTOSCALE_CURRENT)
        return JL_LOAD_STEP_NS;
    const int64_t steps = config->percentile.interval_ns / JL_LOAD_STEP_NS;
    return (steps > 1 ? steps : 1) * JL_LOAD_STEP_NS;
}

static void note_usage(struct player *player)
{
    for (size_t i = 0; i < player->world.count; i++) {
        const struct jl_world_worker *worker = &player->world.workers[i];
        struct pending *pending = &player->pending[i];
        if (!worker->was_ready)
            continue;
        if (!pending->is_set || pending->created_ns != worker->created_ns)
            *pending = (struct pending){ .is_set = true, .created_ns = worker->created_ns };
        pending->used[JL_USAGE_VRAM] =
            jl_max(pending->used[JL_USAGE_VRAM], worker->used[JL_USAGE_VRAM]);
        if (worker->was_killed) /* what it computed until then nobody read */
            continue;
        pending->used[JL_USAGE_TFLOPS] =
            jl_max(pending->used[JL_USAGE_TFLOPS], worker->used[JL_USAGE_TFLOPS]);
        pending->has_tflops = true;
    }
}

static void collect_samples(struct player *player, int64_t now_ns)
{
    player->sample_count = 0;
    if ((now_ns - JL_PLAY_START_NS) % player->sample_ns != 0)
        return;
    for (size_t i = 0; i < player->world.count; i++) {
        struct pending *pending = &player->pending[i];
        const struct jl_world_worker *worker = &player->world.workers[i];
        if (!pending->is_set || pending->created_ns != worker->created_ns)
            continue;
        player->samples[player->sample_count++] = (struct jl_scale_sample){
            .worker = worker->name,
            .at_ns = now_ns,
            .tflops = pending->used[JL_USAGE_TFLOPS],
            .vram_bytes = pending->used[JL_USAGE_VRAM],
            .tflops_limit = player->world.amounts.of[JL_USAGE_TFLOPS].limit,
            .throttle_count = worker->throttled_steps,
            .oom_count = worker->oom_kills,
            .has_tflops = pending->has_tflops,
            .has_vram = true,
            .has_limit = pending->has_tflops,
            .has_throttle = true,
            .has_oom = true,
        };
        pending->is_set = false;
    }
}

/* All that there are, ready or not, as an operator lists the pods that are not being deleted
 *: those without samples count as missing. */
static void list_workers(struct player *player)
{
    player->worker_count = player->world.count;
    for (size_t i = 0; i < player->world.count; i++) {
        const struct jl_world_worker *worker = &player->world.workers[i];
        player->workers[i] = (struct jl_scale_worker){ .name = worker->name,
                                                       .created_ns = worker->created_ns,
                                                       .has_created = true };
    }
}

static int decide(struct player *player, int64_t now_ns, struct jl_arena *scratch,
                  struct joulie_error *err)
{
    const struct jl_scale_world *world = &player->world;
    struct jl_scale_result result;
    note_usage(player);
    collect_samples(player, now_ns);
    list_workers(player);
    struct jl_scale_step step = {
        .now_ns = now_ns,
        .current = world->amounts,
        .replicas = (int64_t)world->count,
        .workers = player->workers,
        .worker_count = player->worker_count,
        .has_workers = true,
        .samples = player->samples,
        .sample_count = player->sample_count,
        .gpu = { .has = (UINT64_C(1) << JL_USAGES) - 1,
                 .of = { world->pool.card[JL_USAGE_TFLOPS], world->pool.card[JL_USAGE_VRAM] } },
        .max_replicas = jl_world_max_replicas(world),
    };
    jl_world_max_allowed(world, &step.max_allowed);
    jl_arena_reset(scratch);
    const int rc =
        jl_scale_engine_step(player->scaler, player->play->config, &step, scratch, &result, err);
    if (rc < 0)
        return rc;
    jl_world_resize(&player->world, &result.amounts);
    if (result.has_replicas && result.replicas.to != (int64_t)world->count)
        jl_world_scale(&player->world, result.replicas.to, now_ns);
    return 0;
}

/* ---- what came of it ---- */

size_t jl_play_steps_per_point(size_t steps)
{
    const size_t wide = (steps + JL_PLAY_MOST_POINTS - 1) / JL_PLAY_MOST_POINTS;
    return wide > 0 ? wide : 1;
}

size_t jl_play_points(size_t steps)
{
    const size_t wide = jl_play_steps_per_point(steps);
    return (steps + wide - 1) / wide;
}

static void note_point(const struct jl_scale_world *world, bool is_first, struct jl_play_point *out)
{
    const struct jl_amount_pair *tflops = &world->amounts.of[JL_USAGE_TFLOPS];
    const struct jl_amount_pair *vram = &world->amounts.of[JL_USAGE_VRAM];
    const double ready = world->now.ready;
    if (is_first || world->now.demand > out->demand) {
        out->demand = world->now.demand;
        out->served = world->now.served;
        out->request = tflops->request * ready;
        out->limit = tflops->limit * ready;
        out->replicas = ready;
    }
    if (is_first || world->now.vram > out->vram) {
        out->vram = world->now.vram;
        out->vram_request = vram->request;
        out->vram_limit = vram->limit;
    }
}

static void put_metrics(const struct jl_world_totals *totals, double *out)
{
    const double hour = SECONDS_PER_HOUR;
    const double short_s = totals->demand_s - totals->served_s;
    const double served_h = totals->served_s / hour;
    out[JL_PLAY_UNSERVED_PCT] =
        totals->demand_s > 0 ? PERCENT * jl_max(0, short_s) / totals->demand_s : 0;
    out[JL_PLAY_SHORT_TIME_PCT] = PERCENT * totals->short_s / totals->elapsed_s;
    out[JL_PLAY_THROTTLED_S] = totals->throttled_worker_s;
    out[JL_PLAY_OOM_EVENTS] = totals->oom_events;
    out[JL_PLAY_COST_USD] = totals->usd;
    out[JL_PLAY_COST_PER_SERVED] = served_h > 0 ? totals->usd / served_h : 0;
    out[JL_PLAY_REQUEST_TFLOPS_H] = totals->request_s[JL_USAGE_TFLOPS] / hour;
    out[JL_PLAY_LIMIT_TFLOPS_H] = totals->limit_s[JL_USAGE_TFLOPS] / hour;
    out[JL_PLAY_REQUEST_GIB_H] = totals->request_s[JL_USAGE_VRAM] / GIB / hour;
    out[JL_PLAY_LIMIT_GIB_H] = totals->limit_s[JL_USAGE_VRAM] / GIB / hour;
    out[JL_PLAY_MEAN_REPLICAS] = totals->replica_s / totals->elapsed_s;
    out[JL_PLAY_RESOURCE_CHANGES] = totals->resource_changes;
    out[JL_PLAY_REPLICA_CHANGES] = totals->replica_changes;
    out[JL_PLAY_REFUSED] = totals->refused;
    out[JL_PLAY_DEMAND_TFLOPS_H] = totals->demand_s / hour;
    out[JL_PLAY_SERVED_TFLOPS_H] = served_h;
}

static int begin(struct player *player, const struct jl_play *play, struct jl_arena *arena)
{
    *player = (struct player){
        .play = play,
        .sample_ns = sample_period(play->config),
        .workers = JL_NEW_ARRAY(arena, JL_WORLD_MOST_WORKERS, struct jl_scale_worker),
        .samples = JL_NEW_ARRAY(arena, JL_WORLD_MOST_WORKERS, struct jl_scale_sample),
        .pending = JL_NEW_ARRAY(arena, JL_WORLD_MOST_WORKERS, struct pending),
    };
    if (!player->workers || !player->samples || !player->pending)
        return jl_arena_code(arena);
    if (play->config) {
        player->scaler = jl_scale_engine_new();
        if (!player->scaler)
            return JOULIE_E_NOMEM;
    }
    return jl_world_init(&player->world, play->pool, play->price, &play->amounts, play->replicas,
                         JL_PLAY_START_NS, arena);
}

int jl_play_run(const struct jl_play *play, struct jl_arena *scratch, struct jl_arena *arena,
                struct jl_play_result *out, struct joulie_error *err)
{
    const struct jl_load *load = play->load;
    const size_t per_point = jl_play_steps_per_point(load->count);
    struct player player;
    int rc = begin(&player, play, arena);
    for (size_t i = 0; i < load->count && rc == 0; i++) {
        const int64_t now_ns = JL_PLAY_START_NS + (int64_t)i * JL_LOAD_STEP_NS;
        const struct jl_world_demand demand = { load->tflops[i], load->vram_bytes[i],
                                                load->shared_bytes[i] };
        jl_world_play(&player.world, now_ns, JL_LOAD_STEP_S, &demand);
        if (out->points)
            note_point(&player.world, i % per_point == 0, &out->points[i / per_point]);
        if (player.scaler)
            rc = decide(&player, now_ns + JL_LOAD_STEP_NS, scratch, err);
    }
    jl_scale_engine_free(player.scaler);
    if (rc == 0)
        put_metrics(&player.world.totals, out->metrics);
    return rc == JOULIE_E_NOMEM ? jl_fail_memory(err) : rc;
}
