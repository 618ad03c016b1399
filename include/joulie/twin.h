/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_TWIN_H
#define JOULIE_TWIN_H
#pragma once

/**
 * @file
 * The digital twin of one node as a plain function over numbers: power budget, headroom, cooling
 * and PSU stress.
 *
 * It answers for one node in well under a microsecond, without allocation, and is what the
 * operator, the simulator and the question "predict" use. Texts (classes, provenance words, advice)
 * belong to the question; here are the numbers only.
 *
 * Optional numbers have a bit in `has`. A number without its bit is unknown, which is not 0: 0 W is
 * a measurement and 0 °C is a temperature. Rules: joulie-control.md §3 and its decisions P5, P10,
 * P11, P13 and P14.
 */

#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which formulas answer. */
enum joulie_twin_rules {
    JOULIE_TWIN_RULES_UNKNOWN = 0, /**< the same as CURRENT */
    JOULIE_TWIN_RULES_CURRENT = 1, /**< the measured twin with every decision of this library */
    JOULIE_TWIN_RULES_V0_1_1 = 2,  /**< Joulie v0.1.1 exactly; what is missing reads as 0 */
    JOULIE_TWIN_RULES_V0_1_0 = 3   /**< Joulie v0.1.0 exactly: power is predicted from the caps */
};

/** How cooling stress follows from power and outside temperature (joulie-control.md §3.8). */
enum joulie_cooling {
    JOULIE_COOLING_UNKNOWN = 0,
    JOULIE_COOLING_TDP_RATIO = 1, /**< share of the TDP, more of it when it is warm outside */
    JOULIE_COOLING_LINEAR = 2,    /**< share of a reference power, and the degrees above 20 °C */
    JOULIE_COOLING_CRAH = 3,      /**< air-cooled room */
    JOULIE_COOLING_AISLE = 4,     /**< hot and cold aisles */
    JOULIE_COOLING_DLC = 5,       /**< direct liquid cooling */
    JOULIE_COOLING_IMMERSION = 6, /**< servers in liquid */
    JOULIE_COOLING_FREE = 7,      /**< outside air, mechanical above 18 °C */
    JOULIE_COOLING_DX = 8,        /**< direct expansion and outside air, for the whole cluster */
    JOULIE_COOLING_CUSTOM = 9     /**< the caller's function `cooling` */
};

/** What the node's agent reported about a cap. */
enum joulie_cap_feedback {
    JOULIE_CAP_FEEDBACK_UNKNOWN = 0, /**< no report yet: the cap is taken to be in force */
    JOULIE_CAP_FEEDBACK_APPLIED = 1,
    JOULIE_CAP_FEEDBACK_PENDING = 2, /**< written, effect not seen yet: the previous cap counts */
    JOULIE_CAP_FEEDBACK_NOT_IN_FORCE = 3 /**< blocked, failed, or not tried */
};

/** Why an effective cap has its value. */
enum joulie_cap_state {
    JOULIE_CAP_STATE_UNKNOWN = 0,
    JOULIE_CAP_STATE_REQUESTED = 1,    /**< as asked for */
    JOULIE_CAP_STATE_NOT_IN_FORCE = 2, /**< asked for, but another value is in force */
    JOULIE_CAP_STATE_NONE = 3          /**< no cap was asked for, or there is no such device */
};

/** Where the node power that the formulas used came from. */
enum joulie_power_tier {
    JOULIE_POWER_TIER_UNKNOWN = 0,
    JOULIE_POWER_TIER_MEASURED = 1,
    JOULIE_POWER_TIER_UTILIZATION = 2, /**< estimated from utilisation */
    JOULIE_POWER_TIER_CAP_ESTIMATE = 3 /**< nothing to go by: the watts that the caps allow */
};

/** Cooling stress 0..100 of a node; a result that is not finite means unknown. */
typedef double joulie_cooling_fn(void *user, double node_power_w, double outside_temp_c);

/** Bits of joulie_twin_input::has. */
#define JOULIE_TWIN_HAS_CPU_SOCKETS (UINT64_C(1) << 0)
#define JOULIE_TWIN_HAS_CPU_CORES (UINT64_C(1) << 1)
#define JOULIE_TWIN_HAS_CPU_MAX (UINT64_C(1) << 2)
#define JOULIE_TWIN_HAS_GPU_COUNT (UINT64_C(1) << 3)
#define JOULIE_TWIN_HAS_GPU_MAX (UINT64_C(1) << 4)
#define JOULIE_TWIN_HAS_GPU_IDLE (UINT64_C(1) << 5)
#define JOULIE_TWIN_HAS_CPU_CAP_PCT (UINT64_C(1) << 6)
#define JOULIE_TWIN_HAS_CPU_CAP_W (UINT64_C(1) << 7)
#define JOULIE_TWIN_HAS_GPU_CAP_PCT (UINT64_C(1) << 8)
#define JOULIE_TWIN_HAS_GPU_CAP_W (UINT64_C(1) << 9)
#define JOULIE_TWIN_HAS_PREVIOUS_CPU_PCT (UINT64_C(1) << 10)
#define JOULIE_TWIN_HAS_PREVIOUS_GPU_PCT (UINT64_C(1) << 11)
#define JOULIE_TWIN_HAS_NODE_POWER (UINT64_C(1) << 12)
#define JOULIE_TWIN_HAS_CPU_UTIL (UINT64_C(1) << 13)
#define JOULIE_TWIN_HAS_CPU_CURVE (UINT64_C(1) << 14)
#define JOULIE_TWIN_HAS_GPU_UTIL (UINT64_C(1) << 15)
#define JOULIE_TWIN_HAS_OUTSIDE_TEMP (UINT64_C(1) << 16)
#define JOULIE_TWIN_HAS_CLUSTER_POWER (UINT64_C(1) << 17)
#define JOULIE_TWIN_HAS_CLUSTER_CAPACITY (UINT64_C(1) << 18)
#define JOULIE_TWIN_HAS_RACK_POWER (UINT64_C(1) << 19)
#define JOULIE_TWIN_HAS_RACK_CAPACITY (UINT64_C(1) << 20)
#define JOULIE_TWIN_HAS_COOLING_REFERENCE (UINT64_C(1) << 21)
#define JOULIE_TWIN_HAS_COOLING_DESIGN_IT (UINT64_C(1) << 22)

/** What is known of one node; start with JOULIE_INIT(struct joulie_twin_input). Bit order. */
struct joulie_twin_input {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has; /**< JOULIE_TWIN_HAS_* of the numbers that are set; the others are unknown */

    /* Hardware. A node without GPUs has no GPU bits. */
    double cpu_sockets; /**< unknown beside a known maximum: 1 */
    double cpu_cores;   /**< logical CPUs of the node */
    double cpu_max_w;   /**< W per socket */
    double gpu_count;   /**< the bit says that GPUs are present */
    double gpu_max_w;   /**< W per GPU */
    double gpu_idle_w;  /**< W per GPU; unknown: a tenth of the maximum */

    /* Caps as asked for; watts win over percent. */
    double cpu_cap_pct;      /**< percent of the package maximum, (0,100] */
    double cpu_cap_w;        /**< W per package */
    double gpu_cap_pct;      /**< percent of the GPU maximum, (0,100] */
    double gpu_cap_w;        /**< W per GPU */
    double previous_cpu_pct; /**< cap that was in force before a pending one */
    double previous_gpu_pct;

    /* Readings. */
    double measured_node_power_w; /**< W at the node; 0 is a measurement */
    double cpu_util_pct;          /**< 0..100, used without a measurement; more counts as 100 */
    double cpu_curve_w;           /**< W of all sockets at cpu_util_pct; unknown: a straight line */
    double gpu_util_pct;          /**< 0..100, mean over the GPUs */
    double outside_temp_c;        /**< unknown: 20 °C */
    double cluster_total_power_w; /**< IT power of the cluster */
    double cluster_capacity_w;    /**< what its supply can give */
    double rack_total_power_w;    /**< IT power of the node's rack */
    double rack_capacity_w;       /**< unknown: 50 kW */

    /* Cooling model. */
    double cooling_reference_w; /**< full stress; unknown: 4000 W (LINEAR), else the node's TDP */
    double cooling_design_it_w; /**< IT power that a DX plant is built for; unknown: 1 MW */

    /* Choices; 0 is the default of each. */
    enum joulie_twin_rules rules;
    enum joulie_cooling cooling_model;     /**< TDP_RATIO; LINEAR when no power is read */
    enum joulie_cap_feedback cpu_feedback; /**< not looked at by the version rule sets */
    enum joulie_cap_feedback gpu_feedback;

    joulie_cooling_fn *cooling; /**< with JOULIE_COOLING_CUSTOM */
    void *cooling_user;         /**< first argument of cooling */
};

/** Bits of joulie_twin_output::has. */
#define JOULIE_TWIN_OUT_HEADROOM (UINT64_C(1) << 0)
#define JOULIE_TWIN_OUT_COOLING (UINT64_C(1) << 1)
#define JOULIE_TWIN_OUT_PSU (UINT64_C(1) << 2)
#define JOULIE_TWIN_OUT_DENSITY (UINT64_C(1) << 3)
#define JOULIE_TWIN_OUT_PUE (UINT64_C(1) << 4)
#define JOULIE_TWIN_OUT_NODE_POWER (UINT64_C(1) << 5)
#define JOULIE_TWIN_OUT_CPU_TDP (UINT64_C(1) << 6)
#define JOULIE_TWIN_OUT_GPU_TDP (UINT64_C(1) << 7)
#define JOULIE_TWIN_OUT_NODE_TDP (UINT64_C(1) << 8)
#define JOULIE_TWIN_OUT_CPU_CAPPED (UINT64_C(1) << 9)
#define JOULIE_TWIN_OUT_GPU_CAPPED (UINT64_C(1) << 10)
#define JOULIE_TWIN_OUT_NODE_CAPPED (UINT64_C(1) << 11)

/** The prediction; start with JOULIE_INIT(struct joulie_twin_output). No bit: 0, and unknown. */
struct joulie_twin_output {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has;       /**< JOULIE_TWIN_OUT_* */

    double power_headroom_score;   /**< at most 100; negative above the caps */
    double cooling_stress_score;   /**< 0..100 */
    double psu_stress_score;       /**< 0..100 */
    double hardware_density_score; /**< 0..100 */
    double estimated_pue;          /**< at least 1 */
    double node_power_w;           /**< the node power that the scores rest on, see power_tier */
    double cpu_tdp_w;              /**< all sockets at their maximum */
    double gpu_tdp_w;              /**< all GPUs at their maximum */
    double node_tdp_w;
    double cpu_capped_w; /**< the same under the effective caps */
    double gpu_capped_w;
    double node_capped_w;
    double cpu_effective_pct; /**< always set; 100 = no cap in force */
    double gpu_effective_pct;

    enum joulie_power_tier power_tier;
    enum joulie_cooling cooling_model; /**< the model that was used */
    enum joulie_cap_state cpu_cap_state;
    enum joulie_cap_state gpu_cap_state;
};

/**
 * Predicts power headroom, cooling stress and PSU stress of one node.
 *
 * Pure: no I/O, no clock, no state, no allocation; equal inputs give equal outputs on every
 * machine. Takes about 100 ns.
 *
 * Power is the measurement when there is one, else an estimate from utilisation, else what the caps
 * allow (then the scores come from the formulas of v0.1.0, which were made for that). When the
 * maxima of CPU and GPU are both unknown the scores, the PUE and the watts of the budget are
 * unknown as well: no headroom is ever invented. With a version rule set what is missing reads as 0
 * and an unknown node has headroom 100, as its source says.
 *
 * @param in   borrowed for the call
 * @param out  caller's storage, written only on success; struct_size must be set
 * @param err  details on failure, may be NULL; its `where` is a path of the question "predict"
 * @retval JOULIE_OK          out is filled
 * @retval JOULIE_E_RANGE     a number is not finite or out of its bounds, or a result is
 * @retval JOULIE_E_REQUIRED  DX without cluster_total_power_w, CUSTOM without a function
 * @retval JOULIE_E_ENUM      a choice that this build does not know
 * @retval JOULIE_E_ABI       struct_size is impossible, or a newer field is set
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_twin_predict(const struct joulie_twin_input *in,
                                   struct joulie_twin_output *out, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
