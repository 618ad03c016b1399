/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_PLACE_H
#define JOULIE_PLACE_H
#pragma once

/**
 * @file
 * Where work may run and how well it would fit, for many nodes at once: filter, score and the
 * number for kube-scheduler, as plain functions over columns.
 *
 * A scheduler that keeps its own table of nodes hands in pointers to its columns and what it wants
 * to run; nothing here knows Kubernetes, allocates, or remembers anything. A program that would
 * rather feed objects and readings uses <joulie/cluster.h>, which asks the same rules. Rules:
 * docs/rules/placement.md.
 */

#include <joulie/column.h>
#include <joulie/error.h>
#include <joulie/words.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which formulas answer. */
enum joulie_place_rules {
    JOULIE_PLACE_RULES_UNKNOWN = 0,   /**< the same as CURRENT */
    JOULIE_PLACE_RULES_CURRENT = 1,   /**< with every decision of this library */
    JOULIE_PLACE_RULES_V0_1_1 = 2,    /**< Joulie v0.1.1 exactly; what is missing reads as 0 */
    JOULIE_PLACE_RULES_V0_1_0 = 3,    /**< Joulie v0.1.0 exactly ("legacy"), without evictions */
    JOULIE_PLACE_RULES_EFFICIENCY = 4 /**< the watts that the work costs on each node; nothing of
                                         the twin but the filter. @since 0.3 */
};

/** How scores become the number that is sent to kube-scheduler. */
enum joulie_spread {
    JOULIE_SPREAD_UNKNOWN = 0, /**< the same as NONE */
    JOULIE_SPREAD_NONE = 1,    /**< "none": the score on the scale of score_range */
    JOULIE_SPREAD_RANK = 2 /**< "rank": by the position of raw between the lowest and the highest
                                candidate, so that the order of bad nodes is not lost */
};

/** Why work may not run on a node. */
enum joulie_reject {
    JOULIE_REJECT_NONE = 0,     /**< it may */
    JOULIE_REJECT_CLASS = 1,    /**< performance work, and the node is eco or draining */
    JOULIE_REJECT_LABEL = 2,    /**< performance work, and nothing but an eco label is known */
    JOULIE_REJECT_NO_DATA = 3,  /**< performance work, fail policy CLOSED, and nothing is known */
    JOULIE_REJECT_POWER = 4,    /**< with the work the node would pass max_projected_pct */
    JOULIE_REJECT_CORDON = 5,   /**< nothing new may run there; of joulie_cluster_place() only.
                                     @since 0.2 */
    JOULIE_REJECT_RESERVED = 6, /**< kept for a user of its own; of joulie_cluster_place() only.
                                     @since 0.2 */
    JOULIE_REJECT_OFF = 7 /**< switched off, or not back yet; of a model's answers. @since 0.3 */
};

/** What the score of a node rests on. */
enum joulie_basis {
    JOULIE_BASIS_UNKNOWN = 0,
    JOULIE_BASIS_FRESH = 1,  /**< what is known of the node now */
    JOULIE_BASIS_STALE = 2,  /**< unknown: what is known is too old */
    JOULIE_BASIS_MISSING = 3 /**< unknown: nothing is known, or a number is bad (see code) */
};

/** What the node's own label joulie.io/power-profile says, for nodes without a class. */
enum joulie_node_label {
    JOULIE_NODE_LABEL_UNKNOWN = 0, /**< labels of the node are not known */
    JOULIE_NODE_LABEL_ECO = 1,     /**< "eco" */
    JOULIE_NODE_LABEL_OTHER = 2    /**< another word, or no such label */
};

/** Bits of joulie_work::has. */
#define JOULIE_WORK_HAS_CPU (1ULL << 0)
#define JOULIE_WORK_HAS_MEMORY (1ULL << 1)
#define JOULIE_WORK_HAS_GPU (1ULL << 2)
#define JOULIE_WORK_HAS_GPU_UTIL (1ULL << 3) /**< @since 0.3 */

/**
 * What wants to run: a pod, a job, a process; start with JOULIE_INIT(struct joulie_work).
 *
 * What has no bit is not asked for. Work that asks for no CPU counts as 0.5 cores (performance) or
 * 0.25 (other classes), as everything uses some; with EFFICIENCY as 0.1.
 */
struct joulie_work {
    size_t struct_size;  /**< as the caller compiled it */
    uint64_t has;        /**< JOULIE_WORK_HAS_* of the numbers that are set */
    double cpu_cores;    /**< cores asked for, from 0 on */
    double memory_bytes; /**< bytes asked for, from 0 on */
    double gpu_count;    /**< GPUs, from 0 on; a MIG slice is a part of one */

    enum joulie_workload_class workload_class; /**< UNKNOWN: standard */
    enum joulie_gpu_vendor gpu_vendor; /**< says the watts of a GPU whose node does not know them */
    enum joulie_level cpu_sensitivity; /**< to CPU power caps; UNKNOWN: none */
    enum joulie_level gpu_sensitivity; /**< to GPU power caps; UNKNOWN: none */

    double gpu_util;             /**< of its GPUs, 0..1; 0.75 without its bit. EFFICIENCY reads it.
                                    @since 0.3 */
    enum joulie_bound gpu_bound; /**< what its GPUs wait for; UNKNOWN: COMPUTE. EFFICIENCY reads it.
                                   @since 0.3 */
    uint32_t reserved;           /**< must be 0 */
};

/** Bit of joulie_place_config::has. */
#define JOULIE_PLACE_CONFIG_HAS_HEARTBEAT (1ULL << 0)

/**
 * Settings of a request; start with joulie_place_config_init(), then change what you want.
 *
 * The members from spread on are a scoring profile: the same names in camel case, with the same
 * bounds, are the members of the question "score.profile" (headroomWeight, …). V0_1_0 has weights
 * of its own and uses none of them but spread, burst and the coefficients; V0_1_1 has no cap
 * points and its own score of unknown nodes (50); EFFICIENCY uses the last two, and of the others
 * those that max_projected_pct needs.
 */
struct joulie_place_config {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has;       /**< JOULIE_PLACE_CONFIG_HAS_* */

    enum joulie_place_rules rules;
    enum joulie_fail_policy fail_policy; /**< LAST_KNOWN; CLOSED rejects where nothing is known */
    int32_t score_range;                 /**< highest wire score: 10 (kube-scheduler) or 100 */
    int32_t is_marginal_scoring;         /**< 1; 0 = V0_1_0 ignores the work's watts */

    int64_t staleness_ms;   /**< age of a fresh row or heartbeat; 5 min */
    int64_t max_age_ms;     /**< age of a fresh row while the heartbeat is fresh; 1 h */
    int64_t stale_grace_ms; /**< age up to which a stale eco class still rejects; 30 min */
    int64_t heartbeat_ms;   /**< last sign of life of the program that writes the rows, ms since
                               1970 */

    enum joulie_spread spread; /**< NONE */
    uint32_t reserved;         /**< must be 0 */
    double headroom_weight;    /**< points per point of projected headroom; 0.7, 0..10 */
    double cooling_weight;     /**< points per point below full cooling stress; 0.15, 0..10 */
    double pressure_weight;    /**< of the pressure on performance nodes; 0.3, 0..10 */
    double eco_points;         /**< standard work on an eco node; 10, 0..100 */
    double trend_max_points;   /**< most that a trend adds or takes; 25, 0..100 */
    double steady_w_per_point; /**< W/min that cost a point; 6, 0.01..1e6 */
    double burst_w_per_point;  /**< W/min that cost a point while the cluster's power runs away; 2,
                                    0.01..1e6 */
    double burst_w_per_min;    /**< cluster trend beyond which it does; 500, 0..1e9 */
    double unknown_score;      /**< of a node that nothing is known of; 25, 0..25 */
    double cpu_cap_points;     /**< high sensitivity, all CPU power withheld; 25, 0..100 */
    double gpu_cap_points;     /**< high sensitivity, all GPU power withheld; 50, 0..100 */
    double cap_points_max;     /**< most that caps cost; 40, 0..100 */
    double max_projected_pct;  /**< highest power of a node with the work, percent of what its caps
                                    allow; 0 = no limit, else up to 1000 */
    double cpu_util_coeff;     /**< part of a CPU's power that busy work adds; 0.7, 0..10 */
    double gpu_util_coeff_standard;    /**< part of a GPU's power that work adds; 0.65, 0..10 */
    double gpu_util_coeff_performance; /**< that performance work adds; 0.85, 0..10 */
    double time_w_per_core; /**< EFFICIENCY: W that an hour on a core is worth besides its energy,
                               so that slower nodes cost more; a GPU is worth 10 cores; 0, 0..1000.
                               @since 0.3 */
    double idle_weight;     /**< EFFICIENCY: part of the CPUs' idle power that the first work of a
                               node costs; 0; 1 where nodes without work are powered off.
                               @since 0.3 */
    double psu_weight;      /**< points per point of PSU stress below the mean of the nodes whose
                               stress is known; 0.05, 0..10; CURRENT. @since 0.3 */
};

/** Bits of a row's mask (joulie_place_columns::has). */
/** Something was predicted; bits 1 to 11 imply it. */
#define JOULIE_PLACE_HAS_TWIN (1ULL << 0)
#define JOULIE_PLACE_HAS_CLASS (1ULL << 1)
#define JOULIE_PLACE_HAS_UPDATED (1ULL << 2)
#define JOULIE_PLACE_HAS_HEADROOM (1ULL << 3)
#define JOULIE_PLACE_HAS_COOLING (1ULL << 4)
#define JOULIE_PLACE_HAS_PSU (1ULL << 5)
#define JOULIE_PLACE_HAS_CAPPED (1ULL << 6)
#define JOULIE_PLACE_HAS_MEASURED (1ULL << 7)
#define JOULIE_PLACE_HAS_TREND (1ULL << 8)
#define JOULIE_PLACE_HAS_CPU_CAP_PCT (1ULL << 9)
#define JOULIE_PLACE_HAS_GPU_CAP_PCT (1ULL << 10)
#define JOULIE_PLACE_HAS_PUE (1ULL << 11)
#define JOULIE_PLACE_HAS_HARDWARE (1ULL << 12) /* it was described; bits 13 to 17 imply it */
#define JOULIE_PLACE_HAS_CPU_CORES (1ULL << 13)
#define JOULIE_PLACE_HAS_CPU_MAX (1ULL << 14)
#define JOULIE_PLACE_HAS_GPU_COUNT (1ULL << 15)
#define JOULIE_PLACE_HAS_GPU_MAX (1ULL << 16)
#define JOULIE_PLACE_HAS_GPU (1ULL << 17) /* has GPUs; a gpu_count above 0 implies it */
/* Of EFFICIENCY, since 0.3; bits 18 to 23 imply HARDWARE. */
#define JOULIE_PLACE_HAS_CPU_IDLE (1ULL << 18)
#define JOULIE_PLACE_HAS_CPU_SLOPE (1ULL << 19) /* without it nothing is known of the node */
#define JOULIE_PLACE_HAS_CPU_STEP (1ULL << 20)
#define JOULIE_PLACE_HAS_CPU_SPEED (1ULL << 21)
#define JOULIE_PLACE_HAS_GPU_IDLE (1ULL << 22) /* without it nothing for work that needs GPUs */
#define JOULIE_PLACE_HAS_GPU_SPEED (1ULL << 23)
#define JOULIE_PLACE_HAS_ALLOCATABLE_CORES (1ULL << 24)
#define JOULIE_PLACE_HAS_REQUESTED_CORES (1ULL << 25)
#define JOULIE_PLACE_HAS_REQUESTED_GPUS (1ULL << 26)
#define JOULIE_PLACE_HAS_WORK_COUNT (1ULL << 27)

/**
 * What is known of the nodes, a row each; start with JOULIE_INIT(struct joulie_place_columns).
 *
 * The numbers down to pue are a twin's (joulie_twin_output and what it was made from), those below
 * the hardware's. A value counts where its column is given and its bit is set; with has.at == NULL
 * every given column is known in every row. Values without their bit are not read.
 */
struct joulie_place_columns {
    size_t struct_size; /**< as the caller compiled it */

    struct joulie_column_bits has;       /**< JOULIE_PLACE_HAS_* per row */
    struct joulie_column_int node_class; /**< enum joulie_node_class */
    struct joulie_column_int label;      /**< enum joulie_node_label */
    struct joulie_column_ms updated_ms;  /**< when the twin's numbers were current */

    struct joulie_column headroom_score;       /**< predicted, at most 100 */
    struct joulie_column cooling_stress_score; /**< 0..100 */
    struct joulie_column psu_stress_score;     /**< 0..100; CURRENT and V0_1_0 */
    struct joulie_column capped_w;   /**< W that the caps of the node allow; below 1 mW: unknown */
    struct joulie_column measured_w; /**< W of the node now */
    struct joulie_column trend_w_per_min;
    struct joulie_column cpu_cap_pct; /**< caps in force, percent of the maximum; 0: none */
    struct joulie_column gpu_cap_pct;
    struct joulie_column pue; /**< only V0_1_0 */

    struct joulie_column cpu_cores; /**< logical CPUs of the node */
    struct joulie_column cpu_max_w; /**< W of all its packages at their maximum */
    struct joulie_column gpu_count;
    struct joulie_column gpu_max_w; /**< W per GPU */

    /* Of EFFICIENCY. @since 0.3 */
    struct joulie_column cpu_idle_w;        /**< W of the CPUs without work */
    struct joulie_column cpu_slope_w;       /**< W per busy core, from 10 % load on */
    struct joulie_column cpu_step_w;        /**< W that the first work costs above that */
    struct joulie_column cpu_speed;         /**< of a core, 1 = that of an EPYC 9654 */
    struct joulie_column gpu_idle_w;        /**< W per GPU without work */
    struct joulie_column gpu_speed;         /**< of a GPU, 1 = that of an H100 SXM */
    struct joulie_column allocatable_cores; /**< unknown: cpu_cores */
    struct joulie_column requested_cores;   /**< by the work on the node */
    struct joulie_column requested_gpus;
    struct joulie_column work_count; /**< pieces of work on the node, those that were placed a
                                        moment ago included */
};

/**
 * Where the answers go, each optional; start with JOULIE_INIT(struct joulie_place_columns_out).
 *
 * Numbers below score are 0 unless basis is FRESH. raw is the sum of the terms, in their order.
 */
struct joulie_place_columns_out {
    size_t struct_size; /**< as the caller compiled it */

    struct joulie_column_int_out code;   /**< JOULIE_OK, or what is wrong with the row */
    struct joulie_column_int_out reject; /**< enum joulie_reject */
    struct joulie_column_int_out basis;  /**< enum joulie_basis */
    struct joulie_column_int_out score;  /**< 0..100 */
    struct joulie_column_int_out wire;   /**< 0..score_range, what kube-scheduler gets */

    struct joulie_column_out raw; /**< unclamped score */
    struct joulie_column_out projected_headroom_score;
    struct joulie_column_out marginal_w; /**< W that the work adds */
    struct joulie_column_out term_headroom;
    struct joulie_column_out term_cooling;
    struct joulie_column_out term_trend;
    struct joulie_column_out term_profile_bonus;
    struct joulie_column_out term_pressure;
    struct joulie_column_out term_sensitivity;
    struct joulie_column_out term_psu; /**< CURRENT and V0_1_0 */
    struct joulie_column_out term_marginal_penalty; /**< the last two terms: only V0_1_0 */
    struct joulie_column_out term_idle_gpu;

    /* Of EFFICIENCY, else 0: cost = (slope + step + idle + gpu + time) / speed + packing, and raw
     * is -cost. The terms above are 0 then. @since 0.3 */
    struct joulie_column_out cost_slope_w;
    struct joulie_column_out cost_step_w;
    struct joulie_column_out cost_idle_w;
    struct joulie_column_out cost_gpu_w;
    struct joulie_column_out cost_time_w;
    struct joulie_column_out cost_speed;
    struct joulie_column_out cost_packing_w;
    struct joulie_column_out cost_w;
};

/**
 * The defaults of a rule set.
 *
 * @param config  caller's storage; struct_size must be set
 * @param rules   UNKNOWN: CURRENT
 * @retval JOULIE_OK      config is filled
 * @retval JOULIE_E_ENUM  rules that this build does not know; config is untouched
 * @retval JOULIE_E_ABI   struct_size is impossible
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_place_config_init(struct joulie_place_config *config,
                                        enum joulie_place_rules rules);

/**
 * Filters and scores count nodes for one piece of work.
 *
 * Pure: no I/O, no clock, no state, no allocation. Equal values give equal bits on every machine,
 * with every vector unit and by every entry point of the library. The pressure on performance
 * nodes, the trend of the cluster and the mean PSU stress are taken over the fresh rows, in their
 * order, so hand in the whole cluster and not a part of it. Takes some 10 ns per node.
 *
 * The answers of a row depend on other rows through those three, through the score of nodes that
 * nothing is known of (never above the lowest fresh candidate) and through JOULIE_SPREAD_RANK.
 * Candidates are fresh rows that are not rejected; with RANK all others have the wire score 0.
 * EFFICIENCY spreads all candidates between the most and the least expensive one (rows that are not
 * known score 0), so leave rows out on which the work does not fit, or look at raw alone.
 *
 * A row with a number that is not finite or absurd (beyond ±1e15; below 0 for watts that caps
 * allow and for hardware), a time outside the years 0 to 9999, or a value that is not of its enum
 * gets JOULIE_E_RANGE or JOULIE_E_ENUM in code and JOULIE_E_ABI for a bit of has that this build
 * does not know. Such a row scores like a node of which nothing is known and its label is all that
 * the filter sees of it; it takes no part in sums. Other rows are not affected.
 *
 * Outputs may be an input column of the same type and stride, else they may not overlap with one.
 *
 * @param config      NULL: the defaults of CURRENT
 * @param work        borrowed for the call
 * @param nodes       borrowed for the call
 * @param count       rows; 0 is allowed
 * @param now_ms      milliseconds since 1970
 * @param out         columns are written only on success
 * @param out_failed  number of rows whose code is not JOULIE_OK; may be NULL
 * @param err         details on failure of the call, may be NULL; `where` is a member, such as
 *                    config.headroom_weight; rows do not write it
 * @retval JOULIE_OK       every row has its answers; some of them may be codes
 * @retval JOULIE_E_RANGE  a number of config or work is outside its bounds, now_ms is no time, a
 *                         column is not aligned for its type, an output has stride 0
 * @retval JOULIE_E_ENUM   a choice that this build does not know
 * @retval JOULIE_E_ABI    a struct_size is impossible, or a newer field is set
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_place_nodes(const struct joulie_place_config *config,
                                  const struct joulie_work *work,
                                  const struct joulie_place_columns *nodes, size_t count,
                                  int64_t now_ms, const struct joulie_place_columns_out *out,
                                  size_t *out_failed, struct joulie_error *err);

/**
 * A reason as the extender reports it, such as "joulie: no data for node".
 *
 * @param reject  enum joulie_reject
 * @return static text; NULL for JOULIE_REJECT_NONE and for what is no reason
 * @threads any
 * @since 0.1
 */
JOULIE_API const char *joulie_place_reject_text(int reject);

#ifdef __cplusplus
}
#endif

#endif
