/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The model of a cluster and its step, with typed objects: what <joulie/cluster.h> does with text,
 * and what the simulator drives directly. Pure: time is an argument, the caller applies the actions
 * and says what came of them.
 *
 * The model copies what it keeps (members whose `has` bit is set); nothing given to it needs to
 * live longer than the call. It is incremental: an event touches only what depends on it, and after
 * any sequence of events the answers equal those of a model built from scratch.
 */

#include <joulie/error.h>

#include "base/arena.h"
#include "kinds/node.h"
#include "kinds/node_hardware.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"
#include "kinds/workload_profile.h"
#include "place/place.h"
#include "policy/policy.h"

struct jl_cluster;

struct jl_rack_setting {
    uint64_t has;
    double capacity_w;
};

enum { JL_RACK_SETTING_CAPACITY };

struct jl_zone_setting {
    uint64_t has;
    double outside_temp_c; /* while nothing is read there */
};

enum { JL_ZONE_SETTING_OUTSIDE_TEMP };

/* Fill with jl_cluster_defaults() and change what differs; texts are copied by jl_cluster_new. */
struct jl_cluster_config {
    struct jl_policy_config policy; /* of `plan`; nodeSelector, caps, hysteresis, … */
    double rack_capacity_w;         /* default 50000 */
    double cluster_capacity_w;      /* 0 = unknown */
    struct jl_dict racks;           /* label -> struct jl_rack_setting */
    struct jl_dict zones;           /* label -> struct jl_zone_setting */
    bool has_ledger;                /* only of the current rules */
    int64_t staleness_ms;           /* docs/rules/reconcile.md#freshness */
    int64_t max_age_ms;
    int64_t twin_heartbeat_ms;    /* TWIN_HEARTBEAT_INTERVAL, default 30 min */
    double deadband_score;        /* points, default 2 */
    double deadband_pct;          /* percent of nodeTdpW, default 2 */
    struct jl_place_config place; /* its freshness is that of above */
};

/* One measurement of a node; a failed read is not reported. */
struct jl_cluster_sample {
    uint64_t has;
    int64_t at_ms;
    double node_power_w;
    enum joulie_power_source source;
    double cpu_util_pct;
    double gpu_util_pct;
};

enum { JL_SAMPLE_POWER, JL_SAMPLE_SOURCE, JL_SAMPLE_CPU_UTIL, JL_SAMPLE_GPU_UTIL };

struct jl_cluster_facility {
    uint64_t has;
    double outside_temp_c;
    double it_power_w;
    double cooling_power_w;
};

enum { JL_FACILITY_OUTSIDE_TEMP, JL_FACILITY_IT_POWER, JL_FACILITY_COOLING_POWER };

enum jl_action_kind {
    JL_ACTION_UNKNOWN,
    JL_ACTION_WRITE_SPEC,   /* create or patch NodeTwin.spec (and the profile-since annotation) */
    JL_ACTION_WRITE_STATUS, /* patch NodeTwin.status with the members that changed */
    JL_ACTION_LABEL_NODE,   /* set the power-profile label; label NULL removes it */
    JL_ACTION_DELETE_TWIN,  /* docs/rules/reconcile.md#release */
};

enum jl_action_outcome { JL_ACTION_APPLIED = 1, JL_ACTION_CONFLICT, JL_ACTION_FAILED };

struct jl_cluster_action {
    uint64_t id; /* for jl_cluster_done; unique in this model */
    enum jl_action_kind kind;
    bool
        is_void; /* its machine was forgotten since: whatever becomes of it is remembered nowhere */
    const char *node_name;
    const char *object_name;         /* of the NodeTwin */
    const char *label;               /* LABEL_NODE: performance, eco, or NULL */
    const struct jl_twin_spec *spec; /* WRITE_SPEC: the whole wanted spec */
    const struct jl_twin_spec
        *old_spec; /* WRITE_SPEC: what is stored now; NULL = the object is to be created */
    const char *profile_since; /* WRITE_SPEC: RFC 3339, when profile or draining changes */
    const struct jl_twin_status *status; /* WRITE_STATUS: the whole new status (no controlStatus) */
    const struct jl_twin_status
        *old_status; /* WRITE_STATUS: what is stored now, for the merge patch; may be NULL */
    const char *reason;
};

void jl_cluster_defaults(struct jl_cluster_config *config);

/* JOULIE_E_PARSE at policy.nodeSelector, JOULIE_E_UNSUPPORTED at policy.type, JOULIE_E_NOMEM. */
int jl_cluster_new(const struct jl_cluster_config *config, struct jl_cluster **out,
                   struct joulie_error *err);
void jl_cluster_free(struct jl_cluster *cluster);

/* Upsert by (kind, namespace, name); hardware and twin are joined to nodes by spec.nodeName. */
int jl_cluster_put_node(struct jl_cluster *cluster, const struct jl_node *node,
                        struct joulie_error *err);
int jl_cluster_put_hardware(struct jl_cluster *cluster, const struct jl_node_hardware *hardware,
                            struct joulie_error *err);
int jl_cluster_put_twin(struct jl_cluster *cluster, const struct jl_node_twin *twin,
                        struct joulie_error *err);
int jl_cluster_put_pod(struct jl_cluster *cluster, const struct jl_pod *pod,
                       struct joulie_error *err);
int jl_cluster_put_profile(struct jl_cluster *cluster, const struct jl_workload_profile *profile,
                           struct joulie_error *err);

/* A node of a cluster without Kubernetes: in scope whatever its labels are, and never labelled. */
struct jl_cluster_machine {
    const struct jl_node *node;
    const struct jl_node_hardware *hardware; /* of the same name */
    double gpu_idle_w;                       /* 0 = unknown */
    enum joulie_profile profile;             /* while there is no twin */
    bool is_draining;
    bool is_unmanaged;
};

int jl_cluster_put_machine(struct jl_cluster *cluster, const struct jl_cluster_machine *machine,
                           struct joulie_error *err);

/* What a pod object does not say of work, or only as text. */
struct jl_cluster_work {
    struct jl_pod_demand demand;
    enum joulie_level intensity;
    bool has_started;
    int64_t started_ms;
};

int jl_cluster_put_work(struct jl_cluster *cluster, const struct jl_pod *pod,
                        const struct jl_cluster_work *work, struct joulie_error *err);

/* kind: "Node", "NodeHardware", "NodeTwin", "Pod", "WorkloadProfile", or "machine" (all of a node)
 * and "work" (a pod). Removing what is not there is no error. */
int jl_cluster_remove(struct jl_cluster *cluster, const char *kind, const char *name_space,
                      const char *name, struct joulie_error *err);

/* JOULIE_E_REQUIRED when there is no such Node, JOULIE_E_RANGE when a number is negative or not
 * finite, or when at_ms is no instant (base/time.h). */
int jl_cluster_sample(struct jl_cluster *cluster, const char *node_name,
                      const struct jl_cluster_sample *sample, struct joulie_error *err);
/* The same for all known nodes, one sample each in name order; JOULIE_E_REQUIRED when
 * their numbers differ. */
int jl_cluster_sample_all(struct jl_cluster *cluster, const struct jl_cluster_sample *samples,
                          size_t count, struct joulie_error *err);
int jl_cluster_facility(struct jl_cluster *cluster, const struct jl_cluster_facility *facility,
                        struct joulie_error *err);
/* The same for one cooling zone, whose values win over those of the cluster. */
int jl_cluster_zone(struct jl_cluster *cluster, const char *zone,
                    const struct jl_cluster_facility *readings, struct joulie_error *err);
int jl_cluster_check_facility(const struct jl_cluster_facility *facility, struct joulie_error *err);
void jl_cluster_heartbeat(struct jl_cluster *cluster,
                          int64_t at_ms); /* what is no instant is not taken */

/* JOULIE_E_RANGE: now_ms is no instant. Decides; the actions are the smallest set that brings the
 * stored objects to the decision. They live until the next step. */
int jl_cluster_step(struct jl_cluster *cluster, int64_t now_ms,
                    const struct jl_cluster_action **out_actions, size_t *out_count,
                    struct joulie_error *err);
/* What hysteresis carries from step to step: to be stored by a caller that restarts. */
void jl_cluster_get_state(const struct jl_cluster *cluster, struct jl_plan_state *out);
void jl_cluster_set_state(struct jl_cluster *cluster, const struct jl_plan_state *state);

/* JOULIE_E_RANGE: the id is not one of the last step. applied: the model takes the action's content
 * as stored (a later put of the object confirms it); else it is offered again. */
int jl_cluster_done(struct jl_cluster *cluster, uint64_t action_id, enum jl_action_outcome outcome,
                    struct joulie_error *err);

/* The last decision about a node, for a person; valid until the next call. */
struct jl_cluster_blocker {
    const char *name_space;
    const char *name;
    enum jl_blocker_why why;
};

struct jl_cluster_explanation {
    const char *node_name;
    enum jl_exclusion exclusion;
    bool is_managed; /* in scope: what follows is of the last step */
    bool is_paused;  /* what is wanted is not written */
    enum jl_plan_reason reason;
    struct jl_guard_output guard;
    double density;
    const struct jl_twin_spec *wanted;         /* NULL = none was decided */
    const struct jl_twin_status *status;       /* as predicted, without lastUpdated; NULL = none */
    const struct jl_cluster_blocker *blockers; /* by namespace, name */
    size_t blocker_count;
    const char *rack; /* NULL = none */
    double rack_power_w;
};

/* JOULIE_E_REQUIRED: there is no such Node. */
int jl_cluster_explain(struct jl_cluster *cluster, const char *node_name,
                       struct jl_cluster_explanation *out, struct joulie_error *err);

/* One node, for metrics: borrowed from the model until it is changed. */
struct jl_cluster_view {
    const char *node_name;
    const char *uid; /* "" = none */
    enum jl_exclusion exclusion;
    bool is_managed;
    bool is_paused;
    enum joulie_profile label;           /* as stored */
    const struct jl_guard_output *guard; /* NULL = nothing was decided */
    enum joulie_node_state old_state;    /* of the stored twin; NONE = there is none */
    struct jl_density density;
    enum jl_fact_source cpu_max_source;
    enum jl_fact_source gpu_max_source;
    const struct jl_twin_spec *wanted;   /* NULL = none was decided */
    const struct jl_twin_status *status; /* as predicted; NULL = none */
    bool has_rack;
    double rack_power_w;
    double ledger_w;
};

/* What is drawn by work that is not in the readings yet, now; zeros without the setting. */
struct jl_cluster_ledger {
    int64_t entries;
    double watts;
};

void jl_cluster_get_ledger(struct jl_cluster *cluster, struct jl_cluster_ledger *out);

/* Nodes by name; JOULIE_E_RANGE, JOULIE_E_REQUIRED or JOULIE_E_NOMEM. */
int jl_cluster_view_at(struct jl_cluster *cluster, size_t index, struct jl_cluster_view *out);
int jl_cluster_view_of(struct jl_cluster *cluster, const char *node_name,
                       struct jl_cluster_view *out);

/* Key of the node label that carries the profile. */
const char *jl_cluster_label_key(const struct jl_cluster *cluster);
const char *
jl_cluster_reserved_key(const struct jl_cluster *cluster); /* and of one that is not ours */

/* What the last step counted. */
struct jl_cluster_demand {
    int64_t pods[JL_DEMAND_CLASSES];
    double weighted;
    int64_t hp; /* performance nodes of the policy, before the guard */
};

void jl_cluster_get_demand(const struct jl_cluster *cluster, struct jl_cluster_demand *out);

/* Nothing is stored and nothing remembered about any node or pod. */
bool jl_cluster_is_empty(const struct jl_cluster *cluster);

/* Placement over the cached state, by docs/rules/placement.md: fills one entry per known node in
 * name order. */
struct jl_cluster_score {
    const char *node_name;
    const char *rejected; /* reason text, NULL = passes */
    int score;            /* 0..100 */
    int wire;             /* 0..10 */
    bool is_known;        /* fresh twin with a headroom */
    double raw;           /* only of a known one, as the next */
    double headroom;      /* with the pod on the node */
};

int jl_cluster_score_pod(struct jl_cluster *cluster, const struct jl_pod *pod, int64_t now_ms,
                         const struct jl_cluster_score **out, size_t *out_count,
                         struct joulie_error *err);
