/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_TWIN_H
#define JOULIE_TWIN_H
#pragma once

/**
 * @file
 * The digital twin as plain functions over numbers: power budget, headroom, stress of cooling and
 * of the power supply (PSU) of a node, of many nodes at once, the trend of a node's power, and what
 * a cap costs in speed.
 *
 * Nothing here allocates. One node takes some 20 ns, one of many a few; it is what the operator,
 * the simulator and the question "predict" use. Texts (classes, provenance words, advice) belong to
 * the question; here are the numbers only.
 *
 * Optional numbers have a bit in `has`. A number without its bit is unknown, which is not 0: 0 W is
 * a measurement and 0 °C is a temperature. Rules:
 * docs/rules/twin.md and docs/rules/cooling.md.
 */

#include <joulie/column.h>
#include <joulie/error.h>
#include <joulie/words.h>

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

/** How cooling stress follows from power and outside temperature (docs/rules/cooling.md). */
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
    JOULIE_POWER_TIER_UTILIZATION = 2,  /**< estimated from utilisation */
    JOULIE_POWER_TIER_CAP_ESTIMATE = 3, /**< nothing to go by: the watts that the caps allow */
    JOULIE_POWER_TIER_STANDBY = 4,      /**< of a model's node: it is switched off. @since 0.3 */
    JOULIE_POWER_TIER_ALLOCATION = 5    /**< estimated from the pods on the node. @since 0.3 */
};

/** Where a number came from that a result rests on. */
enum joulie_provenance {
    JOULIE_PROVENANCE_UNKNOWN = 0, /**< there is no such number, or the result does without it */
    JOULIE_PROVENANCE_GIVEN = 1,   /**< the caller's */
    JOULIE_PROVENANCE_ASSUMED = 2, /**< not given: a default of this library, at least in part */
    JOULIE_PROVENANCE_ZONE = 3     /**< the caller's, of the node's cooling zone */
};

/** Whose power PSU stress is about. */
enum joulie_supply { JOULIE_SUPPLY_UNKNOWN = 0, JOULIE_SUPPLY_RACK = 1, JOULIE_SUPPLY_CLUSTER = 2 };

/** Cooling stress 0..100 of a node; a result that is not finite means unknown. */
typedef double joulie_cooling_fn(void *user, double node_power_w, double outside_temp_c);

/** Bits of joulie_twin_input::has. */
#define JOULIE_TWIN_HAS_CPU_SOCKETS (1ULL << 0)
#define JOULIE_TWIN_HAS_CPU_CORES (1ULL << 1)
#define JOULIE_TWIN_HAS_CPU_MAX (1ULL << 2)
#define JOULIE_TWIN_HAS_GPU_COUNT (1ULL << 3)
#define JOULIE_TWIN_HAS_GPU_MAX (1ULL << 4)
#define JOULIE_TWIN_HAS_GPU_IDLE (1ULL << 5)
#define JOULIE_TWIN_HAS_CPU_CAP_PCT (1ULL << 6)
#define JOULIE_TWIN_HAS_CPU_CAP_W (1ULL << 7)
#define JOULIE_TWIN_HAS_GPU_CAP_PCT (1ULL << 8)
#define JOULIE_TWIN_HAS_GPU_CAP_W (1ULL << 9)
#define JOULIE_TWIN_HAS_PREVIOUS_CPU_CAP_PCT (1ULL << 10)
#define JOULIE_TWIN_HAS_PREVIOUS_GPU_CAP_PCT (1ULL << 11)
#define JOULIE_TWIN_HAS_NODE_POWER (1ULL << 12)
#define JOULIE_TWIN_HAS_CPU_UTIL (1ULL << 13)
#define JOULIE_TWIN_HAS_CPU_CURVE (1ULL << 14)
#define JOULIE_TWIN_HAS_GPU_UTIL (1ULL << 15)
#define JOULIE_TWIN_HAS_OUTSIDE_TEMP (1ULL << 16)
#define JOULIE_TWIN_HAS_ZONE_TEMP (1ULL << 17)
#define JOULIE_TWIN_HAS_CLUSTER_POWER (1ULL << 18)
#define JOULIE_TWIN_HAS_CLUSTER_CAPACITY (1ULL << 19)
#define JOULIE_TWIN_HAS_ZONE_POWER (1ULL << 20)
#define JOULIE_TWIN_HAS_RACK_POWER (1ULL << 21)
#define JOULIE_TWIN_HAS_RACK_CAPACITY (1ULL << 22)
#define JOULIE_TWIN_HAS_COOLING_REFERENCE (1ULL << 23)
#define JOULIE_TWIN_HAS_COOLING_DESIGN_IT (1ULL << 24)
#define JOULIE_TWIN_HAS_CPU_ALLOCATED (1ULL << 25)
#define JOULIE_TWIN_HAS_GPU_ALLOCATED (1ULL << 26)

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
    double cpu_cap_pct;          /**< percent of the package maximum, (0,100] */
    double cpu_cap_w;            /**< W per package */
    double gpu_cap_pct;          /**< percent of the GPU maximum, (0,100] */
    double gpu_cap_w;            /**< W per GPU */
    double previous_cpu_cap_pct; /**< cap that was in force before a pending one */
    double previous_gpu_cap_pct;

    /* Readings. */
    double measured_node_power_w; /**< W at the node; 0 is a measurement */
    double cpu_util_pct;          /**< 0..100, used without a measurement; more counts as 100 */
    double cpu_curve_w;           /**< W of all sockets at cpu_util_pct; unknown: a straight line */
    double gpu_util_pct;          /**< 0..100, mean over the GPUs */
    double outside_temp_c;        /**< of the site; unknown: 20 °C */
    double zone_temp_c; /**< at the plant of the node's cooling zone; wins over the site's */
    double cluster_total_power_w; /**< IT power of the cluster */
    double cluster_capacity_w;    /**< what its supply can give */
    double zone_total_power_w;    /**< IT power of the node's cooling zone; a DX plant cools that */
    double rack_total_power_w;    /**< IT power of the node's rack */
    double rack_capacity_w;       /**< unknown: 50 kW */

    /* Cooling model. */
    double cooling_reference_w; /**< full stress; unknown: 4000 W (LINEAR), else the node's TDP */
    double cooling_design_it_w; /**< what the DX plant of the zone or cluster is built for; 1 MW */

    /* What the pods on the node ask for, with the idle watts: used for a part that is neither
     * measured nor has a utilisation. @since 0.3 */
    double cpu_allocated_w; /**< W of all sockets */
    double gpu_allocated_w; /**< W of all GPUs; unknown: what the cap allows */

    /* Choices; 0 is the default of each. */
    enum joulie_twin_rules rules;
    enum joulie_cooling cooling_model;     /**< TDP_RATIO; LINEAR when no power is read */
    enum joulie_cap_feedback cpu_feedback; /**< ignored by the version rule sets */
    enum joulie_cap_feedback gpu_feedback;

    joulie_cooling_fn *cooling; /**< with JOULIE_COOLING_CUSTOM */
    void *cooling_user;         /**< first argument of cooling */
};

/** Bits of joulie_twin_output::has. */
#define JOULIE_TWIN_OUT_HEADROOM (1ULL << 0)
#define JOULIE_TWIN_OUT_COOLING (1ULL << 1)
#define JOULIE_TWIN_OUT_PSU (1ULL << 2)
#define JOULIE_TWIN_OUT_DENSITY (1ULL << 3)
#define JOULIE_TWIN_OUT_PUE (1ULL << 4)
#define JOULIE_TWIN_OUT_NODE_POWER (1ULL << 5)
#define JOULIE_TWIN_OUT_CPU_TDP (1ULL << 6)
#define JOULIE_TWIN_OUT_GPU_TDP (1ULL << 7)
#define JOULIE_TWIN_OUT_NODE_TDP (1ULL << 8)
#define JOULIE_TWIN_OUT_CPU_CAPPED (1ULL << 9)
#define JOULIE_TWIN_OUT_GPU_CAPPED (1ULL << 10)
#define JOULIE_TWIN_OUT_NODE_CAPPED (1ULL << 11)

/** The prediction; start with JOULIE_INIT(struct joulie_twin_output). No bit: 0, and unknown. */
struct joulie_twin_output {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has;       /**< JOULIE_TWIN_OUT_* */

    double power_headroom_score;   /**< at most 100; negative above the caps */
    double cooling_stress_score;   /**< 0..100 */
    double psu_stress_score;       /**< 0..100 */
    double hardware_density_score; /**< 0..100, docs/rules/twin.md#density */
    double estimated_pue;          /**< at least 1 */
    double node_power_w;           /**< the node power that the scores rest on, see power_tier */
    double cpu_tdp_w;              /**< all sockets at their maximum */
    double gpu_tdp_w;              /**< all GPUs at their maximum */
    double node_tdp_w;             /**< cpu_tdp_w + gpu_tdp_w */
    double cpu_capped_w;           /**< what the effective cap allows all sockets */
    double gpu_capped_w;           /**< what the effective cap allows all GPUs */
    double node_capped_w;          /**< cpu_capped_w + gpu_capped_w */
    double cpu_effective_pct;      /**< always set; 100 = no cap in force */
    double gpu_effective_pct;      /**< always set; 100 = no cap in force */

    enum joulie_power_tier power_tier;
    enum joulie_cooling cooling_model; /**< the model that was used */
    enum joulie_cap_state cpu_cap_state;
    enum joulie_cap_state gpu_cap_state;
    enum joulie_provenance cpu_tdp_provenance; /**< ASSUMED: one socket */
    enum joulie_provenance gpu_tdp_provenance; /**< UNKNOWN beside the bit: there is no GPU */
    enum joulie_provenance
        estimate_provenance; /**< of UTILIZATION: measured curve and idle watts */
    enum joulie_provenance outside_temp_provenance;
    enum joulie_provenance cooling_reference_provenance; /**< power of full stress or design */
    enum joulie_supply psu_supply;
    enum joulie_provenance psu_capacity_provenance;
    enum joulie_provenance density_provenance; /**< ASSUMED: no core was counted */
};

/**
 * Predicts power headroom, cooling stress and PSU stress of one node.
 *
 * Pure: no I/O, no clock, no state, no allocation; equal inputs give equal outputs on every
 * machine. Takes about 20 ns.
 *
 * Power is the measurement when there is one, else an estimate from utilisation, else one from the
 * pods on the node, else what the caps allow (then the scores come from the formulas of v0.1.0,
 * which were made for that). When the maxima of CPU and GPU are both unknown the scores, the PUE
 * and the watts of the budget are unknown as well, and so are the scores of a node that is not
 * measured and has GPUs of unknown power: no headroom is ever invented. With a version rule set
 * what is missing reads as 0 and an unknown node has headroom 100, as its source says; cooling
 * zones and capacities are ignored.
 *
 * @param in   borrowed for the call
 * @param out  caller's storage, written only on success; struct_size must be set
 * @param err  details on failure, may be NULL; its `where` is a path of the question "predict"
 * @retval JOULIE_OK          out is filled
 * @retval JOULIE_E_RANGE     a number is not finite or out of its bounds, or a result is
 * @retval JOULIE_E_REQUIRED  DX without the power of cluster or zone, CUSTOM without a function
 * @retval JOULIE_E_ENUM      a choice that this build does not know
 * @retval JOULIE_E_ABI       struct_size is impossible, or a newer field is set
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_twin_predict(const struct joulie_twin_input *in,
                                   struct joulie_twin_output *out, struct joulie_error *err);

/** Inputs of many nodes; start with JOULIE_INIT(struct joulie_twin_columns). One row is one node;
 * members, units and defaults are those of struct joulie_twin_input. */
struct joulie_twin_columns {
    size_t struct_size; /**< as the caller compiled it */
    struct joulie_column_bits
        has; /**< JOULIE_TWIN_HAS_* per row; bits without a column are unknown */
    struct joulie_column cpu_sockets;
    struct joulie_column cpu_cores;
    struct joulie_column cpu_max_w;
    struct joulie_column gpu_count;
    struct joulie_column gpu_max_w;
    struct joulie_column gpu_idle_w;
    struct joulie_column cpu_cap_pct;
    struct joulie_column cpu_cap_w;
    struct joulie_column gpu_cap_pct;
    struct joulie_column gpu_cap_w;
    struct joulie_column previous_cpu_cap_pct;
    struct joulie_column previous_gpu_cap_pct;
    struct joulie_column measured_node_power_w;
    struct joulie_column cpu_util_pct;
    struct joulie_column cpu_curve_w;
    struct joulie_column gpu_util_pct;
    struct joulie_column outside_temp_c;
    struct joulie_column zone_temp_c;
    struct joulie_column cluster_total_power_w;
    struct joulie_column cluster_capacity_w;
    struct joulie_column zone_total_power_w;
    struct joulie_column rack_total_power_w;
    struct joulie_column rack_capacity_w;
    struct joulie_column cooling_reference_w;
    struct joulie_column cooling_design_it_w;
    struct joulie_column cpu_allocated_w;
    struct joulie_column gpu_allocated_w;
    struct joulie_column_int cpu_feedback; /**< enum joulie_cap_feedback */
    struct joulie_column_int gpu_feedback;

    /* For all rows. */
    enum joulie_twin_rules rules;
    enum joulie_cooling cooling_model;
    joulie_cooling_fn *cooling;
    void *cooling_user;
};

/** Where the predictions of many nodes go; start with JOULIE_INIT(struct joulie_twin_columns_out).
 * Members are those of struct joulie_twin_output; what is NULL is not computed. */
struct joulie_twin_columns_out {
    size_t struct_size;                /**< as the caller compiled it */
    struct joulie_column_bits_out has; /**< JOULIE_TWIN_OUT_* per row */
    struct joulie_column_out power_headroom_score;
    struct joulie_column_out cooling_stress_score;
    struct joulie_column_out psu_stress_score;
    struct joulie_column_out hardware_density_score;
    struct joulie_column_out estimated_pue;
    struct joulie_column_out node_power_w;
    struct joulie_column_out cpu_tdp_w;
    struct joulie_column_out gpu_tdp_w;
    struct joulie_column_out node_tdp_w;
    struct joulie_column_out cpu_capped_w;
    struct joulie_column_out gpu_capped_w;
    struct joulie_column_out node_capped_w;
    struct joulie_column_out cpu_effective_pct;
    struct joulie_column_out gpu_effective_pct;
    struct joulie_column_int_out power_tier;
    struct joulie_column_int_out cooling_model;
    struct joulie_column_int_out cpu_cap_state;
    struct joulie_column_int_out gpu_cap_state;
    struct joulie_column_int_out cpu_tdp_provenance;
    struct joulie_column_int_out gpu_tdp_provenance;
    struct joulie_column_int_out estimate_provenance;
    struct joulie_column_int_out outside_temp_provenance;
    struct joulie_column_int_out cooling_reference_provenance;
    struct joulie_column_int_out psu_supply;
    struct joulie_column_int_out psu_capacity_provenance;
    struct joulie_column_int_out density_provenance;
    struct joulie_column_int_out
        code; /**< JOULIE_OK, or what joulie_twin_predict() says of the row */
};

/**
 * Predicts many nodes: the same numbers, bit for bit, as joulie_twin_predict() for each row.
 *
 * Pure, no allocation. Uses AVX2 or AVX-512 where the machine has them: with the rules CURRENT and
 * the cooling models TDP_RATIO and LINEAR a row of contiguous columns takes 3 to 6 ns for the three
 * scores and twice that for everything; other strides cost the loads, other rules and models the
 * time of joulie_twin_predict().
 *
 * A row that cannot be predicted does not disturb the others: its `code` says why, its `has` is 0
 * and its numbers are written as 0. An output may be exactly an input column (same address and
 * stride), otherwise outputs overlap neither inputs nor each other.
 *
 * @param in          borrowed for the call
 * @param count       rows; 0 does nothing
 * @param out         caller's storage; nothing is written on failure of the call
 * @param out_failed  number of rows whose code is not JOULIE_OK; may be NULL
 * @param err         details on failure of the call, may be NULL; rows do not write it
 * @retval JOULIE_OK          every row was predicted or has a code
 * @retval JOULIE_E_RANGE     a column is not aligned for its type, or an output has stride 0
 * @retval JOULIE_E_REQUIRED  CUSTOM without a function
 * @retval JOULIE_E_ENUM      rules or cooling_model that this build does not know
 * @retval JOULIE_E_ABI       struct_size is impossible, or a newer field is set
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_twin_predict_columns(const struct joulie_twin_columns *in, size_t count,
                                           const struct joulie_twin_columns_out *out,
                                           size_t *out_failed, struct joulie_error *err);

/** The bit of a sample's mask in joulie_twin_trend_input::known. */
#define JOULIE_TWIN_TREND_SAMPLE_POWER (1ULL << 0)

/** Bits of joulie_twin_trend_input::has. */
#define JOULIE_TWIN_TREND_HAS_END (1ULL << 0)

/** Samples of one node's power, in any order; start with JOULIE_INIT(struct
 * joulie_twin_trend_input). One row is one sample. */
struct joulie_twin_trend_input {
    size_t struct_size;              /**< as the caller compiled it */
    uint64_t has;                    /**< JOULIE_TWIN_TREND_HAS_* */
    struct joulie_column_ms at_ms;   /**< when it was taken, ms since 1970; needed */
    struct joulie_column power_w;    /**< W of the node */
    struct joulie_column_bits known; /**< a row without SAMPLE_POWER is a read that failed */
    int64_t end_ms;                  /**< end of the window; unknown: the newest sample */
    enum joulie_twin_rules rules;
    uint32_t reserved; /**< 0 */
};

/** Bits of joulie_twin_trend_output::has. */
#define JOULIE_TWIN_TREND_OUT_TREND (1ULL << 0)

/** The trend; start with JOULIE_INIT(struct joulie_twin_trend_output). */
struct joulie_twin_trend_output {
    size_t struct_size;     /**< as the caller compiled it */
    uint64_t has;           /**< JOULIE_TWIN_TREND_OUT_*; without the bit the trend is unknown */
    double trend_w_per_min; /**< change of the power, W per minute */
    uint64_t sample_count;  /**< samples in the window that it rests on */
};

/**
 * How fast a node's power changes, over the five minutes before `end_ms`.
 *
 * Pure, no allocation; two passes over the samples. CURRENT fits a line by least squares through
 * the samples that are valid (known, finite, not negative), and knows no trend from fewer than two
 * of them or from less than 6 s between the first and the last. The version rule sets take the
 * difference of the ends, count a failed read as 0 W, and know every trend
 * (docs/rules/twin.md#trend).
 *
 * @param in     borrowed for the call
 * @param count  samples
 * @param out    caller's storage, written only on success; struct_size must be set
 * @param err    details on failure, may be NULL
 * @retval JOULIE_OK          out is filled
 * @retval JOULIE_E_RANGE     a column is not aligned for its type; with a version rule set a power
 *                            is negative or not finite
 * @retval JOULIE_E_REQUIRED  there are samples but no times
 * @retval JOULIE_E_ENUM      rules that this build does not know
 * @retval JOULIE_E_ABI       struct_size is impossible, or a newer field is set
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_twin_trend(const struct joulie_twin_trend_input *in, size_t count,
                                 struct joulie_twin_trend_output *out, struct joulie_error *err);

/** Bits of joulie_slowdown_input::has. */
#define JOULIE_SLOWDOWN_HAS_MEMORY (1ULL << 0)
#define JOULIE_SLOWDOWN_HAS_IO (1ULL << 1)
#define JOULIE_SLOWDOWN_HAS_FEED (1ULL << 2)
#define JOULIE_SLOWDOWN_HAS_CPU_FREQ (1ULL << 3)
#define JOULIE_SLOWDOWN_HAS_CPU_CAP_W (1ULL << 4)
#define JOULIE_SLOWDOWN_HAS_CPU_CAP_PCT (1ULL << 5)
#define JOULIE_SLOWDOWN_HAS_CPU_MAX (1ULL << 6)
#define JOULIE_SLOWDOWN_HAS_CPU_IDLE (1ULL << 7)
#define JOULIE_SLOWDOWN_HAS_CPU_UTIL (1ULL << 8)
#define JOULIE_SLOWDOWN_HAS_CPU_MIN_FREQ (1ULL << 9)
#define JOULIE_SLOWDOWN_HAS_CPU_KNEE (1ULL << 10)
#define JOULIE_SLOWDOWN_HAS_CPU_THERMAL (1ULL << 11)
#define JOULIE_SLOWDOWN_HAS_GPU_CAP_W (1ULL << 12)
#define JOULIE_SLOWDOWN_HAS_GPU_CAP_PCT (1ULL << 13)
#define JOULIE_SLOWDOWN_HAS_GPU_MAX (1ULL << 14)
#define JOULIE_SLOWDOWN_HAS_GPU_IDLE (1ULL << 15)
#define JOULIE_SLOWDOWN_HAS_GPU_UTIL (1ULL << 16)
#define JOULIE_SLOWDOWN_HAS_GPU_THERMAL (1ULL << 17)
#define JOULIE_SLOWDOWN_HAS_GPU_COMPUTE_GAMMA (1ULL << 18)
#define JOULIE_SLOWDOWN_HAS_GPU_MEMORY_EPSILON (1ULL << 19)
#define JOULIE_SLOWDOWN_HAS_GPU_MEMORY_GAMMA (1ULL << 20)

/** Work, and the caps that it runs under; start with JOULIE_INIT(struct joulie_slowdown_input). */
struct joulie_slowdown_input {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has;       /**< JOULIE_SLOWDOWN_HAS_* of the numbers that are set */

    double memory_intensity;  /**< how much it waits for memory, 0..1; unknown: 0 */
    double io_intensity;      /**< how much it waits for I/O, 0..1; unknown: 0 */
    double feed_intensity;    /**< how much a CPU has to feed its GPU, 0..1; unknown: 0 */
    double cpu_freq_frac;     /**< share of the highest frequency, 0..1; wins over caps */
    double cpu_cap_w;         /**< W of all sockets, above 0; wins over percent */
    double cpu_cap_pct;       /**< percent of cpu_max_w, (0,100] */
    double cpu_max_w;         /**< W of all sockets at full load; caps need it */
    double cpu_idle_w;        /**< W of all sockets, idle; unknown: 4/21 of cpu_max_w */
    double cpu_util_frac;     /**< of all cores, 0..1; unknown: 1 */
    double cpu_min_freq_frac; /**< lowest frequency, share of the highest; unknown: 0.35 */
    double cpu_knee_frac;     /**< below this share memory-bound work suffers; unknown: 0.7 */
    double cpu_thermal_frac;  /**< thermal throttling, 0..1; unknown: 0 */
    double gpu_cap_w;         /**< W of one GPU, above 0; wins over percent; unknown: its maximum */
    double gpu_cap_pct;       /**< percent of gpu_max_w, (0,100] */
    double gpu_max_w;         /**< W of one GPU; without it nothing is known of GPUs */
    double gpu_idle_w;        /**< W of one GPU, idle; unknown: a tenth of gpu_max_w */
    double gpu_util_frac;     /**< of the GPU, 0..1; unknown: 1 */
    double gpu_thermal_frac;  /**< thermal throttling, 0..1; unknown: 0 */
    double gpu_compute_gamma; /**< exponent of compute under a cap; unknown: 1 */
    double gpu_memory_epsilon; /**< what memory-bound work can lose; unknown: 0.2 */
    double gpu_memory_gamma;   /**< exponent of that; unknown: 1.1 */

    enum joulie_bound cpu_bound; /**< UNKNOWN and NONE: MIXED */
    enum joulie_bound gpu_bound; /**< UNKNOWN, IO and NONE: MIXED */
};

/** Bits of joulie_slowdown_output::has. */
#define JOULIE_SLOWDOWN_OUT_CPU_FREQ (1ULL << 0)
#define JOULIE_SLOWDOWN_OUT_CPU_POWER (1ULL << 1)
#define JOULIE_SLOWDOWN_OUT_CPU_THROUGHPUT (1ULL << 2)
#define JOULIE_SLOWDOWN_OUT_CPU_SLOWDOWN (1ULL << 3)
#define JOULIE_SLOWDOWN_OUT_GPU_NATURAL (1ULL << 4)
#define JOULIE_SLOWDOWN_OUT_GPU_POWER (1ULL << 5)
#define JOULIE_SLOWDOWN_OUT_GPU_THROUGHPUT (1ULL << 6)
#define JOULIE_SLOWDOWN_OUT_GPU_SLOWDOWN (1ULL << 7)

/** What the caps cost; start with JOULIE_INIT(struct joulie_slowdown_output). No bit: 0, and
 * unknown. */
struct joulie_slowdown_output {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has;       /**< JOULIE_SLOWDOWN_OUT_* */

    double cpu_freq_frac;  /**< under the cap, share of the highest */
    double cpu_power_w;    /**< W of all sockets under the cap */
    double cpu_throughput; /**< relative to no cap and no throttling, 0..1 */
    double cpu_slowdown;   /**< 1 / throughput, at least 1 */
    double gpu_natural_w;  /**< W of the GPU without a cap */
    double gpu_power_w;    /**< W under the cap */
    double gpu_throughput; /**< as of the CPU; 1 while the cap is not reached */
    double gpu_slowdown;   /**< 1 / throughput, at least 1 */

    enum joulie_provenance cpu_provenance; /**< ASSUMED: a frequency from a cap and default watts */
    enum joulie_provenance gpu_provenance; /**< ASSUMED: default watts or exponents */
};

/**
 * Predicts what caps cost a piece of work in speed: on a CPU from the frequency that is left under
 * its cap, on a GPU from the share of the power that it would draw
 * (docs/rules/physics.md#slowdown).
 *
 * Pure, no allocation. Takes some 100 ns. The CPU's numbers need a frequency, or cpu_max_w beside a
 * cap, or no cap at all (then the frequency is 1); its watts need cpu_max_w. A device whose numbers
 * are not known has no bits. A slowdown is unknown where nothing gets done.
 *
 * @param in   borrowed for the call
 * @param out  caller's storage, written only on success; struct_size must be set
 * @param err  details on failure, may be NULL; its `where` is a member of the input
 * @retval JOULIE_OK       out is filled
 * @retval JOULIE_E_RANGE  a number is not finite or out of its bounds, or a result is
 * @retval JOULIE_E_ENUM   a choice that this build does not know
 * @retval JOULIE_E_ABI    struct_size is impossible, or a newer field is set
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_slowdown_predict(const struct joulie_slowdown_input *in,
                                       struct joulie_slowdown_output *out,
                                       struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
