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

/* One window of measurements, once: N a number, B a yes or no.
 *     (member of joulie_classify_input, its bit, key in documents, sentence)
 * In the order of the bits. */
#define JL_CLASSIFY_MEMBERS(N, B)                                                          \
    N(cpu_util_pct, CPU_UTIL, "cpuUtilPct", "CPU use of the CPU request, percent.")        \
    N(gpu_util_pct, GPU_UTIL, "gpuUtilPct", "Mean GPU utilisation, percent.")              \
    N(mem_pressure_pct, MEM_PRESSURE, "memPressurePct",                                    \
      "Memory working set of the memory limit, percent.")                                  \
    N(gpu_mem_util_pct, GPU_MEM_UTIL, "gpuMemUtilPct",                                     \
      "Utilisation of the GPU's memory interface, percent.")                               \
    N(cpu_energy_j, CPU_ENERGY, "cpuEnergyJ", "CPU package energy of the window, joules.") \
    N(dram_energy_j, DRAM_ENERGY, "dramEnergyJ", "DRAM energy of the window, joules.")     \
    N(gpu_energy_j, GPU_ENERGY, "gpuEnergyJ", "GPU energy of the window, joules.")         \
    B(kepler_used, KEPLER_USED, "keplerUsed",                                              \
      "Whether energies count; absent: any energy or Kepler member is given.")             \
    N(window_s, WINDOW, "windowS", "Length of the window, seconds; default 600.")          \
    N(coverage_frac, COVERAGE, "coverage",                                                 \
      "Part of the window that has samples, 0 to 1; default 1.")                           \
    N(usage_cores, USAGE_CORES, "usageCores", "CPU use, cores.")                           \
    N(request_cores, REQUEST_CORES, "requestCores", "CPU request, cores.")                 \
    N(limit_cores, LIMIT_CORES, "limitCores", "CPU limit, cores.")                         \
    N(node_cores, NODE_CORES, "nodeCores", "CPUs of the node, cores.")                     \
    N(working_set_bytes, WORKING_SET, "workingSetBytes", "Memory working set, bytes.")     \
    N(limit_bytes, LIMIT_BYTES, "limitBytes", "Memory limit, bytes.")                      \
    N(kepler_package_w, KEPLER_PACKAGE, "keplerPackageW", "CPU package power, watts.")     \
    N(kepler_dram_w, KEPLER_DRAM, "keplerDramW", "DRAM power, watts.")                     \
    N(kepler_gpu_w, KEPLER_GPU, "keplerGpuW", "GPU power, watts.")                         \
    N(gpu_max_w, GPU_MAX, "gpuMaxWatts", "Largest power of one GPU, watts; default 400.")  \
    N(gpu_count, GPU_COUNT, "gpuCount", "GPUs of the pod; default 1.")                     \
    N(cpu_bound_ratio, CPU_BOUND_RATIO, "cpuBoundRatio",                                   \
      "Package energy of all energy, instead of its derivation.")                          \
    N(mem_bound_ratio, MEM_BOUND_RATIO, "memBoundRatio",                                   \
      "DRAM energy of package and DRAM, instead of its derivation.")                       \
    B(gpu_dominant, GPU_DOMINANT, "gpuDominant",                                           \
      "Whether the GPU does the work, instead of its derivation.")

#define JL_CLASSIFY_NUMBER(member, ...) double member;
#define JL_CLASSIFY_BOOLEAN(member, ...) bool member;

/* The window as a document has it. */
struct jl_classify_metrics {
    uint64_t has; /* by index, and so the bits of joulie_classify_input */
    JL_CLASSIFY_MEMBERS(JL_CLASSIFY_NUMBER, JL_CLASSIFY_BOOLEAN)
};

#undef JL_CLASSIFY_NUMBER
#undef JL_CLASSIFY_BOOLEAN

#define JL_CLASSIFY_INDEX(member, bit, ...) JL_METRIC_##bit,

enum { JL_CLASSIFY_MEMBERS(JL_CLASSIFY_INDEX, JL_CLASSIFY_INDEX) };

#undef JL_CLASSIFY_INDEX

extern const struct jl_table jl_classify_metrics_table;

/* What documents say, into the struct of the rules. Texts and maps stay where they are. */
void jl_classify_put_annotations(const struct jl_map *annotations,
                                 struct joulie_classify_input *out);
void jl_classify_put_metrics(const struct jl_classify_metrics *metrics,
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

/* False when a hints-only result would replace a usable stored profile; stored NULL = there is
 * none. */
bool jl_classify_replaces(const struct jl_workload_profile *stored,
                          const struct jl_classification *fresh, int64_t now_ms);
