/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Every number of the twin, once. From these lists come indices and bits, what is checked, what the
 * kernels load and store, and the paths of errors; docs/add-a-number.md shows what a new one takes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/twin.h>

#define JL_RACK_CAPACITY_W 50000.0 /* default of RACK_CAPACITY_W; the source's constant */
#define JL_ASSUMED_OUTSIDE_C 20.0  /* when the outside temperature is unknown */
#define JL_UNCAPPED_PCT 100.0
/* A CPU without a measured curve draws this share of its TDP when idle, a GPU this share of its
 * maximum. */
#define JL_CPU_IDLE_FRAC 0.2
#define JL_GPU_IDLE_FRAC 0.1

/* What a number may be with the rules CURRENT; with a version rule set any finite number is good.
 */
enum jl_twin_bounds {
    JL_TWIN_ANY,
    JL_TWIN_FROM_0,
    JL_TWIN_ABOVE_0,
    JL_TWIN_PERCENT, /* above 0, at most 100 */
};

/* How many callers give a number: what few give is left out of the kernels' usual case. */
enum jl_twin_use { JL_TWIN_USUAL, JL_TWIN_SOME, JL_TWIN_RARE };

/*
 * Members of struct joulie_twin_input in the order of their bits:
 *
 *     N(member, bit, path in the question predict, bounds, use, stand-in)
 *
 * The stand-in is what a kernel checks where the number is unknown: what the rules take for it,
 * else something that its bounds allow.
 */
#define JL_TWIN_INPUTS(N)                                                                         \
    N(cpu_sockets, CPU_SOCKETS, "hardware.cpu.sockets", FROM_0, USUAL, 1)                         \
    N(cpu_cores, CPU_CORES, "hardware.cpu.totalCores", FROM_0, USUAL, 0)                          \
    N(cpu_max_w, CPU_MAX, "hardware.cpu.capRange.maxWattsPerSocket", FROM_0, USUAL, 0)            \
    N(gpu_count, GPU_COUNT, "hardware.gpu.count", FROM_0, USUAL, 0)                               \
    N(gpu_max_w, GPU_MAX, "hardware.gpu.capRangePerGpu.maxWatts", FROM_0, USUAL, 0)               \
    N(gpu_idle_w, GPU_IDLE, "hardware.gpu.model", FROM_0, SOME, 0)                                \
    N(cpu_cap_pct, CPU_CAP_PCT, "spec.cpu.packagePowerCapPctOfMax", PERCENT, USUAL,               \
      JL_UNCAPPED_PCT)                                                                            \
    N(cpu_cap_w, CPU_CAP_W, "spec.cpu.packagePowerCapWatts", ANY, RARE, 0)                        \
    N(gpu_cap_pct, GPU_CAP_PCT, "spec.gpu.powerCap.capPctOfMax", PERCENT, USUAL, JL_UNCAPPED_PCT) \
    N(gpu_cap_w, GPU_CAP_W, "spec.gpu.powerCap.capWattsPerGpu", ANY, RARE, 0)                     \
    N(previous_cpu_cap_pct, PREVIOUS_CPU_CAP_PCT, "previous.effectiveCapState.cpuPct", ANY, RARE, \
      0)                                                                                          \
    N(previous_gpu_cap_pct, PREVIOUS_GPU_CAP_PCT, "previous.effectiveCapState.gpuPct", ANY, RARE, \
      0)                                                                                          \
    N(measured_node_power_w, NODE_POWER, "measuredNodePowerW", FROM_0, USUAL, 0)                  \
    N(cpu_util_pct, CPU_UTIL, "cpuUtilPct", FROM_0, SOME, 0)                                      \
    N(cpu_curve_w, CPU_CURVE, "hardware.cpu.model", FROM_0, SOME, 0)                              \
    N(gpu_util_pct, GPU_UTIL, "gpuUtilPct", FROM_0, SOME, 0)                                      \
    N(outside_temp_c, OUTSIDE_TEMP, "outsideTempC", ANY, USUAL, JL_ASSUMED_OUTSIDE_C)             \
    N(zone_temp_c, ZONE_TEMP, "zoneTempC", ANY, RARE, 0)                                          \
    N(cluster_total_power_w, CLUSTER_POWER, "clusterTotalPowerW", FROM_0, RARE, 0)                \
    N(cluster_capacity_w, CLUSTER_CAPACITY, "clusterCapacityW", FROM_0, RARE, 0)                  \
    N(zone_total_power_w, ZONE_POWER, "zoneTotalPowerW", FROM_0, RARE, 0)                         \
    N(rack_total_power_w, RACK_POWER, "rackTotalPowerW", FROM_0, USUAL, 0)                        \
    N(rack_capacity_w, RACK_CAPACITY, "rackCapacityW", ABOVE_0, SOME, 1)                          \
    N(cooling_reference_w, COOLING_REFERENCE, "coolingModel.referenceW", FROM_0, RARE, 0)         \
    N(cooling_design_it_w, COOLING_DESIGN_IT, "coolingModel.designItW", ABOVE_0, RARE, 1)         \
    N(cpu_allocated_w, CPU_ALLOCATED, "cpu_allocated_w", FROM_0, RARE, 0)                         \
    N(gpu_allocated_w, GPU_ALLOCATED, "gpu_allocated_w", FROM_0, RARE, 0)

/* Numbers of struct joulie_twin_output in its order: O(member, whether the lean kernel stores it).
 */
#define JL_TWIN_OUTPUTS(O)           \
    O(power_headroom_score, true)    \
    O(cooling_stress_score, true)    \
    O(psu_stress_score, true)        \
    O(hardware_density_score, false) \
    O(estimated_pue, false)          \
    O(node_power_w, true)            \
    O(cpu_tdp_w, false)              \
    O(gpu_tdp_w, false)              \
    O(node_tdp_w, false)             \
    O(cpu_capped_w, false)           \
    O(gpu_capped_w, false)           \
    O(node_capped_w, false)          \
    O(cpu_effective_pct, false)      \
    O(gpu_effective_pct, false)

/* And its enums: W(member). */
#define JL_TWIN_OUTPUT_WORDS(W)     \
    W(power_tier)                   \
    W(cooling_model)                \
    W(cpu_cap_state)                \
    W(gpu_cap_state)                \
    W(cpu_tdp_provenance)           \
    W(gpu_tdp_provenance)           \
    W(estimate_provenance)          \
    W(outside_temp_provenance)      \
    W(cooling_reference_provenance) \
    W(psu_supply)                   \
    W(psu_capacity_provenance)      \
    W(density_provenance)

#define JL_TWIN_INDEX(member, ...) JL_TWIN_INDEX_##member,

enum { JL_TWIN_INPUTS(JL_TWIN_INDEX) JL_TWIN_NUMBERS };

#undef JL_TWIN_INDEX
#define JL_TWIN_INDEX(member, ...) JL_TWIN_OUT_INDEX_##member,

enum { JL_TWIN_OUTPUTS(JL_TWIN_INDEX) JL_TWIN_OUT_NUMBERS };

#undef JL_TWIN_INDEX
#define JL_TWIN_INDEX(member) JL_TWIN_WORD_INDEX_##member,

enum { JL_TWIN_OUTPUT_WORDS(JL_TWIN_INDEX) JL_TWIN_WORDS };

#undef JL_TWIN_INDEX

#define JL_TWIN_IN(member) ((size_t)JL_TWIN_INDEX_##member)
#define JL_TWIN_IN_BIT(member) (UINT64_C(1) << JL_TWIN_INDEX_##member)
#define JL_TWIN_OUT(member) ((size_t)JL_TWIN_OUT_INDEX_##member)
#define JL_TWIN_WORD(member) ((size_t)JL_TWIN_WORD_INDEX_##member)
#define JL_TWIN_KNOWN_BITS ((UINT64_C(1) << JL_TWIN_NUMBERS) - 1)

/* The lists follow the structs: a block of doubles or enums begins with its first member, and a
 * column has the index of its member. */
#define JL_TWIN_SAME(member, bit, ...)                                            \
    _Static_assert(JOULIE_TWIN_HAS_##bit == JL_TWIN_IN_BIT(member) &&             \
                       offsetof(struct joulie_twin_input, member) ==              \
                           offsetof(struct joulie_twin_input, cpu_sockets) +      \
                               JL_TWIN_IN(member) * sizeof(double) &&             \
                       offsetof(struct joulie_twin_columns, member) ==            \
                           offsetof(struct joulie_twin_columns, cpu_sockets) +    \
                               JL_TWIN_IN(member) * sizeof(struct joulie_column), \
                   #member " is not where its bit says");
JL_TWIN_INPUTS(JL_TWIN_SAME)
#undef JL_TWIN_SAME
#define JL_TWIN_SAME(member, is_lean)                                                       \
    _Static_assert(offsetof(struct joulie_twin_output, member) ==                           \
                           offsetof(struct joulie_twin_output, power_headroom_score) +      \
                               JL_TWIN_OUT(member) * sizeof(double) &&                      \
                       offsetof(struct joulie_twin_columns_out, member) ==                  \
                           offsetof(struct joulie_twin_columns_out, power_headroom_score) + \
                               JL_TWIN_OUT(member) * sizeof(struct joulie_column_out),      \
                   #member " is out of order");
JL_TWIN_OUTPUTS(JL_TWIN_SAME)
#undef JL_TWIN_SAME
#define JL_TWIN_SAME(member)                                                                \
    _Static_assert(offsetof(struct joulie_twin_output, member) ==                           \
                           offsetof(struct joulie_twin_output, power_tier) +                \
                               JL_TWIN_WORD(member) * sizeof(int32_t) &&                    \
                       offsetof(struct joulie_twin_columns_out, member) ==                  \
                           offsetof(struct joulie_twin_columns_out, power_tier) +           \
                               JL_TWIN_WORD(member) * sizeof(struct joulie_column_int_out), \
                   #member " is out of order");
JL_TWIN_OUTPUT_WORDS(JL_TWIN_SAME)
#undef JL_TWIN_SAME

/* Bits of the numbers with a bound or a use. */
#define JL_TWIN_BIT_SIGNED(member, bit, path, bounds, ...) \
    | (JL_TWIN_##bounds == JL_TWIN_ANY ? JOULIE_TWIN_HAS_##bit : 0)
#define JL_TWIN_BIT_ABOVE_0(member, bit, path, bounds, ...) \
    | (JL_TWIN_##bounds >= JL_TWIN_ABOVE_0 ? JOULIE_TWIN_HAS_##bit : 0)
#define JL_TWIN_BIT_PERCENT(member, bit, path, bounds, ...) \
    | (JL_TWIN_##bounds == JL_TWIN_PERCENT ? JOULIE_TWIN_HAS_##bit : 0)
#define JL_TWIN_BIT_USUAL(member, bit, path, bounds, use, ...) \
    | (JL_TWIN_##use == JL_TWIN_USUAL ? JOULIE_TWIN_HAS_##bit : 0)
#define JL_TWIN_BIT_RARE(member, bit, path, bounds, use, ...) \
    | (JL_TWIN_##use == JL_TWIN_RARE ? JOULIE_TWIN_HAS_##bit : 0)
#define JL_TWIN_BITS(which) (UINT64_C(0) JL_TWIN_INPUTS(JL_TWIN_BIT_##which))

extern const enum jl_twin_bounds jl_twin_bounds_of[]; /* by index */

/* joulie_twin_predict() of structs of this release, without texts; out's struct_size is left alone.
 */
int jl_twin_predict(const struct joulie_twin_input *in, struct joulie_twin_output *out);
