/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A cluster model fed with typed objects: for rooms above, such as the simulator, and for tests.
 * What needs no types of ours they call through <joulie/cluster.h>, whose functions stand in the
 * file of their rule. Pure: time is an argument, the caller writes and reports what came of it.
 *
 * The model copies what it keeps (members whose `has` bit is set); nothing given to it needs to
 * live longer than the call. It is incremental: an event touches only what depends on it (due.h),
 * and after any sequence of events the answers equal those of a model built from scratch.
 */

#include <joulie/cluster.h>
#include <joulie/error.h>

#include "base/arena.h"
#include "kinds/node.h"
#include "kinds/node_hardware.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"
#include "kinds/workload_profile.h"
#include "place/place.h"
#include "place/profile.h"
#include "policy/policy.h"
#include "policy/power_record.h"
#include "twin/twin.h"

#ifdef JL_MODEL_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_rack_setting
#define MEMBERS \
    NUMBER(capacity_w, "capacityW", "What the supply of this rack can give, W.", OVER(0))
#include "schema/shared_record.h"

#define RECORD jl_zone_setting
#define MEMBERS                       \
    /* while nothing is read there */ \
    NUMBER(outside_temp_c, "outsideTempC", "Temperature while none is read in this zone, °C.")
#include "schema/shared_record.h"

#define RECORD jl_agents_config
#define MEMBERS                                                                                   \
    STRING(selector, "selector", "Label selector of the pods of the agents' DaemonSet.")          \
    STRING(name_space, "namespace", "Namespace of these pods.")                                   \
    NUMBER(control_period_s, "controlPeriodS",                                                    \
           "So long class and label of a node whose cap is raised wait for its agent, s (0: not " \
           "at all).",                                                                            \
           NOT_NEGATIVE)
#include "schema/shared_record.h"

#define JL_LONGEST_S 1e12 /* keeps milliseconds inside an int64_t */
#define RECORD jl_classifier_config
#define MEMBERS                                                                                   \
    NUMBER(min_confidence, "minConfidence",                                                       \
           "Least confidence of a profile that counts; never below 0.5. 0.5.", BETWEEN(0, 1))     \
    NUMBER(hysteresis_pct, "hysteresisPct",                                                       \
           "Points of utilisation that a border may be passed by; 5.", NOT_NEGATIVE)              \
    NUMBER(window_s, "windowS", "Length of the window of measurements, s; 600.",                  \
           BETWEEN(1, JL_LONGEST_S))                                                              \
    NUMBER(reclassify_s, "reclassifyS", "Time after which a workload is measured again, s; 900.", \
           BETWEEN(0, JL_LONGEST_S))                                                              \
    NUMBER(hold_s, "holdS", "Time for which a profile outlives its measurements, s; 86400.",      \
           BETWEEN(0, JL_LONGEST_S))                                                              \
    NUMBER(grace_s, "graceS", "Time without pods after which the owner is looked for, s; 600.",   \
           BETWEEN(0, JL_LONGEST_S))                                                              \
    BOOLEAN(derive_class, "deriveClass",                                                          \
            "Whether measurements decide the class where no annotation does; false.")             \
    BOOLEAN(use_sim_texts, "simAnnotationFallback",                                               \
            "Whether annotations of a simulator stand in for measurements; false.")               \
    BOOLEAN(has_kepler, "kepler", "Whether energies are asked for; true.")                        \
    STRINGS(namespaces, "namespaces",                                                             \
            "Namespaces whose workloads are classified; absent: all but those of the system.")
#define ABOUT .doc = "Settings of the profiles of workloads."
#include "schema/shared_record.h"

/* The settings of a model, as joulie_cluster_new() reads them. What is not given has its default;
 * jl_cluster_make() copies the texts. */
#define RECORD jl_cluster_config
#define MEMBERS                                                                                    \
    OBJECT(policy, "policy", jl_policy_config, "Settings of the power policy.")                    \
    OBJECT(power_off, "powerOff", jl_power_off_config,                                             \
           "Settings of power_off_v1; absent: no node is switched off.")                           \
    NUMBER(rack_capacity_w, "rackCapacityW", "What the supply of a rack can give, W.", OVER(0))    \
    NUMBER(cluster_capacity_w, "clusterCapacityW", "What the supply of the cluster can give, W.",  \
           OVER(0))                                                                                \
    OBJECT(cooling, "coolingModel", jl_cooling_config, "Cooling model of every node.")             \
    DICT(racks, "racks", jl_rack_setting, "Racks that differ from rackCapacityW, by their label.") \
    DICT(zones, "zones", jl_zone_setting, "Cooling zones, by their label.")                        \
    /* docs/rules/reconcile.md#freshness */                                                        \
    NUMBER(staleness_s, "twinStalenessS", "Age of a fresh twin or heartbeat, s.",                  \
           BETWEEN(0, JL_LONGEST_S))                                                               \
    NUMBER(max_age_s, "twinMaxAgeS", "Age of a fresh twin while the operator beats, s.",           \
           BETWEEN(0, JL_LONGEST_S))                                                               \
    NUMBER(heartbeat_s, "twinHeartbeatS",                                                          \
           "After this long a twin is written although nothing changed, s.",                       \
           BETWEEN(0, JL_LONGEST_S))                                                               \
    NUMBER(deadband_score, "statusDeadbandScore",                                                  \
           "Smallest move of a score that is written, points.", NOT_NEGATIVE)                      \
    NUMBER(deadband_pct, "statusDeadbandPct",                                                      \
           "Smallest move of a power that is written, percent of the node's TDP.", NOT_NEGATIVE)   \
    STRING(power_profile_label, "powerProfileLabel", "Node label that carries the profile.")       \
    OBJECT(classifier, "classifier", jl_classifier_config,                                         \
           "Settings of the profiles of workloads.")                                               \
    OBJECT(agents, "agents", jl_agents_config, "Which pods are agents.")                           \
    NUMBER(stale_grace_s, "filterStaleGraceS",                                                     \
           "Age up to which a stale eco or draining twin still rejects, s.",                       \
           BETWEEN(0, JL_LONGEST_S))                                                               \
    ENUM(fail_policy, "failPolicy", joulie_fail_policy, jl_fail_policy_words,                      \
         "What happens to performance pods where nothing is known of a node.")                     \
    ENUM(scoring_profile, "scoringProfile", joulie_place_rules, jl_place_rules_words,              \
         "The scoring formula.")                                                                   \
    NUMBER(cpu_util_coeff, "marginalCpuUtilCoeff", "Part of a CPU's power that a busy pod adds.",  \
           NOT_NEGATIVE)                                                                           \
    NUMBER(gpu_util_coeff_standard, "marginalGpuUtilCoeffStandard",                                \
           "The same of a GPU, for standard pods.", NOT_NEGATIVE)                                  \
    NUMBER(gpu_util_coeff_performance, "marginalGpuUtilCoeffPerformance",                          \
           "The same of a GPU, for performance pods.", NOT_NEGATIVE)                               \
    BOOLEAN(is_marginal_scoring, "enableMarginalPowerScoring",                                     \
            "Whether the legacy formula looks at what the pod adds.")                              \
    /* only of the current rules */                                                                \
    BOOLEAN(has_ledger, "ledger", "Whether pods that are not in the readings yet count.")          \
    OBJECT(scoring, "scoring", jl_scoring_profile,                                                 \
           "The scoring formula in detail; wins over the members above.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* The record that a Node gets, and what it is put beside. */
struct jl_power_write {
    struct jl_power_record record;
    bool was_drained;
    enum jl_power_hold was_hold;
    const char *resource_version;  /* of the Node that was decided about; NULL = not known */
    const char *since;             /* RFC 3339 */
    const char *failures;          /* as a text */
    struct jl_list foreign_taints; /* that are there now */
};

/* A write that the last step offers, with what is to be written. */
struct jl_cluster_write {
    uint64_t id; /* for joulie_cluster_action_done(); unique in this model */
    enum joulie_change change;
    bool is_void; /* its machine was forgotten since: what becomes of it is remembered nowhere */
    const char *node_name;
    size_t node_index;                   /* of a node that is known, among those in name order */
    const char *object_name;             /* of the NodeTwin */
    const char *label;                   /* LABEL: performance, eco, or NULL */
    const struct jl_twin_spec *spec;     /* SPEC: the whole wanted spec */
    const struct jl_twin_spec *old_spec; /* SPEC: what is stored; NULL = to be created */
    const char *profile_since;           /* SPEC: RFC 3339, when profile or draining changes */
    const char *cap_lowered;             /* SPEC: the same, when the GPU cap becomes lower */
    const struct jl_twin_status *status; /* STATUS: the whole new one (no controlStatus) */
    const struct jl_twin_status
        *old_status;                    /* STATUS: what is stored, for the patch; may be NULL */
    const struct jl_power_write *power; /* POWER */
    const char *resource_version; /* STATUS: of the twin, where conditions of others are written
                                     again with a change of ours; else NULL */
    const char *reason;
};

/* JOULIE_E_PARSE at policy.nodeSelector or a label key, JOULIE_E_UNSUPPORTED at policy.type or
 * scoring.version, JOULIE_E_NOMEM. */
int jl_cluster_make(const struct jl_cluster_config *config, struct joulie_cluster **out,
                    struct joulie_error *err);

/* Upsert by (kind, namespace, name); hardware and twin are joined to nodes by spec.nodeName. */
int jl_cluster_put_node(struct joulie_cluster *cluster, const struct jl_node *node,
                        struct joulie_error *err);
int jl_cluster_put_hardware(struct joulie_cluster *cluster, const struct jl_node_hardware *hardware,
                            struct joulie_error *err);
int jl_cluster_put_twin(struct joulie_cluster *cluster, const struct jl_node_twin *twin,
                        struct joulie_error *err);
int jl_cluster_put_pod(struct joulie_cluster *cluster, const struct jl_pod *pod,
                       struct joulie_error *err);
int jl_cluster_put_profile(struct joulie_cluster *cluster,
                           const struct jl_workload_profile *profile, struct joulie_error *err);

/* A sample of each known node, in name order: its power, read over HTTP. A repeat of what a node
 * has shown for a while costs next to nothing. JOULIE_E_REQUIRED when their numbers differ. */
int jl_cluster_sample_all(struct joulie_cluster *cluster, int64_t at_ms, const double *power_w,
                          size_t count, struct joulie_error *err);

/* JOULIE_E_RANGE: now_ms is no instant. Decides; the writes are the smallest set that brings the
 * stored objects to the decision. They live until the next step. */
int jl_cluster_step(struct joulie_cluster *cluster, int64_t now_ms,
                    const struct jl_cluster_write **out_writes, size_t *out_count,
                    struct joulie_error *err);

/* The last decision about a node, for a person; valid until the next call. */
struct jl_cluster_blocker {
    const char *name_space;
    const char *name;
    enum jl_blocker_why why;
};

struct jl_cluster_reasons {
    const char *node_name;
    enum jl_exclusion exclusion;
    bool is_managed; /* in scope: what follows is of the last step */
    bool is_paused;  /* what is wanted is not written */
    enum jl_plan_reason reason;
    struct jl_gpu_limit limit; /* without a reason: no GPUs, or of another policy */
    struct jl_guard_output guard;
    double density;
    const struct jl_twin_spec *wanted;   /* NULL = none was decided */
    const struct jl_twin_status *status; /* as predicted, without lastUpdated; NULL = none */
    struct jl_power_record power;
    enum jl_power_action power_action;         /* of the last step */
    enum jl_power_reason power_reason;         /* of it */
    const char *power_text;                    /* why, for a person; NULL = nothing was decided */
    const struct jl_cluster_blocker *blockers; /* by namespace, name */
    size_t blocker_count;
    const char *rack; /* NULL = none */
    double rack_power_w;
};

/* JOULIE_E_NOT_FOUND: there is no such node. */
int jl_cluster_reasons_of(struct joulie_cluster *cluster, const char *node_name,
                          struct jl_cluster_reasons *out, struct joulie_error *err);

/* Placement over the cached state, by docs/rules/placement.md: fills one entry per known node in
 * name order. */
struct jl_cluster_score {
    const char *node_name;
    const char *rejected; /* reason text, NULL = passes */
    int score;            /* 0..100 */
    int wire;             /* 0..10 */
    bool is_known;        /* fresh twin with a headroom */
    double raw;           /* only of a known one, as headroom */
    double headroom;      /* with the pod on the node */
};

int jl_cluster_score_pod(struct joulie_cluster *cluster, const struct jl_pod *pod, int64_t now_ms,
                         const struct jl_cluster_score **out, size_t *out_count,
                         struct joulie_error *err);
/* The same where only some nodes can take it, by their places in name order; the scores of the
 * others are zeros. NULL = every node. */
int jl_cluster_score_pod_on(struct joulie_cluster *cluster, const struct jl_pod *pod,
                            const uint32_t *nodes, size_t node_count, int64_t now_ms,
                            const struct jl_cluster_score **out, size_t *out_count,
                            struct joulie_error *err);
