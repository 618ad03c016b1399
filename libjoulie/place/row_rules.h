/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The rules of filter and score for one node (docs/rules/placement.md), inline: the functions over
 * a struct and the loops over columns compile this text. Nothing here branches on what differs
 * between nodes, and truth values are int64_t (0 or 1), as wide as the numbers that they choose
 * between: so compilers make vectors of the loops.
 */

#include "base/number.h"
#include "place/place.h"

#define JL_ALWAYS_INLINE static inline __attribute__((always_inline))

#define JL_ROW_CPU_W_PER_CORE 3.5 /* when the node's maximum is unknown */
#define JL_ROW_CPU_MIN_W 150.0    /* and at least this */
#define JL_PLACE_NO_LIMIT_PCT __builtin_inf()
#define JL_ROW_UNKNOWN_COOLING 100.0 /* current: an unknown stress earns no points */

/* More bits of a row, far behind those of enum JL_PLACE_TWIN and so on: what its class and label
 * are. */
enum {
    JL_ROW_ECO = 40,
    JL_ROW_ECO_OR_DRAINING,
    JL_ROW_PERFORMANCE,
    JL_ROW_LABEL_ECO,
    JL_ROW_LABELLED,
};

/* A node as the rules see it: members as in struct jl_place_node, 0 where nothing is known, and
 * everything that is no number in one mask. */
struct jl_place_row {
    uint64_t has;
    int64_t updated_ms;
    JL_PLACE_NUMBERS(JL_PLACE_MEMBER)
};

JL_ALWAYS_INLINE uint64_t jl_row_class_bits(int64_t class_)
{
    const uint64_t is_eco = class_ == JOULIE_NODE_CLASS_ECO;
    const uint64_t is_draining = class_ == JOULIE_NODE_CLASS_DRAINING;
    const uint64_t is_performance = class_ == JOULIE_NODE_CLASS_PERFORMANCE;
    return is_eco << JL_ROW_ECO | (is_eco | is_draining) << JL_ROW_ECO_OR_DRAINING |
           is_performance << JL_ROW_PERFORMANCE;
}

JL_ALWAYS_INLINE uint64_t jl_row_label_bits(int64_t label)
{
    const uint64_t is_eco = label == JOULIE_NODE_LABEL_ECO;
    const uint64_t is_other = label == JOULIE_NODE_LABEL_OTHER;
    return is_eco << JL_ROW_LABEL_ECO | (is_eco | is_other) << JL_ROW_LABELLED;
}

JL_ALWAYS_INLINE struct jl_place_row jl_row_of(const struct jl_place_node *node)
{
#define COPY_NUMBER(name, member, ...) row.member = node->member;
    struct jl_place_row row = { .updated_ms = node->updated_ms };
    row.has = node->has | jl_row_class_bits((int64_t)node->class_) |
              jl_row_label_bits((int64_t)node->label) |
              (uint64_t)(node->has_gpu != 0) << JL_PLACE_GPU;
    JL_PLACE_NUMBERS(COPY_NUMBER)
    return row;
#undef COPY_NUMBER
}

/* What is the same for all nodes of a request. */
struct jl_place_request {
    uint64_t assumed;       /* bits that count as set: what a rule set reads as 0 when missing */
    int64_t fresh_from_ms;  /* an update from here on is fresh for the score */
    int64_t filter_from_ms; /* and for the filter: there the source rules have a heartbeat too */
    int64_t grace_from_ms;  /* a stale eco class from here on still rejects */
    int unknown_score;      /* of a node that is not fresh */
    int32_t is_range_100;   /* wire numbers are 0…100 */
    int64_t is_filtered;    /* a performance pod */
    int64_t rejects_unlabelled;

    /* marginal power */
    double cores;
    double memory_factor;
    double cpu_util_coeff;
    double gpu_count;
    double gpu_fallback_w;
    double gpu_coeff;
    double max_projected_pct; /* infinite = no limit */

    /* score */
    double headroom_weight;
    double cooling_weight;
    double psu_weight; /* 0 = no stress is known to compare with */
    double mean_psu;
    double trend_w_per_point; /* W/min */
    double trend_max_points;
    double eco_points;
    double performance_points; /* legacy, of a performance node */
    double pressure_points;    /* what a performance node loses */
    double cpu_cap_points;
    double gpu_cap_points;
    double cap_points_max;

    /* legacy */
    int64_t is_legacy;
    int64_t is_marginal_scoring;

    /* efficiency */
    int64_t is_efficiency; /* a node is known by its hardware, whatever its twin says */
    uint64_t needed;       /* bits without which it is not; 0 of the other rules */
    int64_t asks_gpus;
    double gpu_load; /* part of the range between idle and maximum that each of its GPUs draws */
    double time_w;   /* what its time is worth besides its watts */
    double idle_weight;
};

struct jl_row_share {
    double trend_w_per_min;
    double pressure;
    double weighted;
    double weight_w;
    int64_t counts; /* 1 = has a pressure */
    int64_t lacks_weight;
    double psu;
    int64_t has_psu;
};

/* Each sets the part of its rule. */
void jl_request_freshness(const struct joulie_place_config *config, int64_t now_ms,
                          struct jl_place_request *out);
void jl_request_filter(const struct joulie_place_config *config,
                       enum joulie_workload_class pod_class, int64_t now_ms,
                       struct jl_place_request *out);
void jl_request_watts(const struct joulie_place_config *config, const struct joulie_work *pod,
                      struct jl_place_request *out);
void jl_request_caps(const struct joulie_place_config *config, const struct joulie_work *pod,
                     struct jl_place_request *out);
void jl_request_points(const struct joulie_place_config *config,
                       enum joulie_workload_class pod_class,
                       const struct jl_place_aggregate *cluster, struct jl_place_request *out);
void jl_request_cost(const struct joulie_place_config *config, const struct joulie_work *pod,
                     struct jl_place_request *out);

/* All of them; the points as in a cluster of this aggregate. */
void jl_place_request_init(const struct joulie_place_config *config, const struct joulie_work *pod,
                           const struct jl_place_aggregate *cluster, int64_t now_ms,
                           struct jl_place_request *out);

JL_ALWAYS_INLINE int64_t jl_row_is(const struct jl_place_row *row, unsigned bit)
{
    return (int64_t)(row->has >> bit & 1);
}

/* The same, for what a rule set may take as known. */
JL_ALWAYS_INLINE int64_t jl_row_has(const struct jl_place_request *request,
                                    const struct jl_place_row *row, unsigned bit)
{
    return (int64_t)((row->has | request->assumed) >> bit & 1);
}

/* ---- what is known ---- */

JL_ALWAYS_INLINE int64_t jl_row_is_fresh(const struct jl_place_request *request,
                                         const struct jl_place_row *row)
{
    const int64_t is_late = row->updated_ms >= request->fresh_from_ms;
    return jl_row_is(row, JL_PLACE_UPDATED) & is_late;
}

JL_ALWAYS_INLINE int64_t jl_row_projects_watts(const struct jl_place_request *request,
                                               const struct jl_place_row *row)
{
    const int64_t has_capped = row->capped_w > 0;
    return has_capped & jl_row_has(request, row, JL_PLACE_MEASURED);
}

JL_ALWAYS_INLINE int64_t jl_row_is_twin_known(const struct jl_place_request *request,
                                              const struct jl_place_row *row)
{
    const int64_t is_fresh = jl_row_is(row, JL_PLACE_TWIN) & jl_row_is_fresh(request, row);
    return is_fresh &
           (jl_row_projects_watts(request, row) | jl_row_has(request, row, JL_PLACE_HEADROOM));
}

/* JOULIE_BASIS_FRESH: it has a score of its own. */
JL_ALWAYS_INLINE int64_t jl_row_is_known(const struct jl_place_request *request,
                                         const struct jl_place_row *row)
{
    const int64_t is_described = (row->has & request->needed) == request->needed;
    return is_described & (jl_row_is_twin_known(request, row) | request->is_efficiency);
}

/* enum joulie_basis */
JL_ALWAYS_INLINE int64_t jl_row_basis(const struct jl_place_request *request,
                                      const struct jl_place_row *row)
{
    const int64_t is_stale = jl_row_is(row, JL_PLACE_TWIN) & (jl_row_is_fresh(request, row) ^ 1) &
                             (request->is_efficiency ^ 1);
    return JOULIE_BASIS_MISSING - is_stale * (JOULIE_BASIS_MISSING - JOULIE_BASIS_STALE) -
           jl_row_is_known(request, row) * (JOULIE_BASIS_MISSING - JOULIE_BASIS_FRESH);
}

/* What a node adds to the sums over the cluster; 0 for one that does not count. */
JL_ALWAYS_INLINE void jl_row_share(const struct jl_place_request *request,
                                   const struct jl_place_row *row, struct jl_row_share *out)
{
    const int64_t is_fresh = jl_row_is_fresh(request, row);
    const int64_t counts =
        is_fresh & jl_row_is(row, JL_ROW_PERFORMANCE) & jl_row_has(request, row, JL_PLACE_HEADROOM);
    const int64_t has_weight = row->capped_w > 0;
    const double pressure = 100 - row->headroom;
    const double weighted = pressure * row->capped_w;
    out->trend_w_per_min = is_fresh != 0 ? row->trend_w_per_min : 0;
    out->pressure = counts != 0 ? pressure : 0;
    out->weighted = counts != 0 ? weighted : 0;
    out->weight_w = counts != 0 ? row->capped_w : 0;
    out->counts = counts;
    out->lacks_weight = counts & (has_weight ^ 1);
    out->has_psu = is_fresh & jl_row_is(row, JL_PLACE_PSU);
    out->psu = out->has_psu != 0 ? row->psu : 0;
}

/* ---- watts of the pod ---- */

/* By part; 0 where no hardware is known. */
JL_ALWAYS_INLINE struct jl_place_watts jl_row_marginal(const struct jl_place_request *request,
                                                       const struct jl_place_row *row)
{
    const int64_t is_known = jl_row_has(request, row, JL_PLACE_HARDWARE);
    const int64_t has_gpu = jl_row_is(row, JL_PLACE_GPU);
    const double by_cores_w = jl_max(JL_ROW_CPU_MIN_W, row->cpu_cores * JL_ROW_CPU_W_PER_CORE);
    const double cpu_max_w = row->cpu_max_w > 0 ? row->cpu_max_w : by_cores_w;
    const double cores = row->cpu_cores > 0 ? row->cpu_cores : 1;
    const double share = jl_unit(request->cores / cores);
    const double cpu_w = cpu_max_w * request->cpu_util_coeff * share * request->memory_factor;
    const double gpu_max_w = row->gpu_max_w > 0 ? row->gpu_max_w : request->gpu_fallback_w;
    const double gpu_w = request->gpu_count * gpu_max_w * request->gpu_coeff;
    return (struct jl_place_watts){
        .cpu_w = is_known != 0 ? cpu_w : 0,
        .gpu_w = (is_known & has_gpu) != 0 ? gpu_w : 0,
    };
}

JL_ALWAYS_INLINE double jl_row_marginal_w(const struct jl_place_request *request,
                                          const struct jl_place_row *row)
{
    const struct jl_place_watts watts = jl_row_marginal(request, row);
    return watts.cpu_w + watts.gpu_w;
}

/* ---- filter: enum joulie_reject ---- */

/* Where a performance pod may not run. */
JL_ALWAYS_INLINE int64_t jl_row_class_reject(const struct jl_place_request *request,
                                             const struct jl_place_row *row)
{
    const int64_t is_dated = jl_row_is(row, JL_PLACE_CLASS) & jl_row_is(row, JL_PLACE_UPDATED);
    const int64_t is_late = row->updated_ms >= request->filter_from_ms;
    const int64_t is_graced = row->updated_ms >= request->grace_from_ms;
    const int64_t by_class =
        is_dated & jl_row_is(row, JL_ROW_ECO_OR_DRAINING) & (is_late | is_graced);
    const int64_t by_label = ((is_dated & is_late) | by_class) ^ 1;
    const int64_t is_eco = by_label & jl_row_is(row, JL_ROW_LABEL_ECO);
    const int64_t is_unlabelled = by_label & (jl_row_is(row, JL_ROW_LABELLED) ^ 1);
    return by_class * JOULIE_REJECT_CLASS + is_eco * JOULIE_REJECT_LABEL +
           (is_unlabelled & request->rejects_unlabelled) * JOULIE_REJECT_NO_DATA;
}

/* Whether the node's power with the pod passes the limit. Both sides in hundredths of watts, so
 * that whole numbers at the limit do not pass it by rounding. */
JL_ALWAYS_INLINE int64_t jl_row_exceeds_limit(const struct jl_place_request *request,
                                              const struct jl_place_row *row, double marginal_w)
{
    const int64_t has_capped = row->capped_w > 0;
    const double predicted = (100 - row->headroom) * row->capped_w + marginal_w * 100;
    const double measured = (row->measured_w + marginal_w) * 100;
    const double projected = jl_row_projects_watts(request, row) != 0 ? measured : predicted;
    const int64_t is_above = projected > request->max_projected_pct * row->capped_w;
    return jl_row_is_twin_known(request, row) & has_capped & is_above;
}

JL_ALWAYS_INLINE int64_t jl_row_reject(const struct jl_place_request *request,
                                       const struct jl_place_row *row, double marginal_w)
{
    const int64_t by_class = jl_row_class_reject(request, row) & (0 - request->is_filtered);
    const int64_t passes = by_class == JOULIE_REJECT_NONE;
    const int64_t exceeds = jl_row_exceeds_limit(request, row, marginal_w);
    return by_class + (passes & exceeds) * JOULIE_REJECT_POWER;
}

/* ---- score ---- */

/* Means something when jl_row_basis() is fresh. */
JL_ALWAYS_INLINE double jl_row_projected(const struct jl_place_request *request,
                                         const struct jl_place_row *row, double marginal_w)
{
    const int64_t has_capped = row->capped_w > 0;
    const double capped_w = has_capped != 0 ? row->capped_w : 1;
    const double by_watts =
        jl_min(100, (row->capped_w - (row->measured_w + marginal_w)) / capped_w * 100);
    const double by_score = jl_min(100, row->headroom - marginal_w / capped_w * 100);
    const double predicted = has_capped != 0 ? by_score : row->headroom;
    return jl_row_projects_watts(request, row) != 0 ? by_watts : predicted;
}

/* Part of the power that a cap takes away, 0…1; a percentage that is absent or 0 is no cap. */
JL_ALWAYS_INLINE double jl_row_withheld(double cap_pct)
{
    const double withheld = (100 - jl_min(cap_pct, 100)) / 100;
    return cap_pct > 0 ? withheld : 0;
}

/* Points that the node's caps cost the pod. */
JL_ALWAYS_INLINE double jl_row_sensitivity(const struct jl_place_request *request,
                                           const struct jl_place_row *row)
{
    const int64_t has_gpu = jl_row_is(row, JL_PLACE_GPU);
    const double cpu = request->cpu_cap_points * jl_row_withheld(row->cpu_pct);
    const double gpu = request->gpu_cap_points * jl_row_withheld(row->gpu_pct);
    return jl_min(cpu + (has_gpu != 0 ? gpu : 0), request->cap_points_max);
}

JL_ALWAYS_INLINE double jl_row_trend(const struct jl_place_request *request, double trend_w_per_min)
{
    const double points = jl_clamp(trend_w_per_min / request->trend_w_per_point,
                                   -request->trend_max_points, request->trend_max_points);
    return trend_w_per_min != 0 ? -points : 0;
}

/* Against the mean of those that are known, so that an unknown stress is neither good nor bad. */
JL_ALWAYS_INLINE double jl_row_psu(const struct jl_place_request *request,
                                   const struct jl_place_row *row)
{
    const double points = request->psu_weight * (request->mean_psu - row->psu);
    const int64_t counts = jl_row_is(row, JL_PLACE_PSU) & (request->psu_weight > 0);
    return counts != 0 ? points : 0;
}

/* Clamped and truncated; also what absurd numbers turned into no number is 0. */
JL_ALWAYS_INLINE int jl_row_whole(double raw)
{
    const double positive = raw > 0 ? raw : 0;
    return (int)(positive < 100 ? positive : 100);
}

/* The terms of a fresh node and their sum. */
JL_ALWAYS_INLINE void jl_row_formula(const struct jl_place_request *request,
                                     const struct jl_place_row *row, double marginal_w,
                                     double sensitivity, struct jl_place_score *out)
{
    const int64_t is_eco = jl_row_is(row, JL_ROW_ECO);
    const int64_t is_performance = jl_row_is(row, JL_ROW_PERFORMANCE);
    const int64_t has_cooling = jl_row_has(request, row, JL_PLACE_COOLING);
    const double cooling = has_cooling != 0 ? row->cooling : JL_ROW_UNKNOWN_COOLING;
    *out = (struct jl_place_score){ .basis = JOULIE_BASIS_FRESH, .marginal_w = marginal_w };
    out->projected_headroom = jl_row_projected(request, row, marginal_w);
    out->terms.headroom = request->headroom_weight * out->projected_headroom;
    out->terms.cooling = request->cooling_weight * (100 - cooling);
    out->terms.trend = jl_row_trend(request, row->trend_w_per_min);
    out->terms.profile_bonus = is_eco != 0 ? request->eco_points : 0;
    out->terms.pressure = is_performance != 0 ? 0 - request->pressure_points : 0;
    out->terms.sensitivity = 0 - sensitivity;
    out->terms.psu = jl_row_psu(request, row);
    out->raw = out->terms.headroom + out->terms.cooling + out->terms.trend +
               out->terms.profile_bonus + out->terms.pressure + out->terms.sensitivity +
               out->terms.psu;
    out->score = jl_row_whole(out->raw);
}

/* No division, for which there are no vectors: exact for whole scores. */
JL_ALWAYS_INLINE int64_t jl_row_wire(int64_t score, int64_t is_range_100)
{
    const int64_t tenth = ((score + 5) * 205) >> 11;
    return is_range_100 != 0 ? score : tenth;
}

/* ---- v0.1.0 (docs/rules/placement.md#legacy-score) ---- */

#define JL_LEGACY_WEIGHT_HEADROOM 0.4
#define JL_LEGACY_WEIGHT_COOLING 0.3
#define JL_LEGACY_WEIGHT_PSU 0.3
#define JL_LEGACY_IDLE_GPU_FLAT 30.0      /* CPU pod on a GPU node with marginal scoring off */
#define JL_LEGACY_REFERENCE_NODE_W 4000.0 /* MARGINAL_REF_NODE_POWER_W */
#define JL_LEGACY_REFERENCE_STRESS 80.0   /* stress at that power */
#define JL_LEGACY_REFERENCE_RACK_W 50000.0
#define JL_LEGACY_POWER_W_PER_POINT 20.0
#define JL_LEGACY_COOLING_WEIGHT 0.6
#define JL_LEGACY_PSU_WEIGHT 0.4
#define JL_LEGACY_POWER_MAX 20.0
#define JL_LEGACY_COOLING_MAX 20.0
#define JL_LEGACY_PSU_MAX 15.0
#define JL_LEGACY_IDLE_GPU_W 60.0 /* per device */
#define JL_LEGACY_IDLE_GPU_W_MAX 300.0
#define JL_LEGACY_IDLE_GPU_W_PER_POINT 10.0
#define JL_LEGACY_IDLE_GPU_MAX 20.0

JL_ALWAYS_INLINE void jl_row_legacy_penalty(double marginal_w, double pod_gpus, double node_gpus,
                                            double pue, struct jl_legacy_penalty *out)
{
    const double facility_w = pue > 1 ? marginal_w * pue : marginal_w;
    const double cooling = marginal_w / JL_LEGACY_REFERENCE_NODE_W * JL_LEGACY_REFERENCE_STRESS;
    const double psu = marginal_w / JL_LEGACY_REFERENCE_RACK_W * 100;
    const double idle_w = jl_min(JL_LEGACY_IDLE_GPU_W * node_gpus, JL_LEGACY_IDLE_GPU_W_MAX);
    const double idle =
        jl_clamp(idle_w / JL_LEGACY_IDLE_GPU_W_PER_POINT, 0, JL_LEGACY_IDLE_GPU_MAX);
    out->power = jl_clamp(facility_w / JL_LEGACY_POWER_W_PER_POINT, 0, JL_LEGACY_POWER_MAX);
    out->cooling =
        jl_clamp(JL_LEGACY_COOLING_WEIGHT * jl_clamp(cooling, 0, 100), 0, JL_LEGACY_COOLING_MAX);
    out->psu = jl_clamp(JL_LEGACY_PSU_WEIGHT * jl_clamp(psu, 0, 100), 0, JL_LEGACY_PSU_MAX);
    const int64_t idles = node_gpus > 0;
    out->idle_gpu = pod_gpus > 0 || idles == 0 ? 0 : idle;
    out->total = out->power + out->cooling + out->psu + out->idle_gpu;
}

/* The two penalties of a node with a hardware record; only one of them counts. */
JL_ALWAYS_INLINE void jl_row_legacy_losses(const struct jl_place_request *request,
                                           const struct jl_place_row *row, double marginal_w,
                                           double *out_penalty, double *out_idle)
{
    const int64_t has_gpu = jl_row_is(row, JL_PLACE_GPU);
    const int64_t is_known = jl_row_is(row, JL_PLACE_HARDWARE);
    const double flat = request->gpu_count > 0 ? 0 : JL_LEGACY_IDLE_GPU_FLAT;
    struct jl_legacy_penalty penalty;
    jl_row_legacy_penalty(marginal_w, request->gpu_count, has_gpu != 0 ? row->gpu_count : 0,
                          row->pue, &penalty);
    *out_penalty = (is_known & request->is_marginal_scoring) != 0 ? penalty.total : 0;
    *out_idle = (is_known & has_gpu & (request->is_marginal_scoring ^ 1)) != 0 ? flat : 0;
}

JL_ALWAYS_INLINE void jl_row_legacy_formula(const struct jl_place_request *request,
                                            const struct jl_place_row *row, double marginal_w,
                                            double penalty, double idle, double eviction,
                                            struct jl_place_score *out)
{
    const int64_t is_eco = jl_row_is(row, JL_ROW_ECO);
    const int64_t is_performance = jl_row_is(row, JL_ROW_PERFORMANCE);
    const double of_eco = is_eco != 0 ? request->eco_points : 0;
    *out = (struct jl_place_score){ .basis = JOULIE_BASIS_FRESH, .marginal_w = marginal_w };
    out->projected_headroom = row->headroom;
    out->terms.headroom = JL_LEGACY_WEIGHT_HEADROOM * row->headroom;
    out->terms.cooling = JL_LEGACY_WEIGHT_COOLING * (100 - row->cooling);
    out->terms.psu = JL_LEGACY_WEIGHT_PSU * (100 - row->psu);
    out->terms.profile_bonus = is_performance != 0 ? request->performance_points : of_eco;
    out->terms.pressure = is_performance != 0 ? 0 - request->pressure_points : 0;
    out->terms.marginal_penalty = 0 - penalty;
    out->terms.idle_gpu = 0 - idle;
    out->terms.eviction = 0 - eviction;
    out->raw = out->terms.headroom + out->terms.cooling + out->terms.psu +
               out->terms.profile_bonus + out->terms.pressure + out->terms.marginal_penalty +
               out->terms.idle_gpu + out->terms.eviction;
    out->score = jl_row_whole(out->raw);
}

/* ---- efficiency (docs/rules/placement.md#efficiency) ---- */

#define JL_COST_CPU_UTIL 0.70       /* of the cores that a pod asks for, whatever it is */
#define JL_COST_GPU_NODE_W 5.0      /* per GPU of a node that a pod without GPUs takes room on */
#define JL_COST_FREE_GPU_W 1.0      /* per GPU that stays free beside those of the pod */
#define JL_COST_FULL_W_PER_PCT 0.01 /* what each percent of requested cores is worth */

/* Whole percents of the node's cores that are requested. */
JL_ALWAYS_INLINE double jl_row_requested_pct(const struct jl_place_row *row)
{
    const double cores = row->allocatable_cores > 0 ? row->allocatable_cores : row->cpu_cores;
    const double pct = 100 * row->requested_cores / (cores > 0 ? cores : 1);
    return (double)(int64_t)jl_min(pct, 1e9);
}

JL_ALWAYS_INLINE void jl_row_cost(const struct jl_place_request *request,
                                  const struct jl_place_row *row, struct jl_place_cost *out)
{
    const int64_t is_empty = row->work_count <= 0;
    const int64_t asks_gpus = request->asks_gpus;
    const double speed = asks_gpus != 0 ? row->gpu_speed : row->cpu_speed;
    const double gpu_range_w = jl_max(0, row->gpu_max_w - row->gpu_idle_w);
    const double idle_w = request->idle_weight * row->cpu_idle_w;
    const double free_gpus = row->gpu_count - row->requested_gpus - request->gpu_count;
    const double gpu_room_w =
        asks_gpus != 0 ? JL_COST_FREE_GPU_W * free_gpus : JL_COST_GPU_NODE_W * row->gpu_count;
    out->slope_w = row->cpu_slope_w * request->cores * JL_COST_CPU_UTIL;
    out->step_w = is_empty != 0 ? row->cpu_step_w : 0;
    out->idle_w = is_empty != 0 ? idle_w : 0;
    out->gpu_w = request->gpu_count * (request->gpu_load * gpu_range_w);
    out->time_w = request->time_w;
    out->speed = speed > 0 ? speed : 1;
    out->packing_w = gpu_room_w - JL_COST_FULL_W_PER_PCT * jl_row_requested_pct(row);
    out->total_w =
        (out->slope_w + out->step_w + out->idle_w + out->gpu_w + out->time_w) / out->speed +
        out->packing_w;
}

JL_ALWAYS_INLINE void jl_row_cost_score(const struct jl_place_request *request,
                                        const struct jl_place_row *row, double marginal_w,
                                        struct jl_place_score *out)
{
    *out = (struct jl_place_score){ .basis = JOULIE_BASIS_FRESH, .marginal_w = marginal_w };
    jl_row_cost(request, row, &out->cost);
    out->raw = 0 - out->cost.total_w;
}

/* ---- a node of a request ---- */

/* Of a fresh node; for others see jl_place_unknown_score(). */
JL_ALWAYS_INLINE void jl_row_score(const struct jl_place_request *request,
                                   const struct jl_place_row *row, double marginal_w,
                                   struct jl_place_score *out)
{
    jl_row_formula(request, row, marginal_w, jl_row_sensitivity(request, row), out);
}

JL_ALWAYS_INLINE void jl_row_legacy_score(const struct jl_place_request *request,
                                          const struct jl_place_row *row, double marginal_w,
                                          struct jl_place_score *out)
{
    double penalty = 0;
    double idle = 0;
    jl_row_legacy_losses(request, row, marginal_w, &penalty, &idle);
    jl_row_legacy_formula(request, row, marginal_w, penalty, idle, 0, out);
}
