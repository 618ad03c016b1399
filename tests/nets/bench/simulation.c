/* SPDX-License-Identifier: Apache-2.0 */

/* A day of 5,000 nodes and 20,000 jobs under control, against a straight loop without any. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/sim.h>

#include "base/buffer.h"
#include "bench/bench.h"
#include "bench/straight.h"

#define NODES 5000
#define JOBS 20000
#define STEP_S 60.0
#define RUNS 3

struct day {
    struct jl_buffer inventory_text;
    char *trace_text;
    struct jl_inventory inventory;
    struct jl_trace trace;
    double our_kwh;
    double straight_kwh;
};

static void check(int rc, const struct joulie_error *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "bench: %s: %s\n", err->where, err->message);
    exit(1);
}

static void put_family(struct jl_buffer *out, const char *name, int replicas, const char *rest)
{
    jl_put_string(out, "  - {node_name_prefix: ");
    jl_put_string(out, name);
    jl_put_string(out, ", replicas: ");
    jl_put_i64(out, replicas);
    jl_put_string(out, rest);
}

static void prepare(struct day *day)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    jl_put_string(&day->inventory_text, "nodes:\n");
    put_family(&day->inventory_text, "cpu", NODES / 2,
               ", vendor: none, product: \"\", cpu: AMD EPYC 9655 96-Core Processor, cpu_sockets: "
               "2, cpu_cores: 192, "
               "memory_gib: 1536, gpu_count: 0}\n");
    put_family(&day->inventory_text, "gpu", NODES / 2,
               ", vendor: nvidia, product: NVIDIA H100 NVL, cpu: AMD EPYC 9654 96-Core Processor, "
               "cpu_sockets: 2, "
               "cpu_cores: 192, memory_gib: 1536, gpu_count: 8}\n");
    check(jl_inventory_read(day->inventory_text.data, day->inventory_text.len, 0,
                            JL_PHYSICS_CURRENT, &day->inventory, &err),
          &err);

    struct joulie_workload_options workload = JOULIE_INIT(struct joulie_workload_options);
    workload.has = JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_HOURS | JOULIE_WORKLOAD_HAS_SEED |
                   JOULIE_WORKLOAD_HAS_MAX_DURATION | JOULIE_WORKLOAD_HAS_GPU_RATIO |
                   JOULIE_WORKLOAD_HAS_PEAK_RATE | JOULIE_WORKLOAD_HAS_BURST_MIN |
                   JOULIE_WORKLOAD_HAS_BURST_MAX | JOULIE_WORKLOAD_HAS_BASE_SPEED;
    workload.mode = "diurnal";
    workload.jobs = JOBS;
    workload.hours = 24;
    workload.seed = 1;
    workload.max_duration_s = 7200;
    workload.gpu_ratio = 0.5;
    workload.peak_rate_per_min = 19;
    workload.burst_min = 2;
    workload.burst_max = 6;
    workload.base_speed = 1;
    check(joulie_workload_generate(&workload, &day->trace_text, &err), &err);
    check(jl_trace_read(day->trace_text, strlen(day->trace_text), false, &day->trace, &err), &err);
}

static uint64_t run_ours(void *state)
{
    struct day *day = state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim *sim = NULL;
    static const char policy[] = "{\"type\": \"static_partition\", \"staticHpFrac\": 1}";
    options.inventory = day->inventory_text.data;
    options.inventory_len = day->inventory_text.len;
    options.trace = day->trace_text;
    options.trace_len = strlen(day->trace_text);
    options.policy = policy;
    options.policy_len = sizeof policy - 1;
    options.placement = "least-allocated";
    check(joulie_sim_new(&options, &sim, &err), &err);
    check(joulie_sim_run_until(sim, INFINITY, &err), &err);
    joulie_sim_get_view(sim, &view, NULL);
    day->our_kwh = view.energy_j / 3.6e6;
    joulie_sim_free(sim);
    return (uint64_t)view.completed;
}

static uint64_t run_straight(void *state)
{
    struct day *day = state;
    struct straight_result result;
    straight_run(&day->inventory, &day->trace, STEP_S, &result);
    day->straight_kwh = result.energy_j / 3.6e6;
    return (uint64_t)result.completed;
}

int bench_simulation(const struct bench_options *options)
{
    static struct day day;
    struct bench_options few = *options;
    const struct bench_figure figure = {
        "simulate.5000",
        "s",
        1e9,
        1,
        &day,
        { "ours", run_ours },
        { "a straight loop, 60 s steps", run_straight },
    };
    if (options->only && strncmp(figure.name, options->only, strlen(options->only)) != 0)
        return 0;
    few.runs = options->runs < RUNS ? options->runs : RUNS; /* a run takes seconds */
    prepare(&day);
    const int failed = bench_measure(&figure, &few);
    fprintf(stderr,
            "simulate.5000: %zu jobs, %.0f kWh under control with every node at full power, %.0f "
            "kWh in the loop\n",
            day.trace.count, day.our_kwh, day.straight_kwh);
    jl_buffer_clear(&day.inventory_text);
    joulie_free(day.trace_text);
    jl_inventory_clear(&day.inventory);
    jl_trace_clear(&day.trace);
    return failed;
}
