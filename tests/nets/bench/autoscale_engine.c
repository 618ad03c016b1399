/* SPDX-License-Identifier: Apache-2.0 */

/* One tick of an operator: every workload has new samples and every layer is due. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "autoscale/engine.h"
#include "base/random.h"
#include "bench/bench.h"

#define WORKLOADS 100000
#define FEWEST_WORKERS 1
#define MOST_WORKERS 4
#define GIB 1073741824.0
#define TICK_NS (INT64_C(1800) * JL_NS_PER_S)      /* requests are due every 30 min */
#define NOW_NS (INT64_C(1773403200) * JL_NS_PER_S) /* 2026-03-13T12:00:00Z */
#define DECISIONS 4 /* request and limit of both amounts; the replicas come on top */
#define WARM_UP 2   /* ticks before the first that is measured */

struct workload {
    struct jl_scale_engine *scaler;
    struct jl_amounts current;
    double usage_tflops;
    double usage_bytes;
    int64_t replicas;
    size_t workers;
};

struct tick {
    struct jl_autoscale_config config;
    struct workload *workloads;
    struct jl_arena arena;
    int64_t now_ns;
    int failures;
};

static const char *const names[MOST_WORKERS] = { "w-0", "w-1", "w-2", "w-3" };

static void configure(struct jl_autoscale_config *config)
{
    jl_autoscale_config_init(config, JL_AUTOSCALE_CURRENT);
    config->requests.is_on = true;
    config->limits.is_on = true;
    config->replicas.is_on = true;
}

/* One sample a worker, somewhere around what the workload uses. */
static uint64_t decide(struct tick *tick, struct workload *workload, uint64_t sum)
{
    struct jl_scale_worker workers[MOST_WORKERS] = { { 0 } };
    struct jl_scale_sample samples[MOST_WORKERS] = { { 0 } };
    struct jl_scale_result result;
    for (size_t i = 0; i < workload->workers; i++) {
        const double share = 0.8 + 0.1 * (double)((i + (size_t)(tick->now_ns / TICK_NS)) % 4);
        workers[i].name = names[i];
        samples[i] = (struct jl_scale_sample){ .worker = names[i],
                                               .at_ns = tick->now_ns,
                                               .tflops = workload->usage_tflops * share,
                                               .vram_bytes = workload->usage_bytes * share,
                                               .has_tflops = true,
                                               .has_vram = true };
    }
    const struct jl_scale_step step = { .now_ns = tick->now_ns,
                                        .current = workload->current,
                                        .replicas = workload->replicas,
                                        .workers = workers,
                                        .worker_count = workload->workers,
                                        .has_workers = true,
                                        .samples = samples,
                                        .sample_count = workload->workers };
    struct jl_autoscale_config config = tick->config;
    config.original = workload->current;
    jl_arena_reset(&tick->arena);
    if (jl_scale_engine_step(workload->scaler, &config, &step, &tick->arena, &result, NULL) < 0 ||
        result.decision_count < DECISIONS || !result.has_replicas) {
        tick->failures++;
        return sum;
    }
    sum = bench_mix_number(sum, result.amounts.of[JL_USAGE_TFLOPS].request);
    return bench_mix_number(sum, result.amounts.of[JL_USAGE_VRAM].limit) + result.decision_count;
}

static uint64_t decide_all(void *state)
{
    struct tick *tick = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < WORKLOADS; i++)
        sum = decide(tick, &tick->workloads[i], sum);
    return sum;
}

static void next_tick(void *state)
{
    struct tick *tick = state;
    tick->now_ns += TICK_NS;
}

static int make_workloads(struct tick *tick)
{
    struct jl_random random = { 7 };
    for (size_t i = 0; i < WORKLOADS; i++) {
        struct workload *workload = &tick->workloads[i];
        const double tflops = jl_random_range(&random, 1, 300);
        const double bytes = jl_random_range(&random, 1, 60) * GIB;
        workload->scaler = jl_scale_engine_new();
        workload->workers = (size_t)jl_random_int(&random, FEWEST_WORKERS, MOST_WORKERS);
        workload->replicas = (int64_t)workload->workers;
        workload->usage_tflops = tflops * jl_random_range(&random, 0.1, 1.5);
        workload->usage_bytes = bytes * jl_random_range(&random, 0.1, 1);
        workload->current.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ tflops, 2 * tflops };
        workload->current.of[JL_USAGE_VRAM] = (struct jl_amount_pair){ bytes, bytes };
        if (workload->scaler == NULL)
            return 1;
    }
    return 0;
}

int bench_autoscale_engine(const struct bench_options *options)
{
    static const char name[] = "autoscale.workloads";
    struct tick tick = { .now_ns = NOW_NS };
    const struct bench_figure figure = { name,          "us",  1e3,
                                         WORKLOADS,     &tick, { "ours", decide_all },
                                         { NULL, NULL } };
    if (!bench_is_asked(&figure, options))
        return 0;
    tick.workloads = calloc(WORKLOADS, sizeof *tick.workloads);
    int rc = tick.workloads == NULL || make_workloads(&tick);
    configure(&tick.config);
    for (int i = 0; rc == 0 && i < WARM_UP; i++) {
        next_tick(&tick);
        decide_all(&tick);
        tick.failures = 0; /* nothing is due before the first period is over */
    }
    if (rc == 0)
        rc = bench_measure_prepared(&figure, next_tick, options);
    if (tick.failures > 0)
        fprintf(stderr, "%s: %d steps failed\n", name, tick.failures);
    for (size_t i = 0; tick.workloads != NULL && i < WORKLOADS; i++)
        jl_scale_engine_free(tick.workloads[i].scaler);
    free(tick.workloads);
    jl_arena_clear(&tick.arena);
    return rc != 0 || tick.failures > 0;
}
