/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Where a pod may run and how well it would fit (docs/rules/placement.md), one rule per file.
 *
 * A caller keeps one struct jl_place_node per node and refreshes the part that an event touches
 * (twin, hardware, label). A request builds a struct joulie_work once, then filters and scores the
 * array; nothing here allocates.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/place.h>

#include "base/words.h"
#include "catalog/hardware.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"
#include "kinds/workload_profile.h"

extern const struct jl_words jl_place_rules_words;
extern const struct jl_words jl_pod_class_words;
extern const struct jl_words jl_gpu_vendor_words;
extern const struct jl_words jl_place_basis_words;

/* ---- The pod ----
 *
 * A pod that is to be placed is a struct joulie_work of this release whose numbers are all set, 0
 * for what it does not ask for. */

/* The quantities of a pod that could not be used; they count as 0. The place is that of the first
 * one. */
struct jl_demand_fault {
    size_t count;
    int code; /* JOULIE_E_PARSE, JOULIE_E_RANGE (negative or out of range) or JOULIE_E_LIMIT */
    /* "containers", "initContainers", or "overhead", which has neither index nor part */
    const char *list;
    size_t index;
    const char *part; /* "requests" or "limits" */
    const char *key;  /* resource name */
    const char *text;
};

/* What the pod asks for, for work whose class is set. fault may be NULL; the source rules have
 * none.
 */
void jl_work_read_demand(const struct jl_pod *pod, enum joulie_place_rules rules,
                         struct joulie_work *work, struct jl_demand_fault *fault);

/* Of the source rules, without the fallback for pods that ask for no CPU. */
void jl_demand_v0_1_1(const struct jl_pod_spec *spec, struct joulie_work *out);

/* What asks for no CPU uses some of it all the same. */
void jl_work_fall_back(struct joulie_work *work, enum joulie_place_rules rules);

/* What a pod holds of its node: the same sums without the fallback for pods that ask for no CPU; a
 * quantity that cannot be used counts as 0. */
void jl_pod_request(const struct jl_pod *pod, struct joulie_work *out);
/* What a node has for pods, by the same resources. */
void jl_node_offer(const struct jl_node *node, struct joulie_work *out);

/* profile is the one that matches the pod (docs/rules/classification.md#matching-profiles) or NULL;
 * whether it may be used is decided here. */
void jl_work_of_pod(const struct jl_pod *pod, const struct jl_workload_profile *profile,
                    enum joulie_place_rules rules, int64_t now_ms, struct joulie_work *out,
                    struct jl_demand_fault *fault);

/* Annotations of ours whose text is none of their words. */
struct jl_invalid_annotations {
    bool class_;
    bool cpu_sensitivity;
    bool gpu_sensitivity;
};

void jl_pod_invalid_annotations(const struct jl_pod *pod, struct jl_invalid_annotations *out);

/* ---- The node ---- */

/* What no machine reports is not known; inside these bounds every sum of a score is finite. */
#define JL_PLACE_LARGEST 1e15 /* W, points */
#define JL_PLACE_SMALLEST_CAPPED_W 1e-3

/* The numbers of a node, each once: its word in the names of its bits and of its index, the member,
 * the column of struct joulie_place_columns, and the least that is taken of it. */
#define JL_PLACE_TWIN_NUMBERS(X)                                           \
    X(HEADROOM, headroom, headroom_score, -JL_PLACE_LARGEST) /* score */   \
    X(COOLING, cooling, cooling_stress_score, -JL_PLACE_LARGEST)           \
    X(PSU, psu, psu_stress_score, -JL_PLACE_LARGEST)                       \
    X(CAPPED, capped_w, capped_w, 0)                                       \
    X(MEASURED, measured_w, measured_w, -JL_PLACE_LARGEST)                 \
    X(TREND, trend_w_per_min, trend_w_per_min, -JL_PLACE_LARGEST)          \
    X(CPU_CAP_PCT, cpu_pct, cpu_cap_pct, -JL_PLACE_LARGEST) /* in force */ \
    X(GPU_CAP_PCT, gpu_pct, gpu_cap_pct, -JL_PLACE_LARGEST)                \
    X(PUE, pue, pue, -JL_PLACE_LARGEST)
#define JL_PLACE_HARDWARE_NUMBERS(X)                      \
    X(CPU_CORES, cpu_cores, cpu_cores, 0)                 \
    X(CPU_MAX, cpu_max_w, cpu_max_w, 0) /* of the node */ \
    X(GPU_COUNT, gpu_count, gpu_count, 0)                 \
    X(GPU_MAX, gpu_max_w, gpu_max_w, 0) /* per device */
/* What the cost of work goes by (docs/rules/placement.md#efficiency): of the hardware, and of the
 * work that is there. */
#define JL_PLACE_ENERGY_NUMBERS(X)                                \
    X(CPU_IDLE, cpu_idle_w, cpu_idle_w, 0)                        \
    X(CPU_SLOPE, cpu_slope_w, cpu_slope_w, 0) /* per busy core */ \
    X(CPU_STEP, cpu_step_w, cpu_step_w, -JL_PLACE_LARGEST)        \
    X(CPU_SPEED, cpu_speed, cpu_speed, 0)                         \
    X(GPU_IDLE, gpu_idle_w, gpu_idle_w, 0) /* per device */       \
    X(GPU_SPEED, gpu_speed, gpu_speed, 0)
#define JL_PLACE_LOAD_NUMBERS(X)                                  \
    X(ALLOCATABLE_CORES, allocatable_cores, allocatable_cores, 0) \
    X(REQUESTED_CORES, requested_cores, requested_cores, 0)       \
    X(REQUESTED_GPUS, requested_gpus, requested_gpus, 0)          \
    X(WORK_COUNT, work_count, work_count, 0)
#define JL_PLACE_NUMBERS(X)      \
    JL_PLACE_TWIN_NUMBERS(X)     \
    JL_PLACE_HARDWARE_NUMBERS(X) \
    JL_PLACE_ENERGY_NUMBERS(X)   \
    JL_PLACE_LOAD_NUMBERS(X)
#define JL_PLACE_INDEX(name, ...) JL_PLACE_##name,
#define JL_PLACE_MEMBER(name, member, ...) double member;

/* Bits of a node, as JOULIE_PLACE_HAS_* has them; of hardware's numbers 0 alone says "unknown". */
enum {
    JL_PLACE_TWIN, /* there is a twin */
    JL_PLACE_CLASS,
    JL_PLACE_UPDATED,
    JL_PLACE_TWIN_NUMBERS(JL_PLACE_INDEX)     /* its numbers */
    JL_PLACE_HARDWARE,                        /* there is a hardware record */
    JL_PLACE_HARDWARE_NUMBERS(JL_PLACE_INDEX) /* its numbers */
    JL_PLACE_GPU,                             /* of rows: it has GPUs */
    JL_PLACE_ENERGY_NUMBERS(JL_PLACE_INDEX) JL_PLACE_LOAD_NUMBERS(JL_PLACE_INDEX)
};

struct jl_place_node {
    uint64_t has;
    enum joulie_node_class class_;
    int64_t updated_ms; /* of the twin */
    JL_PLACE_NUMBERS(JL_PLACE_MEMBER)
    enum joulie_node_label label; /* joulie.io/power-profile */
    enum joulie_reject closed;    /* OFF; or CORDON or RESERVED, which no rule here reads */
    int32_t has_gpu;
};

/* Nothing else counts of a node that is switched off. */
static inline enum joulie_reject jl_place_reject_of(const struct jl_place_node *node,
                                                    int64_t by_rules)
{
    return node->closed == JOULIE_REJECT_OFF ? JOULIE_REJECT_OFF : (enum joulie_reject)by_rules;
}

void jl_place_set_twin(struct jl_place_node *node,
                       const struct jl_twin_status *status); /* NULL = no twin */
void jl_place_set_label(struct jl_place_node *node,
                        const char *power_profile); /* NULL = no label known */
enum joulie_node_label jl_place_label_of(struct jl_text power_profile);
/* Hardware as resolved with JL_HARDWARE_CURRENT, for the source rules with JL_HARDWARE_V0_1_0 (they
 * know no catalog). */
void jl_place_set_hardware(struct jl_place_node *node, const struct jl_hardware *hardware,
                           enum joulie_place_rules rules);

/* What a pod holds of its node, in whole units so that sums are the same in any order. */
struct jl_place_load {
    int64_t work;       /* pieces */
    int64_t millicores; /* requested, rounded up */
    int64_t micro_gpus; /* millionths; a MIG slice is a part of a GPU */
    int64_t bytes;      /* of memory */
};

/* Of a piece of work, for what it asks of its node (without a fallback). */
struct jl_place_load jl_place_load_of(const struct joulie_work *needs);
void jl_place_load_add(struct jl_place_load *sum, const struct jl_place_load *part, int sign);
void jl_place_set_load(struct jl_place_node *node, const struct jl_place_load *load);
void jl_place_set_allocatable(struct jl_place_node *node, double cores); /* 0 = not known */

/* ---- Settings ---- */

/* Rules of ours, which know catalog, labels, profiles and heartbeat; others read as a release of
 * the source does. */
static inline bool jl_place_is_ours(enum joulie_place_rules rules)
{
    return rules == JOULIE_PLACE_RULES_CURRENT || rules == JOULIE_PLACE_RULES_EFFICIENCY;
}

extern const struct jl_words jl_fail_policy_words;

/* Every default of docs/rules/placement.md. */
void jl_place_config_init(struct joulie_place_config *config, enum joulie_place_rules rules);

/* The ages of a config as the rule of freshness takes them. */
static inline struct jl_freshness jl_place_freshness(const struct joulie_place_config *config)
{
    return (struct jl_freshness){
        .staleness_ms = config->staleness_ms,
        .max_age_ms = config->max_age_ms,
        .has_heartbeat = (config->has & JOULIE_PLACE_CONFIG_HAS_HEARTBEAT) != 0,
        .heartbeat_ms = config->heartbeat_ms,
    };
}

/* ---- Filter; the same for all rule sets ---- */

enum joulie_reject jl_place_filter(const struct joulie_place_config *config,
                                   const struct joulie_work *pod, const struct jl_place_node *node,
                                   int64_t now_ms);

/* ---- Score ---- */

/* What a node's score can rest on. */
enum joulie_basis jl_place_basis(const struct joulie_place_config *config,
                                 const struct jl_place_node *node, int64_t now_ms);

/* What all nodes together say, over the fresh ones. */
struct jl_place_aggregate {
    double perf_pressure; /* points */
    double cluster_trend_w_per_min;
    double psu_stress; /* their mean */
    bool has_psu;
};

void jl_place_aggregate_nodes(const struct joulie_place_config *config,
                              const struct jl_place_node *nodes, size_t count, int64_t now_ms,
                              struct jl_place_aggregate *out);

struct jl_place_watts {
    double cpu_w;
    double gpu_w;
};

/* Watts that the pod would add to the node, by part and in all. */
struct jl_place_watts jl_place_marginal(const struct joulie_place_config *config,
                                        const struct joulie_work *pod,
                                        const struct jl_place_node *node);
double jl_place_marginal_w(const struct joulie_place_config *config, const struct joulie_work *pod,
                           const struct jl_place_node *node);

struct jl_legacy_penalty {
    double power;
    double cooling;
    double psu;
    double idle_gpu;
    double total;
};

/* What one node's score is made of, apart from the node itself. */
struct jl_score_context {
    enum joulie_workload_class pod_class;
    double marginal_w;
    double sensitivity;      /* points, current */
    double marginal_penalty; /* points, legacy */
    double idle_gpu_penalty; /* points, legacy */
    bool is_evicted;         /* legacy: the pod's owner was evicted from a node of this class */
    struct jl_place_aggregate cluster;
};

/* Terms of a score; each is a column of an answer. */
#define JL_PLACE_TERMS(X) \
    X(headroom)           \
    X(cooling)            \
    X(trend)              \
    X(profile_bonus)      \
    X(pressure)           \
    X(sensitivity)        \
    X(psu)                \
    X(marginal_penalty)   \
    X(idle_gpu)
#define JL_PLACE_TERM(name) double name;

/* Signed contributions; their sum is raw. */
struct jl_place_terms {
    JL_PLACE_TERMS(JL_PLACE_TERM)
    double eviction; /* legacy */
};

/* What the pod costs on a node, by the rules of efficiency (docs/rules/placement.md#efficiency);
 * each is a column of an answer. */
#define JL_PLACE_COSTS(X)        \
    X(slope_w, cost_slope_w)     \
    X(step_w, cost_step_w)       \
    X(idle_w, cost_idle_w)       \
    X(gpu_w, cost_gpu_w)         \
    X(time_w, cost_time_w)       \
    X(speed, cost_speed)         \
    X(packing_w, cost_packing_w) \
    X(total_w, cost_w)
#define JL_PLACE_COST(name, ...) double name;

struct jl_place_cost {
    JL_PLACE_COSTS(JL_PLACE_COST)
};

struct jl_place_score {
    enum joulie_basis basis;
    int score; /* 0…100; of efficiency known when all candidates are, see jl_place_field_score() */
    /* only of JOULIE_BASIS_FRESH: */
    double projected_headroom;
    double marginal_w;
    double raw;
    struct jl_place_terms terms;
    struct jl_place_cost cost; /* of efficiency, else 0 */
};

/* The formula alone, for a node whose headroom is known (jl_place_projected_headroom). */
void jl_place_formula(const struct joulie_place_config *config,
                      const struct jl_score_context *context, const struct jl_place_node *node,
                      struct jl_place_score *out);
void jl_place_legacy_formula(const struct jl_score_context *context,
                             const struct jl_place_node *node, struct jl_place_score *out);

/* Headroom with the pod on the node; false = nothing to compute it from (current only: the source
 * takes 0 for unknown). */
bool jl_place_projected_headroom(const struct joulie_place_config *config,
                                 const struct jl_place_node *node, double marginal_w, double *out);

/*
 * One node. A node that is not JOULIE_BASIS_FRESH gets config->unknown_score (the source rules:
 * 50); in current the caller limits it to the lowest fresh candidate, see jl_place_unknown_score().
 */
void jl_place_score_node(const struct joulie_place_config *config,
                         const struct jl_place_aggregate *cluster, const struct joulie_work *pod,
                         const struct jl_place_node *node, int64_t now_ms,
                         struct jl_place_score *out);

/* Clamped to 0…100 and truncated, as scores have always been published. */
int jl_place_whole_score(double raw);

/* What the number of a node for kube-scheduler comes from. */
struct jl_place_point {
    enum joulie_reject reject;
    enum joulie_basis basis;
    int score;
    double raw;
};

static inline struct jl_place_point jl_place_point_of(enum joulie_reject reject,
                                                      const struct jl_place_score *score)
{
    return (struct jl_place_point){ reject, score->basis, score->score, score->raw };
}

/* The candidates of a request: its fresh nodes that passed the filter. Zeroed at the start; every
 * node is added before the first answer. */
struct jl_place_field {
    bool has_any;
    int lowest_score;
    double lowest_raw; /* bounded, see jl_wire_bounded() */
    double highest_raw;
};

void jl_place_field_add(struct jl_place_field *field, const struct jl_place_point *point);
/* The score of one of the nodes, 0…100, with what depends on the others: that of an unknown node is
 * never above the lowest candidate's. */
int jl_place_field_score(const struct joulie_place_config *config,
                         const struct jl_place_field *field, const struct jl_place_point *point);
/* And its number for kube-scheduler; range is 10 or 100. */
int jl_place_field_wire(const struct joulie_place_config *config,
                        const struct jl_place_field *field, const struct jl_place_point *point,
                        int range);

/* Score of stale and missing nodes, given the lowest score among fresh nodes that passed the
 * filter. */
int jl_place_unknown_score(const struct joulie_place_config *config, bool has_fresh,
                           int lowest_fresh);

/*
 * A request: filter, score and number for kube-scheduler of every node. rejects, scores and wires
 * have room for count; wires may be NULL. A caller that loops over its own nodes initialises a
 * struct jl_place_request once (place/row_rules.h) and uses jl_place_filter_request() and
 * jl_place_score_request().
 */
void jl_place_all(const struct joulie_place_config *config, const struct joulie_work *pod,
                  const struct jl_place_node *nodes, size_t count, int64_t now_ms, int range,
                  enum joulie_reject *rejects, struct jl_place_score *scores, int *wires);

struct jl_place_request;
enum joulie_reject jl_place_filter_request(const struct jl_place_request *request,
                                           const struct jl_place_node *node);
/* As jl_place_score_node(). */
void jl_place_score_request(const struct jl_place_request *request,
                            const struct jl_place_node *node, struct jl_place_score *out);

/* ---- Wire score (docs/rules/placement.md#wire-score) ---- */

#define JL_WIRE_WHOLE 100 /* the larger of the two ranges, that of scores */

/* What is sent to kube-scheduler for a score of 0…100; range is 10 or 100. */
int jl_wire_score(double score, int range);

/* `spread: rank` of one candidate, given the lowest and highest raw score of all (each bounded). */
int64_t jl_wire_rank(double raw, double score, double lowest, double highest, int range);
/* Of a candidate by the rules of efficiency: the cheapest gets the range, the most expensive 0. */
int64_t jl_wire_cost(double raw, double lowest, double highest, int range);
double jl_wire_bounded(double raw); /* keeps differences of absurd sums finite */

struct jl_wire_node {
    bool has_raw; /* false = unknown node */
    double raw;
    double score;
};

/* `spread: rank`: 0…10 by the position of raw between lowest and highest. out has room for count.
 */
void jl_wire_spread(const struct jl_wire_node *nodes, size_t count, int *out);
