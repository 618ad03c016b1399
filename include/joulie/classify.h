/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_CLASSIFY_H
#define JOULIE_CLASSIFY_H
#pragma once

/**
 * @file
 * What kind of work something does, from what its owner says and from one window of measurements:
 * class, intensity, what bounds it, how sensitive it is to a power cap, and why.
 *
 * A plain function over a flat struct, without allocation, in well under a microsecond; it is what
 * the operator's classifier and the question "classify" use. Rules:
 * docs/rules/classification.md.
 */

#include <joulie/error.h>
#include <joulie/words.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which rules answer. */
enum joulie_classify_rules {
    JOULIE_CLASSIFY_RULES_UNKNOWN = 0, /**< the same as CURRENT */
    JOULIE_CLASSIFY_RULES_CURRENT = 1, /**< with every decision of this library */
    JOULIE_CLASSIFY_RULES_V0_1_0 = 2   /**< Joulie v0.1.0 exactly; what is missing reads as 0 */
};

/** Bits of joulie_classify_input::has. */
#define JOULIE_CLASSIFY_HAS_CPU_UTIL (1ULL << 0)
#define JOULIE_CLASSIFY_HAS_GPU_UTIL (1ULL << 1)
#define JOULIE_CLASSIFY_HAS_MEM_PRESSURE (1ULL << 2)
#define JOULIE_CLASSIFY_HAS_GPU_MEM_UTIL (1ULL << 3)
#define JOULIE_CLASSIFY_HAS_CPU_ENERGY (1ULL << 4)
#define JOULIE_CLASSIFY_HAS_DRAM_ENERGY (1ULL << 5)
#define JOULIE_CLASSIFY_HAS_GPU_ENERGY (1ULL << 6)
#define JOULIE_CLASSIFY_HAS_KEPLER_USED (1ULL << 7)
#define JOULIE_CLASSIFY_HAS_WINDOW (1ULL << 8)
#define JOULIE_CLASSIFY_HAS_COVERAGE (1ULL << 9)
#define JOULIE_CLASSIFY_HAS_USAGE_CORES (1ULL << 10)
#define JOULIE_CLASSIFY_HAS_REQUEST_CORES (1ULL << 11)
#define JOULIE_CLASSIFY_HAS_LIMIT_CORES (1ULL << 12)
#define JOULIE_CLASSIFY_HAS_NODE_CORES (1ULL << 13)
#define JOULIE_CLASSIFY_HAS_WORKING_SET (1ULL << 14)
#define JOULIE_CLASSIFY_HAS_LIMIT_BYTES (1ULL << 15)
#define JOULIE_CLASSIFY_HAS_KEPLER_PACKAGE (1ULL << 16)
#define JOULIE_CLASSIFY_HAS_KEPLER_DRAM (1ULL << 17)
#define JOULIE_CLASSIFY_HAS_KEPLER_GPU (1ULL << 18)
#define JOULIE_CLASSIFY_HAS_GPU_MAX (1ULL << 19)
#define JOULIE_CLASSIFY_HAS_GPU_COUNT (1ULL << 20)
#define JOULIE_CLASSIFY_HAS_CPU_BOUND_RATIO (1ULL << 21)
#define JOULIE_CLASSIFY_HAS_MEM_BOUND_RATIO (1ULL << 22)
#define JOULIE_CLASSIFY_HAS_GPU_DOMINANT (1ULL << 23)
/** A window was measured, even if it holds nothing; the bits above imply it. */
#define JOULIE_CLASSIFY_HAS_METRICS (1ULL << 24)
#define JOULIE_CLASSIFY_HAS_MIN_CONFIDENCE (1ULL << 25)
#define JOULIE_CLASSIFY_HAS_HYSTERESIS (1ULL << 26)
/** There is an earlier result, and it said how sure it was. */
#define JOULIE_CLASSIFY_HAS_PREVIOUS (1ULL << 27)

/** What is known of one piece of work; start with JOULIE_INIT(struct joulie_classify_input). */
struct joulie_classify_input {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has;       /**< JOULIE_CLASSIFY_HAS_* of the numbers that are set */

    /* What its owner says, as written; NULL: nothing. Annotations joulie.io/… of a pod. */
    const char *workload_class;  /**< "performance" or "standard" */
    const char *reschedulable;   /**< "true" or "false" */
    const char *cpu_sensitivity; /**< "high", "medium" or "low" */
    const char *gpu_sensitivity;
    /* What a simulator says instead of measurements (annotations sim.joulie.io/…), see
     * use_sim_texts. Numbers in percent. */
    const char *sim_cpu_util_pct;
    const char *sim_gpu_util_pct;
    const char *sim_mem_pressure_pct;

    /* One window of measurements. Percentages win over the raw series below them. */
    double cpu_util_pct;     /**< CPU use of the CPU request */
    double gpu_util_pct;     /**< mean over its GPUs */
    double mem_pressure_pct; /**< working set of its limit, host memory */
    double gpu_mem_util_pct; /**< of the GPU's memory interface */
    double cpu_energy_j;     /**< package energy of the window */
    double dram_energy_j;
    double gpu_energy_j;
    double window_s;      /**< length of the window; unknown: 600 s */
    double coverage_frac; /**< part of the window that has samples, 0..1; unknown: 1 */
    double usage_cores;
    double request_cores;
    double limit_cores;
    double node_cores;
    double working_set_bytes;
    double limit_bytes;
    double kepler_package_w;
    double kepler_dram_w;
    double kepler_gpu_w;
    double gpu_max_w;       /**< of one GPU; unknown: 400 W */
    double gpu_count;       /**< unknown: 1 */
    double cpu_bound_ratio; /**< instead of the ratio from energies, 0..1 */
    double mem_bound_ratio; /**< instead of the ratio from energies, 0..1 */

    double min_confidence;      /**< of a reliable result; default 0.5 */
    double hysteresis_pct;      /**< points that a border may be passed by; default 5, 0: off */
    double previous_confidence; /**< of the earlier result */

    enum joulie_classify_rules rules;
    int32_t derive_class;  /**< 1: measurements decide the class where the owner says none */
    int32_t use_sim_texts; /**< 1: the simulator's texts stand in for missing measurements */
    /* The earlier result; UNKNOWN: it did not say. */
    enum joulie_level previous_cpu_intensity;
    enum joulie_bound previous_cpu_bound;
    enum joulie_level previous_cpu_sensitivity;
    enum joulie_level previous_gpu_intensity;
    enum joulie_bound previous_gpu_bound;
    enum joulie_level previous_gpu_sensitivity;
    /* Of the measurements. */
    int32_t kepler_used;  /**< 1: energies count, 0: they do not; unknown: 1 when one is given */
    int32_t gpu_dominant; /**< 1: the GPU does the work */
    uint32_t reserved;    /**< must be 0 */
};

/** Bits of joulie_classify_output::has. */
#define JOULIE_CLASSIFY_OUT_RESCHEDULABLE (1ULL << 0)
#define JOULIE_CLASSIFY_OUT_CPU_UTIL (1ULL << 1)
#define JOULIE_CLASSIFY_OUT_GPU_UTIL (1ULL << 2)

/** Bits of joulie_classify_output::flags. */
#define JOULIE_CLASSIFY_RELIABLE (1ULL << 0)   /**< confidence >= min_confidence */
#define JOULIE_CLASSIFY_HINTS_ONLY (1ULL << 1) /**< there were no usable measurements */
/** Texts of the owner that are no word of their list, and were ignored. */
#define JOULIE_CLASSIFY_IGNORED_CLASS (1ULL << 2)
#define JOULIE_CLASSIFY_IGNORED_RESCHEDULABLE (1ULL << 3)
#define JOULIE_CLASSIFY_IGNORED_CPU_SENSITIVITY (1ULL << 4)
#define JOULIE_CLASSIFY_IGNORED_GPU_SENSITIVITY (1ULL << 5)
/** Hysteresis kept the earlier value. */
#define JOULIE_CLASSIFY_KEPT_CPU_INTENSITY (1ULL << 6)
#define JOULIE_CLASSIFY_KEPT_CPU_BOUND (1ULL << 7) /**< with the sensitivity */
#define JOULIE_CLASSIFY_KEPT_GPU_INTENSITY (1ULL << 8)
#define JOULIE_CLASSIFY_KEPT_GPU_BOUND (1ULL << 9)

/** Room that every reason fits in, its NUL included. */
#define JOULIE_CLASSIFY_REASON_BYTES 2048

/**
 * The classification; start with JOULIE_INIT(struct joulie_classify_output) and, for the reason,
 * set reason and reason_size.
 */
struct joulie_classify_output {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has;       /**< JOULIE_CLASSIFY_OUT_* */
    uint64_t flags;     /**< JOULIE_CLASSIFY_RELIABLE and so on */

    char *reason;       /**< in: where the reason goes; NULL: not wanted */
    size_t reason_size; /**< in: bytes of room there */
    size_t reason_len;  /**< bytes of the reason without its NUL; 0 when it was not wanted */

    double confidence;   /**< 0..1 */
    double cpu_util_pct; /**< what the rules took; 0 without its bit */
    double gpu_util_pct;

    enum joulie_workload_class workload_class; /**< OTHER: a word that only V0_1_0 copies */
    int32_t reschedulable;                     /**< 1 or 0 */
    enum joulie_level cpu_intensity;           /**< UNKNOWN: nothing is known of its CPU use */
    enum joulie_bound cpu_bound;
    enum joulie_level cpu_sensitivity; /**< to power caps */
    enum joulie_level gpu_intensity;   /**< NONE: it uses no GPU */
    enum joulie_bound gpu_bound;
    enum joulie_level gpu_sensitivity;
};

/**
 * Classifies one piece of work.
 *
 * Pure: no I/O, no clock, no state, no allocation; equal inputs give equal outputs and texts on
 * every machine. Without usable measurements the result rests on what the owner says
 * (JOULIE_CLASSIFY_HINTS_ONLY, confidence 0.3); a number without its bit is unknown, and an unknown
 * CPU use leaves the cpu_* members UNKNOWN. Some 100 ns, with a reason a few 100.
 *
 * @param in   borrowed for the call
 * @param out  caller's storage, written only on success
 * @param err  details on failure, may be NULL; its `where` is a path of the question "classify"
 * @retval JOULIE_OK        out is filled; reason, when wanted, ends with a NUL
 * @retval JOULIE_E_RANGE   a number is not finite, negative (CURRENT) or too large to print
 * @retval JOULIE_E_ENUM    a choice that this build does not know
 * @retval JOULIE_E_LIMIT   the reason does not fit; nothing was written, neither out nor a part of
 *                          it. JOULIE_CLASSIFY_REASON_BYTES are always enough
 * @retval JOULIE_E_ABI     struct_size is impossible, or a newer field is set
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_classify(const struct joulie_classify_input *in,
                               struct joulie_classify_output *out, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
