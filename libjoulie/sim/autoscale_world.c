/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The world that an autoscaler is played in: what is served, used, throttled and killed in one
 * step. Called by autoscale_play.c.
 */

#include "sim/autoscale_world.h"

#include <math.h>
#include <string.h>

#include <joulie/error.h>

#define SLACK 1e-9 /* relative: sums of requests that fill a card fit */
#define GIB 1073741824.0
#define SECONDS_PER_HOUR 3600.0

static const struct jl_amount_pair *pair(const struct jl_scale_world *world, enum jl_usage usage)
{
    return &world->amounts.of[usage];
}

static size_t workers_on(const struct jl_scale_world *world, size_t card)
{
    size_t count = 0;
    for (size_t i = 0; i < world->count; i++)
        count += world->workers[i].card == card;
    return count;
}

static bool fits(const struct jl_scale_world *world, const struct jl_amounts *amounts,
                 size_t workers)
{
    for (int usage = 0; usage < JL_USAGES; usage++) {
        if ((double)workers * amounts->of[usage].request > world->pool.card[usage] * (1 + SLACK))
            return false;
    }
    return true;
}

/* ---- how many ---- */

/* The card with the fewest workers, the first of several; all workers are alike. */
static bool find_card(const struct jl_scale_world *world, size_t *out)
{
    size_t least = SIZE_MAX;
    for (size_t card = 0; card < world->pool.cards; card++) {
        const size_t count = workers_on(world, card);
        if (count >= least)
            continue;
        least = count;
        *out = card;
    }
    return least != SIZE_MAX && fits(world, &world->amounts, least + 1);
}

static bool start_worker(struct jl_scale_world *world, int64_t now_ns, int64_t ready_ns)
{
    size_t card = 0;
    if (world->count == JL_WORLD_MOST_WORKERS || !find_card(world, &card))
        return false;
    struct jl_world_worker *worker = &world->workers[world->count++];
    *worker = (struct jl_world_worker){ .card = card, .created_ns = now_ns, .ready_ns = ready_ns };
    memcpy(worker->name, "w-", 3);
    worker->name[2 + jl_format_i64(world->started++, worker->name + 2)] = '\0';
    return true;
}

void jl_world_scale(struct jl_scale_world *world, int64_t replicas, int64_t now_ns)
{
    const size_t before = world->count;
    bool has_room = true;
    while (has_room && (int64_t)world->count < replicas)
        has_room = start_worker(world, now_ns, now_ns + world->pool.start_delay_ns);
    if (!has_room)
        world->totals.refused++;
    if (replicas >= 0 && (int64_t)world->count > replicas)
        world->count = (size_t)replicas;
    if (world->count != before)
        world->totals.replica_changes++;
}

int64_t jl_world_max_replicas(const struct jl_scale_world *world)
{
    double per_card = JL_WORLD_MOST_WORKERS;
    for (int usage = 0; usage < JL_USAGES; usage++) {
        const double request = world->amounts.of[usage].request;
        if (request > 0)
            per_card = jl_min(per_card, floor(world->pool.card[usage] * (1 + SLACK) / request));
    }
    return (int64_t)jl_min(JL_WORLD_MOST_WORKERS, per_card * (double)world->pool.cards);
}

/* ---- how large ---- */

void jl_world_max_allowed(const struct jl_scale_world *world, struct jl_amount_bounds *out)
{
    size_t most = 1;
    for (size_t card = 0; card < world->pool.cards; card++) {
        const size_t count = workers_on(world, card);
        most = count > most ? count : most;
    }
    *out = (struct jl_amount_bounds){ .has = (UINT64_C(1) << JL_USAGES) - 1 };
    for (int usage = 0; usage < JL_USAGES; usage++)
        out->of[usage] = world->pool.card[usage] / (double)most;
}

static bool is_equal(const struct jl_amounts *a, const struct jl_amounts *b)
{
    for (int usage = 0; usage < JL_USAGES; usage++) {
        if (a->of[usage].request != b->of[usage].request ||
            a->of[usage].limit != b->of[usage].limit)
            return false;
    }
    return true;
}

void jl_world_resize(struct jl_scale_world *world, const struct jl_amounts *amounts)
{
    if (is_equal(&world->amounts, amounts))
        return;
    for (size_t card = 0; card < world->pool.cards; card++) {
        if (!fits(world, amounts, workers_on(world, card))) {
            world->totals.refused++;
            return;
        }
    }
    world->amounts = *amounts;
    world->totals.resource_changes++;
}

/* ---- a step ---- */

static bool is_ready(const struct jl_world_worker *worker, int64_t now_ns)
{
    return worker->ready_ns <= now_ns;
}

static void kill(struct jl_scale_world *world, struct jl_world_worker *worker, int64_t now_ns)
{
    worker->ready_ns = now_ns + world->pool.start_delay_ns;
    worker->was_killed = true;
    worker->oom_kills++;
    world->totals.oom_events++;
}

/* Those above their own limit, then the youngest of a card that is full. A limit of 0 is none. */
static void use_memory(struct jl_scale_world *world, int64_t now_ns, double vram)
{
    const struct jl_amount_pair *amount = pair(world, JL_USAGE_VRAM);
    memset(world->card_use, 0, world->pool.cards * sizeof *world->card_use);
    for (size_t i = 0; i < world->count; i++) {
        struct jl_world_worker *worker = &world->workers[i];
        worker->used[JL_USAGE_VRAM] = 0;
        worker->was_ready = is_ready(worker, now_ns);
        worker->was_killed = false;
        if (!worker->was_ready)
            continue;
        worker->used[JL_USAGE_VRAM] = vram;
        if (amount->limit > 0 && vram > amount->limit * (1 + SLACK)) {
            worker->used[JL_USAGE_VRAM] = amount->limit;
            kill(world, worker, now_ns);
        } else {
            world->card_use[worker->card] += vram;
        }
    }
    const double capacity = world->pool.card[JL_USAGE_VRAM] * (1 + SLACK);
    for (size_t i = world->count; i-- > 0 && vram > amount->request;) {
        struct jl_world_worker *worker = &world->workers[i];
        if (!is_ready(worker, now_ns) || world->card_use[worker->card] <= capacity)
            continue;
        world->card_use[worker->card] -= vram;
        kill(world, worker, now_ns);
    }
}

/* What the card can give a worker that could use `wanted`; its neighbours are alike. */
static double granted(const struct jl_scale_world *world, double wanted, double ready_on_card)
{
    const double capacity = world->pool.card[JL_USAGE_TFLOPS];
    return jl_min(wanted, capacity / ready_on_card);
}

static double compute(struct jl_scale_world *world, int64_t now_ns, double step_s, double share)
{
    const double limit = pair(world, JL_USAGE_TFLOPS)->limit;
    const double wanted = limit > 0 ? jl_min(share, limit) : share;
    double served = 0;
    memset(world->card_use, 0, world->pool.cards * sizeof *world->card_use);
    for (size_t i = 0; i < world->count; i++)
        world->card_use[world->workers[i].card] += is_ready(&world->workers[i], now_ns);
    for (size_t i = 0; i < world->count; i++) {
        struct jl_world_worker *worker = &world->workers[i];
        worker->used[JL_USAGE_TFLOPS] = 0;
        if (!is_ready(worker, now_ns))
            continue;
        worker->used[JL_USAGE_TFLOPS] = granted(world, wanted, world->card_use[worker->card]);
        served += worker->used[JL_USAGE_TFLOPS];
        if (worker->used[JL_USAGE_TFLOPS] < share * (1 - SLACK)) {
            worker->throttled_steps++;
            world->totals.throttled_worker_s += step_s;
        }
    }
    return served;
}

static double usd_per_hour(const struct jl_scale_world *world)
{
    const struct jl_amount_pair *tflops = pair(world, JL_USAGE_TFLOPS);
    const struct jl_amount_pair *vram = pair(world, JL_USAGE_VRAM);
    struct jl_price_input price = world->price;
    price.requests = (struct jl_price_amounts){ tflops->request, vram->request / GIB };
    price.limits = (struct jl_price_amounts){ tflops->limit, vram->limit / GIB };
    return jl_price(&price) * (double)world->count;
}

static void count_step(struct jl_scale_world *world, double step_s)
{
    struct jl_world_totals *totals = &world->totals;
    const double workers = (double)world->count;
    const struct jl_world_now *now = &world->now;
    totals->demand_s += now->demand * step_s;
    totals->served_s += now->served * step_s;
    if (now->served < now->demand * (1 - SLACK))
        totals->short_s += step_s;
    for (int usage = 0; usage < JL_USAGES; usage++) {
        totals->request_s[usage] += world->amounts.of[usage].request * workers * step_s;
        totals->limit_s[usage] += world->amounts.of[usage].limit * workers * step_s;
    }
    totals->usd += usd_per_hour(world) * step_s / SECONDS_PER_HOUR;
    totals->replica_s += workers * step_s;
    totals->elapsed_s += step_s;
}

static double ready_count(const struct jl_scale_world *world, int64_t now_ns)
{
    double ready = 0;
    for (size_t i = 0; i < world->count; i++)
        ready += is_ready(&world->workers[i], now_ns);
    return ready;
}

void jl_world_play(struct jl_scale_world *world, int64_t now_ns, double step_s,
                   const struct jl_world_demand *demand)
{
    const double first = jl_max(1, ready_count(world, now_ns));
    const double vram = demand->vram_bytes + demand->shared_bytes / first;
    use_memory(world, now_ns, vram);
    const double ready = ready_count(world, now_ns); /* those that were not killed */
    world->now = (struct jl_world_now){ .demand = demand->tflops, .vram = vram, .ready = ready };
    world->now.served = compute(world, now_ns, step_s, ready > 0 ? demand->tflops / ready : 0);
    count_step(world, step_s);
}

int jl_world_init(struct jl_scale_world *world, const struct jl_scale_pool *pool,
                  const struct jl_price_input *price, const struct jl_amounts *amounts,
                  int64_t replicas, int64_t now_ns, struct jl_arena *arena)
{
    *world = (struct jl_scale_world){
        .pool = *pool,
        .price = *price,
        .amounts = *amounts,
        .workers = JL_NEW_ARRAY(arena, JL_WORLD_MOST_WORKERS, struct jl_world_worker),
        .card_use = JL_NEW_ARRAY(arena, pool->cards, double),
    };
    if (!world->workers || !world->card_use)
        return jl_arena_code(arena);
    while ((int64_t)world->count < replicas && start_worker(world, now_ns, now_ns))
        ;
    return 0;
}
