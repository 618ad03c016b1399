/* SPDX-License-Identifier: Apache-2.0 */

/* The members of one window of measurements, as documents have them. */

#include "classify/classify.h"

static const struct jl_row rows[] = {
    [JL_METRIC_CPU_UTIL] = JL_NUMBER(jl_classify_metrics, cpu_util_pct, "cpuUtilPct",
                                     .doc = "CPU use of the CPU request, percent."),
    [JL_METRIC_GPU_UTIL] = JL_NUMBER(jl_classify_metrics, gpu_util_pct, "gpuUtilPct",
                                     .doc = "Mean GPU utilisation, percent."),
    [JL_METRIC_MEM_PRESSURE] = JL_NUMBER(jl_classify_metrics, mem_pressure_pct, "memPressurePct",
                                         .doc = "Memory working set of the memory limit, percent."),
    [JL_METRIC_GPU_MEM_UTIL] =
        JL_NUMBER(jl_classify_metrics, gpu_mem_util_pct, "gpuMemUtilPct",
                  .doc = "Utilisation of the GPU's memory interface, percent."),
    [JL_METRIC_CPU_ENERGY] = JL_NUMBER(jl_classify_metrics, cpu_energy_j, "cpuEnergyJ",
                                       .doc = "CPU package energy of the window, joules."),
    [JL_METRIC_DRAM_ENERGY] = JL_NUMBER(jl_classify_metrics, dram_energy_j, "dramEnergyJ",
                                        .doc = "DRAM energy of the window, joules."),
    [JL_METRIC_GPU_ENERGY] = JL_NUMBER(jl_classify_metrics, gpu_energy_j, "gpuEnergyJ",
                                       .doc = "GPU energy of the window, joules."),
    [JL_METRIC_KEPLER_USED] =
        JL_BOOLEAN(jl_classify_metrics, kepler_used, "keplerUsed",
                   .doc = "Whether energies count; absent: any energy or Kepler member is given."),
    [JL_METRIC_WINDOW] = JL_NUMBER(jl_classify_metrics, window_s, "windowS",
                                   .doc = "Length of the window, seconds; default 600."),
    [JL_METRIC_COVERAGE] =
        JL_NUMBER(jl_classify_metrics, coverage_frac, "coverage",
                  .doc = "Part of the window that has samples, 0 to 1; default 1."),
    [JL_METRIC_USAGE_CORES] =
        JL_NUMBER(jl_classify_metrics, usage_cores, "usageCores", .doc = "CPU use, cores."),
    [JL_METRIC_REQUEST_CORES] =
        JL_NUMBER(jl_classify_metrics, request_cores, "requestCores", .doc = "CPU request, cores."),
    [JL_METRIC_LIMIT_CORES] =
        JL_NUMBER(jl_classify_metrics, limit_cores, "limitCores", .doc = "CPU limit, cores."),
    [JL_METRIC_NODE_CORES] =
        JL_NUMBER(jl_classify_metrics, node_cores, "nodeCores", .doc = "CPUs of the node, cores."),
    [JL_METRIC_WORKING_SET] = JL_NUMBER(jl_classify_metrics, working_set_bytes, "workingSetBytes",
                                        .doc = "Memory working set, bytes."),
    [JL_METRIC_LIMIT_BYTES] =
        JL_NUMBER(jl_classify_metrics, limit_bytes, "limitBytes", .doc = "Memory limit, bytes."),
    [JL_METRIC_KEPLER_PACKAGE] = JL_NUMBER(jl_classify_metrics, kepler_package_w, "keplerPackageW",
                                           .doc = "CPU package power, watts."),
    [JL_METRIC_KEPLER_DRAM] =
        JL_NUMBER(jl_classify_metrics, kepler_dram_w, "keplerDramW", .doc = "DRAM power, watts."),
    [JL_METRIC_KEPLER_GPU] =
        JL_NUMBER(jl_classify_metrics, kepler_gpu_w, "keplerGpuW", .doc = "GPU power, watts."),
    [JL_METRIC_GPU_MAX] = JL_NUMBER(jl_classify_metrics, gpu_max_w, "gpuMaxWatts",
                                    .doc = "Largest power of one GPU, watts; default 400."),
    [JL_METRIC_GPU_COUNT] =
        JL_NUMBER(jl_classify_metrics, gpu_count, "gpuCount", .doc = "GPUs of the pod; default 1."),
    [JL_METRIC_CPU_BOUND_RATIO] =
        JL_NUMBER(jl_classify_metrics, cpu_bound_ratio, "cpuBoundRatio",
                  .doc = "Package energy of all energy, instead of its derivation."),
    [JL_METRIC_MEM_BOUND_RATIO] =
        JL_NUMBER(jl_classify_metrics, mem_bound_ratio, "memBoundRatio",
                  .doc = "DRAM energy of package and DRAM, instead of its derivation."),
    [JL_METRIC_GPU_DOMINANT] =
        JL_BOOLEAN(jl_classify_metrics, gpu_dominant, "gpuDominant",
                   .doc = "Whether the GPU does the work, instead of its derivation."),
};

const struct jl_table jl_classify_metrics_table =
    JL_TABLE(jl_classify_metrics, rows, .doc = "One window of measurements of a workload.");
