/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which nodes run at full power and which save it: demand of pods, policies, guard and caps
 * (docs/rules/policy.md). Pure, over flat arrays: the same functions
 * serve the question `plan` and the cluster model, which keeps the per-node aggregates up to date
 * instead of counting pods in every step.
 */

#include "base/arena.h"
#include "catalog/hardware.h"
#include "kinds/node.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"
#include "kinds/workload_profile.h"
#include "policy/limit.h"
#include "policy/policies.h"
#include "policy/room.h"
#include "schema/row.h"

enum jl_policy_rules {
    JL_POLICY_CURRENT,
    JL_POLICY_V0_1_1,
    JL_POLICY_V0_0_2, /* mask classes, first hp nodes by name, label-based guard, watts only */
};

/* ---- settings: the member "policy" of plan, simulate and the cluster's options ---- */

enum jl_policy_type {
    JL_POLICY_TYPE_UNKNOWN,

#define POLICY_TYPE(type, ...) JL_POLICY_##type,
    JL_POLICIES(POLICY_TYPE) JL_POLICIES_TO_COME(POLICY_TYPE)
#undef POLICY_TYPE
};

extern const struct jl_words jl_policy_type_words; /* every word of policy.type */
extern const struct jl_words jl_policy_words;      /* those that have a rule */

#ifdef JL_POLICY_TABLES
#define RECORD_TABLES
#endif

/* An entry of gpuModelCaps. */
#define RECORD jl_gpu_model_caps
#define MEMBERS                                                                     \
    NUMBER(min_w, "minCapWatts", "Lowest cap of one GPU, W; 0 or less reads as 1.") \
    NUMBER(max_w, "maxCapWatts", "Highest cap of one GPU, W; 0 or less: the entry is ignored.")
#define ABOUT .doc = "Power limits of one GPU product."
#include "schema/shared_record.h"

/* CPU caps are bounded as a NodeTwin bounds packagePowerCapPctOfMax and packagePowerCapWatts. */
#define RECORD jl_policy_config
#define MEMBERS                                                                                    \
    ENUM(type, "type", jl_policy_type, jl_policy_type_words, "POLICY_TYPE.", ALWAYS)               \
    NUMBER(static_hp_frac, "staticHpFrac", "Share of performance nodes, limited to 0-1.")          \
    NUMBER(queue_hp_base_frac, "queueHpBaseFrac",                                                  \
           "Share of performance nodes without demand, limited to 0-1.")                           \
    INTEGER(queue_hp_min, "queueHpMin", "Fewest performance nodes.")                               \
    INTEGER(queue_hp_max, "queueHpMax", "Most performance nodes; 0 or less: all nodes.")           \
    INTEGER(queue_perf_per_hp_node, "queuePerfPerHpNode",                                          \
            "Weighted demand that one performance node serves; 0 or less reads as 1.")             \
    NUMBER(cpu_performance_pct, "cpuPerformanceCapPctOfMax",                                       \
           "CPU cap of performance nodes, percent of the package maximum.", OVER(0), AT_MOST(100)) \
    NUMBER(cpu_eco_pct, "cpuEcoCapPctOfMax",                                                       \
           "CPU cap of eco nodes, percent of the package maximum.", OVER(0), AT_MOST(100))         \
    /* <= 0: no GPU intent */                                                                      \
    NUMBER(gpu_performance_pct, "gpuPerformanceCapPctOfMax",                                       \
           "GPU cap of performance nodes, percent of the GPU maximum; 0 or less: no GPU intent.",  \
           AT_MOST(100))                                                                           \
    NUMBER(gpu_eco_pct, "gpuEcoCapPctOfMax",                                                       \
           "GPU cap of eco nodes, percent of the GPU maximum; 0 or less: no GPU intent.",          \
           AT_MOST(100))                                                                           \
    /* per package */                                                                              \
    NUMBER(performance_cap_w, "performanceCapWatts",                                               \
           "Absolute CPU cap of performance nodes, W per package.", AT_LEAST(1))                   \
    NUMBER(eco_cap_w, "ecoCapWatts", "Absolute CPU cap of eco nodes, W per package.", AT_LEAST(1)) \
    BOOLEAN(cpu_write_absolute, "cpuWriteAbsoluteCaps",                                            \
            "Write CPU caps in watts instead of percent.")                                         \
    BOOLEAN(gpu_write_absolute, "gpuWriteAbsoluteCaps", "Write GPU caps in watts beside percent.") \
    /* product label -> struct jl_gpu_model_caps */                                                \
    DICT(gpu_model_caps, "gpuModelCaps", jl_gpu_model_caps,                                        \
         "Power limits by GPU product label, for GPUs that nothing else knows.")                   \
    /* strings; empty = the four known keys */                                                     \
    STRINGS(gpu_product_label_keys, "gpuProductLabelKeys",                                         \
            "Node labels that name the GPU product; the first that is not empty wins.")            \
    NUMBER(reconcile_interval_s, "reconcileIntervalS",                                             \
           "Seconds of one phase of rule_swap_v1; less than one second reads as 60.")              \
    ENUM(drain_caps, "drainCaps", joulie_profile, jl_profile_words,                                \
         "Whose caps a draining node has.")                                                        \
    /* "" = every node */                                                                          \
    STRING(node_selector, "nodeSelector",                                                          \
           "Label selector of the nodes in scope; empty: every node.")                             \
    STRING(reserved_label_key, "reservedLabelKey",                                                 \
           "Node label that takes a node out of the policy when it is \"true\".")                  \
    NUMBER(queue_scale_down_delay_s, "queueScaleDownDelayS",                                       \
           "Seconds of lower demand before performance nodes are given up.", NOT_NEGATIVE)         \
    NUMBER(min_profile_dwell_s, "minProfileDwellS",                                                \
           "Seconds that a node keeps a profile before it may go to eco.", NOT_NEGATIVE)           \
    NUMBER(gpu_slowdown_standard_pct, "gpuSlowdownStandardPct",                                    \
           "How much longer a GPU cap of efficiency_v1 may make work take, percent.",              \
           BETWEEN(0, 100))                                                                        \
    NUMBER(gpu_slowdown_performance_pct, "gpuSlowdownPerformancePct",                              \
           "The same of work of the class performance.", BETWEEN(0, 100))                          \
    NUMBER(gpu_slowdown_insensitive_pct, "gpuSlowdownInsensitivePct",                              \
           "The same of other work whose sensitivity to GPU caps is low.", BETWEEN(0, 100))        \
    NUMBER(gpu_cap_dwell_s, "gpuCapDwellS",                                                        \
           "Seconds between two times that efficiency_v1 lowers the GPU cap of a node.",           \
           NOT_NEGATIVE)                                                                           \
    /* POWER_PROFILE_LABEL of the operator; not a member of the document */                        \
    HOLDS(const char *, power_profile_label)
#define ABOUT .doc = "Settings of the power policy."
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* Gives every member whose bit is not set its default (docs/rules/policy.md#settings). A zeroed
 * struct becomes the defaults. */
void jl_policy_defaults(struct jl_policy_config *config, enum jl_policy_rules rules);

/* Whether some policy writes this name; NULL is none. */
bool jl_policy_has_name(const char *name);

/* ---- demand of pods: docs/rules/policy.md#demand ---- */

enum jl_demand_class {
    JL_DEMAND_UNSET,
    JL_DEMAND_PERFORMANCE, /* performance-only */
    JL_DEMAND_ECO,         /* eco-only */
    JL_DEMAND_GENERAL,
    JL_DEMAND_UNKNOWN, /* the word "unknown": contradictory or unreadable constraints */
};

#define JL_DEMAND_CLASSES 5

extern const struct jl_words jl_demand_class_words;

struct jl_demand {
    enum jl_demand_class class_;
    bool is_sensitive; /* performance-only or unknown; v0.1.1 knows no unknown */
    double weight;     /* 1 without a usable profile. Counts only when sensitive */
    const struct jl_workload_profile
        *profile; /* the given profile when it passed the gate, else NULL */
};

/* How much a sensitive pod weighs; without an intensity like one that is medium. */
double jl_demand_weight(enum joulie_level intensity);

/* match: what jl_profile_match found, or NULL; the gate is applied here. Version words look at
 * no profile. */
void jl_demand_of_pod(const struct jl_pod *pod, const struct jl_workload_profile *match,
                      int64_t now_ms, enum jl_policy_rules rules, struct jl_demand *out);

/* Whether it counts wherever it is bound: not deleted, Succeeded or Failed, no DaemonSet or
 * mirror pod (v0.1.1 also not Pending). */
bool jl_pod_is_demand(const struct jl_pod *pod, enum jl_policy_rules rules);

enum jl_blocker_why { JL_BLOCKER_NONE, JL_BLOCKER_SENSITIVE, JL_BLOCKER_NOT_RESCHEDULABLE };

extern const struct jl_words jl_blocker_words; /* performance-sensitive, not-reschedulable */

/* Whether this pod, which is bound, keeps its node from eco caps: the first reason that holds. */
enum jl_blocker_why jl_pod_blocks(const struct jl_pod *pod, const struct jl_demand *demand,
                                  enum jl_policy_rules rules);

/* ---- eligible nodes: docs/rules/policy.md#nodes-that-take-part ---- */

struct jl_selector;

enum jl_exclusion {
    JL_EXCLUDED_NOT,
    JL_EXCLUDED_UNSCHEDULABLE,
    JL_EXCLUDED_RESERVED,
    JL_EXCLUDED_SELECTOR
};

extern const struct jl_words jl_exclusion_words;

/* The first reason that holds. selector NULL = every node. */
enum jl_exclusion jl_node_exclusion(const struct jl_node *node, const char *reserved_label_key,
                                    const struct jl_selector *selector);

/* ---- docs/rules/policy.md#density and #families ---- */

struct jl_density {
    double cpu;
    double gpu;
    double total;
    double cpu_normalized; /* computeDensity x sockets; reported, not used for the order */
};

void jl_density_of(const struct jl_hardware *hardware, struct jl_density *out);

struct jl_density_rank {
    double total;
    const char *name;
    size_t index; /* the caller's */
};

/* Descending total, ties by name; without names ties stay as they come. 0 or JOULIE_E_NOMEM. */
int jl_density_sort(struct jl_density_rank *ranks, size_t count);

/* "gpu:MODEL", "cpu:MODEL" or "unknown"; the version words have an "unknown:NODE" for each node.
 * NULL = out of memory. */
const char *jl_family_name(struct jl_arena *arena, const struct jl_hardware *hardware,
                           const char *node_name, enum jl_policy_rules rules);

/* ---- plan: docs/rules/policy.md#policies and #which-nodes ---- */

/* docs/rules/policy.md#hysteresis: what a plan carries to the next one, besides profile and
 * since of each node. */
struct jl_plan_state {
    bool is_set; /* false = a first call, without hysteresis */
    bool is_timing;
    int64_t hp;
    int64_t timer_ms; /* when target first fell below hp */
};

int64_t jl_seconds_ms(double seconds);

/* Takes the target of this call, returns hp. */
int64_t jl_hysteresis_step(struct jl_plan_state *state, int64_t target, int64_t now_ms,
                           int64_t delay_ms);

struct jl_plan_node { /* one eligible node */
    uint32_t family;  /* number below family_count; equal families, equal numbers */
    enum joulie_profile current;
    bool has_blocker; /* at least one pod that jl_pod_blocks */
    bool has_since;
    int64_t since_ms; /* last change of profile or draining */
};

enum jl_plan_reason {
    JL_PLAN_NO_REASON,
    JL_PLAN_WORKING,  /* pods on it block */
    JL_PLAN_RESERVED, /* room on a performance node for pods that wait */
    JL_PLAN_PROMOTED, /* the same on one that becomes performance */
    JL_PLAN_KEPT,     /* nothing needs it, since too short a time */
    JL_PLAN_FAMILY,   /* the first of its family */
    JL_PLAN_RANK,     /* by density */
    JL_PLAN_NAME,     /* by name (v0.0.2) */
    JL_PLAN_DWELL,    /* changed too recently to go to eco */
    JL_PLAN_REST,     /* eco: not among hp */
    JL_PLAN_SWAP,     /* rule_swap_v1 */
    JL_PLAN_EVERY,    /* every node is */
};

/* One sentence for a person; never NULL. */
const char *jl_plan_reason_text(enum jl_plan_reason reason);

struct jl_plan_choice {
    enum joulie_profile profile;
    enum jl_plan_reason reason;
};

struct jl_plan_input {
    const struct jl_policy_config *config; /* jl_policy_missing() of its type is NULL */
    enum jl_policy_rules rules;
    double demand;                    /* of the source: its count; < 0 = counting failed */
    const struct jl_plan_node *nodes; /* in density order (v0.0.2: in name order) */
    size_t count;
    uint32_t family_count;
    int64_t now_ms;
    /* current: sensitive pods on no node, in queue order, and where they may go */
    const struct jl_waiting_pod *waiting;
    size_t waiting_count;
    struct jl_room *rooms; /* as nodes; what is reserved is taken of them. NULL = nothing waits */
};

/* A node that only just changed does not go to eco yet, even beyond hp. */
void jl_keep_recent(const struct jl_plan_input *in, struct jl_plan_choice *out);

/* Bytes of scratch that jl_plan_nodes needs. */
size_t jl_plan_scratch_size(const struct jl_plan_input *in);

/* Fills one choice per node and returns hp (before dwell and guard). state is read and updated;
 * scratch as above. */
int64_t jl_plan_nodes(const struct jl_plan_input *in, struct jl_plan_state *state,
                      struct jl_plan_choice *out, void *scratch);

/* ---- docs/rules/policy.md#guard ---- */

extern const struct jl_words jl_node_state_words;

enum joulie_node_state jl_state_of(enum joulie_profile profile, bool is_draining);

struct jl_guard_input {
    enum joulie_profile plan;
    int64_t blockers;                    /* < 0 = the count failed */
    const char *current_label;           /* v0.0.2 */
    enum joulie_profile current_profile; /* current */
    bool is_current_draining;            /* current, when the count failed */
    enum joulie_profile drain_caps;
};

struct jl_guard_output {
    enum joulie_profile profile;
    bool is_draining;
    enum joulie_node_state state;
    enum joulie_profile caps; /* whose caps are written; UNKNOWN = none */
    const char *label;        /* of the node; NULL = none */
    const char *policy_name;  /* NULL = the policy's own */
};

void jl_guard(const struct jl_guard_input *in, enum jl_policy_rules rules,
              struct jl_guard_output *out);

/* ---- docs/rules/policy.md#caps ---- */

struct jl_intent_input {
    const struct jl_policy_config *config;
    const struct jl_hardware *hardware; /* for the range and catalog of absolute caps */
    const struct jl_node *node;         /* labels for gpuModelCaps */
    double allocatable_gpus;
    enum joulie_profile caps;
    double gpu_limit_pct; /* of a policy that reads work */
};

/* Sets out->cpu and out->gpu and their bits; absent = no intent. */
void jl_profile_caps(const struct jl_intent_input *in, enum jl_policy_rules rules,
                     struct jl_twin_spec *out);
/* The same of a policy that caps GPUs by their work, and nothing else. */
void jl_limited_caps(const struct jl_intent_input *in, enum jl_policy_rules rules,
                     struct jl_twin_spec *out);

/* ---- the table of policies ---- */

/* What a policy reads beside nodes and demand. */
enum jl_policy_reads {
    JL_READS_NO_PODS,
    JL_READS_QUEUE, /* sensitive pods on no node */
    JL_READS_WORK,  /* all of these, and the work on the GPUs of each node */
};

struct jl_policy_count {
    const struct jl_policy_config *config;
    enum jl_policy_rules rules;
    int64_t nodes;    /* eligible ones */
    int64_t families; /* among them */
    double demand;    /* weighted; < 0 = counting failed */
};

/* A policy, as a row of policies.h. */
struct jl_policy {
    const char *word;
    const char *name;
    int64_t (*how_many)(const struct jl_policy_count *in);
    int64_t (*which)(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                     struct jl_plan_choice *out, void *scratch);
    enum jl_policy_reads reads;
    void (*caps)(const struct jl_intent_input *in, enum jl_policy_rules rules,
                 struct jl_twin_spec *out);
};

/* Whether such a policy reads the pod while it is on no node. */
bool jl_policy_awaits(enum jl_policy_reads reads, const struct jl_demand *demand);

/* NULL = no policy, or one that this build has no rule for. */
const struct jl_policy *jl_policy_of(enum jl_policy_type type);
/* Why there is no rule, for a person; NULL = there is one. */
const char *jl_policy_missing(enum jl_policy_type type);

/* Performance nodes by a policy that says how many: 0 to all. */
int64_t jl_policy_hp(const struct jl_policy_count *count);

/* Which nodes: the first in density order (v0.0.2: by name), one of each family before others.
 */
int64_t jl_densest(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                   struct jl_plan_choice *out, void *scratch);
/* Those that work needs and work that waits could use, at least so many, with hysteresis. */
int64_t jl_for_waiting(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                       struct jl_plan_choice *out, void *scratch);
/* All of them. */
int64_t jl_every_node(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                      struct jl_plan_choice *out, void *scratch);
/* All but one, which changes with the clock. */
int64_t jl_taking_turns(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                        struct jl_plan_choice *out, void *scratch);

/* ---- what a node was, with its profile-since annotation: docs/rules/policy.md#hysteresis ----
 */

#define JL_ANNOTATION_PROFILE_SINCE "joulie.io/profile-since"
#define JL_ANNOTATION_CAP_LOWERED "joulie.io/gpu-cap-lowered" /* of a policy that reads work */

struct jl_node_past {
    enum joulie_profile profile; /* UNKNOWN = nothing was decided yet */
    bool is_draining;
    bool has_since;
    int64_t since_ms; /* last change of profile or draining */
    struct jl_limit_past limit;
};

/* What a NodeTwin remembers; twin may be NULL. */
void jl_past_of_twin(const struct jl_node_twin *twin, struct jl_node_past *out);

/* The past as it is after this decision: since moves to now when profile or draining changed. The
 * limit is as it was. */
void jl_past_after(const struct jl_node_past *past, enum joulie_profile profile, bool is_draining,
                   int64_t now_ms, struct jl_node_past *out);
/* Whether the cap becomes lower, and what it is after this decision. */
bool jl_limit_after(const struct jl_limit_past *past, double pct, int64_t now_ms,
                    struct jl_limit_past *out);
