/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <joulie/sim.h>

#include "same/answers.h"

static const char machines[] =
    "nodes:\n"
    "  - {node_name_prefix: gpu, replicas: 3, vendor: nvidia, product: NVIDIA H100 80GB HBM3, "
    "cpu: INTEL(R) XEON(R) GOLD 6530, cpu_sockets: 2, cpu_cores: 64, memory_gib: 1024, "
    "gpu_count: 4, gpu_min_cap_watts: 350, gpu_max_cap_watts: 700}\n"
    "  - {node_name_prefix: amd, replicas: 2, vendor: amd, product: AMD Instinct MI300X, "
    "cpu: AMD EPYC 9534 64-Core Processor, cpu_sockets: 2, cpu_cores: 128, memory_gib: 1536, "
    "gpu_count: 8, gpu_min_cap_watts: 350, gpu_max_cap_watts: 750}\n"
    "  - {node_name_prefix: cpu, replicas: 3, vendor: none, product: '', "
    "cpu: AMD EPYC 9655 96-Core Processor, cpu_sockets: 2, cpu_cores: 192, memory_gib: 1536}\n";
static const char policy[] = "{\"type\": \"queue_aware_v1\"}";

static char *draw_trace(FILE *out, const char *mode, uint64_t seed)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *trace = NULL;
    options.mode = mode;
    options.has = JOULIE_WORKLOAD_HAS_SEED | JOULIE_WORKLOAD_HAS_HOURS | JOULIE_WORKLOAD_HAS_JOBS |
                  JOULIE_WORKLOAD_HAS_AMD_RATIO | JOULIE_WORKLOAD_HAS_MAX_DURATION;
    options.seed = seed;
    options.hours = 3;
    options.jobs = 120;
    options.amd_ratio = 0.3;
    options.max_duration_s = 3600;
    const int rc = joulie_workload_generate(&options, &trace, &err);
    if (rc == JOULIE_OK)
        write_text(out, "trace", trace);
    else
        write_error(out, "trace", rc, &err);
    return trace;
}

static int write_run(FILE *out, const struct joulie_sim_options *options, struct joulie_error *err)
{
    static const char *const tables[] = { "nodes", "jobs", "decisions" };
    struct joulie_sim *sim = NULL;
    char *text = NULL;
    int rc = joulie_sim_new(options, &sim, err);
    if (rc == JOULIE_OK)
        rc = joulie_sim_run_until(sim, HUGE_VAL, err);
    if (rc == JOULIE_OK)
        rc = joulie_sim_summary(sim, &text, err);
    if (rc == JOULIE_OK)
        write_text(out, "simulate", text);
    joulie_free(text);
    for (size_t i = 0; i < 3 && rc == JOULIE_OK; i++) {
        rc = joulie_sim_csv(sim, tables[i], &text, err);
        if (rc == JOULIE_OK) {
            write_text(out, tables[i], text);
            joulie_free(text);
        }
    }
    joulie_sim_free(sim);
    return rc;
}

static void write_cluster(FILE *out, const char *mode, const char *physics, uint64_t seed)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *trace = draw_trace(out, mode, seed);
    if (!trace)
        return;
    options.inventory = machines;
    options.inventory_len = strlen(machines);
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.policy = policy;
    options.policy_len = strlen(policy);
    options.physics = physics;
    options.seed = seed;
    options.hours = 6;
    options.compare = 1;
    options.keeps_hours = 1;
    const int rc = write_run(out, &options, &err);
    if (rc != JOULIE_OK)
        write_error(out, "simulate", rc, &err);
    joulie_free(trace);
}

static void write_autoscale(FILE *out, const char *workload, uint64_t seed)
{
    struct joulie_autoscale_sim_options options = JOULIE_INIT(struct joulie_autoscale_sim_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json = NULL;
    options.has = JOULIE_AUTOSCALE_SIM_HAS_HOURS | JOULIE_AUTOSCALE_SIM_HAS_SEED |
                  JOULIE_AUTOSCALE_SIM_HAS_SEEDS;
    options.workload = workload;
    options.hours = 2;
    options.seed = seed;
    options.seeds = 2;
    options.keeps_series = 1;
    const int rc = joulie_simulate_autoscale(&options, &json, &err);
    if (rc == JOULIE_OK)
        write_text(out, workload, json);
    else
        write_error(out, workload, rc, &err);
    joulie_free(json);
}

void write_simulation_answers(FILE *out, uint64_t seed)
{
    static const char *const workloads[] = { "bursty", "diurnal", "ramp", "step" };
    write_cluster(out, "default", "current", seed);
    write_cluster(out, "diurnal", "v0.1.1", seed + 1);
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        write_autoscale(out, workloads[i], seed);
}
