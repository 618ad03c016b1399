/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What kind of work a pod does, from its annotations and its metrics
 * (docs/rules/classification.md). joulie_classify() gives numbers and a reason; here is the same
 * for documents. Pure: no clock, no query, equal inputs give equal texts.
 */

#include <joulie/classify.h>

#include "base/arena.h"
#include "kinds/workload_profile.h"

#define JL_CLASSIFY_MIN_CONFIDENCE 0.5 /* CLASSIFY_MIN_CONFIDENCE */
#define JL_CLASSIFY_HYSTERESIS_PCT 5.0 /* points of utilisation */
#define JL_CLASSIFY_WINDOW_S 600.0     /* CLASSIFY_METRICS_WINDOW */

#ifdef JL_CLASSIFY_TABLES
#define RECORD_TABLES
#endif

/* One window of measurements as a document has it. Rows are in the order of the bits. */
#define RECORD jl_classify_metrics
#define ABOUT .doc = "One window of measurements of a workload.",
#define MEMBERS                                                                               \
    HOLDS(struct joulie_classify_input, window)                                               \
    NUMBER_IN(window, cpu_util_pct, JOULIE_CLASSIFY_HAS_CPU_UTIL, "cpuUtilPct",               \
              "CPU use of the CPU request, percent.")                                         \
    NUMBER_IN(window, gpu_util_pct, JOULIE_CLASSIFY_HAS_GPU_UTIL, "gpuUtilPct",               \
              "Mean GPU utilisation, percent.")                                               \
    NUMBER_IN(window, mem_pressure_pct, JOULIE_CLASSIFY_HAS_MEM_PRESSURE, "memPressurePct",   \
              "Memory working set of the memory limit, percent.")                             \
    NUMBER_IN(window, gpu_mem_util_pct, JOULIE_CLASSIFY_HAS_GPU_MEM_UTIL, "gpuMemUtilPct",    \
              "Utilisation of the GPU's memory interface, percent.")                          \
    NUMBER_IN(window, cpu_energy_j, JOULIE_CLASSIFY_HAS_CPU_ENERGY, "cpuEnergyJ",             \
              "CPU package energy of the window, joules.")                                    \
    NUMBER_IN(window, dram_energy_j, JOULIE_CLASSIFY_HAS_DRAM_ENERGY, "dramEnergyJ",          \
              "DRAM energy of the window, joules.")                                           \
    NUMBER_IN(window, gpu_energy_j, JOULIE_CLASSIFY_HAS_GPU_ENERGY, "gpuEnergyJ",             \
              "GPU energy of the window, joules.")                                            \
    BOOLEAN(kepler_used, "keplerUsed",                                                        \
            "Whether energies count; absent: any energy or Kepler member is given.")          \
    NUMBER_IN(window, window_s, JOULIE_CLASSIFY_HAS_WINDOW, "windowS",                        \
              "Length of the window, seconds; default 600.")                                  \
    NUMBER_IN(window, coverage_frac, JOULIE_CLASSIFY_HAS_COVERAGE, "coverage",                \
              "Part of the window that has samples, 0 to 1; default 1.")                      \
    NUMBER_IN(window, usage_cores, JOULIE_CLASSIFY_HAS_USAGE_CORES, "usageCores",             \
              "CPU use, cores.")                                                              \
    NUMBER_IN(window, request_cores, JOULIE_CLASSIFY_HAS_REQUEST_CORES, "requestCores",       \
              "CPU request, cores.")                                                          \
    NUMBER_IN(window, limit_cores, JOULIE_CLASSIFY_HAS_LIMIT_CORES, "limitCores",             \
              "CPU limit, cores.")                                                            \
    NUMBER_IN(window, node_cores, JOULIE_CLASSIFY_HAS_NODE_CORES, "nodeCores",                \
              "CPUs of the node, cores.")                                                     \
    NUMBER_IN(window, working_set_bytes, JOULIE_CLASSIFY_HAS_WORKING_SET, "workingSetBytes",  \
              "Memory working set, bytes.")                                                   \
    NUMBER_IN(window, limit_bytes, JOULIE_CLASSIFY_HAS_LIMIT_BYTES, "limitBytes",             \
              "Memory limit, bytes.")                                                         \
    NUMBER_IN(window, kepler_package_w, JOULIE_CLASSIFY_HAS_KEPLER_PACKAGE, "keplerPackageW", \
              "CPU package power, watts.")                                                    \
    NUMBER_IN(window, kepler_dram_w, JOULIE_CLASSIFY_HAS_KEPLER_DRAM, "keplerDramW",          \
              "DRAM power, watts.")                                                           \
    NUMBER_IN(window, kepler_gpu_w, JOULIE_CLASSIFY_HAS_KEPLER_GPU, "keplerGpuW",             \
              "GPU power, watts.")                                                            \
    NUMBER_IN(window, gpu_max_w, JOULIE_CLASSIFY_HAS_GPU_MAX, "gpuMaxWatts",                  \
              "Largest power of one GPU, watts; default 400.")                                \
    NUMBER_IN(window, gpu_count, JOULIE_CLASSIFY_HAS_GPU_COUNT, "gpuCount",                   \
              "GPUs of the pod; default 1.")                                                  \
    NUMBER_IN(window, cpu_bound_ratio, JOULIE_CLASSIFY_HAS_CPU_BOUND_RATIO, "cpuBoundRatio",  \
              "Package energy of all energy, instead of its derivation.")                     \
    NUMBER_IN(window, mem_bound_ratio, JOULIE_CLASSIFY_HAS_MEM_BOUND_RATIO, "memBoundRatio",  \
              "DRAM energy of package and DRAM, instead of its derivation.")                  \
    BOOLEAN(gpu_dominant, "gpuDominant",                                                      \
            "Whether the GPU does the work, instead of its derivation.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* What documents say, into the struct of the rules. Texts and maps stay where they are. The metrics
 * come first: they set all of it. */
void jl_classify_put_metrics(const struct jl_classify_metrics *metrics,
                             struct joulie_classify_input *out);
void jl_classify_put_annotations(const struct jl_map *annotations,
                                 struct joulie_classify_input *out);
void jl_classify_put_previous(const struct jl_profile_status *previous,
                              struct joulie_classify_input *out);

/* Texts live in the arena of the call or are constant. */
struct jl_classification {
    struct jl_profile_status status;
    const char *class_text; /* criticality.class as text: v0.1.0 copies any annotation, also what
                               the enum lacks */
    const char *summary;
    uint64_t flags; /* JOULIE_CLASSIFY_RELIABLE and so on */
};

/*
 * As joulie_classify(), for a struct of this release. now_ms becomes lastUpdated, NULL = none. Also
 * JOULIE_E_NOMEM or JOULIE_E_LIMIT of the arena. out is untouched on failure.
 */
int jl_classify(const struct joulie_classify_input *in, const int64_t *now_ms,
                struct jl_arena *arena, struct jl_classification *out, struct joulie_error *err);
